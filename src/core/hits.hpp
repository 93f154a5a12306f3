// Hits: the judged documents of a batch of rankings, padded. `rankprism.data.hits` says what they are for.
#pragma once

#include <cstdint>
#include <vector>

namespace rankprism {

// The judged documents that a run retrieves, as Alignment has them.
struct Retrieved {
    const std::int64_t* start;
    const std::int32_t *rank, *doc;
};

constexpr std::int32_t nowhere = 0x7FFFFFFF;  // the rank of padding
constexpr std::int32_t all_negative = -2;     // the number of a document whose grades are all negative

struct PaddedHits {
    std::int64_t rankings = 0, relevant = 0, judged = 0;  // relevant, judged: the most that any ranking has
    std::vector<std::int32_t> rank, condensed_rank;       // (ranking, relevant)
    std::vector<double> grade;                            // (ranking, aspect, relevant)
    std::vector<std::int32_t> judged_rank;                // (ranking, judged)
    std::vector<std::uint8_t> negative;                   // (ranking, judged); empty if there are none
};

// The rankings of several runs for some topics, run after run. pool: topic by aspect by relevant document.
PaddedHits padded_hits(const std::vector<Retrieved>& runs, const std::int64_t* topics, std::int64_t count, const double* pool,
                       std::int64_t aspects, std::int64_t docs);

}  // namespace rankprism
