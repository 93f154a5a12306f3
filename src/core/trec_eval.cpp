#include "trec_eval.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "text.hpp"

namespace rankprism::trec_eval {

// Judgments

Topic::Topic(std::size_t documents) {
    std::size_t size = 4;
    while (size < 2 * documents) size *= 2;
    entries_.resize(size);
}

std::size_t Topic::place(std::uint32_t hash, std::string_view doc) const {
    std::size_t at = hash & (entries_.size() - 1);
    while (entries_[at].used && (entries_[at].hash != hash || entries_[at].size != doc.size() ||
                                 std::memcmp(ids_.data() + entries_[at].start, doc.data(), doc.size()) != 0)) {
        at = (at + 1) & (entries_.size() - 1);
    }
    return at;
}

bool Topic::add(std::string_view doc, double grade) {
    const std::uint32_t hash = hash_bytes(doc);
    Entry& entry = entries_[place(hash, doc)];
    if (entry.used) return false;
    entry = {hash, static_cast<std::uint32_t>(doc.size()), ids_.size(), grade, true};
    ids_.append(doc);
    return true;
}

void Topic::finish() {
    std::vector<double> grades;
    for (const Entry& entry : entries_) {
        if (!entry.used) continue;
        if (entry.grade >= 0) grades.push_back(entry.grade);
        if (entry.grade > 0) ++above_zero_;
    }
    std::sort(grades.begin(), grades.end(), std::greater<>());
    for (const double grade : grades) {
        if (levels_.empty() || levels_.back().grade != grade) levels_.push_back({grade, 0});
        ++levels_.back().documents;
    }
}

double Topic::grade(std::string_view doc) const {
    const Entry& entry = entries_[place(hash_bytes(doc), doc)];
    if (!entry.used) return outside_pool;
    return entry.grade >= 0 ? entry.grade : unjudged;
}

std::int64_t Topic::at_least(double grade) const {
    std::int64_t documents = 0;
    for (const Level& level : levels_) {
        if (level.grade >= grade) documents += level.documents;
    }
    return documents;
}

// Rankings

namespace {

// A number that is smaller, the larger a score is.
std::uint64_t descending(double score) {
    score += 0.0;  // one zero, not two
    std::uint64_t bits = 0;
    std::memcpy(&bits, &score, sizeof bits);
    const std::uint64_t sign = std::uint64_t{1} << 63;
    return (bits & sign) != 0 ? bits : ~(bits | sign);
}

}  // namespace

void sort_by_score(const std::vector<Retrieved>& documents, Version version, std::vector<Workspace::Place>& places) {
    places.resize(documents.size());
    bool sorted = true, ties = false;
    for (std::size_t i = 0; i < documents.size(); ++i) {
        const double score = documents[i].score;
        places[i] = {descending(version == Version::nine ? static_cast<double>(static_cast<float>(score)) : score),
                     static_cast<std::uint32_t>(i)};
        if (i > 0) {
            sorted = sorted && places[i - 1].key <= places[i].key;
            ties = ties || places[i - 1].key == places[i].key;
        }
    }
    if (sorted && !ties) return;
    std::sort(places.begin(), places.end(), [&](const Workspace::Place& a, const Workspace::Place& b) {
        return a.key != b.key ? a.key < b.key : documents[a.index].doc > documents[b.index].doc;
    });
}

void align(const Topic& topic, const std::vector<Retrieved>& documents, const Options& options, Workspace& workspace) {
    sort_by_score(documents, options.version, workspace.places);
    Ranking& ranking = workspace.ranking;
    ranking.grades.clear();
    ranking.topic = &topic;
    ranking.relevance_level = options.relevance_level;
    ranking.relevant = topic.at_least(options.relevance_level);
    ranking.found = ranking.without_judgment = 0;
    ranking.collection = options.collection;
    ranking.version = options.version;
    const auto longest = static_cast<std::size_t>(std::max<std::int64_t>(options.longest, 0));
    for (std::size_t i = 0; i < std::min(documents.size(), longest); ++i) {
        const double grade = topic.grade(documents[workspace.places[i].index].doc);
        if (grade < 0 && options.judged_only) continue;
        ranking.grades.push_back(grade);
        if (grade < 0) ++ranking.without_judgment;
        if (grade >= 0 && grade >= options.relevance_level) ++ranking.found;
    }
}

// Measures. Each function writes the scores of one ranking; `numbers` are cutoffs, in ascending order, unless it says
// otherwise. A ratio without a denominator is 0, unless trec_eval prints something else.

namespace {

// A cutoff, or the largest whole number if it is larger. trec_eval reads cutoffs as such numbers, too.
std::int64_t whole(double cutoff) {
    constexpr auto largest = std::numeric_limits<std::int64_t>::max();
    return cutoff < static_cast<double>(largest) ? static_cast<std::int64_t>(cutoff) : largest;
}

double ratio(double a, double b) { return b != 0 ? a / b : 0; }
double quotient(std::int64_t a, std::int64_t b) { return static_cast<double>(a) / static_cast<double>(b); }

// Calls use(c, sum, k) for each cutoff k, the c-th one, with the sum of count(i) over the documents up to rank k.
template <class Count, class Use> void at_cutoffs(const Ranking& ranking, const Measure& measure, Count&& count, Use&& use) {
    decltype(count(std::int64_t{0})) sum = 0;
    std::int64_t i = 0;
    for (std::size_t c = 0; c < measure.numbers.size(); ++c) {
        const auto k = whole(measure.numbers[c]);
        for (; i < std::min(k, ranking.size()); ++i) sum += count(i);
        use(c, sum, k);
    }
}

template <class Use> void relevant_at_cutoffs(const Ranking& ranking, const Measure& measure, Use&& use) {
    at_cutoffs(ranking, measure, [&](std::int64_t i) { return std::int64_t{ranking.is_relevant(i)}; }, use);
}

// Numbers of documents

void num_q(const Ranking&, const Measure&, double* scores) { scores[0] = 1; }
void num_ret(const Ranking& r, const Measure&, double* scores) { scores[0] = r.size(); }
void num_rel(const Ranking& r, const Measure&, double* scores) { scores[0] = r.relevant; }
void num_rel_ret(const Ranking& r, const Measure&, double* scores) { scores[0] = r.found; }
void num_nonrel_judged_ret(const Ranking& r, const Measure&, double* scores) {
    scores[0] = r.size() - r.without_judgment - r.found;
}

// Average precision and its relatives

// The sum of the precisions at the relevant documents.
double precisions(const Ranking& ranking) {
    double sum = 0;
    std::int64_t found = 0;
    for (std::int64_t i = 0; i < ranking.size(); ++i) {
        if (ranking.is_relevant(i)) sum += quotient(++found, i + 1);
    }
    return sum;
}

void map(const Ranking& r, const Measure&, double* scores) { scores[0] = ratio(precisions(r), r.relevant); }

constexpr double lowest_in_geometric_mean = 0.00001;

void gm_map(const Ranking& r, const Measure&, double* scores) {
    scores[0] = std::log(std::max(ratio(precisions(r), r.relevant), lowest_in_geometric_mean));
}

void yaap(const Ranking& r, const Measure&, double* scores) {
    const double sum = precisions(r);
    scores[0] = std::log((1 + sum) / (1 + r.relevant - sum));
}

void map_cut(const Ranking& r, const Measure& measure, double* scores) {
    std::int64_t found = 0;
    at_cutoffs(
        r, measure,
        [&](std::int64_t i) {
            return r.is_relevant(i) ? quotient(++found, i + 1) : 0.0;
        },
        [&](std::size_t c, double sum, std::int64_t) { scores[c] = ratio(sum, r.relevant); });
}

void inf_ap(const Ranking& r, const Measure&, double* scores) {
    constexpr double smoothing = 0.00001;
    double sum = 0;
    std::int64_t relevant = 0, not_relevant = 0, in_pool = 0;
    for (std::int64_t i = 0; i < r.size(); ++i) {
        const double grade = r.grades[i];
        if (grade == outside_pool) continue;
        if (grade == unjudged) {
            ++in_pool;
        } else if (!r.is_relevant(i)) {
            ++not_relevant;
        } else {
            if (i == 0) {
                sum += 1;
            } else {  // the precision that is expected above this document, from the sample that was judged
                const double above = i, judged = relevant + not_relevant;
                sum += 1.0 / (above + 1.0) + (above / (above + 1.0)) * ((judged + in_pool) / above) *
                                                 ((relevant + smoothing) / (judged + 2 * smoothing));
            }
            ++relevant;
        }
    }
    scores[0] = r.relevant != 0 ? sum / r.relevant : sum;
}

double bpref_of(const Ranking& r) {
    const std::int64_t judged_not_relevant = r.topic->at_least(0) - r.topic->at_least(std::max(r.relevance_level, 0.0));
    const std::int64_t most = std::min(judged_not_relevant, r.relevant);
    double sum = 0;
    std::int64_t above = 0;  // documents above that were judged not relevant
    for (std::int64_t i = 0; i < r.size(); ++i) {
        if (r.grades[i] < 0) continue;
        if (!r.is_relevant(i)) {
            ++above;
        } else {
            sum += above > 0 ? 1.0 - quotient(std::min(above, r.relevant), most) : 1.0;
        }
    }
    return r.relevant != 0 ? sum / r.relevant : sum;
}

void bpref(const Ranking& r, const Measure&, double* scores) { scores[0] = bpref_of(r); }
void gm_bpref(const Ranking& r, const Measure&, double* scores) {
    scores[0] = std::log(std::max(bpref_of(r), lowest_in_geometric_mean));
}

// Precision and recall

void precision(const Ranking& r, const Measure& measure, double* scores) {
    relevant_at_cutoffs(r, measure, [&](std::size_t c, std::int64_t found, std::int64_t k) {
        scores[c] = quotient(found, k);
    });
}

void recall(const Ranking& r, const Measure& measure, double* scores) {
    relevant_at_cutoffs(r, measure, [&](std::size_t c, std::int64_t found, std::int64_t) {
        scores[c] = ratio(found, r.relevant);
    });
}

void relative_precision(const Ranking& r, const Measure& measure, double* scores) {
    relevant_at_cutoffs(r, measure, [&](std::size_t c, std::int64_t found, std::int64_t k) {
        scores[c] = ratio(found, std::min(k, r.relevant));
    });
}

void success(const Ranking& r, const Measure& measure, double* scores) {
    relevant_at_cutoffs(r, measure, [&](std::size_t c, std::int64_t found, std::int64_t) { scores[c] = found > 0 ? 1 : 0; });
}

void unjudged_share(const Ranking& r, const Measure& measure, double* scores) {
    at_cutoffs(
        r, measure, [&](std::int64_t i) { return std::int64_t{r.grades[i] < 0}; },
        [&](std::size_t c, std::int64_t count, std::int64_t k) {
            scores[c] = quotient(count, k);
        });
}

void recip_rank(const Ranking& r, const Measure&, double* scores) {
    scores[0] = 0;
    for (std::int64_t i = 0; i < r.size(); ++i) {
        if (r.is_relevant(i)) {
            scores[0] = quotient(1, i + 1);
            return;
        }
    }
}

std::int64_t relevant_among_first(const Ranking& r, std::int64_t length) {
    std::int64_t found = 0;
    for (std::int64_t i = 0; i < std::min(length, r.size()); ++i) found += r.is_relevant(i);
    return found;
}

void r_precision(const Ranking& r, const Measure&, double* scores) {
    scores[0] = ratio(relevant_among_first(r, r.relevant), r.relevant);
}

// numbers: multiples of the number of relevant documents
void r_precision_multiples(const Ranking& r, const Measure& measure, double* scores) {
    for (std::size_t c = 0; c < measure.numbers.size(); ++c) {
        const auto k = whole(measure.numbers[c] * r.relevant + 0.9);
        scores[c] = k > 0 ? quotient(relevant_among_first(r, k), k) : 0;
    }
}

// Precision at levels of recall, the highest from there on to the end. trec_eval walks through the ranking once, from
// its end, and through the levels from the last to the first. That is why a level out of order has the value of level 0.
void interpolated(const Ranking& r, const std::vector<double>& levels, double* scores) {
    // highest[n]: precision from the n-th relevant document on; at 0, in the whole ranking
    std::vector<double> highest(static_cast<std::size_t>(r.found) + 1);
    double best = r.version == Version::nine ? 0 : -std::numeric_limits<double>::quiet_NaN();  // of an empty ranking
    if (r.size() > 0) best = quotient(r.found, r.size());
    std::int64_t found = r.found;
    for (std::int64_t i = r.size(); i > 0 && found > 0; --i) {
        best = std::max(best, quotient(found, i));
        if (r.is_relevant(i - 1)) highest[found--] = best;
    }
    highest[0] = best;

    std::int64_t reached = r.found;
    bool any = false;
    for (std::size_t c = levels.size(); c-- > 0;) {
        const double wanted = levels[c] * r.relevant;
        const auto needed = static_cast<std::int64_t>(r.version == Version::nine ? std::trunc(wanted + 0.9) : std::round(wanted));
        if (!any && needed > r.found) {
            scores[c] = 0;
            continue;
        }
        any = true;
        reached = needed > reached ? 0 : std::max<std::int64_t>(needed, 0);
        scores[c] = highest[reached];
    }
}

void iprec_at_recall(const Ranking& r, const Measure& measure, double* scores) { interpolated(r, measure.numbers, scores); }

void eleven_points(const Ranking& r, const Measure& measure, double* scores) {
    std::vector<double> precisions(measure.numbers.size());
    interpolated(r, measure.numbers, precisions.data());
    double sum = 0;
    for (std::size_t c = precisions.size(); c-- > 0;) sum += precisions[c];
    scores[0] = sum / precisions.size();
}

// Sets

void set_precision(const Ranking& r, const Measure&, double* scores) {
    scores[0] = ratio(r.found, r.size());
}

void set_recall(const Ranking& r, const Measure&, double* scores) {
    scores[0] = ratio(r.found, r.relevant);
}

void set_relative_precision(const Ranking& r, const Measure&, double* scores) {
    scores[0] = ratio(r.found, std::min(r.size(), r.relevant));
}

void set_map(const Ranking& r, const Measure&, double* scores) {
    const double found = r.found;
    scores[0] = ratio(found * found, static_cast<double>(r.size()) * r.relevant);
}

// numbers: the weight of recall
void set_f(const Ranking& r, const Measure& measure, double* scores) {
    scores[0] = 0;
    if (r.found == 0) return;
    const double x = measure.numbers[0];
    const double p = quotient(r.found, r.size());
    const double recalled = quotient(r.found, r.relevant);
    scores[0] = (x + 1.0) * p * recalled / (x * p + recalled);
}

// numbers: the worth of a document that is relevant and retrieved, only retrieved, only relevant, neither
void utility(const Ranking& r, const Measure& measure, double* scores) {
    const std::int64_t neither = r.collection + r.found - r.size() - r.relevant;
    const std::vector<double>& worth = measure.numbers;
    scores[0] = worth[0] * r.found + worth[1] * (r.size() - r.found) + worth[2] * (r.relevant - r.found) + worth[3] * neither;
}

// Gains

// The discount of a rank that is counted from 0. Most rankings are short, and logarithms are slow.
class Discounts {
  public:
    Discounts() {
        for (std::size_t i = 0; i < size; ++i) log_[i] = std::log2(i + 2);
    }
    double operator()(std::int64_t i) const {
        return i < static_cast<std::int64_t>(size) ? log_[i] : std::log2(i + 2);
    }

  private:
    static constexpr std::size_t size = 2048;
    double log_[size];
};
const Discounts discount;

double gain_of(const Measure& measure, double grade) {
    for (const auto& [known, gain] : measure.gains) {
        if (known == grade) return gain;
    }
    return std::max(grade, 0.0);
}

// The positive gains of the judged documents of a topic, highest first.
class Ideal {
  public:
    Ideal(const Ranking& ranking, const Measure& measure) {
        for (const Topic::Level& level : ranking.topic->levels()) {
            const double gain = gain_of(measure, level.grade);
            if (gain > 0) levels_.push_back({gain, level.documents});
        }
        if (!measure.gains.empty()) {
            std::stable_sort(levels_.begin(), levels_.end(), [](const auto& a, const auto& b) { return a.gain > b.gain; });
        }
    }
    // The gain at the next rank; 0 after the last document.
    double next() {
        while (level_ < levels_.size() && used_ == levels_[level_].documents) {
            ++level_;
            used_ = 0;
        }
        if (level_ == levels_.size()) return 0;
        ++used_;
        return levels_[level_].gain;
    }

  private:
    struct Level { double gain; std::int64_t documents; };
    std::vector<Level> levels_;
    std::size_t level_ = 0;
    std::int64_t used_ = 0;
};

double discounted_gain(const Ranking& r, const Measure& measure) {
    double sum = 0;
    for (std::int64_t i = 0; i < r.size(); ++i) {
        const double gain = gain_of(measure, r.grades[i]);
        if (gain != 0) sum += gain / discount(i);
    }
    return sum;
}

double highest_discounted_gain(const Ranking& r, const Measure& measure) {
    Ideal ideal(r, measure);
    double sum = 0;
    std::int64_t i = 0;
    for (double gain = ideal.next(); gain > 0; gain = ideal.next()) sum += gain / discount(i++);
    return sum;
}

void dcg(const Ranking& r, const Measure& measure, double* scores) { scores[0] = discounted_gain(r, measure); }
void ideal_dcg(const Ranking& r, const Measure& measure, double* scores) {
    scores[0] = highest_discounted_gain(r, measure);
}
void ndcg(const Ranking& r, const Measure& measure, double* scores) {
    scores[0] = ratio(discounted_gain(r, measure), highest_discounted_gain(r, measure));
}

void ndcg_cut(const Ranking& r, const Measure& measure, double* scores) {
    at_cutoffs(
        r, measure,
        [&](std::int64_t i) {
            const double gain = r.grades[i];
            return gain > 0 ? gain / discount(i) : 0.0;
        },
        [&](std::size_t c, double sum, std::int64_t) { scores[c] = sum; });
    Ideal ideal(r, measure);
    double highest = 0, gain = ideal.next();
    std::int64_t i = 0;
    for (std::size_t c = 0; c < measure.numbers.size(); ++c) {
        const auto k = whole(measure.numbers[c]);
        for (; i < k && gain > 0; gain = ideal.next()) highest += gain / discount(i++);
        if (highest > 0) scores[c] /= highest;
    }
}

// nDCG at each retrieved document with a gain. A document that was not retrieved has the nDCG of the whole ranking.
void ndcg_rel(const Ranking& r, const Measure& measure, double* scores) {
    Ideal ideal(r, measure);
    double sum = 0, earned = 0, highest = 0;
    std::int64_t wanted = 0, found = 0, i = 0;
    for (double best = ideal.next(); i < r.size() || best > 0; ++i, best = ideal.next()) {
        const double gain = i < r.size() ? gain_of(measure, r.grades[i]) : 0;
        if (gain != 0) earned += gain / discount(i);
        if (best > 0) {
            highest += best / discount(i);
            ++wanted;
        }
        if (gain > 0) {
            sum += earned / highest;
            ++found;
        }
    }
    sum += (wanted - found) * earned / highest;
    scores[0] = sum > 0 ? sum / wanted : 0;
}

// The mean of nDCG at the ranks where the ideal ranking comes to a lower gain, and at the end of a longer ranking.
void r_ndcg(const Ranking& r, const Measure& measure, double* scores) {
    scores[0] = 0;
    if (r.relevant == 0) return;
    Ideal ideal(r, measure);
    double sum = 0, earned = 0, highest = 0, best = ideal.next(), before = best;
    std::int64_t means = 0, i = 0;
    const auto measure_here = [&] {
        if (highest > 0) {
            sum += earned / highest;
            ++means;
        }
    };
    for (; before > 0; ++i) {
        if (best != before) measure_here();
        if (i < r.size()) {
            const double gain = gain_of(measure, r.grades[i]);
            if (gain != 0) earned += gain / discount(i);
        }
        if (best > 0) highest += best / discount(i);
        before = best;
        best = ideal.next();
    }
    if (i < r.size()) {
        for (; i < r.size(); ++i) {
            const double gain = gain_of(measure, r.grades[i]);
            if (gain != 0) earned += gain / discount(i);
        }
        measure_here();
    }
    scores[0] = sum / means;
}

void binary_g(const Ranking& r, const Measure&, double* scores) {
    double sum = 0, not_relevant = 0;
    for (std::int64_t i = 0; i < r.size(); ++i) {
        if (r.is_relevant(i)) sum += 1 / std::log2(2 + not_relevant);
        else ++not_relevant;
    }
    scores[0] = ratio(sum, r.relevant);
}

// Each gain is discounted by how far the gains so far are behind those of the ideal ranking, where a rank costs at least 1.
void g(const Ranking& r, const Measure& measure, double* scores) {
    Ideal ideal(r, measure);
    double sum = 0, earned = 0, cost = 0, total = 0;
    for (std::int64_t i = 0; i < r.size(); ++i) {
        const double gain = gain_of(measure, r.grades[i]), best = ideal.next();
        total += best;
        earned += gain;
        cost += std::max(best, 1.0);
        if (gain != 0) sum += gain / std::log2(2 + cost - earned);
    }
    for (double best = ideal.next(); best > 0; best = ideal.next()) total += best;
    scores[0] = ratio(sum, total);
}

// Gains outside 0…1 are scaled to it.
void rbp(const Ranking& r, const Measure& measure, double* scores) {
    double lowest = 0, highest = 0;
    const auto look_at = [&](double gain) {
        lowest = std::min(lowest, gain);
        highest = std::max(highest, gain);
    };
    for (const Topic::Level& level : r.topic->levels()) look_at(gain_of(measure, level.grade));
    for (const auto& grade_and_gain : measure.gains) look_at(grade_and_gain.second);
    const bool scaled = lowest < 0 || highest > 1;
    double sum = 0, weight = 1;
    for (const double grade : r.grades) {
        const bool known = grade >= 0 || std::any_of(measure.gains.begin(), measure.gains.end(),
                                                     [&](const auto& pair) { return pair.first == grade; });
        double gain = gain_of(measure, grade);
        if (known && scaled) gain = (gain - lowest) / (highest - lowest);
        if (gain != 0) sum += gain * weight;
        weight *= measure.persistence;
    }
    scores[0] = (1.0 - measure.persistence) * sum;
}

// What RBP would gain if all documents without a judgment had the highest gain, and all after the last one as well.
void rbp_residual(const Ranking& r, const Measure& measure, double* scores) {
    double sum = 0, weight = 1;
    bool any = false;
    for (const double grade : r.grades) {
        if (grade < 0) {
            sum += weight;
            any = true;
        }
        weight *= measure.persistence;
    }
    scores[0] = any ? weight + (1 - measure.persistence) * sum : 0;
}

void nothing(const Ranking&, const Measure&, double* scores) { scores[0] = 0; }  // texts

struct Named { std::string_view name; Measure::Score score; };
constexpr Named known[] = {
    {"runid", nothing},
    {"num_q", num_q},
    {"num_ret", num_ret},
    {"num_rel", num_rel},
    {"num_rel_ret", num_rel_ret},
    {"num_nonrel_judged_ret", num_nonrel_judged_ret},
    {"map", map},
    {"gm_map", gm_map},
    {"yaap", yaap},
    {"map_cut", map_cut},
    {"infAP", inf_ap},
    {"bpref", bpref},
    {"gm_bpref", gm_bpref},
    {"P", precision},
    {"recall", recall},
    {"relative_P", relative_precision},
    {"success", success},
    {"unj", unjudged_share},
    {"recip_rank", recip_rank},
    {"Rprec", r_precision},
    {"Rprec_mult", r_precision_multiples},
    {"iprec_at_recall", iprec_at_recall},
    {"11pt_avg", eleven_points},
    {"set_P", set_precision},
    {"set_recall", set_recall},
    {"set_relative_P", set_relative_precision},
    {"set_map", set_map},
    {"set_F", set_f},
    {"utility", utility},
    {"dcg", dcg},
    {"ideal_dcg", ideal_dcg},
    {"ndcg", ndcg},
    {"ndcg_cut", ndcg_cut},
    {"ndcg_rel", ndcg_rel},
    {"Rndcg", r_ndcg},
    {"binG", binary_g},
    {"G", g},
    {"rbp", rbp},
    {"rbp_resid", rbp_residual},
    {"relstring", nothing},
    // the same for each group of judgments
    {"map_avgjg", map},
    {"P_avgjg", precision},
    {"Rprec_mult_avgjg", r_precision_multiples},
};

}  // namespace

Measure::Score find_measure(std::string_view name) {
    for (const Named& one : known) {
        if (one.name == name) return one.score;
    }
    return nullptr;
}

std::string relevance_string(const Ranking& ranking, std::int64_t length) {
    std::string text;
    for (std::int64_t i = 0; i < std::min(length, ranking.size()); ++i) {
        const double grade = ranking.grades[i];
        if (grade == outside_pool) {
            text += '-';
        } else if (grade == unjudged) {
            text += '.';
        } else {
            text += grade > 9 ? '>' : static_cast<char>('0' + static_cast<int>(grade));
        }
    }
    return text;
}

}  // namespace rankprism::trec_eval
