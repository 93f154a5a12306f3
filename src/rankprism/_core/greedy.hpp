// Greedy ideal rankings.
#pragma once

#include <cstdint>
#include <vector>

namespace rankprism {

// Takes, at each step, the document that offers most.
class Greedy {
  public:
    // value[a * docs + d]: what document d offers on aspect a while nothing of it has been seen.
    // stop[a * docs + d]: the share of the aspect's remaining worth that seeing d takes away.
    // order[0 .. docs): the documents, best next one first; those that offer nothing are left out,
    // and the places that remain are -1.
    void order(const double* value, const double* stop, std::int64_t aspects, std::int64_t docs, std::int32_t* order);

  private:
    // Documents that are alike on every aspect. At any step all of them offer the same, so it is enough
    // to look at kinds, of which a topic has few, however many documents.
    struct Kind {
        std::int64_t row;       // of their values and stops, in rows_
        std::size_t next, end;  // those not taken yet, ascending, in docs_
    };
    void find_kinds(const double* value, const double* stop, std::int64_t aspects, std::int64_t docs);

    // Kept from topic to topic, so that memory is asked for once.
    std::vector<double> rows_, left_, gain_;
    std::vector<std::int32_t> docs_;
    std::vector<Kind> kinds_;
};

}  // namespace rankprism
