// Numbering names (of topics, of aspects), and the order in which people list them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text.hpp"

namespace rankprism {

class Names {
  public:
    // The number of a name; a new name gets the next one.
    std::int32_t number(std::string_view name) {
        if (static_cast<std::size_t>(size()) * 2 >= slots_.size()) grow();
        const std::uint32_t hash = hash_bytes(name);
        Slot& slot = slots_[place(hash, name)];
        if (slot.number < 0) {
            slot = {hash, size()};
            bytes_.append(name);
            end_.push_back(bytes_.size());
        }
        return slot.number;
    }

    // The number of a name, or -1 if it has none.
    std::int32_t find(std::string_view name) const {
        return slots_.empty() ? -1 : slots_[place(hash_bytes(name), name)].number;
    }

    // The name with a number; valid until the next name is added.
    std::string_view operator[](std::int32_t number) const {
        return std::string_view(bytes_).substr(end_[number], end_[number + 1] - end_[number]);
    }
    std::int32_t size() const { return static_cast<std::int32_t>(end_.size()) - 1; }

    void clear() {
        bytes_.clear();
        end_.resize(1);
        std::fill(slots_.begin(), slots_.end(), Slot{});
    }

  private:
    struct Slot { std::uint32_t hash = 0; std::int32_t number = -1; };

    // Where the name is, or would be.
    std::size_t place(std::uint32_t hash, std::string_view name) const {
        std::size_t s = hash & (slots_.size() - 1);
        while (slots_[s].number >= 0 && (slots_[s].hash != hash || (*this)[slots_[s].number] != name)) {
            s = (s + 1) & (slots_.size() - 1);
        }
        return s;
    }

    void grow() {
        slots_.assign(std::max<std::size_t>(64, slots_.size() * 2), Slot{});
        for (std::int32_t n = 0; n < size(); ++n) {
            const std::uint32_t hash = hash_bytes((*this)[n]);
            slots_[place(hash, (*this)[n])] = {hash, n};
        }
    }

    std::string bytes_;  // all names, end to end, which takes less memory than a string for each
    std::vector<std::size_t> end_{0};
    std::vector<Slot> slots_;
};

// Whole numbers come first, by value, and then everything else, by its bytes.
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

// The value of a name that is a whole number below 10^18, and a larger number for all others. A name never has a greater
// value than one that is listed after it, and comparing values is fast.
inline std::uint64_t listed_value(std::string_view name) {
    constexpr std::uint64_t none = ~std::uint64_t{0};
    if (name.empty()) return none;
    name.remove_prefix(std::min(name.find_first_not_of('0'), name.size()));
    if (name.size() > 18) return none;
    std::uint64_t value = 0;
    for (const char c : name) {
        const auto digit = static_cast<unsigned char>(c - '0');
        if (digit > 9) return none;
        value = value * 10 + digit;
    }
    return value;
}

}  // namespace rankprism
