// The Python side of trec_eval.hpp: judgments and runs from dictionaries or from the text of files.
#include <nanobind/nanobind.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <tuple>

#include "judgments.hpp"
#include "names.hpp"
#include "text.hpp"
#include "trec_eval.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace rankprism {
namespace {

using namespace trec_eval;

// A value for a message, cut short if it is long.
std::string shown(nb::handle value) {
    constexpr Py_ssize_t most = 60;
    const nb::str all = nb::repr(value);
    if (PyUnicode_GetLength(all.ptr()) <= most) return nb::cast<std::string>(all);
    return nb::cast<std::string>(nb::steal(PyUnicode_Substring(all.ptr(), 0, most))) + "…";
}

[[noreturn]] void type_error(const std::string& message) { throw nb::type_error(message.c_str()); }
[[noreturn]] void value_error(const std::string& message) { throw nb::value_error(message.c_str()); }
[[noreturn]] void repeated(const std::string& message) { throw nb::key_error(message.c_str()); }

// Keeps what ids and numbers were made from, for as long as they are needed.
using Kept = std::vector<nb::object>;

// The bytes of an id. Ids with lone surrogates, which stand for bytes that are not UTF-8, are ids like any others.
std::string_view bytes_of_id(nb::handle id, Kept& kept) {
    Py_ssize_t size = 0;
    if (const char* bytes = PyUnicode_AsUTF8AndSize(id.ptr(), &size); bytes != nullptr) {
        return {bytes, static_cast<std::size_t>(size)};
    }
    PyErr_Clear();
    PyObject* encoded = PyUnicode_AsEncodedString(id.ptr(), "utf-8", "surrogatepass");
    if (encoded == nullptr) throw nb::python_error();
    kept.push_back(nb::steal(encoded));
    return {PyBytes_AsString(encoded), static_cast<std::size_t>(PyBytes_Size(encoded))};
}

// A number from Python, if it is one. Text is none, although float() reads it.
std::optional<double> number(nb::handle value, nb::handle key, Kept& kept) {
    if (PyFloat_CheckExact(value.ptr())) return PyFloat_AsDouble(value.ptr());
    if (PyUnicode_Check(value.ptr()) || PyBytes_Check(value.ptr())) return std::nullopt;
    double found = 0;
    if (PyLong_CheckExact(value.ptr())) {
        found = PyLong_AsDouble(value.ptr());
    } else {  // This may call Python code, which may change the dictionary.
        kept.push_back(nb::borrow(key));
        kept.push_back(nb::borrow(value));
        found = PyFloat_AsDouble(value.ptr());
    }
    if (found == -1.0 && PyErr_Occurred() != nullptr) {
        if (PyErr_ExceptionMatches(PyExc_Exception) == 0) throw nb::python_error();  // Ctrl-C
        PyErr_Clear();
        return std::nullopt;
    }
    return found;
}

class Evaluator {
  public:
    Evaluator(const nb::list& measures, const std::string& version, double relevance_level, bool judged_only,
              std::int64_t longest, std::int64_t collection) {
        options_ = {version == "9" ? Version::nine : Version::ten, relevance_level, judged_only, longest, collection};
        for (const nb::handle one : measures) {
            const auto [name, labels, numbers, gains, persistence] =
                nb::cast<std::tuple<nb::str, nb::list, nb::list, nb::list, double>>(one);
            Measure measure;
            measure.score = find_measure(nb::cast<std::string>(name));
            if (measure.score == nullptr) value_error("unsupported measure " + nb::cast<std::string>(name));
            for (const nb::handle value : numbers) measure.numbers.push_back(nb::cast<double>(value));
            for (const nb::handle pair : gains) measure.gains.push_back(nb::cast<std::pair<double, double>>(pair));
            measure.persistence = persistence;
            measure.width = labels.size();
            for (const nb::handle label : labels) labels_.push_back(nb::borrow(label));
            measures_.push_back(std::move(measure));
        }
    }

    // Judgments

    // True if a grade is not a whole number.
    bool judge(const nb::dict& qrels) {
        Kept kept;
        bool real = false;
        PyObject *topic = nullptr, *grades = nullptr;
        Py_ssize_t at = 0;
        const nb::ft_object_guard guard(qrels);
        while (PyDict_Next(qrels.ptr(), &at, &topic, &grades)) {
            if (!PyUnicode_Check(topic)) type_error("Expected string as key; got " + shown(topic) + " in query_relevance.");
            if (!PyDict_Check(grades)) {
                type_error("Expected dictionary as value; got " + shown(grades) + " for query " + shown(topic) + ".");
            }
            if (PyDict_Size(grades) == 0) continue;
            kept.clear();
            const nb::object topic_kept = nb::borrow(topic), grades_kept = nb::borrow(grades);
            Topic& judged = add_topic(bytes_of_id(topic, kept), static_cast<std::size_t>(PyDict_Size(grades)));
            PyObject *doc = nullptr, *value = nullptr;
            Py_ssize_t inner = 0;
            const nb::ft_object_guard inner_guard(grades_kept);
            while (PyDict_Next(grades, &inner, &doc, &value)) {
                if (!PyUnicode_Check(doc)) {
                    type_error("Expected mapping of document id to query relevance or matching score; got " + shown(doc) +
                               " as a document of query " + shown(topic) + ".");
                }
                const std::optional<double> grade = number(value, doc, kept);
                if (!grade) {
                    type_error("Expected relevance to be integer or real; got " + shown(value) + " for document " +
                               shown(doc) + " of query " + shown(topic) + ".");
                }
                if (!(std::abs(*grade) <= largest_grade)) {
                    value_error("Expected relevance to be a grade; got " + shown(value) + " for document " + shown(doc) +
                                " of query " + shown(topic) + "; " + grade_range + ".");
                }
                real = real || *grade != std::trunc(*grade);
                judged.add(bytes_of_id(doc, kept), *grade);
            }
            judged.finish();
        }
        return real;
    }

    // Lines of topic, group, document and grade. `groups`: whether each group of a topic has its own judgments.
    // The number of lines whose grade is not a whole number, and the first such line.
    std::pair<std::int64_t, std::int64_t> judge_text(const nb::bytes& data, const std::string& name, bool groups) {
        struct Row { std::string_view group, doc; double grade; std::int64_t line; };
        Names topics;
        std::vector<std::vector<Row>> rows;
        std::pair<std::int64_t, std::int64_t> cut{0, 0};
        const char* at = data.c_str();
        const char* const end = at + data.size();
        for (std::int64_t line = 1; at < end; ++line) {
            if (*at == '#') {
                skip_line(at, end);
                continue;
            }
            std::string_view column[5];
            const int columns = split(at, end, column, 5);
            if (columns != 4) {
                value_error(name + ", line " + std::to_string(line) + ": expected topic, group, document and grade; got " +
                            std::to_string(columns) + " column" + (columns == 1 ? "" : "s"));
            }
            char* parsed = nullptr;
            const long grade = std::strtol(column[3].data(), &parsed, 10);
            if (parsed != column[3].data() + column[3].size() && cut.first++ == 0) cut.second = line;
            const auto t = static_cast<std::size_t>(topics.number(column[0]));
            if (t == rows.size()) rows.emplace_back();
            rows[t].push_back({groups ? column[1] : std::string_view(), column[2], static_cast<double>(grade), line});
        }
        if (rows.empty()) value_error(name + ": there are no judgments");
        for (std::int32_t t = 0; t < topics.size(); ++t) {
            std::vector<Row>& of_topic = rows[static_cast<std::size_t>(t)];
            std::stable_sort(of_topic.begin(), of_topic.end(), [](const Row& a, const Row& b) { return a.group < b.group; });
            for (auto first = of_topic.begin(); first != of_topic.end();) {
                const auto last = std::find_if(first, of_topic.end(), [&](const Row& row) { return row.group != first->group; });
                Topic& judged = add_topic(topics[t], static_cast<std::size_t>(last - first));
                for (; first != last; ++first) {
                    if (judged.add(first->doc, first->grade)) continue;
                    repeated(name + ", line " + std::to_string(first->line) + ": document " + quoted(first->doc) +
                             " of topic " + quoted(topics[t]) + " has been judged already");
                }
                judged.finish();
            }
        }
        return cut;
    }

    // Runs

    nb::dict evaluate(nb::handle run) {
        if (!PyDict_Check(run.ptr())) type_error("Argument object scores should be of type dictionary.");
        nb::dict result;
        Workspace workspace;
        std::vector<Retrieved> documents;
        std::vector<double> scores(labels_.size());
        Kept kept;
        PyObject *topic = nullptr, *ranking = nullptr;
        Py_ssize_t at = 0;
        const nb::ft_object_guard guard(run);
        while (PyDict_Next(run.ptr(), &at, &topic, &ranking)) {
            kept.clear();
            const nb::object topic_kept = nb::borrow(topic), ranking_kept = nb::borrow(ranking);
            if (!PyUnicode_Check(topic)) unable("the query " + shown(topic) + " is not a string");
            if (!PyDict_Check(ranking)) unable("the scores of query " + shown(topic) + " are not a dictionary");
            const std::int32_t t = topics_.find(bytes_of_id(topic, kept));
            documents.clear();
            documents.reserve(static_cast<std::size_t>(PyDict_Size(ranking)));
            PyObject *doc = nullptr, *value = nullptr;
            Py_ssize_t inner = 0;
            const nb::ft_object_guard inner_guard(ranking_kept);
            while (PyDict_Next(ranking, &inner, &doc, &value)) {
                if (!PyUnicode_Check(doc)) unable("the document " + shown(doc) + " of query " + shown(topic) + " is not a string");
                const std::optional<double> score = number(value, doc, kept);
                if (!score) unable("the score " + shown(value) + " of document " + shown(doc) + " of query " + shown(topic) + " is not a number");
                if (std::isnan(*score)) {
                    value_error("The score of document " + shown(doc) + " of query " + shown(topic) +
                                " is NaN, so it has no rank. Give it a number, or leave the document out.");
                }
                documents.push_back({bytes_of_id(doc, kept), *score});
            }
            if (t < 0) continue;
            score(t, documents, workspace, scores);
            nb::dict row;
            for (std::size_t i = 0; i < labels_.size(); ++i) {
                PyObject* const number = PyFloat_FromDouble(scores[i]);
                if (number == nullptr) throw nb::python_error();
                const int failed = PyDict_SetItem(row.ptr(), labels_[i].ptr(), number);
                Py_DECREF(number);
                if (failed != 0) throw nb::python_error();
            }
            if (PyDict_SetItem(result.ptr(), topic, row.ptr()) != 0) throw nb::python_error();
        }
        return result;
    }

    // For each judged topic, in the order of their bytes: its id, its scores, and the grades of its first `shown_grades`
    // documents. If the run lacks a topic, it is left out, or scored as the ranking of one unknown document.
    // Also the name of the run, and the first of the lines whose score is not a number and how many there are.
    nb::tuple evaluate_text(const nb::bytes& data, const std::string& name, bool complete, std::int64_t shown_grades) {
        std::vector<std::vector<Retrieved>> documents(groups_.size());
        std::string_view run;
        std::int64_t cut = 0, cut_line = 0;
        const char* at = data.c_str();
        const char* const end = at + data.size();
        std::int32_t t = -1;
        std::string_view last_topic;
        for (std::int64_t line = 1; at < end; ++line) {
            std::string_view column[6];
            const char* first = at;
            while (first < end && *first != '\n' && is_space(*first)) ++first;
            if (first < end && *first == '#') {
                skip_line(at, end);
                continue;
            }
            const int columns = split(at, end, column, 6);
            if (columns == 0) continue;
            if (columns < 6) {
                value_error(name + ", line " + std::to_string(line) +
                            ": expected topic, Q0, document, rank, score and name of the run; got " +
                            std::to_string(columns) + " column" + (columns == 1 ? "" : "s"));
            }
            run = column[5];
            if (line == 1 || column[0] != last_topic) {
                last_topic = column[0];
                t = topics_.find(last_topic);
            }
            char* parsed = nullptr;
            const double score = std::strtod(column[4].data(), &parsed);
            if (parsed != column[4].data() + column[4].size() && cut++ == 0) cut_line = line;
            if (std::isnan(score)) value_error(name + ", line " + std::to_string(line) + ": the score is NaN, so the document has no rank");
            if (t >= 0) documents[static_cast<std::size_t>(t)].push_back({column[2], score});
        }
        if (run.empty()) value_error(name + ": there are no documents");

        std::vector<std::int32_t> order(groups_.size());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int32_t>(i);
        std::sort(order.begin(), order.end(), [&](std::int32_t a, std::int32_t b) { return topics_[a] < topics_[b]; });
        nb::list found;
        Workspace workspace;
        std::vector<double> scores(labels_.size());
        for (const std::int32_t topic : order) {
            std::vector<Retrieved>& ranking = documents[static_cast<std::size_t>(topic)];
            const bool missing = ranking.empty();
            if (missing && !complete) continue;
            if (missing) ranking.push_back({"ceci_nest_pas_un_docno", 1.0});  // the name that trec_eval gives it
            score(topic, ranking, workspace, scores);
            check_for_duplicates(topic, ranking, workspace, name);
            nb::list values;
            for (const double value : scores) values.append(nb::float_(value));
            found.append(nb::make_tuple(id(topics_[topic]), values, relevance_string(workspace.ranking, shown_grades), missing));
        }
        return nb::make_tuple(id(run), found, cut, cut_line);
    }

    std::size_t size() const { return groups_.size(); }

    // Documents with a positive grade, in all groups of all topics.
    std::int64_t above_zero() const {
        std::int64_t documents = 0;
        for (const auto& groups : groups_) {
            for (const Topic& topic : groups) documents += topic.above_zero();
        }
        return documents;
    }

  private:
    [[noreturn]] static void unable(const std::string& why) { type_error("Unable to extract query/object scores: " + why + "."); }

    static nb::object id(std::string_view bytes) {
        PyObject* text = PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "surrogateescape");
        if (text == nullptr) throw nb::python_error();
        return nb::steal(text);
    }

    static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

    static void skip_line(const char*& at, const char* end) {
        while (at < end && *at != '\n') ++at;
        if (at < end) ++at;
    }

    // The first columns of a line, and how many it has; counting ends at `most`. `at` goes to the next line.
    static int split(const char*& at, const char* end, std::string_view* column, int most) {
        int columns = 0;
        while (columns < most) {
            while (at < end && *at != '\n' && is_space(*at)) ++at;
            if (at == end || *at == '\n') break;
            const char* const start = at;
            while (at < end && !is_space(*at)) ++at;
            column[columns++] = {start, static_cast<std::size_t>(at - start)};
        }
        skip_line(at, end);
        return columns;
    }

    // A new group of judgments of a topic.
    Topic& add_topic(std::string_view name, std::size_t documents) {
        const auto t = static_cast<std::size_t>(topics_.number(name));
        if (t == groups_.size()) groups_.emplace_back();
        groups_[t].emplace_back(documents);
        return groups_[t].back();
    }

    // The scores of a topic, averaged over its groups of judgments.
    void score(std::int32_t t, const std::vector<Retrieved>& documents, Workspace& workspace, std::vector<double>& scores) const {
        const std::vector<Topic>& groups = groups_[static_cast<std::size_t>(t)];
        std::vector<double> of_group(groups.size() > 1 ? scores.size() : 0);
        for (std::size_t i = 0; i < groups.size(); ++i) {
            align(groups[i], documents, options_, workspace);
            double* to = i == 0 ? scores.data() : of_group.data();
            for (const Measure& measure : measures_) {
                measure.score(workspace.ranking, measure, to);
                to += measure.width;
            }
            for (std::size_t s = 0; i > 0 && s < scores.size(); ++s) scores[s] += of_group[s];
        }
        if (groups.size() > 1) {
            for (double& one : scores) one /= static_cast<double>(groups.size());
        }
    }

    void check_for_duplicates(std::int32_t t, const std::vector<Retrieved>& documents, const Workspace& workspace,
                              const std::string& name) const {
        const std::size_t length = std::min(documents.size(), static_cast<std::size_t>(std::max<std::int64_t>(options_.longest, 0)));
        Topic seen(length);
        for (std::size_t i = 0; i < length; ++i) {
            const std::string_view doc = documents[workspace.places[i].index].doc;
            if (!seen.add(doc, 0)) {
                repeated(name + ": document " + quoted(doc) + " of topic " + quoted(topics_[t]) + " is ranked twice");
            }
        }
    }

    Options options_;
    std::vector<Measure> measures_;
    std::vector<nb::object> labels_;
    Names topics_;
    std::vector<std::vector<Topic>> groups_;  // of each topic
};

}  // namespace

void bind_trec_eval(nb::module_& m) {
    nb::class_<Evaluator>(m, "TrecEvaluator")
        .def(nb::init<const nb::list&, const std::string&, double, bool, std::int64_t, std::int64_t>(), "measures"_a, "version"_a,
             "relevance_level"_a, "judged_only"_a, "longest"_a = std::numeric_limits<std::int64_t>::max(), "collection"_a = 0)
        .def("judge", &Evaluator::judge)
        .def("judge_text", &Evaluator::judge_text)
        .def("evaluate", &Evaluator::evaluate)
        .def("evaluate_text", &Evaluator::evaluate_text)
        .def("above_zero", &Evaluator::above_zero)
        .def("__len__", &Evaluator::size);
}

}  // namespace rankprism
