#include "greedy.hpp"

#include <algorithm>

namespace rankprism {
namespace {

// Two gains that differ by less are tied, and the index of the document (its id) decides. Otherwise the order in
// which aspects are added would decide.
constexpr double tolerance = 1e-10;

}  // namespace

void Greedy::order(const double* value, const double* stop, std::int64_t aspects, std::int64_t docs,
                   std::int32_t* order) {
    std::fill(order, order + docs, -1);
    find_kinds(value, stop, aspects, docs);
    left_.assign(aspects, 1.0);
    gain_.resize(kinds_.size());
    for (std::int64_t position = 0; position < docs; ++position) {
        double best = -1;
        for (std::size_t k = 0; k < kinds_.size(); ++k) {
            if (kinds_[k].next == kinds_[k].end) {
                gain_[k] = -1;
                continue;
            }
            double sum = 0;
            for (std::int64_t i = kinds_[k].first; i < kinds_[k].last; ++i) sum += offers_[i].value * left_[offers_[i].aspect];
            gain_[k] = sum;
            best = std::max(best, sum);
        }
        Kind* chosen = nullptr;
        for (std::size_t k = 0; k < kinds_.size(); ++k) {
            if (gain_[k] < 0 || gain_[k] < best * (1 - tolerance)) continue;
            if (chosen == nullptr || docs_[kinds_[k].next] < docs_[chosen->next]) chosen = &kinds_[k];
        }
        if (chosen == nullptr) return;
        order[position] = docs_[chosen->next++];
        for (std::int64_t i = chosen->first; i < chosen->last; ++i) left_[offers_[i].aspect] *= 1 - offers_[i].stop;
    }
}

void Greedy::find_kinds(const double* value, const double* stop, std::int64_t aspects, std::int64_t docs) {
    const auto offers = [&](std::int64_t a, std::int64_t d) { return value[a * docs + d] != 0 || stop[a * docs + d] != 0; };
    start_.assign(docs + 1, 0);
    for (std::int64_t a = 0; a < aspects; ++a) {
        for (std::int64_t d = 0; d < docs; ++d) start_[d + 1] += offers(a, d);
    }
    for (std::int64_t d = 0; d < docs; ++d) start_[d + 1] += start_[d];
    offers_.resize(start_[docs]);
    std::vector<std::int64_t> next(start_.begin(), start_.end() - 1);
    for (std::int64_t a = 0; a < aspects; ++a) {
        for (std::int64_t d = 0; d < docs; ++d) {
            if (offers(a, d)) offers_[next[d]++] = {a, value[a * docs + d], stop[a * docs + d]};
        }
    }
    const auto begin = [&](std::int32_t d) { return offers_.begin() + start_[d]; };
    const auto end = [&](std::int32_t d) { return offers_.begin() + start_[d + 1]; };
    docs_.clear();
    for (std::int64_t d = 0; d < docs; ++d) {
        const auto doc = static_cast<std::int32_t>(d);
        if (std::any_of(begin(doc), end(doc), [](const Offer& offer) { return offer.value > 0; })) docs_.push_back(doc);
    }
    // Which kind comes first does not matter.
    std::sort(docs_.begin(), docs_.end(), [&](std::int32_t x, std::int32_t y) {
        const auto [a, b] = std::mismatch(begin(x), end(x), begin(y), end(y));
        if (a == end(x) && b == end(y)) return x < y;
        return b != end(y) && (a == end(x) || *a < *b);
    });
    kinds_.clear();
    for (std::size_t i = 0; i < docs_.size(); ++i) {
        if (i == 0 || !std::equal(begin(docs_[i - 1]), end(docs_[i - 1]), begin(docs_[i]), end(docs_[i])))
            kinds_.push_back({start_[docs_[i]], start_[docs_[i] + 1], i, i});
        kinds_.back().end = i + 1;
    }
}

}  // namespace rankprism
