#include "hits.hpp"

#include <algorithm>

namespace rankprism {

PaddedHits padded_hits(const std::vector<Retrieved>& runs, const std::int64_t* topics, std::int64_t count, const double* pool,
                       std::int64_t aspects, std::int64_t docs) {
    PaddedHits hits;
    hits.rankings = static_cast<std::int64_t>(runs.size()) * count;
    bool any_negative = false;
    for (const Retrieved& run : runs) {
        for (std::int64_t t = 0; t < count; ++t) {
            const std::int64_t begin = run.start[topics[t]], end = run.start[topics[t] + 1];
            std::int64_t relevant = 0;
            for (std::int64_t i = begin; i < end; ++i) {
                relevant += run.doc[i] >= 0;
                any_negative = any_negative || run.doc[i] == all_negative;
            }
            hits.relevant = std::max(hits.relevant, relevant);
            hits.judged = std::max(hits.judged, end - begin);
        }
    }
    const auto cells = [&hits](std::int64_t width) { return static_cast<std::size_t>(hits.rankings * width); };
    hits.rank.assign(cells(hits.relevant), nowhere);
    hits.condensed_rank.assign(cells(hits.relevant), nowhere);
    hits.grade.assign(cells(aspects * hits.relevant), 0.0);
    hits.judged_rank.assign(cells(hits.judged), nowhere);
    if (any_negative) hits.negative.assign(cells(hits.judged), 0);
    std::int64_t n = 0;
    for (const Retrieved& run : runs) {
        for (std::int64_t t = 0; t < count; ++t, ++n) {
            const std::int64_t begin = run.start[topics[t]], end = run.start[topics[t] + 1];
            const double* own = pool + t * aspects * docs;
            double* grade = hits.grade.data() + n * aspects * hits.relevant;
            std::int64_t found = 0;
            for (std::int64_t i = begin; i < end; ++i) {
                const std::int64_t place = i - begin;
                const std::int32_t doc = run.doc[i];
                hits.judged_rank[n * hits.judged + place] = run.rank[i];
                if (any_negative) hits.negative[n * hits.judged + place] = doc == all_negative;
                if (doc < 0) continue;
                hits.rank[n * hits.relevant + found] = run.rank[i];
                hits.condensed_rank[n * hits.relevant + found] = static_cast<std::int32_t>(place + 1);
                for (std::int64_t a = 0; a < aspects; ++a) grade[a * hits.relevant + found] = own[a * docs + doc];
                ++found;
            }
        }
    }
    return hits;
}

}  // namespace rankprism
