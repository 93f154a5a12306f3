// Text files as bytes: loading them whole, checking them, and walking their lines and columns.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

namespace rankprism {

// A user's mistake: reaches Python as rankprism.InputError.
struct BadInput : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// The whole text of a source, owned. One newline is added behind the last byte, so that a scan for
// the end of a line or of a column never has to ask for the end of the buffer.
class Text {
  public:
    Text() = default;  // no text
    static Text from_file(const std::string& path, const std::string& name);
    static Text from_bytes(std::string_view bytes, const std::string& name);

    const char* begin() const { return bytes_.get() + skip_; }
    const char* end() const { return bytes_.get() + size_; }
    const std::string& name() const { return name_; }

    // Counted only when an error has to name it: lines are not stored.
    std::int64_t line_of(const char* position) const;
    [[noreturn]] void fail(const char* position, const std::string& message) const;

  private:
    Text(std::unique_ptr<char[]> bytes, std::size_t size, std::string name);
    void check();  // binary files, foreign encodings, nothing at all

    std::unique_ptr<char[]> bytes_;
    std::size_t size_ = 0;
    std::size_t skip_ = 0;  // a byte-order mark
    std::string name_;
};

// Blanks, tabs and the carriage return of CRLF separate columns; every other byte above them, hence
// every UTF-8 sequence, belongs to a column.
inline bool is_column(char c) { return static_cast<unsigned char>(c) > ' '; }

inline const char* skip_blanks(const char* p) {
    while (!is_column(*p) && *p != '\n') ++p;
    return p;
}

inline const char* column_end(const char* p) {
    while (is_column(*p)) ++p;
    return p;
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
    std::string_view column(start, static_cast<std::size_t>(p - start));
    p = (p[0] == ' ' && is_column(p[1])) ? p + 1 : skip_blanks(p);
    return column;
}

// How many columns the line at p has: only for messages.
int count_columns(const char* p);

// A finite decimal number that fills the whole column.
bool parse_number(std::string_view column, double& value);

// Shortened, and safe to print in a message.
std::string quoted(std::string_view value);

std::uint32_t hash_bytes(std::string_view bytes);

}  // namespace rankprism
