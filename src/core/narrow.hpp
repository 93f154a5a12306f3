// Columns of small numbers, each in as few bytes as it needs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <unordered_map>
#include <vector>

namespace rankprism {

// Whole numbers ≥ 0, which take one byte each until a larger one is added.
class Narrow {
  public:
    std::size_t size() const { return bytes_.size() / width_; }

    std::uint32_t operator[](std::size_t i) const {
        if (width_ == 1) return bytes_[i];
        return width_ == 2 ? at<std::uint16_t>(i) : at<std::uint32_t>(i);
    }

    void append(const std::vector<std::uint32_t>& numbers) {
        std::uint32_t largest = 0;
        for (const std::uint32_t number : numbers) largest = std::max(largest, number);
        widen(largest);
        const std::size_t first = size();
        bytes_.resize((first + numbers.size()) * width_);
        for (std::size_t i = 0; i < numbers.size(); ++i) put(first + i, numbers[i]);
    }

    // Appends the numbers of another column, each replaced by its entry in `map`.
    void append(const Narrow& other, const std::vector<std::uint32_t>& map) {
        for (const std::uint32_t number : map) widen(number);
        const std::size_t first = size(), count = other.size();
        bytes_.resize((first + count) * width_);
        for (std::size_t i = 0; i < count; ++i) put(first + i, map[other[i]]);
    }

    void append(const Narrow& other) {
        if (width_ == other.width_) {
            bytes_.insert(bytes_.end(), other.bytes_.begin(), other.bytes_.end());
        } else {
            std::vector<std::uint32_t> numbers;
            for (std::size_t i = 0; i < other.size(); ++i) numbers.push_back(other[i]);
            append(numbers);
        }
    }

    void reserve(std::size_t numbers) { bytes_.reserve(numbers * width_); }
    void clear() { bytes_.clear(); }

  private:
    template <class Number> std::uint32_t at(std::size_t i) const {
        Number number;
        std::memcpy(&number, &bytes_[i * sizeof number], sizeof number);
        return number;
    }

    template <class Number> void put_as(std::size_t i, std::uint32_t value) {
        const auto number = static_cast<Number>(value);
        std::memcpy(&bytes_[i * sizeof number], &number, sizeof number);
    }

    void put(std::size_t i, std::uint32_t number) {
        if (width_ == 1) put_as<std::uint8_t>(i, number);
        else if (width_ == 2) put_as<std::uint16_t>(i, number);
        else put_as<std::uint32_t>(i, number);
    }

    // Makes every number wide enough for this one.
    void widen(std::uint32_t number) {
        const std::size_t width = number <= 0xFF ? 1 : number <= 0xFFFF ? 2 : 4;
        if (width <= width_) return;
        Narrow wide;
        wide.width_ = width;
        wide.bytes_.resize(size() * width);
        for (std::size_t i = 0; i < size(); ++i) wide.put(i, (*this)[i]);
        *this = std::move(wide);
    }

    std::vector<std::uint8_t> bytes_;
    std::size_t width_ = 1;
};

// Grades are a few values that occur again and again, so each row holds only the number of its value.
class Grades {
  public:
    std::size_t size() const { return row_.size(); }
    double operator[](std::size_t i) const { return values_[row_[i]]; }

    void append(const std::vector<double>& grades) {
        numbers_.clear();
        for (const double grade : grades) numbers_.push_back(number(grade));
        row_.append(numbers_);
    }

    void append(const Grades& other) {
        std::vector<std::uint32_t> map;
        for (const double value : other.values_) map.push_back(number(value));
        row_.append(other.row_, map);
    }

    void reserve(std::size_t grades) { row_.reserve(grades); }
    void clear() { row_.clear(); }

  private:
    // Bits are compared, so that -0 does not become 0.
    static std::uint64_t bits(double value) {
        std::uint64_t word;
        std::memcpy(&word, &value, sizeof word);
        return word;
    }

    std::uint32_t number(double value) {
        const std::size_t few = values_.size() < 8 ? values_.size() : 8;
        for (std::size_t i = 0; i < few; ++i) {
            if (bits(values_[i]) == bits(value)) return static_cast<std::uint32_t>(i);
        }
        const auto found = number_.try_emplace(bits(value), static_cast<std::uint32_t>(values_.size()));
        if (found.second) values_.push_back(value);
        return found.first->second;
    }

    std::vector<double> values_;  // in the order in which they came
    std::unordered_map<std::uint64_t, std::uint32_t> number_;
    Narrow row_;
    std::vector<std::uint32_t> numbers_;  // used while numbers are appended
};

}  // namespace rankprism
