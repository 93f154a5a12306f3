// The only two sums that scores are made of. Each sum is added from first to last, one product after the other.
// Its bits therefore depend only on its own terms, and not on the processor or the rest of the batch. Zeros at the
// end change nothing, so padding does not matter.
#pragma once

#include <cstdint>

namespace rankprism {

// sums[n][a] = Σ_h values[n][a][h] · factors[n][h]; with one row of factors for all n if `shared`.
void sums_of_products(const double* values, const double* factors, bool shared, std::int64_t rows, std::int64_t aspects,
                      std::int64_t docs, double* sums);

// sums[n][h] = Σ_a values[n][a][h] · factors[n][a]
void sums_over_aspects(const double* values, const double* factors, std::int64_t rows, std::int64_t aspects,
                       std::int64_t docs, double* sums);

}  // namespace rankprism
