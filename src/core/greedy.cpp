#include "greedy.hpp"

#include <algorithm>
#include <numeric>

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
            const double* offers = &rows_[kinds_[k].row];
            double sum = 0;
            for (std::int64_t a = 0; a < aspects; ++a) sum += offers[a] * left_[a];
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
        const double* stops = &rows_[chosen->row + aspects];
        for (std::int64_t a = 0; a < aspects; ++a) left_[a] *= 1 - stops[a];
    }
}

void Greedy::find_kinds(const double* value, const double* stop, std::int64_t aspects, std::int64_t docs) {
    const std::int64_t width = 2 * aspects;
    rows_.resize(docs * width);
    docs_.clear();
    for (std::int64_t d = 0; d < docs; ++d) {
        double* row = &rows_[d * width];
        bool any = false;
        for (std::int64_t a = 0; a < aspects; ++a) {
            row[a] = value[a * docs + d];
            row[aspects + a] = stop[a * docs + d];
            any = any || row[a] > 0;
        }
        if (any) docs_.push_back(static_cast<std::int32_t>(d));
    }
    const auto compare = [&](std::int32_t x, std::int32_t y) {
        const double *a = &rows_[x * width], *b = &rows_[y * width];
        for (std::int64_t i = 0; i < width; ++i) {
            if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
        }
        return 0;
    };
    std::sort(docs_.begin(), docs_.end(), [&](std::int32_t x, std::int32_t y) {
        const int order = compare(x, y);
        return order != 0 ? order < 0 : x < y;
    });
    kinds_.clear();
    for (std::size_t i = 0; i < docs_.size(); ++i) {
        if (i == 0 || compare(docs_[i - 1], docs_[i]) != 0) kinds_.push_back({docs_[i] * width, i, i});
        kinds_.back().end = i + 1;
    }
}

}  // namespace rankprism
