#include "feed.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

#include "interrupt.hpp"

namespace rankprism {

void Spool::append(const char* data, std::size_t size) {
    const std::size_t here = std::min(size, most_ - std::min(most_, first_.size()));
    first_.append(data, here);
    if (here < size) {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (file_ == nullptr) file_ = std::make_unique<Scratch>(source_);
        file_->write(size_ + here - first_.size(), data + here, size - here);
    }
    size_ += size;
}

void Spool::read(std::size_t at, std::size_t size, char* to) const {
    if (at < first_.size()) {
        const std::size_t here = std::min(size, first_.size() - at);
        std::memcpy(to, first_.data() + at, here);
        at += here, to += here, size -= here;
    }
    if (size == 0) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    file_->read(at - first_.size(), size, to);
}

bool Feed::put(std::string_view bytes) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return closed_ || waiting_ < most_; });
    if (closed_) return false;
    pieces_.emplace_back(bytes);
    waiting_ += bytes.size();
    changed_.notify_all();
    return true;
}

void Feed::finish(std::string error) {
    const std::lock_guard<std::mutex> lock(mutex_);
    over_ = true;
    error_ = std::move(error);
    changed_.notify_all();
}

void Feed::close() {
    const std::lock_guard<std::mutex> lock(mutex_);
    closed_ = true;
    pieces_.clear();
    changed_.notify_all();
}

std::size_t Feed::some(std::size_t size, char* to) {
    std::unique_lock<std::mutex> lock(mutex_);
    while (waiting_ == 0 && !over_) {
        if (!changed_.wait_for(lock, std::chrono::milliseconds(100), [this] { return waiting_ > 0 || over_; })) {
            lock.unlock();
            check_interrupt();
            lock.lock();
        }
    }
    if (waiting_ == 0) {
        if (!error_.empty()) throw BadInput(error_);
        return 0;
    }
    std::string& piece = pieces_.front();
    const std::size_t got = std::min(size, piece.size() - taken_);
    std::memcpy(to, piece.data() + taken_, got);
    taken_ += got;
    waiting_ -= got;
    if (taken_ == piece.size()) {
        pieces_.pop_front();
        taken_ = 0;
    }
    changed_.notify_all();
    return got;
}

std::size_t Feed::take(std::size_t size, char* to) {
    std::size_t got = 0;
    while (got < size) {
        const std::size_t more = some(size - got, to + got);
        if (more == 0) break;
        got += more;
    }
    if (spool_ != nullptr) spool_->append(to, got);
    return got;
}

std::string Feed::rest() {
    std::string all;
    for (std::size_t size = 0, room = usual;; room = all.size() + all.size() / 2) {
        all.resize(std::max(room, usual));
        size += take(all.size() - size, all.data() + size);
        if (size < all.size()) {
            all.resize(size);
            return all;
        }
    }
}

Source Feed::source() {
    return Source::stream(
        name_, [this](std::size_t size, char* to) { return take(size, to); }, [this] { return again(); });
}

Source Feed::again() {
    if (spool_ == nullptr) throw Scattered();
    std::string piece(Blocks::usual, '\0');
    while (take(piece.size(), piece.data()) == piece.size()) check_interrupt();
    return Source::kept(name_, spool_->size(),
                        [spool = spool_](std::size_t at, std::size_t size, char* to) { spool->read(at, size, to); });
}

}  // namespace rankprism
