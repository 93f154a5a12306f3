// The search goes depth first and takes the most promising document first. After a beginning of a ranking, the worth of a
// document d is bounded by what has been read and by the best that could still be read before d. These bounds, sorted, are
// multiplied by the weights of the remaining ranks. A beginning whose bound is not above the best ranking found is left
// out. When the budget of nodes is spent, the largest remaining bound is an upper bound of the best ranking's worth.
#include "preferred.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

namespace rankprism {
namespace {

// A ranking that is better by less is not worth looking for: the difference may be due to rounding.
constexpr double tolerance = 1e-12;

class Search {
  public:
    Search(const Preferred& u, const double* weight, std::int64_t depth, std::int64_t nodes)
        : u_(u), weight_(weight), nodes_(nodes) {
        for (std::int64_t d = 0; d < u.docs; ++d) {
            if (u.pool[d]) docs_.push_back(static_cast<std::int32_t>(d));
        }
        depth_ = std::min<std::int64_t>(depth, static_cast<std::int64_t>(docs_.size()));
        for (std::size_t s = 0; s < u.sets.size(); ++s) sets_[u.sets[s]] = s;
        // The most that d can be worth, by the number of documents above it: sums of its largest utilities.
        best_sums_.assign(u.docs, {});
        highest_.assign(u.docs, 0.0);
        for (const std::int32_t d : docs_) {
            std::vector<double> row;
            for (const std::int32_t z : docs_) {
                if (z != d && u.known[d * u.docs + z]) row.push_back(u.given[d * u.docs + z]);
            }
            std::sort(row.begin(), row.end(), std::greater<>());
            highest_[d] = row.empty() ? 0.0 : row.front();
            std::vector<double>& sums = best_sums_[d];
            sums.assign(1, 0.0);
            for (const double x : row) sums.push_back(sums.back() + x);
            all_known_ = all_known_ && row.size() + 1 == docs_.size();
            for (std::size_t s = 0; s < u.sets.size(); ++s) highest_after_ = std::max(highest_after_, u.after[s * u.docs + d]);
        }
        used_.assign(u.docs, 0);
        sum_.assign(depth_ + 1, std::vector<double>(u.docs, start()));
        terms_.assign(depth_ + 1, std::vector<std::int32_t>(u.docs, 0));
    }

    Interval run() {
        high_ = 0;
        below(0, 0.0);
        return {best_, std::max(best_, high_)};
    }

  private:
    double start() const { return u_.combine == Combine::mean ? 0.0 : u_.combine == Combine::min ? 2.0 : 1.0; }

    // The utility of d as the next document, after those above.
    double worth(std::int32_t d, std::int64_t rank, std::int64_t set) const {
        if (set >= 0 && u_.after[set * u_.docs + d] >= 0) return u_.after[set * u_.docs + d];
        if (terms_[rank][d] == 0) return u_.alone[d];
        return u_.combine == Combine::mean ? sum_[rank][d] / terms_[rank][d] : sum_[rank][d];
    }

    // The most that d can be worth at any later rank.
    double most(std::int32_t d, std::int64_t rank) const {
        double most;
        if (terms_[rank][d] == 0) {
            most = std::max(u_.alone[d], highest_[d]);
        } else if (u_.combine != Combine::mean) {
            most = sum_[rank][d];  // the sum can only fall
        } else if (!all_known_) {
            most = std::max(sum_[rank][d] / terms_[rank][d], highest_[d]);
        } else {
            most = 0;
            for (std::int64_t more = 0; rank + more < depth_; ++more) {
                const auto& sums = best_sums_[d];
                const std::int64_t at = std::min<std::int64_t>(more, static_cast<std::int64_t>(sums.size()) - 1);
                most = std::max(most, (sum_[rank][d] + sums[at]) / static_cast<double>(terms_[rank][d] + more));
            }
        }
        return u_.sets.empty() ? most : std::max(most, highest_after_);
    }

    void below(std::int64_t rank, double value) {
        best_ = std::max(best_, value);
        if (rank == depth_) return;
        std::vector<std::pair<double, std::int32_t>> bounds;
        for (const std::int32_t d : docs_) {
            if (!used_[d]) bounds.emplace_back(most(d, rank), d);
        }
        const std::size_t left = std::min<std::size_t>(depth_ - rank + 1, bounds.size());
        std::partial_sort(bounds.begin(), bounds.begin() + left, bounds.end(), std::greater<>());
        double bound = value;
        for (std::int64_t i = rank; i < depth_; ++i) bound += weight_[i] * bounds[i - rank].first;
        if (bound <= best_ + tolerance * std::max(1.0, best_)) return;
        if (nodes_ <= 0) {
            high_ = std::max(high_, bound);
            return;
        }
        --nodes_;
        std::vector<std::int32_t> sorted(above_);
        std::sort(sorted.begin(), sorted.end());
        const auto found = sorted.size() > 1 ? sets_.find(sorted) : sets_.end();
        const std::int64_t set = found == sets_.end() ? -1 : static_cast<std::int64_t>(found->second);
        std::vector<std::pair<double, std::int32_t>> next;
        for (const std::int32_t d : docs_) {
            if (!used_[d]) next.emplace_back(-worth(d, rank, set), d);
        }
        std::sort(next.begin(), next.end());
        bool tried = false;  // of documents that are all alike, one is enough
        for (const auto& [negative, d] : next) {
            if (u_.pool[d] == 2 && std::exchange(tried, true)) continue;
            // The most that a document can be worth never rises on the way down, so the bounds found here also hold
            // below: the document itself at its rank, and the best of the others after it.
            double quick = value + weight_[rank] * -negative;
            for (std::int64_t i = rank + 1, at = 0; i < depth_; ++i, ++at) {
                if (bounds[at].second == d) ++at;
                quick += weight_[i] * bounds[at].first;
            }
            if (quick <= best_ + tolerance * std::max(1.0, best_)) continue;
            for (const std::int32_t e : docs_) {
                const std::int64_t cell = static_cast<std::int64_t>(e) * u_.docs + d;
                sum_[rank + 1][e] = sum_[rank][e];
                terms_[rank + 1][e] = terms_[rank][e];
                if (!u_.known[cell]) continue;
                ++terms_[rank + 1][e];
                double& sum = sum_[rank + 1][e];
                if (u_.combine == Combine::mean) sum += u_.given[cell];
                if (u_.combine == Combine::min) sum = std::min(sum, u_.given[cell]);
                if (u_.combine == Combine::product) sum *= u_.given[cell];
            }
            used_[d] = 1;
            above_.push_back(d);
            below(rank + 1, value + weight_[rank] * -negative);
            above_.pop_back();
            used_[d] = 0;
        }
    }

    const Preferred& u_;
    const double* weight_;
    std::int64_t nodes_, depth_ = 0;
    std::vector<std::int32_t> docs_, above_;
    std::vector<std::uint8_t> used_;
    std::map<std::vector<std::int32_t>, std::size_t> sets_;
    std::vector<std::vector<double>> best_sums_, sum_;
    std::vector<std::vector<std::int32_t>> terms_;
    std::vector<double> highest_;
    double highest_after_ = 0, best_ = 0, high_ = 0;
    bool all_known_ = true;
};

}  // namespace

Interval best_preferred(const Preferred& utilities, const double* weight, std::int64_t depth, std::int64_t nodes) {
    return Search(utilities, weight, depth, nodes).run();
}

void solve_spd(double* a, double* b, std::int64_t n) {
    for (std::int64_t j = 0; j < n; ++j) {
        for (std::int64_t i = j; i < n; ++i) {
            double sum = a[i * n + j];
            for (std::int64_t k = 0; k < j; ++k) sum -= a[i * n + k] * a[j * n + k];
            a[i * n + j] = i == j ? std::sqrt(sum) : sum / a[j * n + j];
        }
    }
    for (std::int64_t i = 0; i < n; ++i) {
        for (std::int64_t k = 0; k < i; ++k) b[i] -= a[i * n + k] * b[k];
        b[i] /= a[i * n + i];
    }
    for (std::int64_t i = n - 1; i >= 0; --i) {
        for (std::int64_t k = i + 1; k < n; ++k) b[i] -= a[k * n + i] * b[k];
        b[i] /= a[i * n + i];
    }
}

}  // namespace rankprism
