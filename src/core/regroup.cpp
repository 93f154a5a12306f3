#include "regroup.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "interrupt.hpp"
#include "names.hpp"

#ifndef _WIN32
#include <unistd.h>
#endif

namespace rankprism {
namespace {

constexpr std::size_t piece_size = 1 << 20;  // number of bytes to read from a file at a time

BadInput changed(const std::string& name) {
    return BadInput(name + ": was changed while it was being read; try again when nothing writes to it");
}

const char* end_of_line(const char* p, const char* end) {
    const void* newline = std::memchr(p, '\n', static_cast<std::size_t>(end - p));
    return newline == nullptr ? end : static_cast<const char*>(newline);
}

// A file that no other process sees, and that vanishes when it is closed.
#ifdef _WIN32
std::FILE* nameless_file() {
    char* path = _tempnam(nullptr, "rankprism");  // in the folder of TMP
    std::FILE* file = path == nullptr ? nullptr : std::fopen(path, "w+bTD");
    std::free(path);
    return file;
}
#else
std::FILE* nameless_file() {
    const char* folder = std::getenv("TMPDIR");
    std::string path = std::string(folder != nullptr && *folder != '\0' ? folder : "/tmp") + "/rankprism-XXXXXX";
    const int file = mkstemp(path.data());
    if (file < 0) return nullptr;
    unlink(path.c_str());
    return fdopen(file, "w+b");
}
#endif

}  // namespace

Scratch::Scratch(std::string source) : source_(std::move(source)), file_(nameless_file()) {
    if (file_ == nullptr) fail();
    std::setvbuf(file_, nullptr, _IONBF, 0);  // all pieces are large
}

Scratch::~Scratch() { std::fclose(file_); }

void Scratch::fail() const {
    throw BadInput(source_ + ": the lines of its topics are scattered, and the file in which they are sorted cannot be written (" +
                   std::strerror(errno) + "); set TMPDIR to a folder with more room, or sort the lines by topic");
}

void Scratch::seek(std::size_t at) const {
#ifdef _WIN32
    const int failed = _fseeki64(file_, static_cast<std::int64_t>(at), SEEK_SET);
#else
    const int failed = fseeko(file_, static_cast<off_t>(at), SEEK_SET);
#endif
    if (failed != 0) fail();
}

void Scratch::write(std::size_t at, const char* data, std::size_t size) {
    seek(at);
    if (std::fwrite(data, 1, size, file_) != size) fail();
}

void Scratch::read(std::size_t at, std::size_t size, char* to) const {
    seek(at);
    if (std::fread(to, 1, size, file_) != size) fail();
}

void LongRow::push_back(std::int32_t number) {
    if (last_.size() == most_) {
        if (file_ == nullptr) file_ = std::make_unique<Scratch>(source_);
        file_->write(in_file_ * sizeof number, reinterpret_cast<const char*>(last_.data()), last_.size() * sizeof number);
        in_file_ += last_.size();
        last_.clear();
    }
    last_.push_back(number);
}

bool LongRow::Reader::next(std::int32_t& number) {
    if (at_ >= row_.in_file_) {
        if (at_ == row_.size()) return false;
        number = row_.last_[at_++ - row_.in_file_];
        return true;
    }
    if (at_ == begin_ + piece_.size()) {
        begin_ = at_;
        piece_.resize(std::min(piece_size, row_.in_file_ - at_));
        row_.file_->read(begin_ * sizeof number, piece_.size() * sizeof number, reinterpret_cast<char*>(piece_.data()));
    }
    number = piece_[at_++ - begin_];
    return true;
}

Regrouped::Regrouped(Source source, std::size_t block, std::size_t budget)
    : source_(std::move(source)), block_(block), topic_(source_.name(), budget / 32) {
    number_topics();
    for (std::size_t t = 0; t < topics_.size(); ++t) {
        if (groups_.empty() || groups_.back().bytes + topics_[t].bytes > budget) {
            Group group{t, t};
            if (!groups_.empty()) group.at = groups_.back().at + groups_.back().bytes + groups_.back().lines * sizeof(std::int32_t);
            groups_.push_back(group);
        }
        Group& group = groups_.back();
        group.end = t + 1;
        group.bytes += topics_[t].bytes;
        group.lines += topics_[t].lines;
    }
    if (groups_.size() > 1) sort_into_file();
}

void Regrouped::number_topics() {
    Names names;
    std::int32_t topic = -1;
    // Mostly the topic is the same as in the line before, or the one that followed that topic last time. Then no name is
    // looked up.
    const auto number = [&](std::string_view name) {
        for (std::int32_t guess : {topic, topic + 1}) {
            if (guess >= 0 && guess < names.size() && same_id(names[guess], name)) return guess;
        }
        return names.number(name);
    };
    Blocks blocks(source_, block_);
    for (Text text; blocks.next(text); text.check_rest()) {
        check_interrupt();
        for (const char* p = text.begin(); next_line(p, text.end());) {
            const char* end = end_of_line(p, text.end());
            topic = number({p, static_cast<std::size_t>(column_end(p) - p)});
            topic_.push_back(topic);
            if (static_cast<std::size_t>(topic) == topics_.size()) topics_.emplace_back();
            Topic& size = topics_[static_cast<std::size_t>(topic)];
            size.bytes += static_cast<std::size_t>(end - p) + 1;
            ++size.lines;
            p = end + 1;
        }
    }
}

template <class Each> void Regrouped::for_each_line(Each&& each) const {
    LongRow::Reader topic(topic_);
    Blocks blocks(source_, block_);
    for (Text text; blocks.next(text);) {
        check_interrupt();
        for (const char* p = text.begin(); next_line(p, text.end());) {
            const char* end = end_of_line(p, text.end());
            std::int32_t number = 0;
            if (!topic.next(number)) throw changed(source_.name());
            if (!each(text, p, end, number)) return;
            p = end + 1;
        }
    }
}

std::size_t Regrouped::group_of(std::size_t topic) const {
    const auto after = std::upper_bound(groups_.begin(), groups_.end(), topic,
                                        [](std::size_t wanted, const Group& group) { return wanted < group.first; });
    return static_cast<std::size_t>(after - groups_.begin()) - 1;
}

// Each line follows the number of its topic.
void Regrouped::sort_into_file() {
    sorted_ = std::make_unique<Scratch>(source_.name());
    const std::size_t most = std::clamp<std::size_t>((std::size_t{64} << 20) / groups_.size(), 1 << 12, piece_size);
    std::vector<std::string> waiting(groups_.size());
    std::vector<std::size_t> written(groups_.size());
    const auto write = [&](std::size_t g) {
        const std::size_t size = groups_[g].bytes + groups_[g].lines * sizeof(std::int32_t);
        if (written[g] + waiting[g].size() > size) throw changed(source_.name());
        sorted_->write(groups_[g].at + written[g], waiting[g].data(), waiting[g].size());
        written[g] += waiting[g].size();
        waiting[g].clear();
    };
    std::size_t g = 0;  // mostly the group of the line before
    for_each_line([&](const Text&, const char* line, const char* end, std::int32_t topic) {
        const auto number = static_cast<std::size_t>(topic);
        if (number < groups_[g].first || number >= groups_[g].end) g = group_of(number);
        waiting[g].append(reinterpret_cast<const char*>(&topic), sizeof topic).append(line, end).push_back('\n');
        if (waiting[g].size() >= most) write(g);
        return true;
    });
    for (g = 0; g < groups_.size(); ++g) {
        write(g);
        if (written[g] != groups_[g].bytes + groups_[g].lines * sizeof(std::int32_t)) throw changed(source_.name());
    }
}

void Regrouped::put(std::int32_t topic, std::string_view line) {
    const Group& group = groups_[done_];
    const std::size_t number = static_cast<std::size_t>(topic) - group.first, at = place_[number];
    place_[number] += line.size() + 1;
    if (place_[number] > start_[number] + topics_[static_cast<std::size_t>(topic)].bytes) throw changed(source_.name());
    *std::copy(line.begin(), line.end(), memory_.data() + at) = '\n';
}

bool Regrouped::next(Source& source) {
    if (done_ == groups_.size()) return false;
    const Group& group = groups_[done_];
    start_.clear();
    std::size_t size = 0;
    for (std::size_t t = group.first; t < group.end; ++t) {
        start_.push_back(size);
        size += topics_[t].bytes;
    }
    place_ = start_;
    memory_.resize(size);
    if (sorted_ == nullptr) {
        for_each_line([this](const Text&, const char* line, const char* end, std::int32_t topic) {
            put(topic, {line, static_cast<std::size_t>(end - line)});
            return true;
        });
    } else {
        std::vector<char> lines;  // lines that were read and not yet put in their places
        const std::size_t all = group.bytes + group.lines * sizeof(std::int32_t);
        for (std::size_t read = 0; read < all;) {
            check_interrupt();
            const std::size_t kept = lines.size(), more = std::min(piece_size, all - read);
            lines.resize(kept + more);
            sorted_->read(group.at + read, more, lines.data() + kept);
            read += more;
            const char *p = lines.data(), *const end = p + lines.size();
            for (std::int32_t topic = 0; end - p > static_cast<std::ptrdiff_t>(sizeof topic);) {
                const char* line = p + sizeof topic;
                const char* stop = end_of_line(line, end);
                if (stop == end) break;
                std::memcpy(&topic, p, sizeof topic);
                put(topic, {line, static_cast<std::size_t>(stop - line)});
                p = stop + 1;
            }
            lines.erase(lines.begin(), lines.begin() + (p - lines.data()));
        }
    }
    ++done_;
    source = Source::bytes({memory_.data(), size}, source_.name());
    source.original_line = [this](std::size_t at) { return original_line(at); };
    return true;
}

std::int64_t Regrouped::original_line(std::size_t place) const {
    const auto next = std::upper_bound(start_.begin(), start_.end(), place);
    const std::size_t wanted = groups_[done_ - 1].first + static_cast<std::size_t>(next - start_.begin()) - 1;
    auto lines = 1 + std::count(memory_.begin() + static_cast<std::ptrdiff_t>(next[-1]),
                                memory_.begin() + static_cast<std::ptrdiff_t>(place), '\n');  // of the topic
    std::int64_t found = 0;
    for_each_line([&](const Text& text, const char* line, const char*, std::int32_t topic) {
        if (static_cast<std::size_t>(topic) != wanted || --lines > 0) return true;
        found = text.line_of(line);
        return false;
    });
    if (found == 0) throw changed(source_.name());
    return found;
}

}  // namespace rankprism
