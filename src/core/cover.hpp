// The cheapest documents that reach a number of aspects: the best possible ranking of S-precision.
#pragma once

#include <cstdint>

namespace rankprism {

// relevant[a * docs + d] > 0: document d reaches aspect a. A document that reaches n aspects costs a·n + b.
// The result bounds the least cost of documents that together reach at least `need` aspects. `low` is a lower bound,
// and `high` is the cost of some documents that reach them. Both are infinite if no documents do. The problem is
// NP-hard, so the search ends after `nodes` nodes, at the same place on every machine. If it is complete, low and high
// are equal.
struct CoverCost { double low, high; };
CoverCost minimal_cover(const double* relevant, std::int64_t aspects, std::int64_t docs, std::int32_t need, double a, double b,
                        std::int64_t nodes);

}  // namespace rankprism
