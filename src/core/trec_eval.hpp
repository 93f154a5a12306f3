// What trec_eval computes for a topic: its order of documents and every measure that it knows. The doors `pytrec_eval`
// and `trec_eval` are made of this. It is the only place where the habits of that program live; the measures of this
// package are defined in Python, and tests compare the two.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rankprism::trec_eval {

// Both number the documents of a ranking by descending score, and ties by descending id.
enum class Version {
    nine,  // 9.0.8, in pytrec_eval: scores of 32 bits, and a recall point needs ⌊x·R + 0.9⌋ relevant documents
    ten,   // scores of 64 bits, and a recall point needs x·R relevant documents, rounded
};

// Grades of documents that have none. A document with a negative grade is in the pool, but nobody judged it.
constexpr double outside_pool = -1, unjudged = -2;

// The judged documents of a topic, which are found by their ids.
class Topic {
  public:
    explicit Topic(std::size_t documents);
    bool add(std::string_view doc, double grade);  // false if the document has a grade already
    void finish();                                 // counts grades; nothing is added afterwards
    double grade(std::string_view doc) const;      // outside_pool if it has none

    struct Level { double grade; std::int64_t documents; };
    const std::vector<Level>& levels() const { return levels_; }  // the grades that are not negative, highest first
    std::int64_t at_least(double grade) const;                    // documents that were judged with this grade or a higher one
    std::int64_t above_zero() const { return above_zero_; }

  private:
    struct Entry { std::uint32_t hash = 0, size = 0; std::size_t start = 0; double grade = 0; bool used = false; };
    std::size_t place(std::uint32_t hash, std::string_view doc) const;

    std::string ids_;
    std::vector<Entry> entries_;  // open addressing
    std::vector<Level> levels_;
    std::int64_t above_zero_ = 0;
};

struct Retrieved { std::string_view doc; double score; };

struct Options {
    Version version = Version::ten;
    double relevance_level = 1;
    bool judged_only = false;  // rankings without the documents that nobody judged
    std::int64_t longest = std::numeric_limits<std::int64_t>::max();  // documents of a ranking that count
    std::int64_t collection = 0;                                     // documents in the collection, for utility
};

// A ranking with the grades that a topic gives to its documents.
struct Ranking {
    std::vector<double> grades;  // by rank
    const Topic* topic = nullptr;
    double relevance_level = 1;
    std::int64_t relevant = 0;            // judged relevant
    std::int64_t found = 0;               // judged relevant and retrieved
    std::int64_t without_judgment = 0;    // retrieved without a judgment
    std::int64_t collection = 0;
    Version version = Version::ten;

    std::int64_t size() const { return static_cast<std::int64_t>(grades.size()); }
    bool is_relevant(std::int64_t i) const { return grades[static_cast<std::size_t>(i)] >= relevance_level; }
};

// Working memory, so that many topics need no memory of their own.
struct Workspace {
    struct Place { std::uint64_t key; std::uint32_t index; };
    std::vector<Place> places;
    Ranking ranking;
};

// The order of the documents: the positions in `documents`, first rank first.
void sort_by_score(const std::vector<Retrieved>& documents, Version version, std::vector<Workspace::Place>& places);

// Fills in `workspace.ranking`.
void align(const Topic& topic, const std::vector<Retrieved>& documents, const Options& options, Workspace& workspace);

// A measure as a user asks for it: cutoffs or other numbers, the gains of grades, and the persistence of a user (RBP).
struct Measure {
    using Score = void (*)(const Ranking& ranking, const Measure& measure, double* scores);
    Score score = nullptr;
    std::vector<double> numbers;
    std::vector<std::pair<double, double>> gains;  // grade and gain
    double persistence = 0.9;
    std::size_t width = 1;  // the number of scores
};

// The function for one of trec_eval's names, or nullptr.
Measure::Score find_measure(std::string_view name);

// The first grades of a ranking, one character each.
std::string relevance_string(const Ranking& ranking, std::int64_t length);

}  // namespace rankprism::trec_eval
