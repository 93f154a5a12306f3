#include "run.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>

#include "interrupt.hpp"
#include "parallel.hpp"
#include "regroup.hpp"

namespace rankprism {
namespace {

constexpr const char* expected = "6 columns: topic Q0 document rank score tag";
constexpr double no_rank = std::numeric_limits<double>::quiet_NaN();

using Where = std::function<std::string(const RunLine&)>;

// A rank is nearly always a short whole number.
double parse_rank(std::string_view column) {
    std::uint64_t number = 0;
    if (column.size() <= 8 && parse_digits(column.data(), column.size(), number)) return static_cast<double>(number);
    double rank = 0;
    return parse_number(column, rank) ? rank : no_rank;
}

// A score is nearly always a number such as 19.858854. Any other form is left to parse_number, which gives the same result
// for this form.
bool parse_score(std::string_view column, double& score) {
    static constexpr std::uint32_t power[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};
    const char* const start = column.data() + (column.front() == '-');
    const char* p = start;
    std::uint64_t whole = 0, fraction = 0;
    for (; static_cast<unsigned char>(*p - '0') <= 9; ++p) whole = whole * 10 + static_cast<unsigned char>(*p - '0');
    const auto places = static_cast<std::size_t>(column.data() + column.size() - p) - 1;  // huge without a point
    if (*p != '.' || p == start || p - start > 7 || places - 1 >= 8 || !parse_digits(p + 1, places, fraction)) {
        return parse_number(column, score);
    }
    score = static_cast<double>(static_cast<std::int64_t>(whole * power[places] + fraction)) / power[places];
    if (column.front() == '-') score = -score;
    return true;
}

// The columns of a line that are used. There is no score if the line is too short.
struct Columns {
    const char* line;
    std::string_view topic, doc, rank, score;
    const char* next;  // the next line
};

Columns take_columns(const char* p) {
    unsigned end[5], end_of_line;
    if (find_columns(p, end, end_of_line) && end[4] < end_of_line && is_column(p[end[4] + 1])) {
        const auto column = [&](int n) { return std::string_view(p + end[n - 1] + 1, end[n] - end[n - 1] - 1); };
        return {p, {p, end[0]}, column(2), column(3), column(4), p + end_of_line + 1};
    }
    Columns found{p, take_column(p), {}, {}, {}, nullptr};
    take_column(p);  // not used
    found.doc = take_column(p);
    found.rank = take_column(p);
    const std::string_view score = take_column(p);
    if (*p != '\n') found.score = score;
    found.next = line_end(p) + 1;  // the tag is the rest of the line, blanks and all
    return found;
}

// Writes into the given place, because a line that is returned would be written twice.
void parse_line(const Text& text, const Columns& columns, RunLine& line) {
    const auto fail = [&](const std::string& message) { text.fail(columns.line, message); };
    if (columns.score.empty()) {
        fail(std::string("expected ") + expected + "; found " + std::to_string(count_columns(columns.line)));
    }
    if (!parse_score(columns.score, line.score)) {
        fail("the score " + quoted(columns.score) + " is not a finite number; expected " + expected);
    }
    line.rank = parse_rank(columns.rank);
    line.doc = columns.doc.data();
    line.size = static_cast<std::uint32_t>(columns.doc.size());
    line.hash = hash_bytes(columns.doc);
}

// The lines of a topic, which are owned elsewhere.
class Lines {
  public:
    Lines(const std::vector<RunLine>& all) : begin_(all.data()), end_(begin_ + all.size()) {}
    Lines(const RunLine* begin, std::size_t size) : begin_(begin), end_(begin + size) {}
    const RunLine* begin() const { return begin_; }
    const RunLine* end() const { return end_; }
    std::size_t size() const { return static_cast<std::size_t>(end_ - begin_); }
    const RunLine& front() const { return *begin_; }
    const RunLine& back() const { return end_[-1]; }
    const RunLine& operator[](std::size_t i) const { return begin_[i]; }

  private:
    const RunLine *begin_, *end_;
};

// The document ids of one ranking, to find repeated documents.
class Seen {
  public:
    // Whether all hashes differ, as they nearly always do; then all documents differ. It takes half the memory of the slots.
    bool all_differ(const Lines& lines) {
        std::size_t size = 64;
        while (size < lines.size() * 2) size *= 2;
        hashes_.assign(size, 0);
        for (const RunLine& line : lines) {
            const std::uint32_t hash = line.hash == 0 ? 1 : line.hash;  // 0: free
            std::size_t s = hash & (size - 1);
            for (; hashes_[s] != 0; s = (s + 1) & (size - 1)) {
                if (hashes_[s] == hash) return false;
            }
            hashes_[s] = hash;
        }
        return true;
    }

    void start(std::size_t documents) {
        std::size_t size = 64;
        while (size * 2 < documents * 3) size *= 2;
        slots_.assign(size, Slot{0, -1});
    }

    // The earlier line with this id, or -1.
    std::int32_t add(const Lines& lines, std::int32_t line) {
        const std::uint32_t hash = lines[line].hash;
        std::size_t s = hash & (slots_.size() - 1);
        for (; slots_[s].line >= 0; s = (s + 1) & (slots_.size() - 1)) {
            if (slots_[s].hash == hash && lines[slots_[s].line].id() == lines[line].id()) return slots_[s].line;
        }
        slots_[s] = {hash, line};
        return -1;
    }

  private:
    struct Slot { std::uint32_t hash; std::int32_t line; };
    std::vector<Slot> slots_;
    std::vector<std::uint32_t> hashes_;
};

// The hits of some topics of a run, in the order of the run.
struct Found {
    struct Topic {
        std::int32_t number;  // of the judgments; -1: not judged
        std::int32_t hits = 0, length = 0;
        std::uint8_t remarks = 0;
        std::int32_t tied_groups = 0;
    };
    std::vector<Topic> topics;
    std::vector<std::int32_t> rank, doc;  // of all hits, one topic after another
    std::vector<std::int32_t> group_start, group_size;  // the same, if ties are asked for
    std::vector<std::string> unjudged;    // names of the topics that are not judged
    Disagreement disagreement;
    Unmatched unmatched;
    Stray stray;

    void clear() {  // keeps the memory
        topics.clear(), rank.clear(), doc.clear(), unjudged.clear(), group_start.clear(), group_size.clear();
        disagreement = {}, unmatched = {}, stray = {};
    }
};

bool comes_first(std::int32_t topic, std::int32_t known) { return known < 0 || topic < known; }

// Collects the hits in the order of the judgments.
class Collection {
  public:
    explicit Collection(std::int32_t topics) : begin_(topics), hits_(topics, 0) {
        result_.length.assign(topics, 0);
        result_.retrieved.assign(topics, 0);
        result_.remarks.assign(topics, 0);
        result_.tied_groups.assign(topics, 0);
    }

    // Returns false if a topic comes back; the collection is then unusable.
    bool add(const Found& found) {
        auto at = static_cast<std::int64_t>(result_.rank.size());
        std::size_t unjudged = 0;
        for (const Found::Topic& topic : found.topics) {
            if (topic.number < 0) {
                const std::int32_t known = unjudged_.size();
                if (unjudged_.number(found.unjudged[unjudged++]) < known) return false;
                continue;
            }
            const std::int32_t t = topic.number;
            if (result_.retrieved[t] != 0) return false;
            result_.retrieved[t] = 1;
            result_.length[t] = topic.length;
            result_.remarks[t] = topic.remarks;
            result_.tied_groups[t] = topic.tied_groups;
            begin_[t] = at;
            hits_[t] = topic.hits;
            at += topic.hits;
            is_sorted_ = is_sorted_ && t > last_;
            last_ = t;
        }
        result_.rank.insert(result_.rank.end(), found.rank.begin(), found.rank.end());
        result_.doc.insert(result_.doc.end(), found.doc.begin(), found.doc.end());
        result_.group_start.insert(result_.group_start.end(), found.group_start.begin(), found.group_start.end());
        result_.group_size.insert(result_.group_size.end(), found.group_size.begin(), found.group_size.end());
        if (found.disagreement.topic >= 0 && comes_first(found.disagreement.topic, result_.disagreement.topic)) {
            result_.disagreement = found.disagreement;
        }
        if (found.unmatched.topic >= 0 && comes_first(found.unmatched.topic, result_.unmatched.topic)) {
            result_.unmatched = found.unmatched;
        }
        result_.stray.add(found.stray);
        return true;
    }

    bool empty() const { return last_ < 0 && unjudged_.size() == 0; }

    Alignment finish() {
        result_.start.assign(1, 0);
        for (const std::int32_t hits : hits_) result_.start.push_back(result_.start.back() + hits);
        if (!is_sorted_) {
            result_.rank = in_order_of_judgments(result_.rank);
            result_.doc = in_order_of_judgments(result_.doc);
            if (!result_.group_start.empty()) {
                result_.group_start = in_order_of_judgments(result_.group_start);
                result_.group_size = in_order_of_judgments(result_.group_size);
            }
        }
        for (std::int32_t n = 0; n < unjudged_.size(); ++n) result_.unjudged.emplace_back(unjudged_[n]);
        return std::move(result_);
    }

  private:
    std::vector<std::int32_t> in_order_of_judgments(const std::vector<std::int32_t>& found) const {
        std::vector<std::int32_t> sorted;
        sorted.reserve(found.size());
        for (std::size_t t = 0; t < begin_.size(); ++t) {
            const auto first = found.begin() + begin_[t];
            sorted.insert(sorted.end(), first, first + hits_[t]);
        }
        return sorted;
    }

    Alignment result_;
    Names unjudged_;
    std::vector<std::int64_t> begin_;  // where each topic begins in rank and doc
    std::vector<std::int32_t> hits_;
    std::int32_t last_ = -1;
    bool is_sorted_ = true;  // whether the run has its topics in the order of the judgments
};

// Sorts one topic after another and finds the judged documents.
class Aligner {
  public:
    Aligner(const JudgmentTable& judgments, std::string source, Where where, const Joining& joining)
        : judgments_(judgments), source_(std::move(source)), where_(std::move(where)), order_(joining.order),
          duplicates_(joining.duplicates), ties_(joining.ties),
          depth_(joining.depth > 0 ? joining.depth : std::numeric_limits<std::int32_t>::max()) {}

    Found found;

    // is_clean: whether the ids are known to have no stray characters, so that they need no check.
    void topic(std::string_view name, const Lines& lines, bool is_clean) {
        found.stray.look_at(name);
        if (!is_clean) {
            for (const RunLine& line : lines) found.stray.look_at(line.id());
        }
        const Look look = look_at(lines);
        const bool as_they_stand = order_ == Order::input || (order_ != Order::trec_eval_9 && by_score() && look.descending);
        if (as_they_stand) {
            ranking_.resize(lines.size());
            std::iota(ranking_.begin(), ranking_.end(), 0);
        } else {
            sort(lines);
        }
        const bool all_differ = seen_.all_differ(lines);
        if (!all_differ) seen_.start(lines.size());
        const std::int32_t t = judgments_.find_topic(name);
        if (t < 0) {  // without judgments, lines are only checked
            if (!all_differ) for (const std::int32_t i : ranking_) is_new(name, lines, i);
            found.unjudged.emplace_back(name);
            found.topics.push_back({-1});
            return;
        }
        const JudgmentTable::Topic& judged = judgments_.topic(t);
        const std::size_t before = found.rank.size();
        std::int32_t rank = 0;
        for (const std::int32_t i : ranking_) {
            if (!all_differ && !is_new(name, lines, i)) continue;
            if (rank == depth_) {  // below it, lines are only checked
                if (all_differ) break;
                continue;
            }
            ++rank;
            const RunLine& line = lines[i];
            const std::int64_t d = judgments_.find_doc(judged, line.id(), line.hash);
            if (d < 0) continue;
            found.rank.push_back(rank);
            found.doc.push_back(judgments_.relevant_number[d]);
        }
        const auto hits = static_cast<std::int32_t>(found.rank.size() - before);
        found.topics.push_back({t, hits, rank, remarks(t, lines, look), ties_ ? find_groups(lines, before, all_differ, as_they_stand) : 0});
        const bool has_documents = judged.docs < judged.docs_end;
        if (rank > 0 && has_documents && hits == 0 && comes_first(t, found.unmatched.topic)) {
            found.unmatched = {t, std::string(lines[ranking_.front()].id()), std::string(judgments_.doc(judged.docs))};
        }
    }

    // The lines of a topic from the best to the worst, without repeated documents.
    std::vector<std::int32_t> in_order(std::string_view name, const Lines& lines) {
        sort(lines);
        seen_.start(lines.size());
        std::vector<std::int32_t> kept;
        for (const std::int32_t i : ranking_) {
            if (is_new(name, lines, i) && static_cast<std::int32_t>(kept.size()) < depth_) kept.push_back(i);
        }
        return kept;
    }

  private:
    // Finds the group of each hit from number `before` on. Returns the number of groups with two documents or more.
    // none: whether it is known that no two documents are tied.
    std::int32_t find_groups(const Lines& lines, std::size_t before, bool all_differ, bool none) {
        if (none) {
            for (std::size_t hit = before; hit < found.rank.size(); ++hit) found.group_start.push_back(found.rank[hit] - 1);
            found.group_size.resize(found.rank.size(), 1);
            return 0;
        }
        if (!all_differ) seen_.start(lines.size());
        std::int32_t rank = 0, start = 0, groups = 0;
        std::size_t hit = before;
        double key = 0;
        const auto end_group = [&] {
            groups += rank - start > 1;
            for (; hit < found.rank.size() && found.rank[hit] <= rank; ++hit) {
                found.group_start.push_back(start);
                found.group_size.push_back(rank - start);
            }
        };
        for (const std::int32_t i : ranking_) {
            if (rank == depth_) break;
            if (!all_differ && seen_.add(lines, i) >= 0) continue;
            const double own = key_of(lines[i]);
            if (rank > 0 && own != key) {
                end_group();
                start = rank;
            }
            key = own;
            ++rank;
        }
        end_group();
        return groups;
    }

    bool by_score() const { return order_ != Order::rank && order_ != Order::input; }

    // What a single pass over the lines of a topic finds.
    struct Look {
        bool descending = true;   // every score is lower than the one before
        bool rises = false;       // some score is higher than the one before
        bool falls = false;       // some score is lower than the one before
        bool ranks_ascend = true;  // every rank is greater than the one before
    };

    // Most files are in order already, and checking is cheaper than sorting.
    static Look look_at(const Lines& lines) {
        Look look;
        for (std::size_t i = 1; i < lines.size(); ++i) {
            const bool lower = lines[i].score < lines[i - 1].score;
            look.descending &= lower;
            look.falls |= lower;
            look.rises |= lines[i].score > lines[i - 1].score;
            look.ranks_ascend &= lines[i].rank > lines[i - 1].rank;
        }
        return look;
    }

    // Compares the order by rank with the order by score.
    std::uint8_t remarks(std::int32_t t, const Lines& lines, const Look& look) {
        if (lines.size() < 2 || (look.ranks_ascend && look.falls && !look.rises)) return 0;
        if (!look.falls && !look.rises) return equal;
        bool ranked = false;  // whether the ranks differ at all
        for (const RunLine& line : lines) {
            if (std::isnan(line.rank)) return 0;
            ranked |= line.rank != lines.front().rank;
        }
        if (!ranked) return 0;
        by_rank_.resize(lines.size());
        std::iota(by_rank_.begin(), by_rank_.end(), 0);
        if (!look.ranks_ascend) {
            std::sort(by_rank_.begin(), by_rank_.end(), [&lines](std::int32_t a, std::int32_t b) {
                return lines[a].rank != lines[b].rank ? lines[a].rank < lines[b].rank : lines[a].score < lines[b].score;
            });
        }
        const std::uint8_t compared = compare_orders(t, lines);
        return compared == 0 && !look.falls && looks_swapped(lines) ? std::uint8_t{rising} : compared;
    }

    // by_rank_: the lines by rank. Documents with the same rank are not compared.
    std::uint8_t compare_orders(std::int32_t t, const Lines& lines) {
        const RunLine* lowest = nullptr;  // of all documents with a better rank than those at i
        bool disagrees = false, falls = false;
        double highest = -std::numeric_limits<double>::infinity();
        for (std::size_t i = 0, end = 0; i < by_rank_.size(); i = end) {
            const RunLine* low = &lines[by_rank_[i]];
            const RunLine* high = low;
            for (end = i; end < by_rank_.size() && lines[by_rank_[end]].rank == low->rank; ++end) high = &lines[by_rank_[end]];
            if (lowest != nullptr && high->score > lowest->score) {
                disagrees = true;
                if (comes_first(t, found.disagreement.topic)) {
                    found.disagreement = {t, lowest->rank, lowest->score, high->rank, high->score};
                }
            }
            falls |= low->score < highest;
            highest = std::max(highest, high->score);
            if (lowest == nullptr || low->score < lowest->score) lowest = low;
        }
        if (!disagrees) return 0;
        return falls ? disagreeing : disagreeing | rising;
    }

    // Whether the scores are 1, 2, 3, … or 0, 1, 2, … line by line, and the ranks do not just count the lines backwards.
    static bool looks_swapped(const Lines& lines) {
        const double first = lines.front().score;
        if (first != 0 && first != 1) return false;
        bool backwards = true;
        for (std::size_t i = 0; i < lines.size(); ++i) {
            if (lines[i].score != first + static_cast<double>(i)) return false;
            backwards &= lines[i].rank == lines.front().rank - static_cast<double>(i);
        }
        return !backwards || (lines.back().rank != 0 && lines.back().rank != 1);
    }

    struct Ranked {
        double key;  // the greater comes first
        std::int32_t line;
    };

    double key_of(const RunLine& line) const {
        switch (order_) {
            case Order::score:
            case Order::ascending: return line.score;
            case Order::trec_eval_9: return static_cast<float>(line.score);
            case Order::input: return 0;
            case Order::rank: break;
        }
        if (!std::isnan(line.rank)) return -line.rank;
        throw BadInput(source_ + ", " + where_(line) + ": the rank is not a number; order by score instead, or correct the rank column");
    }

    void sort(const Lines& lines) {
        keys_.clear();
        for (std::size_t i = 0; i < lines.size(); ++i) keys_.push_back({key_of(lines[i]), static_cast<std::int32_t>(i)});
        const bool ascending = order_ == Order::ascending;
        // Equal ids with equal keys (duplicates) keep the order of their lines.
        std::sort(keys_.begin(), keys_.end(), [this, &lines, ascending](const Ranked& a, const Ranked& b) {
            if (order_ == Order::input) return a.line < b.line;
            if (a.key != b.key) return a.key > b.key;
            const int order = lines[a.line].id().compare(lines[b.line].id());
            return order != 0 ? (order > 0) != ascending : a.line < b.line;
        });
        ranking_.clear();
        for (const Ranked& ranked : keys_) ranking_.push_back(ranked.line);
    }

    bool is_new(std::string_view topic, const Lines& lines, std::int32_t line) {
        std::int32_t first = seen_.add(lines, line), second = line;
        if (first < 0) return true;
        if (duplicates_ == Duplicates::first) return false;
        if (first > second) std::swap(first, second);
        throw BadInput(source_ + ", " + where_(lines[second]) + ": document " + quoted(lines[second].id()) +
                       " occurs twice in topic " + quoted(topic) + ", first at " + where_(lines[first]) +
                       "; remove one, or keep the better-ranked of each with duplicates=\"first\" (--duplicates first)");
    }

    const JudgmentTable& judgments_;
    std::string source_;
    Where where_;
    Order order_;
    Duplicates duplicates_;
    bool ties_;
    std::int32_t depth_;
    Seen seen_;
    std::vector<Ranked> keys_;
    std::vector<std::int32_t> ranking_;  // lines, best first
    std::vector<std::int32_t> by_rank_;
};

}  // namespace

RunTable RunTable::from_text(Text source) {
    RunTable run(source.name());
    run.text_ = std::move(source);
    run.is_text_ = true;
    run.ids_are_clean_ = run.text_.ascii();  // blanks separate columns, so no id has one
    const Text& text = run.text_;
    std::string_view last;
    std::int32_t topic = -1;
    for (const char* p = text.begin(); next_line(p, text.end());) {
        const Columns columns = take_columns(p);
        if (topic < 0 || !same_column(columns.topic, last)) topic = run.topics.number(columns.topic);
        last = columns.topic;
        parse_line(text, columns, run.lines.emplace_back());
        run.topic.push_back(topic);
        p = columns.next;
    }
    if (run.lines.empty()) throw BadInput(text.name() + ": no ranking in this file, only blank or comment lines");
    return run;
}

void RunTable::add(std::string_view topic_name, std::string_view doc, double score, double rank) {
    const bool is_last = !topic.empty() && same_id(topics[topic.back()], topic_name);
    topic.push_back(is_last ? topic.back() : topics.number(topic_name));
    ids_.insert(ids_.end(), doc.begin(), doc.end());
    RunLine& line = lines.emplace_back();  // in place, see parse_line
    line.score = score;
    line.rank = rank;
    line.size = static_cast<std::uint32_t>(doc.size());
    line.hash = hash_bytes(doc);
}

void RunTable::finish() {
    const char* id = ids_.data();
    for (RunLine& line : lines) {
        line.doc = id;
        id += line.size;
    }
    const auto is_clean = [](const RunLine& line) { return !has_edge_blank(line.id()); };
    ids_are_clean_ = is_ascii({ids_.data(), ids_.size()}) && std::all_of(lines.begin(), lines.end(), is_clean);
}

void RunTable::rank_rising_rows() {
    if (has_ranks || lines.size() < 10) return;
    std::size_t rises = 0;
    for (std::size_t i = 1; i < lines.size(); ++i) rises += lines[i].score > lines[i - 1].score;
    if (static_cast<double>(rises) < 0.6 * static_cast<double>(lines.size() - 1)) return;
    struct Topic {
        double last = -std::numeric_limits<double>::infinity();
        std::int32_t rows = 0;
        bool is_rising = true;
    };
    std::vector<Topic> seen(static_cast<std::size_t>(topics.size()));
    for (std::size_t i = 0; i < lines.size(); ++i) {
        Topic& own = seen[static_cast<std::size_t>(topic[i])];
        own.is_rising = own.is_rising && lines[i].score > own.last;
        own.last = lines[i].score;
        ++own.rows;
    }
    const auto number = [&](auto&& is_one) { return static_cast<double>(std::count_if(seen.begin(), seen.end(), is_one)); };
    const double several = number([](const Topic& one) { return one.rows > 2; });
    const double rising = number([](const Topic& one) { return one.rows > 2 && one.is_rising; });
    if (several == 0 || rising < 0.9 * several) return;
    for (Topic& one : seen) one.rows = 0;
    for (std::size_t i = 0; i < lines.size(); ++i) lines[i].rank = ++seen[static_cast<std::size_t>(topic[i])].rows;
    has_ranks = true;
}

std::string RunTable::where(const RunLine& line) const {
    if (is_text_) return "line " + std::to_string(text_.line_of(line.doc));
    // The ids are stored end to end in the order of the rows.
    const auto row = std::upper_bound(lines.begin(), lines.end(), line.doc,
                                      [](const char* doc, const RunLine& other) { return doc < other.doc; });
    const auto number = row - lines.begin();
    return "row " + std::to_string(rows.empty() ? number : rows[static_cast<std::size_t>(number) - 1]);
}

Alignment align(const JudgmentTable& judgments, const RunTable& run, const Joining& joining) {
    Aligner aligner(judgments, run.name(), [&run](const RunLine& line) { return run.where(line); }, joining);
    // Topics are numbered as they begin, so the numbers never fall unless the lines of a topic are scattered.
    if (std::is_sorted(run.topic.begin(), run.topic.end())) {
        std::size_t line = 0;
        for (std::int32_t t = 0; t < run.topics.size(); ++t) {
            const std::size_t first = line;
            while (line < run.lines.size() && run.topic[line] == t) ++line;
            aligner.topic(run.topics[t], {run.lines.data() + first, line - first}, run.ids_are_clean());
        }
    } else {
        const auto groups = by_topic(run.lines, run.topic, run.topics.size());
        for (std::int32_t t = 0; t < run.topics.size(); ++t) aligner.topic(run.topics[t], groups[t], run.ids_are_clean());
    }
    Collection all(judgments.topics());
    all.add(aligner.found);
    return all.finish();
}

Ranking ranking(const RunTable& run, const Joining& joining) {
    const JudgmentTable nothing;
    Aligner aligner(nothing, run.name(), [&run](const RunLine& line) { return run.where(line); }, joining);
    std::vector<std::int32_t> numbers(run.lines.size());
    std::iota(numbers.begin(), numbers.end(), 0);
    const auto groups = by_topic(numbers, run.topic, run.topics.size());
    std::vector<std::int32_t> topics(static_cast<std::size_t>(run.topics.size()));
    std::iota(topics.begin(), topics.end(), 0);
    std::sort(topics.begin(), topics.end(),
              [&run](std::int32_t a, std::int32_t b) { return comes_before(run.topics[a], run.topics[b]); });
    Ranking result;
    std::vector<RunLine> lines;
    for (const std::int32_t t : topics) {
        check_interrupt();
        lines.clear();
        for (const std::int32_t n : groups[t]) lines.push_back(run.lines[n]);
        const std::vector<std::int32_t> kept = aligner.in_order(run.topics[t], lines);
        for (std::size_t i = 0; i < kept.size(); ++i) {
            result.line.push_back(groups[t][kept[i]]);
            result.rank.push_back(static_cast<std::int32_t>(i + 1));
            result.length.push_back(static_cast<std::int32_t>(kept.size()));
        }
    }
    return result;
}

namespace {

// Reads one topic after another.
void read_topics(Aligner& aligner, std::vector<RunLine>& lines, const Text& text) {
    std::string_view topic;
    lines.clear();
    for (const char* p = text.begin(); next_line(p, text.end());) {
        const Columns columns = take_columns(p);
        if (!same_column(columns.topic, topic)) {
            if (!lines.empty()) aligner.topic(topic, lines, text.ascii());
            lines.clear();
            topic = columns.topic;
        }
        parse_line(text, columns, lines.emplace_back());
        p = columns.next;
    }
    if (!lines.empty()) aligner.topic(topic, lines, text.ascii());
    text.check_rest();
}

// What a thread reads from a block: the hits up to the first mistake. The next block reuses the memory.
struct Part {
    Text text;
    std::optional<Aligner> aligner;
    std::vector<RunLine> lines;
    std::exception_ptr mistake;
};

// Adds all topics of a source. Returns false if a topic comes back.
bool align_grouped(Collection& all, const JudgmentTable& judgments, const Source& source, const Joining& joining,
                   const Reading& reading) {
    Blocks blocks(source, reading.block);
    bool is_grouped = true;
    in_order<Part>(
        worthwhile(reading.threads, source, reading.block), [&](Part& part) { return blocks.next(part.text); },
        [&](Part& part) {
            if (!part.aligner) {
                const auto where = [&text = part.text](const RunLine& line) { return "line " + std::to_string(text.line_of(line.doc)); };
                part.aligner.emplace(judgments, source.name(), where, joining);
            }
            part.aligner->found.clear();
            part.mistake = nullptr;
            try {
                read_topics(*part.aligner, part.lines, part.text);
            } catch (const BadInput&) {
                part.mistake = std::current_exception();
            }
        },
        [&](const Part& part) {
            is_grouped = all.add(part.aligner->found);
            if (is_grouped && part.mistake != nullptr) std::rethrow_exception(part.mistake);
            return is_grouped;
        });
    return is_grouped;
}

}  // namespace

Alignment align_source(const JudgmentTable& judgments, const Source& source, const Joining& joining, const Reading& reading) {
    Collection all(judgments.topics());
    // Almost all files have the lines of a topic together.
    if (!align_grouped(all, judgments, source, joining, reading)) {
        all = Collection(judgments.topics());
        Regrouped topics(source.again(), reading.block, reading.budget);
        for (Source some; topics.next(some);) align_grouped(all, judgments, some, joining, reading);
    }
    if (all.empty()) throw BadInput(source.name() + ": no ranking in this file, only blank or comment lines");
    return all.finish();
}

}  // namespace rankprism
