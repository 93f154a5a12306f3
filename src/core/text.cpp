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

// The size of the byte-order mark at the beginning of a file, if it has one.
std::size_t mark_size(const char* p, std::size_t size) { return starts_with(p, size, "\xEF\xBB\xBF") ? 3 : 0; }

BadInput shortened(const std::string& name) {
    return BadInput(name + ": was shortened while it was being read; try again when nothing writes to it");
}

std::uint64_t random_word() {
    std::random_device source;
    return (static_cast<std::uint64_t>(source()) << 32) | source();
}

}  // namespace

// The secrets are not reproducible, on purpose: see hash_bytes. The multiplier is odd, so that no bit of an id is lost.
const std::uint64_t hash_secret[2] = {random_word(), random_word() | 1};

Source Source::bytes(std::string_view data, const std::string& name) {
    Source source;
    source.name_ = name;
    source.size_ = data.size();
    source.memory_ = data.data();
    return source;
}

Source Source::kept(const std::string& name, std::size_t size, Read read) {
    Source source;
    source.name_ = name;
    source.size_ = size;
    source.read_ = std::move(read);
    return source;
}

Source Source::stream(const std::string& name, Take take, std::function<Source()> again) {
    Source source;
    source.name_ = name;
    source.take_ = std::move(take);
    source.again_ = std::move(again);
    return source;
}

#ifdef _WIN32
Source Source::file(const std::string& path, const std::string& name) {
    std::FILE* file = std::fopen(path.c_str(), "rb");
    if (file == nullptr) throw BadInput(name + ": cannot be opened (" + std::strerror(errno) + ")");
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> closing(file, std::fclose);
    _fseeki64(file, 0, SEEK_END);
    const auto size = static_cast<std::size_t>(_ftelli64(file));
    std::rewind(file);
    const auto whole = std::make_shared<std::vector<char>>(size);
    if (std::fread(whole->data(), 1, size, file) != size) throw shortened(name);
    Source source = bytes({whole->data(), size}, name);
    source.owner_ = whole;
    return source;
}

void Source::read(std::size_t at, std::size_t size, char* to) const {
    if (read_) {
        read_(at, size, to);
    } else {
        std::memcpy(to, memory_ + at, size);
    }
}
#else
Source Source::file(const std::string& path, const std::string& name) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) throw BadInput(name + ": cannot be opened (" + std::strerror(errno) + ")");
    Source source;
    source.name_ = name;
    source.file_ = file;
    source.owner_ = std::shared_ptr<const int>(new int(file), [](const int* f) { close(*f), delete f; });
    struct stat status {};
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
        throw BadInput(name + ": is not a regular file; pass it through standard input as -");
    }
    source.size_ = static_cast<std::size_t>(status.st_size);
    return source;
}

void Source::read(std::size_t at, std::size_t size, char* to) const {
    if (read_) {
        read_(at, size, to);
        return;
    }
    if (memory_ != nullptr) {
        std::memcpy(to, memory_ + at, size);
        return;
    }
    while (size > 0) {
        const ssize_t got = pread(file_, to, size, static_cast<off_t>(at));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) throw BadInput(name_ + ": cannot be read (" + std::strerror(errno) + ")");
        if (got == 0) throw shortened(name_);
        at += static_cast<std::size_t>(got);
        to += got;
        size -= static_cast<std::size_t>(got);
    }
}
#endif

std::int64_t Source::newlines(std::size_t before) const {
    std::vector<char> piece(std::min(before, Blocks::usual));
    std::int64_t lines = 0;
    for (std::size_t at = 0; at < before; at += piece.size()) {
        const std::size_t size = std::min(piece.size(), before - at);
        read(at, size, piece.data());
        lines += std::count(piece.data(), piece.data() + size, '\n');
    }
    return lines;
}

Text Text::whole(const Source& source, bool of_lines) {
    Text text;
    text.source_ = source;
    char* memory = text.reserve(source.size());
    for (std::size_t at = 0; at < source.size(); at += Blocks::usual) {
        check_interrupt();
        source.read(at, std::min(Blocks::usual, source.size() - at), memory + at);
    }
    if (of_lines) text.refuse_long_line(source.size());
    text.finish(source.size());
    text.check_rest();
    return text;
}

char* Text::reserve(std::size_t size) {
    if (size + padding > room_) {
        const std::size_t room = std::max(size + padding, room_ + room_ / 2);
        std::unique_ptr<char[]> larger(new char[room]);
        if (room_ > 0) std::memcpy(larger.get(), memory_.get(), room_);
        memory_ = std::move(larger);
        room_ = room;
    }
    return memory_.get();
}

void Text::finish(std::size_t size) {
    reserve(size);
    std::memset(memory_.get() + size, '\n', padding);
    end_ = size;
    skip_ = 0;
    if (begins_file()) check_beginning();
    ascii_ = is_plain(memory_.get(), size);
    foreign_ = nullptr;
    if (ascii_) return;
    const char* foreign = find_foreign();
    if (foreign == end()) return;
    foreign_ = foreign;
    const char* line = foreign;
    while (line != memory_.get() && line[-1] != '\n') --line;
    end_ = static_cast<std::size_t>(line - memory_.get());
    skip_ = std::min(skip_, end_);
}

void Text::refuse_long_line(std::size_t size) {
    constexpr std::ptrdiff_t longest = 1'000'000;
    const char *line = memory_.get(), *const end = line + size;
    while (end - line > longest) {
        const char* last = line + longest;  // after the last newline from there back
        while (*last != '\n' && last != line) --last;
        if (last == line && *line != '\n') {
            finish(size);
            check_rest();  // a binary file is called one
            fail(line, "is longer than 1,000,000 bytes, the most of a line; check that this is a file of lines");
        }
        line = last + 1;
    }
}

void Text::check_beginning() {
    const char* start = memory_.get();
    if (end_ == 0) throw BadInput(name() + ": the file is empty");
    skip_ = mark_size(start, end_);
    if (starts_with(start, end_, "\xFF\xFE") || starts_with(start, end_, "\xFE\xFF")) {
        throw BadInput(name() + ": is UTF-16 text; convert it to UTF-8, e.g. iconv -f UTF-16 -t UTF-8");
    }
    const struct { std::string_view magic; const char* suffix; } packed[] = {
        {"\x1F\x8B", ".gz"}, {"BZh", ".bz2"}, {{"\xFD" "7zXZ", 5}, ".xz"}, {"\x28\xB5\x2F\xFD", ".zst"}};
    for (const auto& kind : packed) {
        if (starts_with(start, end_, kind.magic) && (kind.magic.size() > 3 || find_foreign() != end())) {
            throw BadInput(name() + ": is compressed; name it with the ending " + kind.suffix);
        }
    }
}

const char* Text::find_foreign() const {
    const char* invalid = find_invalid_utf8(memory_.get(), end());
    const void* nul = std::memchr(memory_.get(), 0, static_cast<std::size_t>(invalid - memory_.get()));
    return nul != nullptr ? static_cast<const char*>(nul) : invalid;
}

void Text::check_rest() const {
    if (foreign_ == nullptr) return;
    if (*foreign_ == 0) fail(foreign_, "has a NUL byte, so this is a binary file, not text");
    char byte[8];
    std::snprintf(byte, sizeof byte, "0x%02X", static_cast<unsigned>(static_cast<unsigned char>(*foreign_)));
    fail(foreign_, std::string("byte ") + byte + " is not valid UTF-8; convert the file, e.g. iconv -f LATIN1 -t UTF-8");
}

std::int64_t Text::line_of(const char* position) const {
    const char* start = memory_.get();
    if (source_.original_line) return source_.original_line(at_ + static_cast<std::size_t>(position - start));
    return 1 + (source_.is_stream() ? lines_ : source_.newlines(at_)) + std::count(start, position, '\n');
}

void Text::fail(const char* position, const std::string& message) const {
    throw BadInput(name() + ", line " + std::to_string(line_of(position)) + ": " + message);
}

namespace {

std::string_view topic_at(const char* p) { return {p, static_cast<std::size_t>(column_end(p) - p)}; }

const char* line_start(const char* begin, const char* p) {
    while (p > begin && p[-1] != '\n') --p;
    return p;
}

// Where a topic begins after a line of another topic, between two lines of different topics.
const char* change_between(const char* one, const char* other) {
    constexpr std::ptrdiff_t few = 1 << 12;
    const std::string_view topic = topic_at(other);
    while (other - one > few) {
        const char* middle = line_start(one, one + (other - one) / 2);
        if (!next_line(middle, other) || middle == one) break;
        (topic_at(middle) == topic ? other : one) = middle;
    }
    const char* change = other;
    for (const char* p = line_end(one) + 1; next_line(p, other); p = line_end(p) + 1) {
        if (topic_at(p) != topic) change = other; else if (change == other) change = p;
    }
    return change;
}

// Where the last topic of the text begins, if a line of another topic comes before it; else nullptr. The text ends with
// a newline. If the lines of a topic are scattered, it is some place where the topic changes, or nullptr by chance.
const char* last_change(const char* begin, const char* end) {
    const char* last = nullptr;  // the last line with data
    for (const char* stop = end; last == nullptr; stop = line_start(begin, stop - 1)) {
        if (stop == begin) return nullptr;
        const char* line = line_start(begin, stop - 1);
        if (next_line(line, stop)) last = line;
    }
    const std::string_view topic = topic_at(last);
    // Go back in longer and longer steps, which miss a change only if the lines of a topic are scattered.
    for (std::ptrdiff_t step = 1 << 12; ; step *= 2) {
        const bool is_first = last - begin <= step;
        const char* before = is_first ? begin : line_start(begin, last - step);
        if (next_line(before, last) && topic_at(before) != topic) return change_between(before, last);
        if (is_first) break;
    }
    return nullptr;
}

}  // namespace

std::size_t Blocks::load(std::size_t at, std::size_t size, char* to) {
    if (!source_.is_stream()) {
        source_.read(at, size, to);
        return size;
    }
    const std::size_t here = std::min(size, waiting_.size());
    std::memcpy(to, waiting_.data(), here);
    waiting_.erase(0, here);
    return here + (here < size ? source_.take(size - here, to + here) : 0);
}

bool Blocks::next(Text& text) {
    if (over_) return false;
    const bool is_stream = source_.is_stream();
    text.source_ = source_;
    text.at_ = at_;
    text.lines_ = lines_;
    const std::size_t left = is_stream ? std::numeric_limits<std::size_t>::max() : source_.size() - at_;
    std::size_t loaded = 0, wanted = std::min(block_, left);
    for (;; wanted = std::min(wanted + wanted / 4 + 1, left)) {
        char* memory = text.reserve(wanted);
        loaded += load(at_ + loaded, wanted - loaded, memory + loaded);
        over_ = loaded == left || loaded < wanted;
        // A line without end would fill the memory before anybody looks at it.
        text.refuse_long_line(loaded);
        if (over_) break;
        const char* end = memory + loaded;
        while (end != memory && end[-1] != '\n') --end;
        std::memset(memory + loaded, '\n', Text::padding);  // where scans stop
        const std::size_t mark = text.begins_file() ? mark_size(memory, loaded) : 0;  // not a part of the first topic
        const char* change = last_change(std::min<const char*>(memory + mark, end), end);
        if (change == nullptr) continue;  // a long topic
        const auto cut = static_cast<std::size_t>(change - memory);
        if (is_stream) waiting_.insert(0, change, loaded - cut);
        loaded = cut;
        break;
    }
    at_ += loaded;
    if (is_stream) lines_ += std::count(text.memory_.get(), text.memory_.get() + loaded, '\n');
    text.finish(loaded);
    return true;
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
        // A number too small to tell from zero is accepted; one that is too large is not.
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
