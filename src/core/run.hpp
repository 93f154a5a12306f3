// Runs: reads them, sorts the documents of each topic, and finds the judged documents.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "judgments.hpp"
#include "names.hpp"
#include "stray.hpp"
#include "text.hpp"

namespace rankprism {

enum class Order {
    score,        // score descending, ties by document id descending
    trec_eval_9,  // the same on scores rounded to 32 bits
    ascending,    // score descending, ties by document id ascending
    rank,         // rank column ascending, ties by document id descending
    input,        // the order of the lines
};

enum class Duplicates { error, first };

// How runs are joined with judgments.
struct Joining {
    Order order = Order::score;
    Duplicates duplicates = Duplicates::error;
    bool ties = false;       // whether to find the groups of tied documents
    std::int32_t depth = 0;  // the documents of a topic that are kept; 0: all
    bool operator==(const Joining& other) const {
        return order == other.order && duplicates == other.duplicates && ties == other.ties && depth == other.depth;
    }
};

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
    explicit RunTable(std::string name) : name_(std::move(name)) {}
    // Adds a row and copies its ids. The lines can be used after all rows were added and `finish` was called.
    void add(std::string_view topic, std::string_view doc, double score, double rank);
    void finish();
    // The rows become the ranks if there are none and the scores rise from row to row in nearly all topics, as distances do.
    // Whoever writes a run without ranks writes the best document first, and a note then says that scores and ranks disagree.
    void rank_rising_rows();

    const std::string& name() const { return name_; }
    std::string where(const RunLine& line) const;  // for messages
    bool ids_are_clean() const { return ids_are_clean_; }

    Names topics;
    std::vector<RunLine> lines;
    std::vector<std::int32_t> topic;  // of each line
    std::vector<std::int64_t> rows;   // for a source with several runs: the row of each line, from 1; else empty
    bool has_ranks = true;

  private:
    std::string name_;
    Text text_;
    bool is_text_ = false;
    std::vector<char> ids_;  // end to end, in the order of the lines
    bool ids_are_clean_ = true;  // no document id has stray characters (see Stray)
};

// Properties of a ranking that may mislead.
enum Remark : std::uint8_t {
    disagreeing = 1,  // a document has a better rank and a lower score than another
    rising = 2,       // the scores rise from the first rank to the last, or are the numbers of the lines
    equal = 4,        // there are several documents, and all have the same score
};

// Two documents that the rank column and the scores put in different orders.
struct Disagreement {
    std::int32_t topic = -1;  // none
    double rank = 0, score = 0, worse_rank = 0, higher_score = 0;
};

// A topic none of whose retrieved documents is judged, with a retrieved and a judged document id.
struct Unmatched {
    std::int32_t topic = -1;  // none
    std::string retrieved, judged;
};

// The judged documents that a run retrieves, by topic of the judgments, each topic in rank order.
struct Alignment {
    std::vector<std::int64_t> start;      // topic t: start[t] .. start[t + 1]
    std::vector<std::int32_t> rank;       // from 1
    std::vector<std::int32_t> doc;        // number among the topic's relevant documents, or -1, or -2 if all grades are negative
    std::vector<std::int32_t> length;     // of each topic's ranking; 0 where the run lacks the topic
    std::vector<std::uint8_t> retrieved;  // whether the run has the topic at all
    std::vector<std::string> unjudged;    // topics of the run that the judgments lack
    std::vector<std::uint8_t> remarks;    // of each topic's ranking
    Disagreement disagreement;            // in the first topic that has one
    Unmatched unmatched;                  // the first such topic
    Stray stray;                          // among the ids of the run's topics and documents
    // Only if ties were asked for. A group are the documents with the same score, or whatever decides the order.
    std::vector<std::int32_t> group_start;  // of each judged document: how many documents are above its group
    std::vector<std::int32_t> group_size;   // of each judged document: how many documents its group has
    std::vector<std::int32_t> tied_groups;  // of each topic's ranking: groups of two documents or more
};

Alignment align(const JudgmentTable& judgments, const RunTable& run, const Joining& joining);

// The lines of a run in the order in which it is evaluated, without repeated documents. Topics are sorted as people
// list them, and the documents of each topic from the best to the worst.
struct Ranking {
    std::vector<std::int32_t> line;    // its number in the run
    std::vector<std::int32_t> rank;    // from 1
    std::vector<std::int32_t> length;  // of the topic's ranking
};
Ranking ranking(const RunTable& run, const Joining& joining);

// Reads a run topic by topic and aligns it, without keeping it.
Alignment align_source(const JudgmentTable& judgments, const Source& source, const Joining& joining,
                       const Reading& reading = {});

}  // namespace rankprism
