#include "cover.hpp"

#include <algorithm>
#include <bitset>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "interrupt.hpp"
#include "text.hpp"

namespace rankprism {
namespace {

constexpr double impossible = std::numeric_limits<double>::infinity();
constexpr std::size_t most_aspects = 256;
constexpr std::int64_t most_for_subsets = 16;

using Aspects = std::bitset<most_aspects>;

// Documents that reach the same aspects; one of them is always enough.
struct Kind {
    Aspects reach;
    double cost;
};

std::vector<Kind> kinds_of(const double* relevant, std::int64_t aspects, std::int64_t docs, double a, double b) {
    std::vector<Kind> all, kept;
    for (std::int64_t d = 0; d < docs; ++d) {
        Aspects reach;
        for (std::int64_t t = 0; t < aspects; ++t) reach[t] = relevant[t * docs + d] > 0;
        if (reach.any()) all.push_back({reach, a * static_cast<double>(reach.count()) + b});
    }
    // Kinds that reach more come first, so that a kind comes before the kinds that it makes superfluous.
    std::stable_sort(all.begin(), all.end(), [](const Kind& x, const Kind& y) { return x.reach.count() > y.reach.count(); });
    for (const Kind& kind : all) {
        if (kept.size() % 256 == 0) check_interrupt();
        const bool superfluous = std::any_of(kept.begin(), kept.end(), [&](const Kind& other) {
            return (kind.reach & ~other.reach).none() && other.cost <= kind.cost;
        });
        if (!superfluous) kept.push_back(kind);
    }
    return kept;
}

// Dynamic programming: the least cost of reaching each set of aspects.
double over_subsets(const std::vector<Kind>& kinds, std::int64_t aspects, std::size_t need) {
    std::vector<double> cost(std::size_t{1} << aspects, impossible);
    cost[0] = 0;
    double best = impossible;
    for (std::size_t set = 0; set < cost.size(); ++set) {
        if (set % 1024 == 0) check_interrupt();
        if (cost[set] == impossible) continue;
        if (Aspects(set).count() >= need) best = std::min(best, cost[set]);
        for (const Kind& kind : kinds) {
            double& larger = cost[set | kind.reach.to_ulong()];
            larger = std::min(larger, cost[set] + kind.cost);
        }
    }
    return best;
}

// Branch and bound: take the kind that reaches the most for its cost, or leave it out.
class Search {
  public:
    // unit: every cost is a multiple of it; 0 if no such number is known.
    Search(std::vector<Kind> kinds, std::size_t need, double unit, std::int64_t nodes)
        : kinds_(std::move(kinds)), need_(need), unit_(unit), nodes_(nodes) {}

    CoverCost run() {
        best_ = greedy();
        if (best_ < impossible) branch(Aspects(), 0, kinds_);
        return {std::min(open_, best_), best_};
    }

  private:
    static double per_aspect(const Kind& kind, const Aspects& reached) {
        const auto fresh = (kind.reach & ~reached).count();
        return fresh == 0 ? impossible : kind.cost / static_cast<double>(fresh);
    }

    // An upper bound to start from.
    double greedy() const {
        Aspects reached;
        double cost = 0;
        while (reached.count() < need_) {
            const auto next = std::min_element(kinds_.begin(), kinds_.end(), [&](const Kind& x, const Kind& y) {
                return per_aspect(x, reached) < per_aspect(y, reached);
            });
            if (next == kinds_.end() || per_aspect(*next, reached) == impossible) return impossible;
            reached |= next->reach;
            cost += next->cost;
        }
        return cost;
    }

    void branch(const Aspects& reached, double cost, std::vector<Kind> left) {
        if (reached.count() >= need_) {
            best_ = std::min(best_, cost);
            return;
        }
        for (;;) {
            left.erase(std::remove_if(left.begin(), left.end(), [&](const Kind& k) { return (k.reach & ~reached).none(); }),
                       left.end());
            if (left.empty()) return;
            if (--nodes_ % 256 == 0) check_interrupt();
            const double least = rounded(cost + bound(reached, left));
            if (least >= best_ * (1 - 1e-12)) return;
            if (nodes_ < 0) {  // left unsearched: nothing in here costs less than this
                open_ = std::min(open_, least);
                return;
            }

            // If all remaining aspects must be reached, some kind must reach the rarest one: branch on this kind.
            Aspects reachable = reached;
            for (const Kind& kind : left) reachable |= kind.reach;
            if (reachable.count() < need_) return;
            if (reachable.count() == need_) {
                const std::size_t aspect = rarest(reachable & ~reached, left);
                for (std::size_t k = 0; k < left.size();) {
                    if (!left[k].reach[aspect]) {
                        ++k;
                        continue;
                    }
                    const Kind chosen = left[k];
                    left.erase(left.begin() + static_cast<std::ptrdiff_t>(k));  // tried here, so not again below
                    branch(reached | chosen.reach, cost + chosen.cost, left);
                }
                return;
            }
            // First search with the kind that reaches the most for its cost, and in the next round without it.
            const auto next = std::min_element(left.begin(), left.end(), [&](const Kind& x, const Kind& y) {
                return per_aspect(x, reached) < per_aspect(y, reached);
            });
            const Kind chosen = *next;
            left.erase(next);
            branch(reached | chosen.reach, cost + chosen.cost, left);
        }
    }

    static std::size_t rarest(const Aspects& open, const std::vector<Kind>& left) {
        std::size_t best = 0, fewest = left.size() + 1;
        for (std::size_t t = 0; t < most_aspects; ++t) {
            if (!open[t]) continue;
            const auto count = static_cast<std::size_t>(
                std::count_if(left.begin(), left.end(), [t](const Kind& kind) { return kind.reach[t]; }));
            if (count < fewest) {
                fewest = count;
                best = t;
            }
        }
        return best;
    }

    double rounded(double cost) const { return unit_ > 0 ? std::ceil(cost / unit_ - 1e-9) * unit_ : cost; }

    // A lower bound of the cost of the missing aspects: the best prices, as if no two kinds overlapped.
    double bound(const Aspects& reached, const std::vector<Kind>& left) {
        prices_.clear();
        for (const Kind& kind : left) {
            const auto fresh = (kind.reach & ~reached).count();
            prices_.push_back({kind.cost / static_cast<double>(fresh), fresh});
        }
        // A heap, because the first few prices are enough.
        const auto dearer = std::greater<std::pair<double, std::size_t>>();
        std::make_heap(prices_.begin(), prices_.end(), dearer);
        double cost = 0;
        auto missing = static_cast<double>(need_ - reached.count());
        for (auto end = prices_.end(); end != prices_.begin();) {
            const auto [price, fresh] = prices_.front();
            const double taken = std::min(missing, static_cast<double>(fresh));
            cost += price * taken;
            missing -= taken;
            if (missing <= 0) return cost;
            std::pop_heap(prices_.begin(), end--, dearer);
        }
        return impossible;
    }

    std::vector<Kind> kinds_;
    std::size_t need_;
    double unit_;
    double best_ = impossible;  // the least cost found
    double open_ = impossible;  // a lower bound of the cost of what was not searched
    std::int64_t nodes_;        // the rest of the budget
    std::vector<std::pair<double, std::size_t>> prices_;
};

}  // namespace

CoverCost minimal_cover(const double* relevant, std::int64_t aspects, std::int64_t docs, std::int32_t need, double a, double b,
                        std::int64_t nodes) {
    if (need <= 0) return {0, 0};
    if (aspects > static_cast<std::int64_t>(most_aspects)) {
        throw BadInput("S-precision: a topic has " + std::to_string(aspects) + " aspects; at most " +
                       std::to_string(most_aspects) + " can be searched");
    }
    std::vector<Kind> kinds = kinds_of(relevant, aspects, docs, a, b);
    if (aspects <= most_for_subsets) {
        const double cost = over_subsets(kinds, aspects, static_cast<std::size_t>(need));
        return {cost, cost};
    }
    const double unit = a == 0 ? b : std::floor(a) == a && std::floor(b) == b ? 1 : 0;
    return Search(std::move(kinds), static_cast<std::size_t>(need), unit, nodes).run();
}

}  // namespace rankprism
