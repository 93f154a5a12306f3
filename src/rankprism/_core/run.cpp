#include "run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace rankprism {
namespace {

constexpr const char* expected = "6 columns: topic Q0 document rank score tag";

// The document ids of one ranking, to notice when one comes back.
class Seen {
  public:
    void start(std::size_t documents) {
        std::size_t size = 64;
        while (size < documents * 2) size *= 2;
        slots_.assign(size, Slot{0, nullptr});
    }

    // The line that brought this id before, or nullptr.
    const RunTable::Line* add(const RunTable::Line& line) {
        std::size_t s = line.hash & (slots_.size() - 1);
        for (; slots_[s].line != nullptr; s = (s + 1) & (slots_.size() - 1)) {
            if (slots_[s].hash == line.hash && slots_[s].line->id() == line.id()) return slots_[s].line;
        }
        slots_[s] = {line.hash, &line};
        return nullptr;
    }

  private:
    struct Slot { std::uint32_t hash; const RunTable::Line* line; };
    std::vector<Slot> slots_;
};

// What a ranking is sorted by; the greater key comes first.
double sort_key(const RunTable& run, std::int64_t line, Order order) {
    switch (order) {
        case Order::score: return run.lines[line].score;
        case Order::trec_eval: return static_cast<float>(run.lines[line].score);
        case Order::rank: return -run.ranks[line];
        case Order::input: return 0;
    }
    return 0;
}

struct Ranked {
    double key;
    std::int32_t line;
};

void sort_ranking(const RunTable& run, Order order, std::vector<Ranked>& ranking) {
    if (order == Order::input) return;
    if (order == Order::rank) {
        for (const Ranked& r : ranking) {
            if (std::isnan(r.key)) {
                throw BadInput(run.name() + ", " + run.where(run.lines[r.line]) +
                               ": the rank is not a number; order by score instead, or mend the rank column");
            }
        }
    }
    const auto before = [&run](const Ranked& a, const Ranked& b) {
        if (a.key != b.key) return a.key > b.key;
        return run.lines[a.line].id() > run.lines[b.line].id();
    };
    // Most files are in order already, and looking is cheaper than sorting. Equal ids with equal keys
    // (duplicates) keep the order of their lines.
    if (!std::is_sorted(ranking.begin(), ranking.end(), before)) std::stable_sort(ranking.begin(), ranking.end(), before);
}

// Lines by topic: order[start[t] .. start[t + 1]], each in the order of the file.
void group_by_topic(const RunTable& run, std::vector<std::int64_t>& start, std::vector<std::int32_t>& order) {
    start.assign(run.topics.size() + 1, 0);
    for (const auto& line : run.lines) ++start[line.topic + 1];
    std::partial_sum(start.begin(), start.end(), start.begin());
    order.resize(run.lines.size());
    std::vector<std::int64_t> next(start.begin(), start.end() - 1);
    for (std::size_t i = 0; i < run.lines.size(); ++i) order[next[run.lines[i].topic]++] = static_cast<std::int32_t>(i);
}

[[noreturn]] void fail_duplicate(const RunTable& run, const RunTable::Line* a, const RunTable::Line* b) {
    if (a > b) std::swap(a, b);
    throw BadInput(run.name() + ", " + run.where(*b) + ": document " + quoted(b->id()) + " stands twice in topic " +
                   quoted(run.topics[b->topic]) + ", first at " + run.where(*a) +
                   "; remove one, or keep the better-ranked of each with duplicates=\"first\" (--duplicates first)");
}

}  // namespace

RunTable RunTable::from_text(Text source) {
    RunTable run(std::move(source));
    const Text& text = run.text_;
    std::string_view last_topic;
    std::int32_t topic = -1;
    run.lines.reserve((text.end() - text.begin()) / 48);
    for (const char* p = text.begin(); p < text.end();) {
        p = skip_blanks(p);
        if (*p == '\n' || is_comment(p)) {
            p = line_end(p) + 1;
            continue;
        }
        const char* line = p;
        const std::string_view topic_column = take_column(p);
        if (topic_column != last_topic) {
            topic = run.topics.number(topic_column);
            last_topic = topic_column;
        }
        take_column(p);  // Q0
        const std::string_view doc = take_column(p);
        const std::string_view rank_column = take_column(p);
        const std::string_view score_column = take_column(p);
        if (*p == '\n') {
            text.fail(line, std::string("expected ") + expected + "; found " + std::to_string(count_columns(line)));
        }
        double score = 0, rank = 0;
        if (!parse_number(score_column, score)) {
            text.fail(line, "the score " + quoted(score_column) + " is not a finite number; expected " + expected);
        }
        if (!parse_number(rank_column, rank)) rank = std::numeric_limits<double>::quiet_NaN();
        run.lines.push_back({doc.data(), score, static_cast<std::uint32_t>(doc.size()), hash_bytes(doc), topic});
        run.ranks.push_back(rank);
        p = line_end(p) + 1;  // the tag is the rest of the line, blanks and all
    }
    if (run.lines.empty()) throw BadInput(text.name() + ": no ranking in this file, only blank or comment lines");
    return run;
}

RunTable::RunTable(std::string name, std::vector<char> ids) : name_(std::move(name)), ids_(std::move(ids)) {}

void RunTable::add(std::string_view topic, std::size_t doc_size, double score) {
    const std::string_view doc(ids_.data() + used_, doc_size);
    used_ += doc_size;
    lines.push_back({doc.data(), score, static_cast<std::uint32_t>(doc_size), hash_bytes(doc), topics.number(topic)});
}

std::string RunTable::where(const Line& line) const {
    if (is_text_) return "line " + std::to_string(text_.line_of(line.doc));
    return "row " + std::to_string(&line - lines.data() + 1);
}

Alignment align(const JudgmentTable& judgments, const RunTable& run, Order order, Duplicates duplicates) {
    std::vector<std::int64_t> start;
    std::vector<std::int32_t> lines;
    group_by_topic(run, start, lines);

    // Rankings in the order of the judgments' topics; those without judgments last, only to be checked.
    std::vector<std::int32_t> run_topic(judgments.topics(), -1), others;
    for (std::int32_t t = 0; t < run.topics.size(); ++t) {
        const std::int32_t judged = judgments.find_topic(run.topics[t]);
        if (judged >= 0) run_topic[judged] = t; else others.push_back(t);
    }

    Alignment result;
    result.unjudged_topics = static_cast<std::int64_t>(others.size());
    result.start.assign(1, 0);
    result.length.assign(judgments.topics(), 0);
    result.retrieved.assign(judgments.topics(), 0);
    Seen seen;
    std::vector<Ranked> ranking;
    const auto walk = [&](std::int32_t t, auto&& visit) {
        ranking.clear();
        for (std::int64_t i = start[t]; i < start[t + 1]; ++i) ranking.push_back({sort_key(run, lines[i], order), lines[i]});
        sort_ranking(run, order, ranking);
        seen.start(ranking.size());
        for (const Ranked& r : ranking) {
            const RunTable::Line& line = run.lines[r.line];
            if (const auto* before = seen.add(line)) {
                if (duplicates == Duplicates::error) fail_duplicate(run, before, &line);
                continue;
            }
            visit(line);
        }
    };
    for (std::int32_t judged = 0; judged < judgments.topics(); ++judged) {
        if (const std::int32_t t = run_topic[judged]; t >= 0) {
            std::int32_t rank = 0;
            walk(t, [&](const RunTable::Line& line) {
                ++rank;
                const std::int64_t d = judgments.find_doc(judged, line.id(), line.hash);
                if (d < 0) return;
                result.rank.push_back(rank);
                result.doc.push_back(judgments.relevant_number[d]);
            });
            result.length[judged] = rank;
            result.retrieved[judged] = 1;
        }
        result.start.push_back(static_cast<std::int64_t>(result.rank.size()));
    }
    for (const std::int32_t t : others) walk(t, [](const RunTable::Line&) {});
    return result;
}

}  // namespace rankprism
