// Text files as bytes: loading them, checking them, and walking their lines and columns.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace rankprism {

// A user's mistake: reaches Python as rankprism.InputError.
struct BadInput : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The whole text of a source. Behind its last byte stand newlines, so that a scan for the end of a line
// or of a column, eight bytes at a time, never has to ask for the end of the buffer.
class Text {
  public:
    static constexpr std::size_t padding = 16;

    Text() = default;  // no text
    // For a text that is kept: what happens to the file later does not matter.
    static Text read_file(const std::string& path, const std::string& name);
    // For a text that is walked through once: the pages of the file itself, without copying them.
    static Text map_file(const std::string& path, const std::string& name);
    static Text from_bytes(std::string_view bytes, const std::string& name);

    const char* begin() const { return start_.get() + skip_; }
    const char* end() const { return start_.get() + size_; }
    const std::string& name() const { return name_; }
    bool ascii() const { return ascii_; }

    // Counted only when an error has to name it: lines are not stored.
    std::int64_t line_of(const char* position) const;
    [[noreturn]] void fail(const char* position, const std::string& message) const;

  private:
    using Memory = std::unique_ptr<char, std::function<void(char*)>>;
    Text(Memory start, std::size_t size, std::string name);
    void check();  // binary files, foreign encodings, nothing at all

    Memory start_;
    std::size_t size_ = 0;
    std::size_t skip_ = 0;  // a byte-order mark
    bool ascii_ = true;
    std::string name_;
};

// Blanks, tabs and the carriage return of CRLF separate columns; every byte above them, hence every
// UTF-8 sequence, belongs to a column.
inline bool is_column(char c) { return static_cast<unsigned char>(c) > ' '; }

inline const char* skip_blanks(const char* p) {
    while (!is_column(*p) && *p != '\n') ++p;
    return p;
}

inline std::uint64_t load(const char* p) {
    std::uint64_t word;
    std::memcpy(&word, p, sizeof word);
    return word;
}

// The first byte that is no column byte. Eight at a time: a byte below 0x21 borrows into its top bit.
inline const char* column_end(const char* p) {
#if defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    for (;; p += 8) {
        const std::uint64_t word = load(p);
        const std::uint64_t low = (word - 0x2121212121212121ULL) & ~word & 0x8080808080808080ULL;
        if (low != 0) return p + (__builtin_ctzll(low) >> 3);
    }
#else
    while (is_column(*p)) ++p;
    return p;
#endif
}

inline const char* line_end(const char* p) {
    while (*p != '\n') ++p;
    return p;
}

inline bool is_comment(const char* p) { return p[0] == '#' && (p[1] == ' ' || p[1] == '\t'); }

// The column at p; afterwards p stands on the next column or on the newline.
inline std::string_view take_column(const char*& p) {
    const char* start = p;
    p = column_end(p);
    const std::string_view column(start, static_cast<std::size_t>(p - start));
    p = (p[0] == ' ' && is_column(p[1])) ? p + 1 : skip_blanks(p);
    return column;
}

// Moves p over blank lines and comments to the next line with data; false at the end of the text.
inline bool next_line(const char*& p, const char* end) {
    for (; p < end; p = line_end(p) + 1) {
        p = skip_blanks(p);
        if (*p != '\n' && !is_comment(p)) return p < end;
    }
    return false;
}

// How many columns the line at p has: only for messages.
int count_columns(const char* p);

bool parse_any_number(std::string_view column, double& value);

// A finite decimal number that fills the whole column. Up to 15 digits and a power of ten up to 22 are exact
// in a double, so one division rounds correctly (Clinger 1990); the rare rest goes to the library.
inline bool parse_number(std::string_view column, double& value) {
    static constexpr double powers[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                        1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    const char* p = column.data();
    const char* last = p + column.size();
    const bool negative = p != last && *p == '-';
    if (negative) ++p;
    const char* start = p;
    std::uint64_t digits = 0;
    const char* point = nullptr;
    for (; p != last; ++p) {
        const auto digit = static_cast<unsigned char>(*p - '0');
        if (digit <= 9) {
            digits = digits * 10 + digit;
        } else if (*p == '.' && point == nullptr) {
            point = p;
        } else {
            return parse_any_number(column, value);
        }
    }
    const auto count = p - start - (point != nullptr);
    if (count == 0 || count > 15) return parse_any_number(column, value);
    value = static_cast<double>(digits) / powers[point == nullptr ? 0 : last - point - 1];
    if (negative) value = -value;
    return true;
}

// Shortened, and safe to print in a message.
std::string quoted(std::string_view value);

// Multiply and fold, eight bytes at a time. Equal hashes are always followed by comparing the bytes.
inline std::uint32_t hash_bytes(std::string_view bytes) {
    const char* p = bytes.data();
    const std::size_t size = bytes.size();
    std::uint64_t h = 0x9E3779B97F4A7C15ULL ^ size;
    const auto mix = [&h](std::uint64_t word) {
        h = (h ^ word) * 0xFF51AFD7ED558CCDULL;
        h ^= h >> 32;
    };
    if (size >= 8) {
        for (std::size_t at = 0; at + 8 < size; at += 8) mix(load(p + at));
        mix(load(p + size - 8));  // the last eight, some of them again
    } else {
        std::uint64_t word = 0;
        for (std::size_t i = 0; i < size; ++i) word = (word << 8) | static_cast<unsigned char>(p[i]);
        mix(word);
    }
    return static_cast<std::uint32_t>(h ^ (h >> 29));
}

}  // namespace rankprism
