#include "greedy.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <unordered_map>
#include <vector>

namespace rankprism {
namespace {

// Two gains that differ by less are equal and the document's index (its id) decides: otherwise the
// order in which aspects are added up would.
constexpr double tolerance = 1e-10;

// Documents that are alike on every aspect. At any step all of them offer the same, so it is enough to
// look at kinds, of which a topic has few, however many documents.
struct Kind {
    std::vector<double> value, stop;
    std::vector<std::int32_t> docs;  // ascending
    std::size_t used = 0;
};

std::vector<Kind> kinds_of(const double* value, const double* stop, std::int64_t aspects, std::int64_t docs) {
    std::vector<Kind> kinds;
    std::unordered_map<std::string, std::size_t> known;
    std::string key(static_cast<std::size_t>(aspects) * 2 * sizeof(double), '\0');
    for (std::int64_t d = 0; d < docs; ++d) {
        bool any = false;
        for (std::int64_t a = 0; a < aspects; ++a) {
            any = any || value[a * docs + d] > 0;
            std::memcpy(&key[2 * a * sizeof(double)], &value[a * docs + d], sizeof(double));
            std::memcpy(&key[(2 * a + 1) * sizeof(double)], &stop[a * docs + d], sizeof(double));
        }
        if (!any) continue;
        const auto [place, is_new] = known.try_emplace(key, kinds.size());
        if (is_new) {
            Kind kind;
            for (std::int64_t a = 0; a < aspects; ++a) {
                kind.value.push_back(value[a * docs + d]);
                kind.stop.push_back(stop[a * docs + d]);
            }
            kinds.push_back(std::move(kind));
        }
        kinds[place->second].docs.push_back(static_cast<std::int32_t>(d));
    }
    return kinds;
}

}  // namespace

void greedy_order(const double* value, const double* stop, std::int64_t aspects, std::int64_t docs, std::int32_t* order) {
    std::vector<Kind> kinds = kinds_of(value, stop, aspects, docs);
    std::vector<double> left(static_cast<std::size_t>(aspects), 1.0), gain(kinds.size());
    std::fill(order, order + docs, -1);
    for (std::int64_t position = 0; position < docs; ++position) {
        double best = -1;
        for (std::size_t k = 0; k < kinds.size(); ++k) {
            if (kinds[k].used == kinds[k].docs.size()) {
                gain[k] = -1;
                continue;
            }
            double sum = 0;
            for (std::int64_t a = 0; a < aspects; ++a) sum += kinds[k].value[a] * left[a];
            gain[k] = sum;
            best = std::max(best, sum);
        }
        Kind* next = nullptr;
        for (std::size_t k = 0; k < kinds.size(); ++k) {
            if (gain[k] < 0 || gain[k] < best * (1 - tolerance)) continue;
            if (next == nullptr || kinds[k].docs[kinds[k].used] < next->docs[next->used]) next = &kinds[k];
        }
        if (next == nullptr) return;
        order[position] = next->docs[next->used++];
        for (std::int64_t a = 0; a < aspects; ++a) left[a] *= 1 - next->stop[a];
    }
}

}  // namespace rankprism
