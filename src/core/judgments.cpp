#include "judgments.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <numeric>

#include "parallel.hpp"
#include "regroup.hpp"

namespace rankprism {
namespace {

constexpr std::string_view only_aspect = "0";  // what TREC writes if a topic has no subtopics

const char* expected(JudgmentFormat format) {
    switch (format) {
        case JudgmentFormat::diversity: return "4 columns: topic subtopic document grade";
        case JudgmentFormat::adhoc: return "4 columns: topic 0 document grade";
        case JudgmentFormat::prels: return "5 columns: topic document grade method probability";
    }
    return "";
}

std::string line_of_row(const Text& text, std::int64_t row) {
    const char* p = text.begin();
    while (next_line(p, text.end()) && row-- > 0) p = line_end(p) + 1;
    return "line " + std::to_string(text.line_of(p));
}

// The columns of a line that are used. There is no grade if the number of columns is wrong.
struct Columns {
    std::string_view topic, aspect, doc, grade;
    const char* next;  // the next line
};

Columns take_columns(const char* p, JudgmentFormat format) {
    const bool prels = format == JudgmentFormat::prels;
    unsigned end[4], end_of_line;
    if (!prels && find_columns(p, end, end_of_line) && end[3] == end_of_line) {
        const auto column = [&](int n) { return std::string_view(p + end[n - 1] + 1, end[n] - end[n - 1] - 1); };
        const std::string_view aspect = format == JudgmentFormat::diversity ? column(1) : only_aspect;
        return {{p, end[0]}, aspect, column(2), column(3), p + end_of_line + 1};
    }
    const int columns = prels ? 5 : 4;
    std::string_view column[5];
    int found = 0;
    while (found < columns && *p != '\n') column[found++] = take_column(p);
    const bool complete = found == columns && *p == '\n';
    return {column[0], format == JudgmentFormat::diversity ? column[1] : only_aspect, column[prels ? 1 : 2],
            complete ? column[prels ? 2 : 3] : std::string_view(), line_end(p) + 1};
}

double parse_grade(const Text& text, const char* line, std::string_view column, JudgmentFormat format) {
    if (column.empty()) {
        text.fail(line, "expected " + std::string(expected(format)) + "; found " + std::to_string(count_columns(line)));
    }
    const auto digit = static_cast<unsigned char>(column.front() - '0');
    if (column.size() == 1 && digit <= 9) return digit;
    double grade = 0;
    if (!parse_number(column, grade)) {
        text.fail(line, "the grade " + quoted(column) + " is not a number; expected " + expected(format));
    }
    if (!(std::abs(grade) <= largest_grade)) {
        text.fail(line, "the grade " + quoted(column) + " is too large; " + grade_range);
    }
    return grade;
}

// Reads one topic after another. Returns false if a topic comes back.
bool read_topics(JudgmentTable& table, const Text& text, JudgmentFormat format) {
    std::vector<JudgmentRow> rows;
    std::int32_t topic = -1;
    std::string_view topic_name, aspect_name;
    std::int32_t aspect = -1;
    std::int64_t number = 0;
    const auto add = [&] {
        try {
            if (topic >= 0) table.add_topic(topic, rows);
        } catch (const JudgmentTable::Conflict& conflict) {
            throw conflict_error(table, conflict, text.name(), [&text](std::int64_t row) { return line_of_row(text, row); });
        }
        rows.clear();
    };
    for (const char* p = text.begin(); next_line(p, text.end()); ++number) {
        const Columns columns = take_columns(p, format);
        if (topic < 0 || !same_column(columns.topic, topic_name)) {
            add();
            const std::int32_t known = table.topic_names.size();
            topic = table.topic_names.number(columns.topic);
            if (topic < known) return false;
            topic_name = columns.topic;
        }
        if (aspect < 0 || !same_id(columns.aspect, aspect_name)) {
            aspect = table.aspect_names.number(columns.aspect);
            aspect_name = columns.aspect;
        }
        JudgmentRow& row = rows.emplace_back();  // filled in place, which is faster than copying a row
        row.doc = columns.doc;
        row.aspect = aspect;
        row.number = number;
        row.grade = parse_grade(text, p, columns.grade, format);
        p = columns.next;
    }
    add();
    text.check_rest();
    return true;
}

// What a thread reads from a block: its topics, up to the first mistake or the first topic that comes back.
struct Part {
    Text text;
    JudgmentTable table;
    bool is_grouped = true;
    std::exception_ptr mistake;
};

// Adds all topics of a source. Returns false if a topic comes back.
bool read_grouped(JudgmentTable& table, const Source& source, JudgmentFormat format, const Reading& reading) {
    Blocks blocks(source, reading.block);
    bool is_grouped = true;
    in_order<Part>(
        worthwhile(reading.threads, source, reading.block), [&](Part& part) { return blocks.next(part.text); },
        [&](Part& part) {
            part.table.clear();
            part.mistake = nullptr;
            try {
                part.is_grouped = read_topics(part.table, part.text, format);
            } catch (const BadInput&) {
                part.mistake = std::current_exception();
            }
        },
        [&](const Part& part) {
            // The other blocks are probably like the first one. Memory that stays unused costs nothing.
            if (table.empty() && !part.table.empty() && !source.is_stream()) {
                table.reserve(part.table, 1.1 * static_cast<double>(source.size()) / static_cast<double>(part.text.size()));
            }
            is_grouped = table.append(part.table) && part.is_grouped;
            if (is_grouped && part.mistake != nullptr) std::rethrow_exception(part.mistake);
            return is_grouped;
        });
    return is_grouped;
}

}  // namespace

JudgmentTable JudgmentTable::from_source(const Source& source, JudgmentFormat format, const Reading& reading) {
    JudgmentTable table;
    // Almost all files have the lines of a topic together.
    if (!read_grouped(table, source, format, reading)) {
        table = JudgmentTable();
        Regrouped topics(source.again(), reading.block, reading.budget);
        for (Source some; topics.next(some);) read_grouped(table, some, format, reading);
    }
    if (table.empty()) throw BadInput(source.name() + ": no judgments in this file, only blank or comment lines");
    table.sort_topics();
    return table;
}

bool JudgmentTable::append(const JudgmentTable& other) {
    std::vector<std::int32_t> aspect;  // number here
    for (std::int32_t a = 0; a < other.aspect_names.size(); ++a) aspect.push_back(aspect_names.number(other.aspect_names[a]));
    const auto aspects = static_cast<std::int64_t>(aspects_.size()), docs = static_cast<std::int64_t>(relevant_number.size()),
               slots = static_cast<std::int64_t>(slots_.size());
    // All names are compared, because the topic of a mistake has only a name and may be the one that comes back.
    const std::int32_t names = topic_names.size();
    for (std::int32_t n = 0; n < other.topic_names.size(); ++n) {
        if (topic_names.number(other.topic_names[n]) < names) return false;
    }
    for (Topic topic : other.topics_) {
        topic.name += names;
        topic.aspects += aspects, topic.aspects_end += aspects;
        topic.docs += docs, topic.docs_end += docs;
        topic.slots += slots, topic.slots_end += slots;
        topics_.push_back(topic);
    }
    for (const std::int32_t a : other.aspects_) aspects_.push_back(aspect[a]);
    relevant_number.insert(relevant_number.end(), other.relevant_number.begin(), other.relevant_number.end());
    const std::uint64_t bytes = arena_.size();
    const std::int64_t rows = row_start.back();
    for (std::size_t d = 1; d < other.row_start.size(); ++d) {
        doc_offset_.push_back(bytes + other.doc_offset_[d]);
        row_start.push_back(rows + other.row_start[d]);
    }
    arena_.append(other.arena_);
    row_aspect.append(other.row_aspect);
    row_grade.append(other.row_grade);
    slots_.insert(slots_.end(), other.slots_.begin(), other.slots_.end());
    marks_.insert(marks_.end(), other.marks_.begin(), other.marks_.end());
    return true;
}

void JudgmentTable::reserve(const JudgmentTable& part, double times) {
    const auto room = [times](std::size_t size) { return static_cast<std::size_t>(times * static_cast<double>(size)); };
    relevant_number.reserve(room(part.relevant_number.size()));
    row_start.reserve(room(part.row_start.size()));
    row_aspect.reserve(room(part.row_aspect.size()));
    row_grade.reserve(room(part.row_grade.size()));
    topics_.reserve(room(part.topics_.size()));
    aspects_.reserve(room(part.aspects_.size()));
    arena_.reserve(room(part.arena_.size()));
    doc_offset_.reserve(room(part.doc_offset_.size()));
    slots_.reserve(room(part.slots_.size()));
    marks_.reserve(room(part.marks_.size()));
}

void JudgmentTable::clear() {
    topic_names.clear();
    aspect_names.clear();
    relevant_number.clear();
    row_start.resize(1);
    row_aspect.clear();
    row_grade.clear();
    topics_.clear();
    order_.clear();
    rank_.clear();
    aspects_.clear();
    arena_.clear();
    doc_offset_.resize(1);
    slots_.clear();
    marks_.clear();
    local_aspect_.clear();
    aspect_value_.clear();
}

void JudgmentTable::Scratch::number_documents(const std::vector<JudgmentRow>& rows) {
    documents.clear();
    document.clear();
    std::size_t size = 64;
    while (size < rows.size() * 2) size *= 2;
    slots.assign(size, Slot{0, -1});
    std::size_t next = 0;
    for (const JudgmentRow& row : rows) {
        // Most files have the documents in the same order on each aspect.
        if (next >= documents.size() || !same_id(documents[next].id, row.doc)) {
            const std::uint32_t hash = hash_bytes(row.doc);
            std::size_t s = hash & (size - 1);
            while (slots[s].doc >= 0 && (slots[s].hash != hash || !same_id(documents[slots[s].doc].id, row.doc))) s = (s + 1) & (size - 1);
            if (slots[s].doc < 0) {
                slots[s] = {hash, static_cast<std::int32_t>(documents.size())};
                documents.push_back({row.doc, hash});
            }
            next = static_cast<std::size_t>(slots[s].doc);
        }
        document.push_back(static_cast<std::uint32_t>(next++));
    }
}

void JudgmentTable::Scratch::sort_documents() {
    sorted.resize(documents.size());
    std::iota(sorted.begin(), sorted.end(), 0);
    const auto before = [this](std::uint32_t a, std::uint32_t b) { return documents[a].id > documents[b].id; };
    // Most files have them in ascending order.
    std::reverse(sorted.begin(), sorted.end());
    if (!std::is_sorted(sorted.begin(), sorted.end(), before)) std::sort(sorted.begin(), sorted.end(), before);
    place.resize(documents.size());
    for (std::size_t i = 0; i < sorted.size(); ++i) place[sorted[i]] = static_cast<std::uint32_t>(i);
}

template <class Key> void JudgmentTable::Scratch::stable_sort(std::size_t keys, Key&& key) {
    if (keys < 2 || std::is_sorted(order.begin(), order.end(), [&](auto a, auto b) { return key(a) < key(b); })) return;
    count.assign(keys + 1, 0);
    for (const std::uint32_t r : order) ++count[key(r) + 1];
    std::partial_sum(count.begin(), count.end(), count.begin());
    sorted.resize(order.size());
    for (const std::uint32_t r : order) sorted[count[key(r)]++] = r;
    std::swap(order, sorted);
}

void JudgmentTable::add_topic(std::int32_t name, std::vector<JudgmentRow>& rows, const std::vector<std::int32_t>& bare) {
    Topic topic{name, static_cast<std::int64_t>(aspects_.size()), 0, static_cast<std::int64_t>(relevant_number.size()), 0,
                static_cast<std::int64_t>(slots_.size()), 0};

    // The topic's aspects in the order in which people list them.
    local_aspect_.resize(aspect_names.size(), -1);
    const auto has = [this](std::int32_t aspect) {
        if (local_aspect_[aspect] >= 0) return;
        local_aspect_[aspect] = 0;
        aspects_.push_back(aspect);
    };
    for (const JudgmentRow& row : rows) has(row.aspect);
    for (const std::int32_t aspect : bare) has(aspect);
    for (auto a = static_cast<std::int32_t>(aspect_value_.size()); a < aspect_names.size(); ++a) {
        aspect_value_.push_back(listed_value(aspect_names[a]));
    }
    std::sort(aspects_.begin() + topic.aspects, aspects_.end(), [this](std::int32_t a, std::int32_t b) {
        if (aspect_value_[a] != aspect_value_[b]) return aspect_value_[a] < aspect_value_[b];
        return comes_before(aspect_names[a], aspect_names[b]);
    });
    topic.aspects_end = static_cast<std::int64_t>(aspects_.size());
    for (std::int64_t a = topic.aspects; a < topic.aspects_end; ++a) {
        local_aspect_[aspects_[a]] = static_cast<std::int32_t>(a - topic.aspects);
    }

    // Documents are sorted by id, descending, and the rows of a document by aspect; repeated rows keep their order. A
    // topic has many rows and few documents, so documents are sorted first, and rows are then placed by counting.
    scratch_.number_documents(rows);
    std::vector<Scratch::Document>& docs = scratch_.documents;
    scratch_.sort_documents();
    scratch_.order.resize(rows.size());
    std::iota(scratch_.order.begin(), scratch_.order.end(), 0);
    scratch_.stable_sort(static_cast<std::size_t>(topic.aspects_end - topic.aspects),
                         [&](std::uint32_t r) { return static_cast<std::uint32_t>(local_aspect_[rows[r].aspect]); });
    scratch_.stable_sort(docs.size(), [&](std::uint32_t r) { return scratch_.place[scratch_.document[r]]; });

    std::int32_t relevant = 0;
    bool any = false;
    scratch_.aspects.clear();
    scratch_.grades.clear();
    const JudgmentRow* last = nullptr;
    std::uint32_t last_doc = 0;
    for (const std::uint32_t r : scratch_.order) {
        const JudgmentRow& row = rows[r];
        const std::uint32_t doc = scratch_.document[r];
        if (last == nullptr || doc != last_doc) {
            any = false;
            arena_.append(row.doc);
            doc_offset_.push_back(arena_.size());
            relevant_number.push_back(-2);
            row_start.push_back(row_start.back());
        } else if (row.aspect == last->aspect) {
            if (row.grade != last->grade) throw Conflict{name, *last, row};
            last = &row;
            continue;
        }
        last = &row;
        last_doc = doc;
        scratch_.aspects.push_back(static_cast<std::uint32_t>(local_aspect_[row.aspect]));
        scratch_.grades.push_back(row.grade);
        ++row_start.back();
        if (row.grade >= 0 && !any) relevant_number.back() = -1;
        if (row.grade > 0 && !any) {
            any = true;
            relevant_number.back() = relevant++;
        }
    }
    row_aspect.append(scratch_.aspects);
    row_grade.append(scratch_.grades);
    topic.docs_end = static_cast<std::int64_t>(relevant_number.size());

    std::size_t size = 8;
    while (size * 2 < docs.size() * 3) size *= 2;
    slots_.resize(slots_.size() + size, Slot{0, -1});
    marks_.resize(slots_.size() / 8);
    topic.slots_end = static_cast<std::int64_t>(slots_.size());
    Slot* slots = slots_.data() + topic.slots;
    for (std::size_t d = 0; d < docs.size(); ++d) {
        std::size_t s = docs[d].hash & (size - 1);
        while (slots[s].doc >= 0) s = (s + 1) & (size - 1);
        slots[s] = {docs[d].hash, static_cast<std::int32_t>(scratch_.place[d])};
        marks_[mark(topic, docs[d].hash)] |= std::uint64_t{1} << (docs[d].hash & 63);
    }
    for (std::int64_t a = topic.aspects; a < topic.aspects_end; ++a) local_aspect_[aspects_[a]] = -1;
    topics_.push_back(topic);
}

void JudgmentTable::sort_topics() {
    order_.resize(topics_.size());
    std::iota(order_.begin(), order_.end(), 0);
    std::vector<std::uint64_t> value;
    for (const Topic& topic : topics_) value.push_back(listed_value(topic_names[topic.name]));
    const auto before = [&](std::int32_t a, std::int32_t b) {
        if (value[a] != value[b]) return value[a] < value[b];
        return comes_before(topic_names[topics_[a].name], topic_names[topics_[b].name]);
    };
    // Most files have them in this order.
    if (!std::is_sorted(order_.begin(), order_.end(), before)) std::sort(order_.begin(), order_.end(), before);
    rank_.resize(topics_.size());
    for (std::size_t t = 0; t < order_.size(); ++t) rank_[topics_[order_[t]].name] = static_cast<std::int32_t>(t);
}

std::int32_t JudgmentTable::find_topic(std::string_view name) const {
    const std::int32_t number = topic_names.find(name);
    return number < 0 ? -1 : rank_[number];
}

std::int64_t JudgmentTable::look_up(const Topic& topic, std::string_view wanted, std::uint32_t hash) const {
    const Slot* slots = slots_.data() + topic.slots;
    const auto mask = static_cast<std::size_t>(topic.slots_end - topic.slots) - 1;
    for (std::size_t s = hash & mask; slots[s].doc >= 0; s = (s + 1) & mask) {
        if (slots[s].hash == hash && same_id(doc(topic.docs + slots[s].doc), wanted)) return topic.docs + slots[s].doc;
    }
    return -1;
}

}  // namespace rankprism
