#include "text.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>

#ifndef _WIN32
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace rankprism {
namespace {

// Position of the first byte that is no UTF-8, or end.
const char* find_invalid_utf8(const char* p, const char* end) {
    while (p < end) {
        while (end - p >= 8 && (load(p) & 0x8080808080808080ULL) == 0) p += 8;
        if (p == end) return end;
        const auto lead = static_cast<unsigned char>(*p);
        if (lead < 0x80) {
            ++p;
            continue;
        }
        const int more = lead >= 0xC2 && lead <= 0xDF   ? 1
                         : lead >= 0xE0 && lead <= 0xEF ? 2
                         : lead >= 0xF0 && lead <= 0xF4 ? 3
                                                        : 0;
        if (more == 0 || end - p <= more) return p;
        const auto second = static_cast<unsigned char>(p[1]);
        if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second > 0x9F) ||
            (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second > 0x8F)) {
            return p;  // overlong, surrogate, or beyond Unicode
        }
        for (int i = 1; i <= more; ++i) {
            if ((static_cast<unsigned char>(p[i]) & 0xC0) != 0x80) return p;
        }
        p += more + 1;
    }
    return end;
}

bool is_ascii(const char* p, std::size_t size) {
    unsigned char bits = 0;
    for (std::size_t i = 0; i < size; ++i) bits |= static_cast<unsigned char>(p[i]);
    return bits < 0x80;
}

bool starts_with(const char* p, std::size_t size, std::string_view magic) {
    return size >= magic.size() && std::memcmp(p, magic.data(), magic.size()) == 0;
}

}  // namespace

Text::Text(Memory start, std::size_t size, std::string name)
    : start_(std::move(start)), size_(size), name_(std::move(name)) {
    std::memset(start_.get() + size_, '\n', padding);
    check();
}

Text Text::read_file(const std::string& path, const std::string& name) {
    std::FILE* file = std::fopen(path.c_str(), "rb");
    if (file == nullptr) throw BadInput(name + ": cannot be opened (" + std::strerror(errno) + ")");
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> closing(file, std::fclose);
    std::fseek(file, 0, SEEK_END);
    const long length = std::ftell(file);
    std::rewind(file);
    if (length < 0) throw BadInput(name + ": is not a regular file; pass it through standard input as -");
    const auto size = static_cast<std::size_t>(length);
    Memory memory(new char[size + padding], [](char* p) { delete[] p; });
    if (std::fread(memory.get(), 1, size, file) != size) {
        throw BadInput(name + ": could not be read to its end; try again when nothing writes to it");
    }
    return Text(std::move(memory), size, name);
}

#ifdef _WIN32
Text Text::map_file(const std::string& path, const std::string& name) { return read_file(path, name); }
#else
// The file is laid over the beginning of a larger anonymous mapping, so that the padding behind its last
// byte exists and can be written; the file itself does not change, because the mapping is private.
Text Text::map_file(const std::string& path, const std::string& name) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) throw BadInput(name + ": cannot be opened (" + std::strerror(errno) + ")");
    struct stat status {};
    fstat(file, &status);
    const auto size = static_cast<std::size_t>(status.st_size);
    const std::size_t whole = size + padding;
    void* place = mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    void* mapped = place;
    if (place != MAP_FAILED && size > 0) {
        mapped = mmap(place, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, file, 0);
    }
    close(file);
    if (place == MAP_FAILED || mapped == MAP_FAILED) {
        if (place != MAP_FAILED) munmap(place, whole);
        return read_file(path, name);
    }
    madvise(place, size, MADV_SEQUENTIAL);
    return Text(Memory(static_cast<char*>(place), [whole](char* p) { munmap(p, whole); }), size, name);
}
#endif

Text Text::from_bytes(std::string_view data, const std::string& name) {
    Memory memory(new char[data.size() + padding], [](char* p) { delete[] p; });
    std::memcpy(memory.get(), data.data(), data.size());
    return Text(std::move(memory), data.size(), name);
}

void Text::check() {
    const char* start = start_.get();
    if (size_ == 0) throw BadInput(name_ + ": the file is empty");
    if (starts_with(start, size_, "\xEF\xBB\xBF")) skip_ = 3;
    if (starts_with(start, size_, "\xFF\xFE") || starts_with(start, size_, "\xFE\xFF")) {
        throw BadInput(name_ + ": is UTF-16 text; convert it to UTF-8, e.g. iconv -f UTF-16 -t UTF-8");
    }
    const struct { std::string_view magic; const char* suffix; } packed[] = {
        {"\x1F\x8B", ".gz"}, {"BZh", ".bz2"}, {{"\xFD" "7zXZ", 5}, ".xz"}, {"\x28\xB5\x2F\xFD", ".zst"}};
    for (const auto& kind : packed) {
        if (starts_with(start, size_, kind.magic) &&
            (kind.magic.size() > 3 || std::memchr(start, 0, size_) != nullptr ||
             find_invalid_utf8(start, start + size_) != start + size_)) {
            throw BadInput(name_ + ": is compressed; name it with the ending " + kind.suffix);
        }
    }
    // A block at a time, so that the second look finds it in the cache.
    constexpr std::size_t block = 1 << 15;
    for (std::size_t at = 0; at < size_; at += block) {
        const std::size_t length = std::min(block, size_ - at);
        if (const void* nul = std::memchr(start + at, 0, length)) {
            fail(static_cast<const char*>(nul), "a NUL byte: this is a binary file, not text");
        }
        ascii_ = ascii_ && is_ascii(start + at, length);
    }
    const char* invalid = ascii_ ? start + size_ : find_invalid_utf8(start, start + size_);
    if (invalid != start + size_) {
        char byte[8];
        std::snprintf(byte, sizeof byte, "0x%02X", static_cast<unsigned>(static_cast<unsigned char>(*invalid)));
        fail(invalid, std::string("byte ") + byte +
                          " is not valid UTF-8; convert the file, e.g. iconv -f LATIN1 -t UTF-8");
    }
}

std::int64_t Text::line_of(const char* position) const {
    return 1 + std::count(static_cast<const char*>(start_.get()), position, '\n');
}

void Text::fail(const char* position, const std::string& message) const {
    throw BadInput(name_ + ", line " + std::to_string(line_of(position)) + ": " + message);
}

int count_columns(const char* p) {
    int columns = 0;
    for (p = skip_blanks(p); *p != '\n'; p = skip_blanks(column_end(p))) ++columns;
    return columns;
}

// Any decimal number, correctly rounded.
bool parse_any_number(std::string_view column, double& value) {
    const char* first = column.data();
    const char* last = first + column.size();
    if (first != last && *first == '+') {
        ++first;
        if (first != last && (*first == '-' || *first == '+')) return false;
    }
#ifdef __cpp_lib_to_chars
    const auto result = std::from_chars(first, last, value);
    if (result.ptr != last) return false;
    if (result.ec == std::errc::result_out_of_range) {
        // Too small to tell from zero is a number; too large is not.
        const std::string copy(first, last);
        value = std::strtod(copy.c_str(), nullptr);
    } else if (result.ec != std::errc()) {
        return false;
    }
#else
    const std::string copy(first, last);
    if (copy.find_first_not_of("+-.eE0123456789") != std::string::npos) return false;
    char* stop = nullptr;
    value = std::strtod(copy.c_str(), &stop);
    if (stop == copy.c_str() || *stop != '\0') return false;
#endif
    return std::isfinite(value);
}

std::string quoted(std::string_view value) {
    constexpr std::size_t most = 60;
    std::string text = "'";
    std::size_t size = std::min(value.size(), most);
    if (size < value.size()) {
        while (size > 0 && (static_cast<unsigned char>(value[size]) & 0xC0) == 0x80) --size;
    }
    text.append(value.substr(0, size));
    if (size < value.size()) text += "…";
    return text + "'";
}

}  // namespace rankprism
