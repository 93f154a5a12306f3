// Greedy ideal rankings.
#pragma once

#include <cstdint>
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
    // Documents that are alike on every aspect. At any step all of them offer the same, so it is enough to
    // compare kinds, of which a topic has only a few.
    struct Kind {
        std::int64_t row;       // where rows_ has their values and stops
        std::size_t next, end;  // where docs_ has the documents that are left, ascending
    };
    void find_kinds(const double* value, const double* stop, std::int64_t aspects, std::int64_t docs);

    // Kept from topic to topic, so that memory is allocated only once.
    std::vector<double> rows_, left_, gain_;
    std::vector<std::int32_t> docs_;
    std::vector<Kind> kinds_;
};

}  // namespace rankprism
