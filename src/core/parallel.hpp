// Several threads work on one text, and the result is the same as with one thread.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "interrupt.hpp"
#include "text.hpp"

namespace rankprism {

// Takes pieces of work until there are none:
//   next(piece)   fetches the next piece, one thread at a time; false if there is none;
//   work(piece)   is done by several threads at once, each on its own piece;
//   commit(piece) is called for one piece after another, in the order of next; it returns false to end the work.
// An error in one of them is thrown here; of several errors, it is the one that a single thread would have met first.
// A thread that is ahead waits for its turn, so there are never more pieces in memory than threads.
//
// The calling thread is one of the workers. Only it looks for Ctrl-C, because Python's signals belong to the thread
// that holds Python's state. If the calling thread reads ahead of Python, all workers keep its pace.
template <class Piece, class Next, class Work, class Commit>
void in_order(int threads, Next&& next, Work&& work, Commit&& commit) {
    std::mutex fetching, turning;
    std::condition_variable turned;
    std::int64_t fetched = 0, turn = 0;
    bool over = false;  // guarded by turning
    std::exception_ptr error;
    Pace* const pace = own_pace;

    const auto run = [&](bool is_caller) {
        own_pace = pace;
        Piece piece;
        for (;;) {
            std::int64_t number = 0;
            std::exception_ptr failure;
            bool found = false;
            {
                const Pace::Place place(pace);
                {
                    const std::lock_guard<std::mutex> lock(fetching);
                    number = fetched++;
                    try {
                        if (is_caller) check_interrupt();
                        found = next(piece);
                    } catch (...) {
                        failure = std::current_exception();
                    }
                }
                if (found) {
                    try {
                        work(piece);
                    } catch (...) {
                        failure = std::current_exception();
                    }
                }
            }
            std::unique_lock<std::mutex> lock(turning);
            while (turn != number && !over) {
                if (!is_caller) {
                    turned.wait(lock);
                } else if (turned.wait_for(lock, std::chrono::milliseconds(100)) == std::cv_status::timeout) {
                    lock.unlock();
                    std::exception_ptr interrupt;
                    try {
                        check_interrupt();
                    } catch (...) {
                        interrupt = std::current_exception();
                    }
                    lock.lock();
                    if (interrupt != nullptr && !over) {
                        over = true;
                        error = interrupt;
                        turned.notify_all();
                    }
                }
            }
            if (over) return;
            bool goes_on = found && failure == nullptr;
            if (goes_on) {
                lock.unlock();  // the turn is ours until we pass it on
                try {
                    goes_on = commit(piece);
                } catch (...) {
                    failure = std::current_exception();
                    goes_on = false;
                }
                lock.lock();
            }
            if (!goes_on && !over) {
                over = true;
                error = failure;
            }
            ++turn;
            turned.notify_all();
            if (over) return;
        }
    };

    std::vector<std::thread> others;
    try {
        for (int t = 1; t < threads; ++t) others.emplace_back(run, false);
    } catch (const std::system_error&) {
        // The system refuses to start more threads; those that have started do the work.
    }
    run(true);
    for (std::thread& other : others) other.join();
    if (error != nullptr) std::rethrow_exception(error);
}

// How many threads are worth starting: small texts are read before a second thread has started.
inline int worthwhile(int threads, const Source& source, std::size_t block) {
    const auto most = static_cast<std::size_t>(std::max(threads, 1));
    if (source.is_stream()) return static_cast<int>(most);
    return static_cast<int>(std::clamp<std::size_t>(source.size() / std::max<std::size_t>(block, 1), 1, most));
}

}  // namespace rankprism
