// The greedy ideal ranking of a topic.
#pragma once

#include <cstdint>

namespace rankprism {

// value[a * docs + d]: what document d offers on aspect a while nothing of it has been seen.
// stop[a * docs + d]: the share of the aspect's remaining worth that seeing d takes away.
// order[0 .. docs): the documents, best next one first; those that offer nothing are left out,
// and the places that remain are -1.
void greedy_order(const double* value, const double* stop, std::int64_t aspects, std::int64_t docs, std::int32_t* order);

}  // namespace rankprism
