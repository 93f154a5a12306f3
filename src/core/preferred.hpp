// The best rankings by preferences, with a proof, and the linear systems that pooled utilities need.
#pragma once

#include <cstdint>
#include <vector>

namespace rankprism {

// A lower and an upper bound of a number.
struct Interval {
    double low, high;
};

enum class Combine { mean, min, product };

// The utilities of one topic's documents.
struct Preferred {
    std::int64_t docs;
    const double* alone;          // [d]
    const double* given;          // [d * docs + z]: of d given z, 0 <= u <= 1
    const std::uint8_t* known;    // [d * docs + z]: whether it counts
    const std::uint8_t* pool;     // [d]: whether the ranking may have d; 2 for documents that are all alike
    Combine combine;
    // Utilities given several documents: the documents ascending, and u[d], below 0 where it is not known.
    std::vector<std::vector<std::int32_t>> sets;
    const double* after;  // [set * docs + d]
};

// The largest Σ_i weight[i] U(d_i | d_1 … d_(i-1)) over all rankings of at most `depth` different documents of the
// pool lies between low and high, which are equal if the search has found a proof. weight >= 0, never increasing.
// nodes: how many beginnings of rankings are looked at, so that every machine gives up at the same place.
Interval best_preferred(const Preferred& utilities, const double* weight, std::int64_t depth, std::int64_t nodes);

// x with A x = b, for a symmetric positive definite A (n by n), by Cholesky's decomposition. Sums run from the first
// term to the last, so that every machine gets the same bits. A is overwritten, and x takes the place of b.
void solve_spd(double* a, double* b, std::int64_t n);

}  // namespace rankprism
