// The cheapest documents that reach a number of aspects: the best possible ranking of S-precision.
#pragma once

#include <cstdint>

namespace rankprism {

// relevant[a * docs + d] > 0: document d reaches aspect a. A document that reaches n aspects costs a·n + b.
// The least cost of documents that together reach at least `need` aspects: at least `low`, and `high` is the cost
// of some that do; both are infinite if none do. The problem is NP-hard, so the search ends after `nodes` nodes,
// and every machine stops at the same place; until then low and high are equal.
struct CoverCost { double low, high; };
CoverCost minimal_cover(const double* relevant, std::int64_t aspects, std::int64_t docs, std::int32_t need, double a, double b,
                        std::int64_t nodes);

}  // namespace rankprism
