// Numbering names (of topics, of aspects), and the order in which people list them.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

namespace rankprism {

class Names {
  public:
    // The number of a name; a new name gets the next one.
    std::int32_t number(std::string_view name) {
        if (last_ >= 0 && names_[last_] == name) return last_;
        const auto found = numbers_.find(name);
        if (found != numbers_.end()) return last_ = found->second;
        names_.emplace_back(name);
        last_ = static_cast<std::int32_t>(names_.size()) - 1;
        numbers_.emplace(names_.back(), last_);
        return last_;
    }

    std::int32_t find(std::string_view name) const {
        const auto found = numbers_.find(name);
        return found == numbers_.end() ? -1 : found->second;
    }

    const std::string& operator[](std::int32_t number) const { return names_[number]; }
    std::int32_t size() const { return static_cast<std::int32_t>(names_.size()); }

  private:
    std::deque<std::string> names_;  // a deque, because the map's keys point into it
    std::unordered_map<std::string_view, std::int32_t> numbers_;
    std::int32_t last_ = -1;  // lines of one topic mostly stand together
};

// Whole numbers first and by value, then everything else by its bytes.
inline bool comes_before(std::string_view a, std::string_view b) {
    const auto is_number = [](std::string_view s) {
        return !s.empty() && s.find_first_not_of("0123456789") == std::string_view::npos;
    };
    const bool a_number = is_number(a), b_number = is_number(b);
    if (a_number != b_number) return a_number;
    if (a_number) {
        const auto significant = [](std::string_view s) { return s.substr(std::min(s.find_first_not_of('0'), s.size())); };
        const std::string_view x = significant(a), y = significant(b);
        if (x.size() != y.size()) return x.size() < y.size();
        if (x != y) return x < y;
    }
    return a < b;
}

}  // namespace rankprism
