#include "ahead.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <system_error>
#include <utility>

#include "interrupt.hpp"

namespace rankprism {

Ahead::Ahead(NamedFile judgments, std::vector<NamedFile> runs, Joining joining, Reading reading)
    : file_(std::move(judgments)), runs_(std::move(runs)), joining_(joining), reading_(reading), pace_(reading.threads),
      joined_(runs_.size()) {
    try {
        reader_ = std::thread([this] { read(); });
    } catch (const std::system_error&) {
        over_ = true;  // the system refuses to start a thread, so nothing is read ahead
    }
}

void Ahead::stop() {
    pace_.stop();
    if (reader_.joinable()) reader_.join();
}

std::shared_ptr<JudgmentTable> Ahead::judgments() {
    wait([this] { return table_ != nullptr || mistake_ != nullptr; });
    const std::lock_guard<std::mutex> lock(mutex_);
    if (mistake_ != nullptr) std::rethrow_exception(mistake_);
    return table_;
}

std::optional<Alignment> Ahead::alignment(std::size_t run, const JudgmentTable& judgments, const Joining& joining) {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (run >= runs_.size() || &judgments != table_.get() || !(joining == joining_)) return std::nullopt;
    }
    wait([this, run] { return joined_[run].is_there; });
    const std::lock_guard<std::mutex> lock(mutex_);
    if (joined_[run].mistake != nullptr) std::rethrow_exception(joined_[run].mistake);
    return std::exchange(joined_[run].alignment, std::nullopt);
}

template <class Tell> void Ahead::tell(Tell&& result) {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        result();
    }
    told_.notify_all();
}

template <class IsThere> void Ahead::wait(IsThere&& is_there) {
    struct Waiting {
        Pace& pace;
        explicit Waiting(Pace& p) : pace(p) { pace.wait_for_file(); }
        ~Waiting() { pace.got_file(); }
    };
    std::unique_lock<std::mutex> lock(mutex_);
    if (is_there() || over_) return;
    const Waiting waiting(pace_);
    while (!is_there() && !over_) {
        if (told_.wait_for(lock, std::chrono::milliseconds(100)) == std::cv_status::timeout) {
            lock.unlock();
            check_interrupt();
            lock.lock();
        }
    }
}

void Ahead::read() {
    own_pace = &pace_;
    try {
        auto table = std::make_shared<JudgmentTable>(
            JudgmentTable::from_source(Source::file(file_.path, file_.name), JudgmentFormat::diversity, reading_));
        tell([&] { table_ = std::move(table); });
        const int readers = std::min(reading_.threads, static_cast<int>(runs_.size()));
        const int each = std::max(1, reading_.threads / std::max(readers, 1));
        std::atomic<std::size_t> next{0};
        const auto some = [&] {
            own_pace = &pace_;
            for (std::size_t run = next++; run < runs_.size(); run = next++) read_run(run, each);
        };
        std::vector<std::thread> others;
        try {
            for (int t = 1; t < readers; ++t) others.emplace_back(some);
        } catch (const std::system_error&) {
            // The system refuses to start more threads; those that have started do the work.
        }
        some();
        for (std::thread& other : others) other.join();
    } catch (const Stopped&) {
    } catch (...) {
        tell([&] { mistake_ = std::current_exception(); });
    }
    tell([&] { over_ = true; });
}

void Ahead::read_run(std::size_t run, int threads) {
    Joined joined;
    joined.is_there = true;
    try {
        Reading reading = reading_;
        reading.threads = threads;
        pace_.check();
        joined.alignment = align_source(*table_, Source::file(runs_[run].path, runs_[run].name), joining_, reading);
    } catch (const Stopped&) {
        return;
    } catch (...) {
        joined.mistake = std::current_exception();
    }
    tell([&] { joined_[run] = std::move(joined); });
}

}  // namespace rankprism
