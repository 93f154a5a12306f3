// How many threads read files before they are asked for.
#pragma once

#include <condition_variable>
#include <exception>
#include <mutex>

namespace rankprism {

// Thrown in a thread whose work is not wanted any more.
struct Stopped : std::exception {
    const char* what() const noexcept override { return "nobody waits for this"; }
};

// While Python is busy with something else, it uses a processor, and one thread fewer reads. As soon as it waits for a file,
// all of them do.
class Pace {
  public:
    explicit Pace(int threads) : threads_(threads) {}

    // One of the threads that may be at work at the same time. Without a pace, there is no limit.
    class Place {
      public:
        explicit Place(Pace* pace) : pace_(pace) {
            if (pace_ != nullptr) pace_->enter();
        }
        ~Place() {
            if (pace_ != nullptr) pace_->leave();
        }
        Place(const Place&) = delete;
        Place& operator=(const Place&) = delete;

      private:
        Pace* pace_;
    };

    void wait_for_file() { change([this] { ++waiting_; }); }
    void got_file() { change([this] { --waiting_; }); }
    void stop() { change([this] { stopped_ = true; }); }
    void check() {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (stopped_) throw Stopped();
    }

  private:
    void enter() {
        std::unique_lock<std::mutex> lock(mutex_);
        changed_.wait(lock, [this] { return stopped_ || working_ < threads_ - (waiting_ == 0 ? 1 : 0); });
        ++working_;
    }
    void leave() { change([this] { --working_; }); }
    template <class Change> void change(Change&& make) {
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            make();
        }
        changed_.notify_all();
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    const int threads_;  // at least 2
    int working_ = 0, waiting_ = 0;
    bool stopped_ = false;
};

// The pace of this thread; null in threads that Python has called.
inline thread_local Pace* own_pace = nullptr;

}  // namespace rankprism
