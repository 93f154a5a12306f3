// Reads judgments and runs before they are asked for.
#pragma once

#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "judgments.hpp"
#include "pace.hpp"
#include "run.hpp"
#include "text.hpp"

namespace rankprism {

struct NamedFile {
    std::string path, name;
};

// Threads of its own read judgments and then join runs with them, in the order of the runs. Nothing that they find is told
// before somebody asks for it, be it a table, an alignment or a mistake. None of these threads calls Python.
class Ahead {
  public:
    Ahead(NamedFile judgments, std::vector<NamedFile> runs, Joining joining, Reading reading);
    ~Ahead() { stop(); }
    Ahead(const Ahead&) = delete;
    Ahead& operator=(const Ahead&) = delete;

    // Waits for the judgments; null if reading was stopped.
    std::shared_ptr<JudgmentTable> judgments();
    // Waits for a run. None if it was not joined with these judgments in this way, if it has been taken already, or if
    // reading was stopped.
    std::optional<Alignment> alignment(std::size_t run, const JudgmentTable& judgments, const Joining& joining);
    // Ends the threads. What has been read remains.
    void stop();

  private:
    struct Joined {
        bool is_there = false;
        std::optional<Alignment> alignment;
        std::exception_ptr mistake;
    };

    void read();
    void read_run(std::size_t run, int threads);
    template <class Tell> void tell(Tell&& result);        // changes what others wait for
    template <class IsThere> void wait(IsThere&& is_there);  // until is_there() or nothing more will come

    const NamedFile file_;
    const std::vector<NamedFile> runs_;
    const Joining joining_;
    const Reading reading_;
    Pace pace_;

    std::mutex mutex_;  // guards what follows
    std::condition_variable told_;
    std::shared_ptr<JudgmentTable> table_;
    std::exception_ptr mistake_;  // in the judgments
    std::vector<Joined> joined_;
    bool over_ = false;

    std::thread reader_;
};

}  // namespace rankprism
