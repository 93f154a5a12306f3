// Sources in which the lines of a topic are scattered.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "text.hpp"

namespace rankprism {

// Bytes that are kept in a file. The file has no name, and it vanishes with the object.
class Scratch {
  public:
    explicit Scratch(std::string source);  // source: the name of the source, for messages
    ~Scratch();
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;

    void write(std::size_t at, const char* data, std::size_t size);
    void read(std::size_t at, std::size_t size, char* to) const;

  private:
    void seek(std::size_t at) const;
    [[noreturn]] void fail() const;

    std::string source_;
    std::FILE* file_;
};

// A long row of numbers. The last ones are in memory and the others, if there are any, in a file.
class LongRow {
  public:
    LongRow(std::string source, std::size_t in_memory) : source_(std::move(source)), most_(std::max<std::size_t>(in_memory, 1)) {}
    void push_back(std::int32_t number);
    std::size_t size() const { return in_file_ + last_.size(); }

    // From the first number to the last.
    class Reader {
      public:
        explicit Reader(const LongRow& row) : row_(row) {}
        bool next(std::int32_t& number);

      private:
        const LongRow& row_;
        std::vector<std::int32_t> piece_;
        std::size_t begin_ = 0, at_ = 0;  // of the piece, and in the row
    };

  private:
    std::string source_;
    std::size_t most_;
    std::unique_ptr<Scratch> file_;
    std::size_t in_file_ = 0;
    std::vector<std::int32_t> last_;
};

// Brings the scattered lines of each topic together. Topics come in the order in which they first occur, and the lines of a
// topic keep their order. As many topics as fit into `budget` bytes are in memory at a time. If these are not all topics,
// the lines are first sorted into a file, which keeps the lines of topics that will be in memory at the same time together.
// So memory does not grow with the source, and time grows only in proportion to it. Errors name the lines of the source.
class Regrouped {
  public:
    Regrouped(Source source, std::size_t block, std::size_t budget);
    // Whether there are more topics. `source` becomes their text, which is valid until the next call.
    bool next(Source& source);

  private:
    struct Topic {
        std::size_t bytes = 0, lines = 0;
    };
    struct Group {  // topics that are in memory together
        std::size_t first, end;
        std::size_t bytes = 0, lines = 0;
        std::size_t at = 0;  // in the file
    };

    void number_topics();
    void sort_into_file();
    std::size_t group_of(std::size_t topic) const;
    // Calls each(text, line, end of line, topic) for every line with data until it returns false.
    template <class Each> void for_each_line(Each&& each) const;
    void put(std::int32_t topic, std::string_view line);
    std::int64_t original_line(std::size_t place) const;

    Source source_;
    std::size_t block_;
    LongRow topic_;  // of each line with data
    std::vector<Topic> topics_;
    std::vector<Group> groups_;
    std::unique_ptr<Scratch> sorted_;  // only if there are several groups
    std::size_t done_ = 0;             // groups
    std::vector<std::size_t> start_;   // where each topic of the current group starts in memory
    std::vector<std::size_t> place_;   // where the next line of each topic goes
    std::vector<char> memory_;
};

}  // namespace rankprism
