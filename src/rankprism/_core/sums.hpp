// The only two sums on the way to a score. Each result is added up from first to last, one product after the
// other, so that its bits depend on nothing but the numbers that belong to it: not on the processor, nor on what
// else is in the batch. Zeros at the end change nothing, so padding does not show.
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
