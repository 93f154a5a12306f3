// Runs: reading them, putting each topic in order, and finding the judged documents.
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
    ascending,  // score descending, ties by document id ascending
    rank,       // rank column ascending, ties by document id descending
    input,      // as the lines stand
};

enum class Duplicates { error, first };

// One retrieved document. The id points into the run's text.
struct RunLine {
    const char* doc;
    double score;
    double rank;  // NaN where the source has none
    std::uint32_t size;
    std::uint32_t hash;
    std::string_view id() const { return {doc, size}; }
};

// A run that is kept: its lines in the order of the source.
class RunTable {
  public:
    static RunTable from_text(Text text);
    // ids: all document ids, one behind the other, in the order of the rows to come.
    RunTable(std::string name, std::vector<char> ids) : name_(std::move(name)), ids_(std::move(ids)) {}
    void add(std::string_view topic, std::size_t doc_size, double score, double rank);

    const std::string& name() const { return name_; }
    std::string where(const RunLine& line) const;  // for messages

    Names topics;
    std::vector<RunLine> lines;
    std::vector<std::int32_t> topic;  // of each line
    bool has_ranks = true;

  private:
    std::string name_;
    Text text_;
    bool is_text_ = false;
    std::vector<char> ids_;
    std::size_t used_ = 0;
};

// The judged documents that a run retrieves, by topic of the judgments, each topic in rank order.
struct Alignment {
    std::vector<std::int64_t> start;      // topic t: start[t] .. start[t + 1]
    std::vector<std::int32_t> rank;       // from 1
    std::vector<std::int32_t> doc;        // number among the topic's relevant documents, or -1
    std::vector<std::int32_t> length;     // of each topic's ranking; 0 where the run lacks the topic
    std::vector<std::uint8_t> retrieved;  // whether the run has the topic at all
    std::vector<std::string> unjudged;    // topics of the run that the judgments lack
};

Alignment align(const JudgmentTable& judgments, const RunTable& run, Order order, Duplicates duplicates);

// The lines of a run in the order in which it is evaluated, without documents that stand there a second time:
// topics as people list them, each with its documents from the best to the worst.
struct Ranking {
    std::vector<std::int32_t> line;    // its number in the run
    std::vector<std::int32_t> rank;    // from 1
    std::vector<std::int32_t> length;  // of the topic's ranking
};
Ranking ranking(const RunTable& run, Order order, Duplicates duplicates);

// An alignment straight from a text, a topic at a time, keeping nothing else.
Alignment align_text(const JudgmentTable& judgments, Text text, Order order, Duplicates duplicates);

}  // namespace rankprism
