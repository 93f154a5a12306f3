// Text files as bytes: loads them, checks them, and walks through their lines and columns.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#if defined(__SSE2__) || defined(_M_X64)
#include <emmintrin.h>
#define RANKPRISM_SSE2
#endif
#ifdef _MSC_VER
#include <intrin.h>
#endif

namespace rankprism {

// A user's mistake, which reaches Python as rankprism.InputError.
struct BadInput : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Bytes that can be read at any place by several threads at once: a file, or something in memory. Or bytes that arrive one
// after another, which are read once from the first to the last.
//
// Files are read and not mapped. If another program shortens a mapped file, reading it kills the process.
class Source {
  public:
    using Read = std::function<void(std::size_t at, std::size_t size, char* to)>;
    using Take = std::function<std::size_t(std::size_t size, char* to)>;  // the next bytes; fewer only at the end

    static Source file(const std::string& path, const std::string& name);
    static Source bytes(std::string_view data, const std::string& name);  // data must outlive the source
    static Source kept(const std::string& name, std::size_t size, Read read);
    static Source stream(const std::string& name, Take take, std::function<Source()> again);

    // Whether bytes arrive one after another. Then there is no size, and nothing can be read at a place.
    bool is_stream() const { return static_cast<bool>(take_); }
    std::size_t take(std::size_t size, char* to) const { return take_(size, to); }
    // The same bytes from the beginning, wherever they are wanted.
    Source again() const { return is_stream() ? again_() : *this; }

    std::size_t size() const { return size_; }
    const std::string& name() const { return name_; }
    void read(std::size_t at, std::size_t size, char* to) const;
    // The number of newlines before a place.
    std::int64_t newlines(std::size_t before) const;
    // For a source that was made from another one: the line of the other source that is at this place here.
    std::function<std::int64_t(std::size_t)> original_line;

  private:
    std::string name_;
    std::size_t size_ = 0;
    const char* memory_ = nullptr;
    std::shared_ptr<const void> owner_;  // closes the file
    int file_ = -1;
    Read read_;
    Take take_;
    std::function<Source()> again_;
};

// Lines of a source in memory. Newlines follow the last byte, so that code that looks at many bytes at a time never has to
// check for the end of the buffer.
class Text {
  public:
    static constexpr std::size_t padding = 64;

    Text() = default;  // no text
    // The whole text, for a source that is kept. of_lines: no line may be longer than a megabyte.
    static Text whole(const Source& source, bool of_lines = false);
    static Text from_bytes(std::string_view bytes, const std::string& name) { return whole(Source::bytes(bytes, name)); }

    const char* begin() const { return memory_.get() + skip_; }
    const char* end() const { return memory_.get() + end_; }
    std::size_t size() const { return end_ - skip_; }
    const std::string& name() const { return source_.name(); }
    // Whether all of it is ASCII.
    bool ascii() const { return ascii_; }

    // A text ends before the first line that cannot be text. This throws the error for that line, if there is one. Call it
    // after all lines before have been read, so that the first mistake in a file is the one that is reported.
    void check_rest() const;

    // Lines are not stored, and are counted only if an error has to name one.
    std::int64_t line_of(const char* position) const;
    [[noreturn]] void fail(const char* position, const std::string& message) const;

  private:
    friend class Blocks;
    char* reserve(std::size_t size);   // room for this many bytes and the padding; keeps the contents
    void finish(std::size_t size);     // checks the bytes after they were loaded
    void refuse_long_line(std::size_t size);  // of the bytes that were loaded
    bool begins_file() const { return at_ == 0 && !source_.original_line; }
    void check_beginning();            // refuses empty files, foreign encodings and packed files
    const char* find_foreign() const;  // a NUL byte, or a byte that is not UTF-8; end() if there is none

    std::unique_ptr<char[]> memory_;
    std::size_t room_ = 0;
    std::size_t end_ = 0, skip_ = 0;  // the first bytes may be a byte-order mark
    std::size_t at_ = 0;              // place in the source
    std::int64_t lines_ = 0;          // newlines before it, in a stream
    const char* foreign_ = nullptr;   // the first byte that is not text
    bool ascii_ = true;
    Source source_;
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

// Whether two ids are equal: eight bytes at a time, without a call.
inline bool same_id(std::string_view a, std::string_view b) {
    if (a.size() != b.size() || a.size() < 8) return a == b;
    std::size_t at = 0;
    for (; at + 8 < a.size(); at += 8) {
        if (load(a.data() + at) != load(b.data() + at)) return false;
    }
    return load(a.data() + a.size() - 8) == load(b.data() + a.size() - 8);  // some of them again
}

// The same for two columns of a text, where eight bytes can always be read.
inline bool same_column(std::string_view a, std::string_view b) {
#if defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if (a.size() == b.size() && a.size() - 1 < 8) return (load(a.data()) ^ load(b.data())) << (64 - 8 * a.size()) == 0;
#endif
    return same_id(a, b);
}

inline unsigned trailing_zeros(std::uint64_t bits) {  // of which one is set
#ifdef _MSC_VER
    unsigned long found;
    _BitScanForward64(&found, bits);
    return found;
#else
    return static_cast<unsigned>(__builtin_ctzll(bits));
#endif
}

// 64 bytes at once: bit i is about byte i.
struct Bytes64 {
    std::uint64_t separators = 0;  // bytes that do not belong to a column
    std::uint64_t newlines = 0;
};

inline Bytes64 look_at(const char* p) {
    Bytes64 found;
#ifdef RANKPRISM_SSE2
    const __m128i blank = _mm_set1_epi8(' '), newline = _mm_set1_epi8('\n');
    const auto bits = [](__m128i equal) { return static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm_movemask_epi8(equal))); };
    for (int at = 0; at < 64; at += 16) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + at));
        found.separators |= bits(_mm_cmpeq_epi8(_mm_min_epu8(bytes, blank), bytes)) << at;
        found.newlines |= bits(_mm_cmpeq_epi8(bytes, newline)) << at;
    }
#elif __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    // Adding 0x5F sets the top bit of every byte from 0x21 to 0x7F, and adding 0x7F sets it for every byte except 0. The
    // product moves the eight top bits together.
    constexpr std::uint64_t low = 0x7F7F7F7F7F7F7F7FULL;
    const auto bits = [](std::uint64_t high) { return ((~high & 0x8080808080808080ULL) >> 7) * 0x0102040810204080ULL >> 56; };
    for (int at = 0; at < 64; at += 8) {
        const std::uint64_t word = load(p + at), other = word ^ 0x0A0A0A0A0A0A0A0AULL;
        found.separators |= bits(((word & low) + 0x5F5F5F5F5F5F5F5FULL) | word) << at;
        found.newlines |= bits(((other & low) + low) | other) << at;
    }
#else
    for (int at = 0; at < 64; ++at) {
        found.separators |= static_cast<std::uint64_t>(!is_column(p[at])) << at;
        found.newlines |= static_cast<std::uint64_t>(p[at] == '\n') << at;
    }
#endif
    return found;
}

// Where each of the first N columns of the line at p ends, and where the line ends. False if the line is unusual: if it has
// fewer columns or more than 64 bytes, begins with a blank, or has several separators between two columns.
template <std::size_t N> bool find_columns(const char* p, unsigned (&end)[N], unsigned& end_of_line) {
    const Bytes64 bytes = look_at(p);
    if (bytes.newlines == 0) return false;
    end_of_line = trailing_zeros(bytes.newlines);
    std::uint64_t left = bytes.separators;  // of which one is the newline
    for (std::size_t n = 0; n < N; ++n) {
        end[n] = trailing_zeros(left | std::uint64_t{1} << 63);
        left &= left - 1;
    }
    const std::uint64_t behind_another = bytes.separators & (bytes.separators << 1 | 1);
    // With too few columns, the last ends are all 63, which may also be where the line ends.
    return end[N - 1] <= end_of_line && end[N - 2] < end[N - 1] &&
           (behind_another & ((std::uint64_t{2} << end[N - 1]) - 1)) == 0;
}

// The first byte that does not belong to a column. Tests eight at a time: a byte below 0x21 borrows into its top bit.
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
#if defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    for (;; p += 8) {
        const std::uint64_t word = load(p) ^ 0x0A0A0A0A0A0A0A0AULL;
        const std::uint64_t zero = (word - 0x0101010101010101ULL) & ~word & 0x8080808080808080ULL;
        if (zero != 0) return p + (__builtin_ctzll(zero) >> 3);
    }
#else
    while (*p != '\n') ++p;
    return p;
#endif
}

inline bool is_comment(const char* p) { return p[0] == '#' && (p[1] == ' ' || p[1] == '\t'); }

// The column at p; afterwards p is at the next column or at the newline.
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

// Cuts a source into texts of about `block` bytes. A cut is made where the topic changes, and the cuts depend only on the
// text, so each text has whole topics, unless the lines of a topic are scattered over the source.
// Memory does not grow with the source, and a text is still in the cache when it is parsed.
class Blocks {
  public:
    // Large enough that system calls do not matter, and small enough for the cache.
    static constexpr std::size_t usual = 1 << 19;

    Blocks(Source source, std::size_t block) : source_(std::move(source)), block_(std::max<std::size_t>(block, 1)) {}
    // Reads the next text into `text` and reuses its memory; false at the end.
    bool next(Text& text);

  private:
    std::size_t load(std::size_t at, std::size_t size, char* to);  // fewer bytes only at the end

    Source source_;
    std::size_t block_, at_ = 0;
    bool over_ = false;
    std::string waiting_;     // of a stream: what was taken and belongs to the next text
    std::int64_t lines_ = 0;  // of a stream: the newlines before that text
};

// How a source is read. These settings do not change the result.
struct Reading {
    int threads = 1;
    std::size_t block = Blocks::usual;       // bytes that a thread works on at a time
    std::size_t budget = usual_budget;  // bytes of scattered lines that are brought together at a time
    static constexpr std::size_t usual_budget = 128 << 20;
};

// The position of the first byte that is not UTF-8, or end.
const char* find_invalid_utf8(const char* p, const char* end);
// Whether all bytes are ASCII and none is NUL. This is quick, and true of nearly every text.
bool is_plain(const char* p, std::size_t size);

// How many columns the line at p has: only for messages.
int count_columns(const char* p);

bool parse_any_number(std::string_view column, double& value);

// A finite decimal number that fills the whole column. Up to 15 digits and a power of ten up to 22 are exact
// in a double, so one division rounds correctly (Clinger 1990). The library handles the rare other numbers.
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

// The number that `count` digits at p write, 1 to 8 of them; false if they are not all digits. Reads eight bytes.
inline bool parse_digits(const char* p, std::size_t count, std::uint64_t& number) {
#if defined(__GNUC__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    const unsigned unused = 64 - 8 * static_cast<unsigned>(count);
    std::uint64_t digits = load(p) << unused;
    if ((digits & 0xF0F0F0F0F0F0F0F0ULL) != 0x3030303030303030ULL << unused) return false;
    if (((digits + (0x0606060606060606ULL << unused)) & (0x4040404040404040ULL << unused)) != 0) return false;  // above 9
    digits &= 0x0F0F0F0F0F0F0F0FULL;
    digits = (digits * 10 + (digits >> 8)) & 0x00FF00FF00FF00FFULL;
    digits = (digits * 100 + (digits >> 16)) & 0x0000FFFF0000FFFFULL;
    number = (digits * 10000 + (digits >> 32)) & 0xFFFFFFFFULL;
    return true;
#else
    number = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const auto digit = static_cast<unsigned char>(p[i] - '0');
        if (digit > 9) return false;
        number = number * 10 + digit;
    }
    return true;
#endif
}

// The text in quotes, shortened, and safe to print in a message.
std::string quoted(std::string_view value);

// Random numbers of this process, which the author of a file cannot know.
extern const std::uint64_t hash_secret[2];

// The two halves of the product of all 128 bits, folded into one.
inline std::uint64_t folded_product(std::uint64_t a, std::uint64_t b) {
#ifdef __SIZEOF_INT128__
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
#else
    const std::uint64_t a0 = a & 0xFFFFFFFFu, a1 = a >> 32, b0 = b & 0xFFFFFFFFu, b1 = b >> 32;
    const std::uint64_t middle = a1 * b0 + (a0 * b0 >> 32), other = a0 * b1 + (middle & 0xFFFFFFFFu);
    return (a * b) ^ (a1 * b1 + (middle >> 32) + (other >> 32));
#endif
}

// Mixes in eight bytes at a time, multiplies by a secret, and folds. Without the secret, somebody could make ids that all
// collide in a table, and looking one up would take time in proportion to their number. If two hashes are equal, the
// bytes are compared, so no result depends on the secret.
inline std::uint32_t hash_bytes(std::string_view bytes) {
    const char* p = bytes.data();
    const std::size_t size = bytes.size();
    std::uint64_t h = hash_secret[0] ^ size;
    if (size >= 8) {
        for (std::size_t at = 0; at + 8 < size; at += 8) h = folded_product(h ^ load(p + at), hash_secret[1]);
        h ^= load(p + size - 8);  // the last eight, some of them again
    } else {
        std::uint64_t word = 0;
        for (std::size_t i = 0; i < size; ++i) word = (word << 8) | static_cast<unsigned char>(p[i]);
        h ^= word;
    }
    h = folded_product(h, hash_secret[1]);
    return static_cast<std::uint32_t>(h ^ (h >> 32));
}

}  // namespace rankprism
