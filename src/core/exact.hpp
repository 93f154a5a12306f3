// The best rankings of novelty measures, with a proof.
#pragma once

#include <cstdint>
#include <vector>

namespace rankprism {

struct Best {
    double low, high;
    std::vector<std::int32_t> order;  // a ranking that is worth low
};

// The largest Σ_i discount[i] Σ_a value[a][d_i] Π_{j<i} (1 - stop[a][d_j]) over all sequences of at most
// `depth` different documents lies between low and high. The two are equal if the search has proved that no ranking
// exceeds low by more than the share 1e-12.
//
// value[a * docs + d] >= 0 and 0 <= stop[a * docs + d] <= 1 as in Greedy; discount > 0, never increasing.
// nodes: the budget of the search. It is counted in steps and not in seconds, so that every machine gives up at the
// same place. Each node takes at most a few hundred bytes of memory.
Best best_ranking(const double* value, const double* stop, std::int64_t aspects, std::int64_t docs,
                  const double* discount, std::int64_t depth, std::int64_t nodes);

}  // namespace rankprism
