// The cheapest documents that reach a number of aspects: the best possible ranking of S-precision.
#pragma once

#include <cstdint>

namespace rankprism {

// relevant[a * docs + d] > 0: document d reaches aspect a. A document that reaches n aspects costs a·n + b.
// The least cost of documents that together reach at least `need` aspects; infinity if none do.
double minimal_cover(const double* relevant, std::int64_t aspects, std::int64_t docs, std::int32_t need, double a, double b);

}  // namespace rankprism
