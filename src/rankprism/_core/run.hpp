// Runs: reading them, putting each topic in order, and joining them with the judgments.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "judgments.hpp"
#include "names.hpp"
#include "text.hpp"

namespace rankprism {

enum class Order {
    score,      // score descending, ties by document id descending
    trec_eval,  // the same on scores rounded to 32 bits
    rank,       // rank column ascending, ties by document id descending
    input,      // as the lines stand
};

enum class Duplicates { error, first };

// A system's rankings as columns; ids point into text the table owns.
class RunTable {
  public:
    struct Line {
        const char* doc;
        double score;
        std::uint32_t size;
        std::uint32_t hash;
        std::int32_t topic;
        std::string_view id() const { return {doc, size}; }
    };

    static RunTable from_text(Text text);
    // ids: all document ids, one behind the other, in the order of the rows to come.
    RunTable(std::string name, std::vector<char> ids);
    void add(std::string_view topic, std::size_t doc_size, double score);

    std::string where(const Line& line) const;  // for messages
    const std::string& name() const { return name_; }

    Names topics;
    std::vector<Line> lines;
    std::vector<double> ranks;  // empty where the source has none, NaN where a file has something else

  private:
    explicit RunTable(Text text) : name_(text.name()), text_(std::move(text)), is_text_(true) {}

    std::string name_;
    Text text_;
    bool is_text_ = false;
    std::vector<char> ids_;
    std::size_t used_ = 0;
};

// The judged documents that a run retrieves, by topic of the judgments, each topic in rank order.
struct Alignment {
    std::vector<std::int64_t> start;    // topic t: start[t] .. start[t + 1]
    std::vector<std::int32_t> rank;     // from 1
    std::vector<std::int32_t> doc;      // number among the topic's relevant documents, or -1
    std::vector<std::int32_t> length;   // of each topic's ranking; 0 where the run lacks the topic
    std::vector<std::uint8_t> retrieved;  // whether the run has the topic at all
    std::int64_t unjudged_topics = 0;   // topics of the run that the judgments lack
};

Alignment align(const JudgmentTable& judgments, const RunTable& run, Order order, Duplicates duplicates);

}  // namespace rankprism
