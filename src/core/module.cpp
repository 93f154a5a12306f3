// The Python interface of the core. Long work runs without the interpreter lock, so several Python threads can read
// several files at once.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "ahead.hpp"
#include "arrow.hpp"
#include "cover.hpp"
#include "exact.hpp"
#include "feed.hpp"
#include "greedy.hpp"
#include "hits.hpp"
#include "interrupt.hpp"
#include "judgments.hpp"
#include "preferred.hpp"
#include "rows.hpp"
#include "run.hpp"
#include "sums.hpp"
#include "writing.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace rankprism {

void bind_trec_eval(nb::module_& m);  // in trec_eval_module.cpp

namespace {

template <class T> using Array = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
using Numbers = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Positions = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Counts = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Table = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Cube = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

// Hands a vector over to numpy without copying it.
template <class T> Array<T> to_numpy(std::vector<T> values) {
    auto* owned = new std::vector<T>(std::move(values));
    const nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return Array<T>(owned->data(), {owned->size()}, owner);
}

JudgmentFormat judgment_format(std::string_view name) {
    if (name == "adhoc") return JudgmentFormat::adhoc;
    if (name == "prels") return JudgmentFormat::prels;
    return JudgmentFormat::diversity;
}

Order order_of(std::string_view name) {
    if (name == "trec_eval-9") return Order::trec_eval_9;
    if (name == "score-ascending-id") return Order::ascending;
    if (name == "rank") return Order::rank;
    if (name == "input") return Order::input;
    return Order::score;  // trec_eval 10 has the same order
}

Duplicates duplicates_of(std::string_view name) { return name == "first" ? Duplicates::first : Duplicates::error; }

// depth: 0 if all documents are kept.
Joining joining_of(std::string_view order, std::string_view duplicates, bool ties, std::int64_t depth) {
    const std::int64_t most = std::numeric_limits<std::int32_t>::max();
    return {order_of(order), duplicates_of(duplicates), ties, static_cast<std::int32_t>(std::min(depth, most))};
}

std::string_view utf8(nb::handle text) {
    Py_ssize_t size = 0;
    const char* bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
    if (bytes == nullptr) throw nb::python_error();
    return {bytes, static_cast<std::size_t>(size)};
}

// Releases the interpreter lock from here to the end of the call.
template <class Work> auto unlocked(Work&& work) {
    const nb::gil_scoped_release release;
    return work();
}

// bare_topics, bare_aspects: aspects that a topic has even if no document is judged on them.
JudgmentTable judgments_from_columns(const std::string& name, const nb::list& topics, const nb::list& aspects,
                                     const nb::list& docs, const Numbers& grades, const nb::list& bare_topics,
                                     const nb::list& bare_aspects) {
    JudgmentTable table;
    std::vector<JudgmentRow> rows;
    std::vector<std::int32_t> topic;
    for (std::size_t i = 0; i < docs.size(); ++i) {
        if (!(std::abs(grades(i)) <= largest_grade)) {
            throw BadInput(name + ", row " + std::to_string(i + 1) + ": the grade of document " + quoted(utf8(docs[i])) +
                           " is too large; " + grade_range);
        }
        topic.push_back(table.topic_names.number(utf8(topics[i])));
        rows.push_back({utf8(docs[i]), table.aspect_names.number(utf8(aspects[i])), static_cast<std::int64_t>(i), grades(i)});
    }
    std::vector<std::int32_t> bare, bare_topic;
    for (std::size_t i = 0; i < bare_aspects.size(); ++i) {
        bare_topic.push_back(table.topic_names.number(utf8(bare_topics[i])));
        bare.push_back(table.aspect_names.number(utf8(bare_aspects[i])));
    }
    auto groups = by_topic(rows, topic, table.topic_names.size());
    const auto bare_groups = by_topic(bare, bare_topic, table.topic_names.size());
    try {
        for (std::int32_t t = 0; t < table.topic_names.size(); ++t) table.add_topic(t, groups[t], bare_groups[t]);
    } catch (const JudgmentTable::Conflict& conflict) {
        throw conflict_error(table, conflict, name, [](std::int64_t row) { return "row " + std::to_string(row + 1); });
    }
    table.sort_topics();
    return table;
}

RunTable run_from_columns(const std::string& name, const nb::list& topics, const nb::list& docs, const Numbers& scores,
                          const Numbers& ranks) {
    RunTable run(name);
    run.has_ranks = ranks.shape(0) > 0;
    for (std::size_t i = 0; i < docs.size(); ++i) {
        const double rank = run.has_ranks ? ranks(i) : std::numeric_limits<double>::quiet_NaN();
        run.add(utf8(topics[i]), utf8(docs[i]), scores(i), rank);
    }
    run.finish();
    return run;
}

nb::str text(std::string_view value) { return nb::str(value.data(), value.size()); }

// topics, aspects, docs, grades: one row per judgment, in canonical order.
nb::tuple judgment_columns(const JudgmentTable& table) {
    nb::list topics, aspects, docs;
    std::vector<double> grades;
    for (std::int32_t t = 0; t < table.topics(); ++t) {
        const JudgmentTable::Topic& judged = table.topic(t);
        const nb::str topic = text(table.topic_name(t));
        for (std::int64_t d = judged.docs; d < judged.docs_end; ++d) {
            const nb::str doc = text(table.doc(d));
            for (std::int64_t r = table.row_start[d]; r < table.row_start[d + 1]; ++r) {
                topics.append(topic);
                aspects.append(text(table.aspect_name(judged.aspects + table.row_aspect[r])));
                docs.append(doc);
                grades.push_back(table.row_grade[r]);
            }
        }
    }
    return nb::make_tuple(topics, aspects, docs, to_numpy(std::move(grades)));
}

// The cells with a grade above 0, by topic: start, document (numbered among the topic's relevant ones), aspect, grade.
nb::tuple relevant_cells(const JudgmentTable& table) {
    std::vector<std::int64_t> start(1, 0);
    std::vector<std::int32_t> doc, aspect;
    std::vector<double> grade;
    for (std::int32_t t = 0; t < table.topics(); ++t) {
        const JudgmentTable::Topic& judged = table.topic(t);
        for (std::int64_t d = judged.docs; d < judged.docs_end; ++d) {
            if (table.relevant_number[d] < 0) continue;
            for (std::int64_t r = table.row_start[d]; r < table.row_start[d + 1]; ++r) {
                const double value = table.row_grade[r];
                if (!(value > 0)) continue;
                doc.push_back(table.relevant_number[d]);
                aspect.push_back(static_cast<std::int32_t>(table.row_aspect[r]));
                grade.push_back(value);
            }
        }
        start.push_back(static_cast<std::int64_t>(grade.size()));
    }
    return nb::make_tuple(to_numpy(std::move(start)), to_numpy(std::move(doc)), to_numpy(std::move(aspect)),
                          to_numpy(std::move(grade)));
}

// How many relevant documents each topic has, and where its aspects start.
nb::tuple judgment_sizes(const JudgmentTable& table) {
    std::vector<std::int32_t> relevant;
    std::vector<std::int64_t> aspect_start(1, 0);
    for (std::int32_t t = 0; t < table.topics(); ++t) {
        const JudgmentTable::Topic& judged = table.topic(t);
        std::int32_t documents = 0;
        for (std::int64_t d = judged.docs; d < judged.docs_end; ++d) documents += table.relevant_number[d] >= 0;
        relevant.push_back(documents);
        aspect_start.push_back(aspect_start.back() + judged.aspects_end - judged.aspects);
    }
    return nb::make_tuple(to_numpy(std::move(relevant)), to_numpy(std::move(aspect_start)));
}

// The grades above 0 of some topics as (topic, aspect, relevant document), padded with 0. No topic may have more than
// this number of aspects or documents.
nb::object padded_grades(const JudgmentTable& table, const Positions& topics, std::int64_t aspects, std::int64_t docs) {
    const auto count = static_cast<std::int64_t>(topics.shape(0));
    std::vector<double> grades;
    unlocked([&] {
        grades.resize(static_cast<std::size_t>(count * aspects * docs));
        for (std::int64_t i = 0; i < count; ++i) {
            const JudgmentTable::Topic& judged = table.topic(static_cast<std::int32_t>(topics(i)));
            if (judged.aspects_end - judged.aspects > aspects) throw nb::value_error("a topic has more aspects than that");
            double* here = grades.data() + i * aspects * docs;
            for (std::int64_t d = judged.docs; d < judged.docs_end; ++d) {
                const std::int64_t number = table.relevant_number[d];
                if (number < 0) continue;
                if (number >= docs) throw nb::value_error("a topic has more relevant documents than that");
                for (std::int64_t r = table.row_start[d]; r < table.row_start[d + 1]; ++r) {
                    const double grade = table.row_grade[r];
                    if (grade > 0) here[table.row_aspect[r] * docs + number] = grade;
                }
            }
        }
    });
    return to_numpy(std::move(grades)).cast().attr("reshape")(count, aspects, docs);
}

nb::list run_topics(const RunTable& run) {
    nb::list names;
    for (std::int32_t t = 0; t < run.topics.size(); ++t) names.append(text(run.topics[t]));
    return names;
}

nb::tuple run_columns(const RunTable& run) {
    const nb::list names = run_topics(run);
    nb::list topics, docs;
    std::vector<double> scores, ranks;
    for (std::size_t i = 0; i < run.lines.size(); ++i) {
        topics.append(names[run.topic[i]]);
        docs.append(text(run.lines[i].id()));
        scores.push_back(run.lines[i].score);
        if (run.has_ranks) ranks.push_back(run.lines[i].rank);
    }
    return nb::make_tuple(topics, docs, to_numpy(std::move(scores)), to_numpy(std::move(ranks)));
}

// How many judged documents each topic has.
Array<std::int32_t> judged_documents(const JudgmentTable& table) {
    std::vector<std::int32_t> documents;
    for (std::int32_t t = 0; t < table.topics(); ++t) {
        documents.push_back(static_cast<std::int32_t>(table.topic(t).docs_end - table.topic(t).docs));
    }
    return to_numpy(std::move(documents));
}

// How many documents of each topic have a grade of at least 0 on some aspect.
Array<std::int32_t> graded_documents(const JudgmentTable& table) {
    std::vector<std::int32_t> documents;
    for (std::int32_t t = 0; t < table.topics(); ++t) {
        const auto first = table.relevant_number.begin();
        const JudgmentTable::Topic& judged = table.topic(t);
        documents.push_back(static_cast<std::int32_t>(
            std::count_if(first + judged.docs, first + judged.docs_end, [](std::int32_t number) { return number > -2; })));
    }
    return to_numpy(std::move(documents));
}

// topics, aspects: the aspects on which no document is judged.
nb::tuple bare_aspects(const JudgmentTable& table) {
    nb::list topics, aspects;
    std::vector<bool> judged_on;
    for (std::int32_t t = 0; t < table.topics(); ++t) {
        const JudgmentTable::Topic& judged = table.topic(t);
        judged_on.assign(static_cast<std::size_t>(judged.aspects_end - judged.aspects), false);
        for (std::int64_t r = table.row_start[judged.docs]; r < table.row_start[judged.docs_end]; ++r) {
            judged_on[table.row_aspect[r]] = true;
        }
        for (std::size_t a = 0; a < judged_on.size(); ++a) {
            if (judged_on[a]) continue;
            topics.append(text(table.topic_name(t)));
            aspects.append(text(table.aspect_name(judged.aspects + static_cast<std::int64_t>(a))));
        }
    }
    return nb::make_tuple(topics, aspects);
}

nb::tuple to_python(const Stray& stray) {
    return nb::make_tuple(stray.mark.ids, text(stray.mark.first), stray.space.ids, text(stray.space.first), stray.edge.ids,
                          text(stray.edge.first));
}

nb::tuple stray_in_judgments(const JudgmentTable& table) {
    Stray stray;
    for (std::int32_t t = 0; t < table.topics(); ++t) {
        const JudgmentTable::Topic& judged = table.topic(t);
        stray.look_at(table.topic_name(t));
        for (std::int64_t a = judged.aspects; a < judged.aspects_end; ++a) stray.look_at(table.aspect_name(a));
        for (std::int64_t d = judged.docs; d < judged.docs_end; ++d) {
            if (!is_ascii(table.doc(d)) || has_edge_blank(table.doc(d))) stray.look_at(table.doc(d));
        }
    }
    return to_python(stray);
}

LineFormat line_format(std::string_view name) {
    if (name == "adhoc") return LineFormat::adhoc;
    if (name == "ntcir") return LineFormat::ntcir;
    if (name == "ntcir-adhoc") return LineFormat::ntcir_adhoc;
    return name == "evall" ? LineFormat::evall : LineFormat::diversity;
}

nb::bytes bytes_of(const std::string& text) { return nb::bytes(text.data(), text.size()); }

// ties: whether they were asked for. The groups are added at the end.
nb::tuple to_python(Alignment alignment, bool ties) {
    nb::list unjudged;
    for (const std::string& topic : alignment.unjudged) unjudged.append(text(topic));
    const Disagreement& two = alignment.disagreement;
    const Unmatched& none = alignment.unmatched;
    nb::tuple aligned = nb::make_tuple(to_numpy(std::move(alignment.start)), to_numpy(std::move(alignment.rank)),
                          to_numpy(std::move(alignment.doc)), to_numpy(std::move(alignment.length)),
                          to_numpy(std::move(alignment.retrieved)), unjudged, to_numpy(std::move(alignment.remarks)),
                          nb::make_tuple(two.topic, two.rank, two.score, two.worse_rank, two.higher_score),
                          nb::make_tuple(none.topic, text(none.retrieved), text(none.judged)), to_python(alignment.stray));
    if (!ties) return aligned;
    return nb::borrow<nb::tuple>(aligned + nb::make_tuple(to_numpy(std::move(alignment.group_start)), to_numpy(std::move(alignment.group_size)),
                                                          to_numpy(std::move(alignment.tied_groups))));
}

nb::object as_rows(std::vector<std::int32_t> order, std::int64_t rows, std::int64_t columns) {
    return to_numpy(std::move(order)).cast().attr("reshape")(rows, columns);
}

// value, stop: topic by aspect by document. Returns the order of each topic.
nb::object greedy(const Cube& value, const Cube& stop) {
    const auto topics = static_cast<std::int64_t>(value.shape(0)), aspects = static_cast<std::int64_t>(value.shape(1)),
               docs = static_cast<std::int64_t>(value.shape(2));
    std::vector<std::int32_t> order(static_cast<std::size_t>(topics * docs));
    unlocked([&] {
        Greedy greedy;
        for (std::int64_t t = 0; t < topics; ++t) {
            const std::int64_t cell = t * aspects * docs;
            greedy.order(value.data() + cell, stop.data() + cell, aspects, docs, order.data() + t * docs);
        }
    });
    return as_rows(std::move(order), topics, docs);
}

// value, stop: topic by aspect by document; discount: by position. Returns the order of each topic, as greedy does, and
// lower and upper bounds of its worth.
nb::tuple exact(const Cube& value, const Cube& stop, const Numbers& discount, std::int64_t nodes) {
    const auto topics = static_cast<std::int64_t>(value.shape(0)), aspects = static_cast<std::int64_t>(value.shape(1)),
               docs = static_cast<std::int64_t>(value.shape(2));
    std::vector<std::int32_t> order(static_cast<std::size_t>(topics * docs), -1);
    std::vector<double> low(value.shape(0)), high(value.shape(0));
    unlocked([&] {
        for (std::int64_t t = 0; t < topics; ++t) {
            const std::int64_t cell = t * aspects * docs;
            const Best best = best_ranking(value.data() + cell, stop.data() + cell, aspects, docs, discount.data(),
                                           static_cast<std::int64_t>(discount.shape(0)), nodes);
            std::copy(best.order.begin(), best.order.end(), order.begin() + t * docs);
            low[t] = best.low;
            high[t] = best.high;
        }
    });
    return nb::make_tuple(as_rows(std::move(order), topics, docs), to_numpy(std::move(low)), to_numpy(std::move(high)));
}

// relevant: topic by aspect by document; need: number of aspects to reach, by topic. Returns lower and upper bounds of
// the cost.
nb::tuple minimal_covers(const Cube& relevant, const Counts& need, double a, double b, std::int64_t nodes) {
    const auto aspects = static_cast<std::int64_t>(relevant.shape(1)), docs = static_cast<std::int64_t>(relevant.shape(2));
    std::vector<double> low(relevant.shape(0)), high(relevant.shape(0));
    unlocked([&] {
        for (std::size_t t = 0; t < low.size(); ++t) {
            const double* topic = relevant.data() + static_cast<std::int64_t>(t) * aspects * docs;
            const CoverCost cost = minimal_cover(topic, aspects, docs, need(t), a, b, nodes);
            low[t] = cost.low;
            high[t] = cost.high;
        }
        return 0;
    });
    return nb::make_tuple(to_numpy(std::move(low)), to_numpy(std::move(high)));
}

using Rows = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;

// An array without its last axis, or with it.
nb::tuple shape_of(const Rows& values, bool with_last) {
    nb::list shape;
    for (std::size_t axis = 0; axis + (with_last ? 0 : 1) < values.ndim(); ++axis) shape.append(values.shape(axis));
    return nb::tuple(shape);
}

struct RowSize {
    std::int64_t rows = 1, docs;
    explicit RowSize(const Rows& values) : docs(static_cast<std::int64_t>(values.shape(values.ndim() - 1))) {
        for (std::size_t axis = 0; axis + 1 < values.ndim(); ++axis) rows *= static_cast<std::int64_t>(values.shape(axis));
    }
};

nb::object highest(const Rows& values) {
    const RowSize size(values);
    std::vector<double> found(static_cast<std::size_t>(size.rows));
    unlocked([&] { highest_of_rows(values.data(), size.rows, size.docs, found.data()); });
    return to_numpy(std::move(found)).cast().attr("reshape")(shape_of(values, false));
}

nb::object counts_before(const Rows& values) {
    const RowSize size(values);
    std::vector<std::int32_t> count(static_cast<std::size_t>(size.rows * size.docs));
    unlocked([&] { count_before(values.data(), size.rows, size.docs, count.data()); });
    return to_numpy(std::move(count)).cast().attr("reshape")(shape_of(values, true));
}

using Orders = nb::ndarray<const std::int32_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// values: topic by aspect by document; order: topic by document.
nb::object in_this_order(const Cube& values, const Orders& order) {
    const auto topics = static_cast<std::int64_t>(values.shape(0)), aspects = static_cast<std::int64_t>(values.shape(1)),
               docs = static_cast<std::int64_t>(values.shape(2));
    if (order.shape(0) != values.shape(0) || order.shape(1) != values.shape(2)) {
        throw nb::value_error("the order has another shape than the values");
    }
    std::vector<double> ordered(values.size());
    unlocked([&] { put_in_order(values.data(), order.data(), topics, aspects, docs, ordered.data()); });
    return to_numpy(std::move(ordered)).cast().attr("reshape")(topics, aspects, docs);
}

// start, rank and doc of each run, as in an alignment; pool: topic by aspect by relevant document.
nb::tuple hits_of(const std::vector<Positions>& start, const std::vector<Counts>& rank, const std::vector<Counts>& doc,
                  const Positions& topics, const Cube& pool) {
    std::vector<Retrieved> runs;
    for (std::size_t r = 0; r < start.size(); ++r) runs.push_back({start[r].data(), rank[r].data(), doc[r].data()});
    const auto count = static_cast<std::int64_t>(topics.shape(0)), aspects = static_cast<std::int64_t>(pool.shape(1)),
               docs = static_cast<std::int64_t>(pool.shape(2));
    PaddedHits hits = unlocked([&] { return padded_hits(runs, topics.data(), count, pool.data(), aspects, docs); });
    const auto table = [&hits](auto values, std::int64_t width) {
        return to_numpy(std::move(values)).cast().attr("reshape")(hits.rankings, width);
    };
    nb::object negative = nb::none();
    if (!hits.negative.empty()) negative = table(std::move(hits.negative), hits.judged);
    return nb::make_tuple(table(std::move(hits.rank), hits.relevant),
                          to_numpy(std::move(hits.grade)).cast().attr("reshape")(hits.rankings, aspects, hits.relevant),
                          table(std::move(hits.condensed_rank), hits.relevant), table(std::move(hits.judged_rank), hits.judged),
                          negative);
}

// values: ranking by aspect by document; factors: ranking, or a single row for all of them, by document.
nb::object products_by_document(const Cube& values, const Table& factors) {
    const auto rows = static_cast<std::int64_t>(values.shape(0)), aspects = static_cast<std::int64_t>(values.shape(1)),
               docs = static_cast<std::int64_t>(values.shape(2));
    const bool shared = factors.shape(0) == 1;
    if (factors.shape(1) != values.shape(2) || !(shared || factors.shape(0) == values.shape(0))) {
        throw nb::value_error("the factors have another shape than the values");
    }
    std::vector<double> sums(static_cast<std::size_t>(rows * aspects));
    unlocked([&] { sums_of_products(values.data(), factors.data(), shared, rows, aspects, docs, sums.data()); });
    return to_numpy(std::move(sums)).cast().attr("reshape")(rows, aspects);
}

// values: ranking by aspect by document; factors: ranking by aspect.
nb::object products_by_aspect(const Cube& values, const Table& factors) {
    const auto rows = static_cast<std::int64_t>(values.shape(0)), aspects = static_cast<std::int64_t>(values.shape(1)),
               docs = static_cast<std::int64_t>(values.shape(2));
    if (factors.shape(0) != values.shape(0) || factors.shape(1) != values.shape(1)) {
        throw nb::value_error("the factors have another shape than the values");
    }
    std::vector<double> sums(static_cast<std::size_t>(rows * docs));
    unlocked([&] { sums_over_aspects(values.data(), factors.data(), rows, aspects, docs, sums.data()); });
    return to_numpy(std::move(sums)).cast().attr("reshape")(rows, docs);
}

using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Marks = nb::ndarray<const std::uint8_t, nb::c_contig, nb::device::cpu>;

// The utilities of one topic, see Preferred; weight: by rank.
nb::tuple preferred(const Numbers& alone, const Matrix& given, const Marks& known, const Marks& pool,
                    std::vector<std::vector<std::int32_t>> sets, const Matrix& after, int combine, const Numbers& weight,
                    std::int64_t nodes) {
    const Preferred utilities{static_cast<std::int64_t>(alone.shape(0)), alone.data(), given.data(), known.data(),
                              pool.data(), static_cast<Combine>(combine), std::move(sets), after.data()};
    const Interval bounds = unlocked([&] {
        return best_preferred(utilities, weight.data(), static_cast<std::int64_t>(weight.shape(0)), nodes);
    });
    return nb::make_tuple(bounds.low, bounds.high);
}

Array<double> solved(const Matrix& a, const Numbers& b) {
    std::vector<double> matrix(a.data(), a.data() + a.size()), x(b.data(), b.data() + b.size());
    unlocked([&] {
        solve_spd(matrix.data(), x.data(), static_cast<std::int64_t>(x.size()));
        return 0;
    });
    return to_numpy(std::move(x));
}

// Every batch of rankings needs a dozen arrays of a few megabytes. glibc returns freed blocks of this size to the system and
// gets them back page by page, cleared, which takes as long as the arithmetic. It stops doing so for blocks up to the
// largest one that it has seen freed, at most 32 MiB. Freeing a block that was never touched is enough, and costs nothing.
void keep_freed_memory() {
#ifdef __GLIBC__
    void* volatile block = std::malloc((std::size_t{32} << 20) - (1 << 16));  // volatile: not to be optimised away
    std::free(block);
#endif
}

nb::list topics_of(const JudgmentTable& table) {
    nb::list names;
    for (std::int32_t t = 0; t < table.topics(); ++t) names.append(text(table.topic_name(t)));
    return names;
}

// Names of all aspects, topic after topic.
nb::list aspects_of(const JudgmentTable& table) {
    nb::list names;
    for (std::int32_t t = 0; t < table.topics(); ++t) {
        for (std::int64_t a = table.topic(t).aspects; a < table.topic(t).aspects_end; ++a) names.append(text(table.aspect_name(a)));
    }
    return names;
}

}  // namespace

NB_MODULE(_core, m) {
    keep_freed_memory();
    // Python runs its signal handlers only in the main thread. In other threads this does nothing.
    interrupt_hook = [] {
        const nb::gil_scoped_acquire lock;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
    };
    nb::register_exception_translator([](const std::exception_ptr& p, void*) {
        try {
            std::rethrow_exception(p);
        } catch (const BadInput& error) {
            const nb::object type = nb::module_::import_("rankprism.errors").attr("InputError");
            PyErr_SetString(type.ptr(), error.what());
        }
    });

    nb::class_<ArrowStream>(m, "ArrowStream")
        .def("__init__", [](ArrowStream* self, const nb::capsule& capsule, const std::string& name) {
            auto* stream = static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream"));
            if (stream == nullptr) throw nb::python_error();
            unlocked([&] { new (self) ArrowStream(*stream, name); });
        })
        .def_prop_ro("columns", &ArrowStream::columns);

    nb::class_<Feed>(m, "Feed")
        .def(nb::init<std::string, bool, std::size_t, std::size_t>(), "name"_a, "keeps"_a = false, "most"_a = Feed::usual,
             "memory"_a = Feed::usual_memory)
        .def("put", [](Feed& feed, const nb::bytes& data) {
            const std::string_view bytes(data.c_str(), data.size());
            return unlocked([&] { return feed.put(bytes); });
        })
        .def("finish", &Feed::finish, "error"_a = "")
        .def("close", &Feed::close)
        .def("rest", [](Feed& feed) { return bytes_of(unlocked([&] { return feed.rest(); })); });

    nb::class_<JudgmentTable>(m, "JudgmentTable")
        // None if the lines of a topic are scattered over a feed that keeps nothing.
        .def_static("from_feed", [](Feed& feed, const std::string& format, int threads, std::size_t block,
                                    std::size_t budget) -> std::optional<JudgmentTable> {
            try {
                return unlocked([&] {
                    return JudgmentTable::from_source(feed.source(), judgment_format(format), {threads, block, budget});
                });
            } catch (const Scattered&) {
                return std::nullopt;
            }
        }, "feed"_a, "format"_a, "threads"_a = 1, "block"_a = Blocks::usual, "budget"_a = Reading::usual_budget)
        .def_static("from_file", [](const std::string& path, const std::string& name, const std::string& format,
                                    int threads, std::size_t block, std::size_t budget) {
            return unlocked([&] {
                return JudgmentTable::from_source(Source::file(path, name), judgment_format(format), {threads, block, budget});
            });
        }, "path"_a, "name"_a, "format"_a, "threads"_a = 1, "block"_a = Blocks::usual, "budget"_a = Reading::usual_budget)
        .def_static("from_bytes", [](const nb::bytes& data, const std::string& name, const std::string& format,
                                     int threads, std::size_t block, std::size_t budget) {
            const std::string_view bytes(data.c_str(), data.size());
            return unlocked([&] {
                return JudgmentTable::from_source(Source::bytes(bytes, name), judgment_format(format), {threads, block, budget});
            });
        }, "data"_a, "name"_a, "format"_a, "threads"_a = 1, "block"_a = Blocks::usual, "budget"_a = Reading::usual_budget)
        .def_static("from_columns", &judgments_from_columns, "name"_a, "topics"_a, "aspects"_a, "docs"_a, "grades"_a,
                    "bare_topics"_a = nb::list(), "bare_aspects"_a = nb::list())
        .def_static("from_arrow", [](ArrowStream& stream, std::int64_t topic, std::int64_t aspect, std::int64_t doc, std::int64_t grade) {
            return unlocked([&] { return judgments_from_arrow(stream, topic, aspect, doc, grade); });
        })
        .def_prop_ro("topics", &topics_of)
        .def_prop_ro("aspects", &aspects_of)
        .def("columns", &judgment_columns)
        .def("lines", [](const JudgmentTable& table, const std::string& source, const std::string& format,
                         const std::vector<std::string>& weights) {
            return bytes_of(judgment_lines(table, source, line_format(format), weights));
        })
        .def("grades", [](const JudgmentTable& table, std::size_t most) {
            std::vector<double> grades;
            for (std::size_t r = 0; r < std::min(most, table.row_grade.size()); ++r) grades.push_back(table.row_grade[r]);
            return to_numpy(std::move(grades));
        }, "most"_a = std::numeric_limits<std::size_t>::max())
        .def("relevant_cells", &relevant_cells)
        .def("sizes", &judgment_sizes)
        .def("padded_grades", &padded_grades, "topics"_a, "aspects"_a, "docs"_a)
        .def("judged_documents", &judged_documents)
        .def("graded_documents", &graded_documents)
        .def("bare_aspects", &bare_aspects)
        .def("stray", &stray_in_judgments)
        .def("__len__", [](const JudgmentTable& t) { return t.row_grade.size(); });

    nb::class_<RunTable>(m, "RunTable")
        .def_static("from_file", [](const std::string& path, const std::string& name) {
            return unlocked([&] { return RunTable::from_text(Text::whole(Source::file(path, name), true)); });
        })
        .def_static("from_bytes", [](const nb::bytes& data, const std::string& name) {
            const std::string_view bytes(data.c_str(), data.size());
            return unlocked([&] { return RunTable::from_text(Text::whole(Source::bytes(bytes, name), true)); });
        })
        .def_static("from_columns", &run_from_columns)
        .def("add_empty", [](RunTable& run, const std::vector<std::string>& topics) {
            for (const std::string& topic : topics) run.topics.number(topic);
        })
        .def_prop_ro("source", [](const RunTable& run) { return run.name(); })
        .def("rank_rising_rows", &RunTable::rank_rising_rows)
        .def_prop_ro("topics", &run_topics)
        .def_ro("has_ranks", &RunTable::has_ranks)
        .def("columns", &run_columns)
        .def("numbers", [](const RunTable& run) {
            std::vector<double> scores, ranks;
            for (const RunLine& line : run.lines) {
                scores.push_back(line.score);
                if (run.has_ranks) ranks.push_back(line.rank);
            }
            return nb::make_tuple(to_numpy(std::move(scores)), to_numpy(std::move(ranks)));
        })
        .def("ranking", [](const RunTable& run, const std::string& order, const std::string& duplicates, std::int64_t depth) {
            Ranking found = unlocked([&] { return ranking(run, joining_of(order, duplicates, false, depth)); });
            return nb::make_tuple(to_numpy(std::move(found.line)), to_numpy(std::move(found.rank)), to_numpy(std::move(found.length)));
        }, "order"_a, "duplicates"_a, "depth"_a = 0)
        .def("trec_lines", [](const RunTable& run, const Counts& lines, const Counts& ranks, const Numbers& scores, const std::string& tag) {
            return bytes_of(trec_lines(run, lines.data(), ranks.data(), scores.data(), lines.shape(0), tag));
        })
        .def("evall_lines", [](const RunTable& run, const Counts& lines) {
            return bytes_of(evall_lines(run, lines.data(), lines.shape(0)));
        })
        .def("align", [](const RunTable& run, const JudgmentTable& judgments, const std::string& order,
                         const std::string& duplicates, bool ties, std::int64_t depth) {
            return to_python(unlocked([&] { return align(judgments, run, joining_of(order, duplicates, ties, depth)); }), ties);
        }, "judgments"_a, "order"_a, "duplicates"_a, "ties"_a = false, "depth"_a = 0)
        .def("__len__", [](const RunTable& run) { return run.lines.size(); });

    m.def("runs_from_arrow", [](ArrowStream& stream, std::int64_t run, std::int64_t topic, std::int64_t doc,
                                std::int64_t score, std::int64_t rank) {
        nb::list found;
        for (auto& [name, table] : unlocked([&] { return runs_from_arrow(stream, run, topic, doc, score, rank); })) {
            found.append(nb::make_tuple(text(name), nb::cast(std::move(table))));
        }
        return found;
    });
    m.def("align_file", [](const JudgmentTable& judgments, const std::string& path, const std::string& name,
                           const std::string& order, const std::string& duplicates, int threads, std::size_t block,
                           std::size_t budget, bool ties, std::int64_t depth) {
        return to_python(unlocked([&] {
            return align_source(judgments, Source::file(path, name), joining_of(order, duplicates, ties, depth),
                                {threads, block, budget});
        }), ties);
    }, "judgments"_a, "path"_a, "name"_a, "order"_a, "duplicates"_a, "threads"_a = 1, "block"_a = Blocks::usual,
       "budget"_a = Reading::usual_budget, "ties"_a = false, "depth"_a = 0);
    // None if the lines of a topic are scattered over a feed that keeps nothing.
    m.def("align_feed", [](const JudgmentTable& judgments, Feed& feed, const std::string& order,
                           const std::string& duplicates, int threads, std::size_t block, std::size_t budget, bool ties,
                           std::int64_t depth) -> nb::object {
        try {
            return to_python(unlocked([&] {
                return align_source(judgments, feed.source(), joining_of(order, duplicates, ties, depth),
                                    {threads, block, budget});
            }), ties);
        } catch (const Scattered&) {
            return nb::none();
        }
    }, "judgments"_a, "feed"_a, "order"_a, "duplicates"_a, "threads"_a = 1, "block"_a = Blocks::usual,
       "budget"_a = Reading::usual_budget, "ties"_a = false, "depth"_a = 0);
    m.def("align_bytes", [](const JudgmentTable& judgments, const nb::bytes& data, const std::string& name,
                            const std::string& order, const std::string& duplicates, int threads, std::size_t block,
                            std::size_t budget, bool ties, std::int64_t depth) {
        const std::string_view bytes(data.c_str(), data.size());
        return to_python(unlocked([&] {
            return align_source(judgments, Source::bytes(bytes, name), joining_of(order, duplicates, ties, depth),
                                {threads, block, budget});
        }), ties);
    }, "judgments"_a, "data"_a, "name"_a, "order"_a, "duplicates"_a, "threads"_a = 1, "block"_a = Blocks::usual,
       "budget"_a = Reading::usual_budget, "ties"_a = false, "depth"_a = 0);
    nb::class_<Ahead>(m, "Ahead")
        .def("__init__", [](Ahead* self, const std::pair<std::string, std::string>& judgments,
                            const std::vector<std::pair<std::string, std::string>>& runs, const std::string& order,
                            const std::string& duplicates, bool ties, int threads, std::int64_t depth) {
            std::vector<NamedFile> named;
            for (const auto& [path, name] : runs) named.push_back({path, name});
            new (self) Ahead({judgments.first, judgments.second}, std::move(named),
                             joining_of(order, duplicates, ties, depth), {threads});
        }, "judgments"_a, "runs"_a, "order"_a, "duplicates"_a, "ties"_a, "threads"_a, "depth"_a = 0)
        .def("judgments", [](Ahead& ahead) { return unlocked([&] { return ahead.judgments(); }); })
        .def("alignment", [](Ahead& ahead, std::size_t run, const JudgmentTable& judgments, const std::string& order,
                             const std::string& duplicates, bool ties, std::int64_t depth) -> nb::object {
            auto found = unlocked([&] {
                return ahead.alignment(run, judgments, joining_of(order, duplicates, ties, depth));
            });
            if (!found) return nb::none();
            return to_python(std::move(*found), ties);
        }, "run"_a, "judgments"_a, "order"_a, "duplicates"_a, "ties"_a, "depth"_a = 0)
        .def("stop", [](Ahead& ahead) { unlocked([&] { ahead.stop(); }); });
    m.def("exact", &exact, "value"_a, "stop"_a, "discount"_a, "nodes"_a);
    m.def("minimal_cover", &minimal_covers, "relevant"_a, "need"_a, "a"_a, "b"_a, "nodes"_a);
    m.def("best_preferred", &preferred);
    m.def("solve_spd", &solved);
    m.def("sums_of_products", &products_by_document, "values"_a, "factors"_a);
    m.def("sums_over_aspects", &products_by_aspect, "values"_a, "factors"_a);
    m.def("greedy", &greedy, "value"_a, "stop"_a);
    m.def("highest", &highest, "values"_a);
    m.def("counts_before", &counts_before, "values"_a);
    m.def("in_order", &in_this_order, "values"_a, "order"_a);
    m.def("padded_hits", &hits_of, "start"_a, "rank"_a, "doc"_a, "topics"_a, "pool"_a);

    // For formats that are read in Python: the same checks and the same numbers as in the core.
    m.def("checked_text", [](const nb::bytes& data, const std::string& name) {
        const Text checked = Text::from_bytes({data.c_str(), data.size()}, name);
        return text({checked.begin(), static_cast<std::size_t>(checked.end() - checked.begin())});
    });
    m.def("parse_number", [](const nb::str& column) -> nb::object {
        double value = 0;
        if (!parse_number(utf8(column), value)) return nb::none();
        return nb::float_(value);
    });
    bind_trec_eval(m);
}

}  // namespace rankprism
