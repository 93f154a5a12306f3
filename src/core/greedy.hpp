// Greedy ideal rankings.
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

namespace rankprism {

// At each step, takes the document with the largest offer.
class Greedy {
  public:
    // value[a * docs + d]: what document d offers on aspect a while nothing of it has been seen.
    // stop[a * docs + d]: the share of the aspect's remaining worth that d removes.
    // order[0 .. docs): the documents in greedy order. Documents that offer nothing are left out, and the
    // remaining places are -1.
    void order(const double* value, const double* stop, std::int64_t aspects, std::int64_t docs, std::int32_t* order);

  private:
    // What a document offers on one aspect. Aspects on which it neither offers nor removes anything are left out,
    // because a topic may have thousands of aspects, and most documents serve a few of them.
    struct Offer {
        std::int64_t aspect;
        double value, stop;
        auto key() const { return std::tie(aspect, value, stop); }
        bool operator==(const Offer& other) const { return key() == other.key(); }
        bool operator<(const Offer& other) const { return key() < other.key(); }
    };
    // Documents that are alike on every aspect. At any step all of them offer the same, so it is enough to
    // compare kinds, of which a topic has only a few.
    struct Kind {
        std::int64_t first, last;  // where offers_ has what they offer, by aspect
        std::size_t next, end;     // where docs_ has the documents that are left, ascending
    };
    void find_kinds(const double* value, const double* stop, std::int64_t aspects, std::int64_t docs);

    // Kept from topic to topic, so that memory is allocated only once.
    std::vector<Offer> offers_;
    std::vector<std::int64_t> start_;  // where offers_ has those of each document
    std::vector<double> left_, gain_;
    std::vector<std::int32_t> docs_;
    std::vector<Kind> kinds_;
};

}  // namespace rankprism
