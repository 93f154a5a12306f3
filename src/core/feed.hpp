// Bytes that arrive one after another: what a packed file holds, or a pipe.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "regroup.hpp"
#include "text.hpp"

namespace rankprism {

// The lines of a topic are scattered over bytes that were not kept.
struct Scattered : std::exception {
    const char* what() const noexcept override { return "the lines of a topic are scattered"; }
};

// Bytes that were read once and may be needed again: the first ones in memory, the others in a file without a name.
class Spool {
  public:
    Spool(std::string source, std::size_t in_memory) : source_(std::move(source)), most_(in_memory) {}
    void append(const char* data, std::size_t size);
    std::size_t size() const { return size_; }
    void read(std::size_t at, std::size_t size, char* to) const;  // by several threads at once

  private:
    std::string source_;
    std::size_t most_, size_ = 0;
    std::string first_;
    std::unique_ptr<Scratch> file_;
    mutable std::mutex mutex_;  // guards the place in the file
};

// One thread puts bytes, and others take them, one at a time. Whoever is ahead waits, so that little is in memory.
class Feed {
  public:
    static constexpr std::size_t usual = 4 << 20, usual_memory = 64 << 20;

    // keeps: whether the bytes that are taken are kept, because they cannot be had again.
    // most: how many bytes may wait to be taken. memory: how many of those that are kept are in memory.
    explicit Feed(std::string name, bool keeps = false, std::size_t most = usual, std::size_t memory = usual_memory)
        : name_(std::move(name)), most_(most), spool_(keeps ? std::make_shared<Spool>(name_, memory) : nullptr) {}

    // Waits while there is no room. False if nobody takes any more.
    bool put(std::string_view bytes);
    // There are no more bytes. With an error, they cannot be had, and `take` throws it after the bytes before.
    void finish(std::string error = "");
    // Fewer bytes than `size` only at the end.
    std::size_t take(std::size_t size, char* to);
    std::string rest();
    void close();  // nobody takes any more

    // What is put, as a source that is read once from its beginning to its end.
    // It must not outlive the feed. If somebody wants to read it again, the rest is kept as well; without
    // `keeps` this throws Scattered.
    Source source();

  private:
    std::size_t some(std::size_t size, char* to);  // waits for the first byte
    Source again();

    const std::string name_;
    const std::size_t most_;
    std::shared_ptr<Spool> spool_;  // null if nothing is kept
    std::mutex mutex_;              // guards what follows
    std::condition_variable changed_;
    std::deque<std::string> pieces_;
    std::size_t waiting_ = 0;  // bytes in all pieces that were not taken
    std::size_t taken_ = 0;    // bytes of the first piece that were
    bool over_ = false, closed_ = false;
    std::string error_;
};

}  // namespace rankprism
