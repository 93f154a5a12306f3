#include "text.hpp"

#include "interrupt.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#ifndef _WIN32
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace rankprism {

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

bool is_plain(const char* p, std::size_t size) {
    unsigned char unusual = 0;
    for (std::size_t i = 0; i < size; ++i) unusual |= static_cast<unsigned char>((p[i] & 0x80) | (p[i] == 0));
    return unusual == 0;
}

namespace {

bool starts_with(const char* p, std::size_t size, std::string_view magic) {
    return size >= magic.size() && std::memcmp(p, magic.data(), magic.size()) == 0;
}

// How much is read at a time: enough to forget the system call, and still in the cache when it is parsed.
// The fuzzer has tiny blocks, so that every line meets the end of one.
#ifndef RANKPRISM_BLOCK
#define RANKPRISM_BLOCK (1 << 18)
#endif
constexpr std::size_t block = RANKPRISM_BLOCK;

BadInput shortened(const std::string& name) {
    return BadInput(name + ": was shortened while it was being read; try again when nothing writes to it");
}

std::uint64_t random_word() {
    std::random_device source;
    return (static_cast<std::uint64_t>(source()) << 32) | source();
}

}  // namespace

// Not reproducible on purpose; see hash_bytes. The multiplier is odd, so that no bit of an id is lost.
const std::uint64_t hash_secret[2] = {random_word(), random_word() | 1};

Text::Text(Memory start, std::size_t size, std::size_t loaded, std::string name)
    : start_(std::move(start)), size_(size), ready_(start_.get()), loaded_(loaded), name_(std::move(name)) {
    if (loaded_ < size_) return;
    std::memset(start_.get() + size_, '\n', padding);
    check_beginning(end());
    check(start_.get(), end());
    ready_ = end();
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
    for (std::size_t at = 0; at < size; at += block) {
        check_interrupt();
        const std::size_t wanted = std::min(block, size - at);
        if (std::fread(memory.get() + at, 1, wanted, file) != wanted) throw shortened(name);
    }
    return Text(std::move(memory), size, size, name);
}

#ifdef _WIN32
Text Text::walk_file(const std::string& path, const std::string& name) { return read_file(path, name); }
void Text::read(std::size_t) {}
std::int64_t Text::forgotten_lines() const { return 0; }
#else
// Addresses for the whole file are reserved, which costs nothing; memory comes with the blocks that are read.
Text Text::walk_file(const std::string& path, const std::string& name) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) throw BadInput(name + ": cannot be opened (" + std::strerror(errno) + ")");
    const std::shared_ptr<const int> closing(new int(file), [](const int* f) { close(*f), delete f; });
    struct stat status {};
    fstat(file, &status);
    const auto size = static_cast<std::size_t>(status.st_size);
    if (size <= block) return read_file(path, name);
    const std::size_t whole = size + padding;
    void* place = mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (place == MAP_FAILED) throw BadInput(name + ": there is no memory for a file of " + std::to_string(size) + " bytes");
    Text text(Memory(static_cast<char*>(place), [whole](char* p) { munmap(p, whole); }), size, 0, name);
    text.file_ = closing;
    text.load(text.start_.get());
    return text;
}

void Text::read(std::size_t size) {
    for (const std::size_t goal = loaded_ + size; loaded_ < goal;) {
        check_interrupt();
        char* place = start_.get() + (loaded_ - forgotten_);
        const ssize_t got = pread(*file_, place, std::min(goal - loaded_, block), static_cast<off_t>(loaded_));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) throw BadInput(name_ + ": cannot be read (" + std::strerror(errno) + ")");
        if (got == 0) throw shortened(name_);
        loaded_ += static_cast<std::size_t>(got);
    }
    if (loaded_ == size_) std::memset(start_.get() + (size_ - forgotten_), '\n', padding);
}

std::int64_t Text::forgotten_lines() const {
    std::vector<char> piece(block);
    std::int64_t lines = 0;
    for (std::size_t at = 0; at < forgotten_;) {
        const ssize_t got = pread(*file_, piece.data(), std::min(block, forgotten_ - at), static_cast<off_t>(at));
        if (got <= 0) break;  // the file is being changed, and an error is on its way
        lines += std::count(piece.data(), piece.data() + got, '\n');
        at += static_cast<std::size_t>(got);
    }
    return lines;
}
#endif

bool Text::load(const char* p) {
    if (p >= end()) return false;
    const bool at_beginning = loaded_ == 0;
    while (p >= ready_) {
        const std::size_t known = loaded_ - forgotten_;
        read(std::min(block, size_ - loaded_));
        const char* fresh = start_.get() + known;
        const char* last = start_.get() + (loaded_ - forgotten_);
        if (loaded_ < size_) {
            while (last != fresh && last[-1] != '\n') --last;
            if (last == fresh) continue;  // a very long line
        }
        if (at_beginning) check_beginning(last);
        check(ready_, last);
        ready_ = last;
    }
    return true;
}

std::ptrdiff_t Text::forget(const char* p) {
    char* start = start_.get();
    const std::ptrdiff_t before = p - start;
    // Only when there is more to forget than to move.
    const auto kept = static_cast<std::ptrdiff_t>(loaded_ - forgotten_) - before;
    if (file_ == nullptr || before < static_cast<std::ptrdiff_t>(block) || before < kept) return 0;
    std::memmove(start, p, static_cast<std::size_t>(kept) + (loaded_ == size_ ? padding : 0));
    forgotten_ += static_cast<std::size_t>(before);
    ready_ -= before;
    skip_ = 0;
    return before;
}

void Text::read_whole() {
    if (file_ == nullptr) return;
    loaded_ = forgotten_ = 0;
    read(size_);
    check_beginning(end());
    check(start_.get(), end());
    ready_ = end();
    file_.reset();
}

Text Text::from_bytes(std::string_view data, const std::string& name) {
    Memory memory(new char[data.size() + padding], [](char* p) { delete[] p; });
    std::memcpy(memory.get(), data.data(), data.size());
    return Text(std::move(memory), data.size(), data.size(), name);
}

void Text::check_beginning(const char* to) {
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
            (kind.magic.size() > 3 || std::memchr(start, 0, static_cast<std::size_t>(to - start)) != nullptr ||
             find_invalid_utf8(start, to) != to)) {
            throw BadInput(name_ + ": is compressed; name it with the ending " + kind.suffix);
        }
    }
}

void Text::check(const char* from, const char* to) {
    const auto size = static_cast<std::size_t>(to - from);
    if (is_plain(from, size)) return;
    ascii_ = false;
    if (const void* nul = std::memchr(from, 0, size)) {
        fail(static_cast<const char*>(nul), "a NUL byte: this is a binary file, not text");
    }
    const char* invalid = find_invalid_utf8(from, to);
    if (invalid == to) return;
    char byte[8];
    std::snprintf(byte, sizeof byte, "0x%02X", static_cast<unsigned>(static_cast<unsigned char>(*invalid)));
    fail(invalid, std::string("byte ") + byte + " is not valid UTF-8; convert the file, e.g. iconv -f LATIN1 -t UTF-8");
}

std::int64_t Text::line_of(const char* position) const {
    return 1 + forgotten_lines() + std::count(static_cast<const char*>(start_.get()), position, '\n');
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
