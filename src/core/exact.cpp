// The order in which documents were taken does not change the remaining worth of the aspects. A state of the search
// is therefore the remaining worth of each aspect, and the remaining copies of each kind of document. The states
// after 0, 1, 2, … documents are made layer by layer. Equal states become one, and states whose upper bound is not
// above the best ranking found so far are discarded.
//
// The upper bound is Lagrangian. Let the aspects be buyers: at each position, an aspect may buy any level of document
// at a price, and the position earns the prices of the document that it holds. Aspects and positions then decide
// independently of each other. For any prices, the sum of what they get on their own is at least what a ranking
// gets, because the prices cancel out in a ranking. The best purchases of an aspect are a small dynamic program over
// (position, remaining worth), whose table also gives a bound for every later state. Good prices are found by
// subgradient steps. On real topics, the bound is then within 1e-3 to 1e-7 of the optimum before the search begins.
#include "exact.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <vector>

#include "greedy.hpp"
#include "interrupt.hpp"

namespace rankprism {
namespace {

using Numbers = std::vector<double>;

// The search ignores rankings that are better by less than this share, because the difference may be due to rounding.
constexpr double tolerance = 5e-13;

// What a document offers to an aspect.
struct Offer {
    double value = 0, stop = 0;
};
using Offers = std::vector<Offer>;  // by aspect

// Larger values come first, and among equal values smaller stops.
struct Before {
    bool operator()(const Offers& x, const Offers& y) const {
        return std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end(), [](const Offer& a, const Offer& b) {
            return a.value != b.value ? a.value > b.value : a.stop < b.stop;
        });
    }
};

// One of the offers that occur. An aspect sees nothing else of a document.
struct Level {
    int aspect;
    double value, factor;  // factor: 1 - stop
};

// Documents with the same offers.
struct Kind {
    std::vector<int> levels;  // on the aspects to which they offer something
    int copies;
    std::vector<std::int32_t> docs;
    std::vector<int> better;  // kinds that may be taken first without loss
};

struct Problem {
    int aspects = 0, depth = 0;
    Numbers discount;
    std::vector<Level> levels;     // of one aspect after another
    std::vector<int> level_start;  // where each aspect starts
    std::vector<Kind> kinds;
    std::vector<Offers> greedy;             // the greedy ranking
    std::vector<std::int32_t> greedy_docs;  // the documents of the greedy ranking

    int level_count() const { return static_cast<int>(levels.size()); }
    int kind_count() const { return static_cast<int>(kinds.size()); }
};

// Whether putting x in place of y, or before y instead of after it, is never worse for the aspect.
//
// Let v and s be an offer's value and stop, D the discount, and `rate` the aspect's largest v / s: whatever leaves
// the share M of an aspect's worth gets at most rate · D · (1 - M) out of it. Exchange y at i with x at j > i, where
// the documents between them leave M and get B. The sum changes by
//   D_i (v_x - v_y) - (s_x - s_y) B + M D_j ((1 - s_x) v_y - (1 - s_y) v_x),   B <= rate · D_i · (1 - M),
// which is >= 0 under either condition below. If there is no x at j, it is the same with M = 0.
bool at_least(const Offer& x, const Offer& y, double rate) {
    constexpr double rounding = 1e-15;
    if (x.value < y.value) return false;
    if (x.stop <= y.stop) return true;
    return x.value - y.value >= rate * (x.stop - y.stop) - rounding * x.value &&
           x.value * y.stop >= y.value * x.stop * (1 - rounding);
}

// Groups documents into kinds, and leaves out those that are never needed because enough others are better.
void add_kinds(Problem& problem, const std::map<Offers, std::vector<std::int32_t>, Before>& documents) {
    Numbers rate(problem.aspects, 0.0);
    for (const auto& [offers, docs] : documents) {
        for (int a = 0; a < problem.aspects; ++a) {
            const auto [value, stop] = offers[a];
            const double ratio = stop > 0 ? value / stop : std::numeric_limits<double>::infinity();
            if (value > 0) rate[a] = std::max(rate[a], ratio);
        }
    }
    std::vector<const Offers*> chosen;
    for (const auto& [offers, docs] : documents) {
        Kind kind{{}, std::min(static_cast<int>(docs.size()), problem.depth), docs, {}};
        int first = 0;
        for (int other = 0; other < problem.kind_count(); ++other) {
            int a = 0;
            while (a < problem.aspects && at_least((*chosen[other])[a], offers[a], rate[a])) ++a;
            if (a < problem.aspects) continue;
            kind.better.push_back(other);
            first += problem.kinds[other].copies;
        }
        if (first >= problem.depth) continue;
        chosen.push_back(&offers);
        problem.kinds.push_back(std::move(kind));
    }
    for (int a = 0; a < problem.aspects; ++a) {
        problem.level_start.push_back(problem.level_count());
        for (int k = 0; k < problem.kind_count(); ++k) {
            const auto [value, stop] = (*chosen[k])[a];
            if (value == 0 && stop == 0) continue;
            int level = problem.level_start[a];
            const auto differs = [&](const Level& l) { return l.value != value || l.factor != 1 - stop; };
            while (level < problem.level_count() && differs(problem.levels[level])) ++level;
            if (level == problem.level_count()) problem.levels.push_back({a, value, 1 - stop});
            problem.kinds[k].levels.push_back(level);
        }
    }
    problem.level_start.push_back(problem.level_count());
}

Problem read_problem(const double* value, const double* stop, std::int64_t aspects, std::int64_t docs,
                     const double* discount, std::int64_t depth) {
    Problem problem;
    std::vector<std::int64_t> live;
    for (std::int64_t a = 0; a < aspects; ++a) {
        const double* row = value + a * docs;
        if (std::any_of(row, row + docs, [](double v) { return v > 0; })) live.push_back(a * docs);
    }
    problem.aspects = static_cast<int>(live.size());
    const auto offers = [&](std::int64_t d) {
        Offers found;
        for (const std::int64_t row : live) found.push_back({value[row + d], stop[row + d]});
        return found;
    };
    std::vector<std::int32_t> order(docs);
    Greedy().order(value, stop, aspects, docs, order.data());  // leaves out documents that offer nothing, as we do
    order.erase(std::find(order.begin(), order.end(), -1), order.end());
    problem.depth = static_cast<int>(std::min<std::int64_t>(depth, static_cast<std::int64_t>(order.size())));
    problem.discount.assign(discount, discount + problem.depth);
    std::map<Offers, std::vector<std::int32_t>, Before> documents;
    for (const std::int32_t d : order) documents[offers(d)].push_back(d);
    problem.greedy_docs.assign(order.begin(), order.begin() + problem.depth);
    for (const std::int32_t d : problem.greedy_docs) problem.greedy.push_back(offers(d));
    add_kinds(problem, documents);
    return problem;
}

// Prices of levels at positions and of copies of kinds, and the upper bounds that follow.
class Prices {
  public:
    // Starts with what each level would add to the greedy ranking.
    explicit Prices(const Problem& problem);
    // An upper bound: no ranking is better.
    double root() const { return root_; }
    // The most that the aspect can get, after paying, at this position and later ones, if that worth is left.
    double shopping(int aspect, int position, double worth) const {
        const Numbers& grid = grids_[aspect].worth;
        const double* row = &tables_[grids_[aspect].row(position)];
        const auto point = std::lower_bound(grid.begin(), grid.end(), worth, std::greater<>());
        if (point == grid.begin()) return row[0];
        if (point == grid.end()) return row[grid.size() - 1];  // less worth never gets more
        const auto g = point - grid.begin();
        // The most is a convex function of the worth, so the line between two points is above it.
        return row[g] + (row[g - 1] - row[g]) * ((worth - grid[g]) / (grid[g - 1] - grid[g]));
    }
    // The most that this position and all later ones can earn.
    double earnings(int position) const { return earnings_[position]; }
    // What a copy of the kind costs the position that takes it. Copies that are available count as earned.
    double copy(int kind) const { return prices_[of_kind(kind)]; }
    // Looks for prices that bring root() down to `low`. One step is as much work as step_cost() nodes.
    void tune(double low, std::int64_t steps);
    std::int64_t step_cost() const { return step_cost_; }

  private:
    // The worths at which an aspect's table is kept, from 1 down by a constant ratio. A level's factor leads from
    // any point to between the points `shift` and `shift + 1` further on, always in the same proportion.
    struct Grid {
        Numbers worth;
        std::size_t start;
        std::size_t row(int position) const { return start + 2 * worth.size() * position; }
    };
    struct Step {
        int shift;
        double weight;  // of the first of the two points
        double from(const double* point) const { return weight * point[shift] + (1 - weight) * point[shift + 1]; }
    };
    std::size_t of_level(int position, int level) const { return position * problem_.levels.size() + level; }
    std::size_t of_kind(int kind) const { return problem_.depth * problem_.levels.size() + kind; }
    void make_grid(int aspect);
    double earning(int position, int kind) const;
    void evaluate();
    void slope(Numbers& slope) const;

    const Problem& problem_;
    std::vector<Grid> grids_;
    std::vector<Step> steps_;  // by level
    Numbers prices_, scale_, tables_, earnings_;
    double root_ = 0;
    std::int64_t step_cost_;
};

Prices::Prices(const Problem& problem) : problem_(problem) {
    const int depth = problem.depth;
    prices_.resize(of_kind(problem.kind_count()));
    scale_.resize(prices_.size());
    Numbers greedy_gain(depth, 0.0);
    for (int a = 0; a < problem.aspects; ++a) {
        Numbers left(depth + 1, 1.0), later(depth + 1, 0.0);  // later: what can still be gained from a worth of 1
        for (int i = 0; i < depth; ++i) {
            const auto [value, stop] = problem.greedy[i][a];
            greedy_gain[i] += problem.discount[i] * value * left[i];
            left[i + 1] = left[i] * (1 - stop);
        }
        for (int i = depth - 1; i >= 0; --i) {
            const auto [value, stop] = problem.greedy[i][a];
            later[i] = problem.discount[i] * value + (1 - stop) * later[i + 1];
            for (int l = problem.level_start[a]; l < problem.level_start[a + 1]; ++l) {
                const Level& level = problem.levels[l];
                const double lost = (1 - level.factor) * later[i + 1];
                prices_[of_level(i, l)] = left[i] * (problem.discount[i] * level.value - lost);
            }
        }
        make_grid(a);
    }
    // Prices further down are smaller and take smaller steps.
    const double smallest = 1e-9 * *std::max_element(greedy_gain.begin(), greedy_gain.end());
    for (double& gain : greedy_gain) gain = std::sqrt(std::max(gain, smallest));
    for (int i = 0; i < depth; ++i) std::fill_n(&scale_[of_level(i, 0)], problem.level_count(), greedy_gain[i]);
    std::size_t cells = 0;
    for (int k = 0; k < problem.kind_count(); ++k) {
        scale_[of_kind(k)] = greedy_gain[std::min(problem.kinds[k].copies, depth - 1)];
        cells += problem.kinds[k].levels.size();
    }
    for (const Level& level : problem.levels) cells += grids_[level.aspect].worth.size();
    step_cost_ = 1 + static_cast<std::int64_t>(cells * depth / 256);
    tables_.resize(grids_.back().row(depth + 1));
    earnings_.resize(depth + 1);
    evaluate();
}

void Prices::make_grid(int aspect) {
    const int start = problem_.level_start[aspect], end = problem_.level_start[aspect + 1];
    Numbers factors;
    for (int l = start; l < end; ++l) {
        const double factor = problem_.levels[l].factor;
        if (factor < 1 && std::find(factors.begin(), factors.end(), factor) == factors.end()) factors.push_back(factor);
    }
    // If there is one factor, only its powers occur. Several factors have too many products; for them, four points
    // per octave are close enough.
    const double ratio = factors.size() == 1 ? factors[0] : std::sqrt(std::sqrt(0.5));
    const std::size_t most = factors.empty() ? 1 : factors.size() == 1 ? problem_.depth + 1 : 1000;
    Grid grid{{1.0}, aspect == 0 ? 0 : grids_.back().row(problem_.depth + 1)};
    while (grid.worth.size() < most && grid.worth.back() > 1e-16) grid.worth.push_back(grid.worth.back() * ratio);
    for (int l = start; l < end; ++l) {
        const double factor = problem_.levels[l].factor;
        std::size_t shift = 0;
        while (shift + 1 < grid.worth.size() && grid.worth[shift + 1] >= factor) ++shift;
        const bool inside = shift + 1 < grid.worth.size();
        const double above = grid.worth[shift], below = inside ? grid.worth[shift + 1] : 0;
        steps_.push_back({static_cast<int>(shift), inside ? (factor - below) / (above - below) : 1.0});
    }
    grids_.push_back(std::move(grid));
}

// What the position earns from a document of the kind.
double Prices::earning(int position, int kind) const {
    double sum = -copy(kind);
    for (const int level : problem_.kinds[kind].levels) sum += prices_[of_level(position, level)];
    return sum;
}

void Prices::evaluate() {
    root_ = 0;
    for (int a = 0; a < problem_.aspects; ++a) {
        const Numbers& worth = grids_[a].worth;
        const std::size_t points = worth.size();
        for (int i = problem_.depth - 1; i >= 0; --i) {
            double* now = &tables_[grids_[a].row(i)];
            const double* next = &tables_[grids_[a].row(i + 1)];
            std::copy(next, next + points, now);
            for (int l = problem_.level_start[a]; l < problem_.level_start[a + 1]; ++l) {
                const double value = problem_.discount[i] * problem_.levels[l].value, price = prices_[of_level(i, l)];
                const Step step = steps_[l];
                for (std::size_t g = 0; g < points; ++g) {
                    now[g] = std::max(now[g], value * worth[g] - price + step.from(next + g));
                }
            }
            std::fill(now + points, now + 2 * points, now[points - 1]);  // where steps beyond the last point end
        }
        root_ += tables_[grids_[a].row(0)];
    }
    for (int i = problem_.depth - 1; i >= 0; --i) {
        double most = 0;
        for (int k = 0; k < problem_.kind_count(); ++k) most = std::max(most, earning(i, k));
        earnings_[i] = earnings_[i + 1] + most;
    }
    root_ += earnings_[0];
    for (int k = 0; k < problem_.kind_count(); ++k) root_ += copy(k) * problem_.kinds[k].copies;
}

// How root() changes with each price: what positions sell minus what aspects buy.
void Prices::slope(Numbers& slope) const {
    std::fill(slope.begin(), slope.end(), 0.0);
    for (int a = 0; a < problem_.aspects; ++a) {
        const std::size_t last = grids_[a].worth.size() - 1;
        std::size_t g = 0;
        for (int i = 0; i < problem_.depth; ++i) {
            const double* next = &tables_[grids_[a].row(i + 1)];
            double most = next[g];
            int bought = -1;
            for (int l = problem_.level_start[a]; l < problem_.level_start[a + 1]; ++l) {
                const double gain = problem_.discount[i] * problem_.levels[l].value * grids_[a].worth[g];
                const double got = gain - prices_[of_level(i, l)] + steps_[l].from(next + g);
                if (got > most) most = got, bought = l;
            }
            if (bought < 0) continue;
            slope[of_level(i, bought)] -= 1;
            g = std::min(last, g + steps_[bought].shift + (steps_[bought].weight < 0.5 ? 1 : 0));
        }
    }
    for (int k = 0; k < problem_.kind_count(); ++k) slope[of_kind(k)] = problem_.kinds[k].copies;
    for (int i = 0; i < problem_.depth; ++i) {
        double most = 0;
        int sold = -1;
        for (int k = 0; k < problem_.kind_count(); ++k) {
            const double sum = earning(i, k);
            if (sum > most) most = sum, sold = k;
        }
        if (sold < 0) continue;
        slope[of_kind(sold)] -= 1;
        for (const int level : problem_.kinds[sold].levels) slope[of_level(i, level)] += 1;
    }
}

void Prices::tune(double low, std::int64_t steps) {
    // Each direction keeps most of the previous one, because slopes alone zigzag.
    constexpr double memory = 0.8;
    const std::int64_t patience = std::max<std::int64_t>(16, steps / 16);
    const std::size_t first_kind = of_kind(0);
    Numbers best = prices_, direction, now(prices_.size());
    double lowest = root_, pace = 0.3;
    std::int64_t idle = 0;
    for (std::int64_t step = 0; step < steps && root_ > low * (1 + tolerance); ++step) {
        check_interrupt();
        slope(now);
        for (std::size_t p = first_kind; p < now.size(); ++p) {
            if (prices_[p] == 0) now[p] = std::min(now[p], 0.0);
        }
        if (direction.empty()) direction = now;
        double length = 0;
        for (std::size_t p = 0; p < now.size(); ++p) {
            direction[p] = memory * direction[p] + (1 - memory) * now[p];
            length += scale_[p] * direction[p] * direction[p];
        }
        if (length == 0) break;
        const double move = pace * (root_ - low) / length;
        for (std::size_t p = 0; p < now.size(); ++p) prices_[p] -= move * scale_[p] * direction[p];
        for (std::size_t p = first_kind; p < now.size(); ++p) prices_[p] = std::max(prices_[p], 0.0);
        evaluate();
        if (root_ < lowest) {
            lowest = root_;
            best = prices_;
            idle = 0;
        } else if (++idle == patience) {
            pace *= 0.7;
            idle = 0;
            prices_ = best;
            direction.clear();
            evaluate();
        }
    }
    prices_ = best;
    evaluate();
}

// The states after some number of documents.
struct Layer {
    Numbers value, bound;
    Numbers left;             // (state, aspect)
    std::vector<int> copies;  // (state, kind), at most the number of remaining positions
    std::vector<std::uint64_t> hash;

    void clear() { value.clear(), bound.clear(), left.clear(), copies.clear(), hash.clear(); }
};

// How a state was reached: the state of the previous layer, and the kind of the document that was taken.
struct Taken {
    std::size_t from;
    int kind;
};

class Search {
  public:
    Search(const Problem& problem, std::int64_t nodes);
    Best run();

  private:
    double sweep(std::size_t width);
    void expand(int position, std::size_t state);
    void add(double value, double bound, Taken taken, std::vector<Taken>& layer);
    void remember(int position, Taken taken);
    void tune(std::int64_t nodes);
    double limit() const { return low_ * (1 + tolerance); }

    const Problem& problem_;
    Prices prices_;
    double low_ = 0, high_;
    std::int64_t nodes_;
    Layer layer_, next_;
    std::vector<std::vector<Taken>> taken_;  // of all earlier layers and the next one
    std::vector<std::int32_t> best_;         // the ranking that is worth low_
    std::vector<std::int32_t> slots_;  // a hash table of next_; -1: empty
    Numbers shopping_, left_;
    std::vector<int> copies_;
};

Search::Search(const Problem& problem, std::int64_t nodes)
    : problem_(problem), prices_(problem), nodes_(nodes), taken_(problem.depth), best_(problem.greedy_docs), shopping_(problem.aspects) {
    Numbers left(problem.aspects, 1.0);
    for (int i = 0; i < problem.depth; ++i) {
        double gain = 0;
        for (int a = 0; a < problem.aspects; ++a) {
            gain += problem.greedy[i][a].value * left[a];
            left[a] *= 1 - problem.greedy[i][a].stop;
        }
        low_ += problem.discount[i] * gain;
    }
    high_ = prices_.root();
}

Best Search::run() {
    tune(std::min(nodes_ / 2, 256 * prices_.step_cost()));
    for (std::size_t width = 64; nodes_ > 0 && high_ > limit(); width *= 4) {
        const std::int64_t before = nodes_;
        high_ = std::min(high_, std::max(low_, sweep(width)));
        if (high_ > limit()) tune(std::min(nodes_, before - nodes_));
    }
    return {low_, high_ > limit() ? high_ : low_, best_};
}

void Search::tune(std::int64_t nodes) {
    const std::int64_t steps = nodes / prices_.step_cost();
    prices_.tune(low_, steps);
    nodes_ -= steps * prices_.step_cost();
    high_ = std::min(high_, prices_.root());
}

// Goes through all layers, but keeps only the `width` most promising states of each. Returns the largest bound of the
// states left out, or 0.
double Search::sweep(std::size_t width) {
    double left_out = 0;
    layer_.clear();
    layer_.value = {0.0};
    layer_.bound = {high_};
    layer_.left.assign(problem_.aspects, 1.0);
    for (const Kind& kind : problem_.kinds) layer_.copies.push_back(kind.copies);
    std::vector<std::size_t> order;
    for (int position = 0; position < problem_.depth; ++position) {
        next_.clear();
        taken_[position].clear();
        slots_.assign(1024, -1);
        order.resize(layer_.value.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::sort(order.begin(), order.end(), [&](std::size_t x, std::size_t y) {
            return layer_.bound[x] != layer_.bound[y] ? layer_.bound[x] > layer_.bound[y] : x < y;
        });
        for (std::size_t rank = 0; rank < order.size() && layer_.bound[order[rank]] > limit(); ++rank) {
            if (rank == width || nodes_ <= 0) {
                left_out = std::max(left_out, layer_.bound[order[rank]]);
                break;
            }
            expand(position, order[rank]);
        }
        std::swap(layer_, next_);
    }
    return left_out;
}

// Extends the state by a document of each kind that may be worth taking.
void Search::expand(int position, std::size_t state) {
    const double* left = &layer_.left[state * problem_.aspects];
    const int* copies = &layer_.copies[state * problem_.kinds.size()];
    const int after = position + 1, to_come = problem_.depth - after;
    double rest = prices_.earnings(after);
    for (int a = 0; a < problem_.aspects; ++a) rest += shopping_[a] = prices_.shopping(a, after, left[a]);
    for (int k = 0; k < problem_.kind_count(); ++k) rest += prices_.copy(k) * std::min(copies[k], to_come);
    for (int k = 0; k < problem_.kind_count(); ++k) {
        const Kind& kind = problem_.kinds[k];
        const auto available = [&](int other) { return copies[other] > 0; };
        if (copies[k] == 0 || std::any_of(kind.better.begin(), kind.better.end(), available)) continue;
        if (--nodes_ % 4096 == 0) check_interrupt();
        double gain = 0, bound = copies[k] <= to_come ? rest - prices_.copy(k) : rest;
        for (const int l : kind.levels) {
            const Level& level = problem_.levels[l];
            gain += level.value * left[level.aspect];
            bound += prices_.shopping(level.aspect, after, left[level.aspect] * level.factor) - shopping_[level.aspect];
        }
        const double value = layer_.value[state] + problem_.discount[position] * gain;
        bound = std::min(bound + value, layer_.bound[state]);
        if (value > low_) {
            low_ = value;
            remember(position, {state, k});
        }
        if (to_come == 0 || bound <= limit()) continue;
        left_.assign(left, left + problem_.aspects);
        for (const int l : kind.levels) left_[problem_.levels[l].aspect] *= problem_.levels[l].factor;
        copies_.assign(copies, copies + problem_.kinds.size());
        --copies_[k];
        for (int& c : copies_) c = std::min(c, to_come);
        add(value, bound, {state, k}, taken_[position]);
    }
}

// Keeps the ranking that ends at the position with this document.
void Search::remember(int position, Taken taken) {
    std::vector<int> kinds(1, taken.kind);
    while (position-- > 0) {
        taken = taken_[position][taken.from];
        kinds.push_back(taken.kind);
    }
    std::vector<std::size_t> used(problem_.kinds.size(), 0);
    best_.clear();
    for (auto kind = kinds.rbegin(); kind != kinds.rend(); ++kind) best_.push_back(problem_.kinds[*kind].docs[used[*kind]++]);
}

// Puts (left_, copies_) into the next layer, unless that layer has it with at least this value.
void Search::add(double value, double bound, Taken taken, std::vector<Taken>& layer) {
    const std::size_t aspects = left_.size(), kinds = copies_.size();
    std::uint64_t hash = 0;
    const auto mix = [&](std::uint64_t x) { hash = (hash ^ x) * 0x9E3779B97F4A7C15u, hash ^= hash >> 29; };
    for (const double worth : left_) {
        std::uint64_t bits;
        std::memcpy(&bits, &worth, sizeof bits);
        mix((bits + 8) >> 4);  // the last bits depend on the order of multiplication
    }
    for (const int c : copies_) mix(static_cast<std::uint64_t>(c));
    const auto same = [&](std::size_t state) {
        const auto close = [](double x, double y) { return std::abs(x - y) <= 1e-14 * x; };
        return next_.hash[state] == hash &&
               std::equal(left_.begin(), left_.end(), &next_.left[state * aspects], close) &&
               std::equal(copies_.begin(), copies_.end(), &next_.copies[state * kinds]);
    };
    std::size_t slot = hash & (slots_.size() - 1);
    for (; slots_[slot] >= 0; slot = (slot + 1) & (slots_.size() - 1)) {
        const auto state = static_cast<std::size_t>(slots_[slot]);
        if (!same(state)) continue;
        if (value > next_.value[state]) next_.value[state] = value, next_.bound[state] = bound, layer[state] = taken;
        return;
    }
    slots_[slot] = static_cast<std::int32_t>(next_.value.size());
    layer.push_back(taken);
    next_.value.push_back(value);
    next_.bound.push_back(bound);
    next_.left.insert(next_.left.end(), left_.begin(), left_.end());
    next_.copies.insert(next_.copies.end(), copies_.begin(), copies_.end());
    next_.hash.push_back(hash);
    if (2 * next_.value.size() < slots_.size()) return;
    slots_.assign(2 * slots_.size(), -1);
    for (std::size_t state = 0; state < next_.hash.size(); ++state) {
        slot = next_.hash[state] & (slots_.size() - 1);
        while (slots_[slot] >= 0) slot = (slot + 1) & (slots_.size() - 1);
        slots_[slot] = static_cast<std::int32_t>(state);
    }
}

}  // namespace

Best best_ranking(const double* value, const double* stop, std::int64_t aspects, std::int64_t docs,
                  const double* discount, std::int64_t depth, std::int64_t nodes) {
    const Problem problem = read_problem(value, stop, aspects, docs, discount, depth);
    if (problem.depth == 0) return {0, 0, {}};
    return Search(problem, nodes).run();
}

}  // namespace rankprism
