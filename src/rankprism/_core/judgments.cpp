#include "judgments.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <numeric>

#include "parallel.hpp"

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

struct Columns {
    std::string_view topic, aspect, doc;
    double grade;
};

Columns parse_line(const Text& text, const char*& p, JudgmentFormat format) {
    const char* line = p;
    const bool prels = format == JudgmentFormat::prels;
    const int columns = prels ? 5 : 4;
    std::string_view column[5];
    int found = 0;
    while (found < columns && *p != '\n') column[found++] = take_column(p);
    if (found < columns || *p != '\n') {
        text.fail(line, "expected " + std::string(expected(format)) + "; found " + std::to_string(count_columns(line)));
    }
    ++p;
    Columns result{column[0], format == JudgmentFormat::diversity ? column[1] : only_aspect, column[prels ? 1 : 2], 0};
    if (!parse_number(column[prels ? 2 : 3], result.grade)) {
        text.fail(line, "the grade " + quoted(column[prels ? 2 : 3]) + " is not a number; expected " + expected(format));
    }
    if (!(std::abs(result.grade) <= largest_grade)) {
        text.fail(line, "the grade " + quoted(column[prels ? 2 : 3]) + " is too large; " + grade_range);
    }
    return result;
}

// Reads topic after topic. Returns false if a topic comes back.
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
        const Columns line = parse_line(text, p, format);
        if (line.topic != topic_name || topic < 0) {
            add();
            const std::int32_t known = table.topic_names.size();
            topic = table.topic_names.number(line.topic);
            if (topic < known) return false;
            topic_name = line.topic;
        }
        if (line.aspect != aspect_name || aspect < 0) {
            aspect = table.aspect_names.number(line.aspect);
            aspect_name = line.aspect;
        }
        rows.push_back({line.doc, aspect, number, line.grade});
    }
    add();
    text.check_rest();
    return true;
}

// What a thread makes of a block: its topics, up to a mistake or to a topic that comes back.
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
        worthwhile(reading.threads, source.size(), reading.block), [&](Part& part) { return blocks.next(part.text); },
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
        Regrouped topics(source, reading.block, reading.budget);
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
    for (Topic topic : other.topics_) {
        const std::int32_t known = topic_names.size();
        topic.name = topic_names.number(other.topic_names[topic.name]);
        if (topic.name < known) return false;
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
    return true;
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
    local_aspect_.clear();
}

void JudgmentTable::Scratch::number_documents(const std::vector<JudgmentRow>& rows) {
    documents.clear();
    document.clear();
    std::size_t size = 64;
    while (size < rows.size() * 2) size *= 2;
    slots.assign(size, Slot{0, -1});
    for (const JudgmentRow& row : rows) {
        const std::uint32_t hash = hash_bytes(row.doc);
        std::size_t s = hash & (size - 1);
        while (slots[s].doc >= 0 && (slots[s].hash != hash || documents[slots[s].doc].id != row.doc)) s = (s + 1) & (size - 1);
        if (slots[s].doc < 0) {
            slots[s] = {hash, static_cast<std::int32_t>(documents.size())};
            documents.push_back({row.doc, hash});
        }
        document.push_back(static_cast<std::uint32_t>(slots[s].doc));
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
    if (keys < 2) return;
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

    // The topic's aspects, as people list them.
    local_aspect_.resize(aspect_names.size(), -1);
    const auto has = [this](std::int32_t aspect) {
        if (local_aspect_[aspect] >= 0) return;
        local_aspect_[aspect] = 0;
        aspects_.push_back(aspect);
    };
    for (const JudgmentRow& row : rows) has(row.aspect);
    for (const std::int32_t aspect : bare) has(aspect);
    std::sort(aspects_.begin() + topic.aspects, aspects_.end(),
              [this](std::int32_t a, std::int32_t b) { return comes_before(aspect_names[a], aspect_names[b]); });
    topic.aspects_end = static_cast<std::int64_t>(aspects_.size());
    for (std::int64_t a = topic.aspects; a < topic.aspects_end; ++a) {
        local_aspect_[aspects_[a]] = static_cast<std::int32_t>(a - topic.aspects);
    }

    // Documents are sorted by id, descending, the rows of a document by aspect, and repeated rows stay as they came. A
    // topic has many rows and few documents, so documents are sorted first, and then rows are counted into their places.
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
        row_aspect.push_back(static_cast<std::uint32_t>(local_aspect_[row.aspect]));
        row_grade.push_back(row.grade);
        ++row_start.back();
        if (row.grade >= 0 && !any) relevant_number.back() = -1;
        if (row.grade > 0 && !any) {
            any = true;
            relevant_number.back() = relevant++;
        }
    }
    topic.docs_end = static_cast<std::int64_t>(relevant_number.size());

    std::size_t size = 8;
    while (size * 2 < docs.size() * 3) size *= 2;
    slots_.resize(slots_.size() + size, Slot{0, -1});
    topic.slots_end = static_cast<std::int64_t>(slots_.size());
    Slot* slots = slots_.data() + topic.slots;
    for (std::size_t d = 0; d < docs.size(); ++d) {
        std::size_t s = docs[d].hash & (size - 1);
        while (slots[s].doc >= 0) s = (s + 1) & (size - 1);
        slots[s] = {docs[d].hash, static_cast<std::int32_t>(scratch_.place[d])};
    }
    for (std::int64_t a = topic.aspects; a < topic.aspects_end; ++a) local_aspect_[aspects_[a]] = -1;
    topics_.push_back(topic);
}

void JudgmentTable::sort_topics() {
    order_.resize(topics_.size());
    std::iota(order_.begin(), order_.end(), 0);
    std::sort(order_.begin(), order_.end(), [this](std::int32_t a, std::int32_t b) {
        return comes_before(topic_names[topics_[a].name], topic_names[topics_[b].name]);
    });
    rank_.resize(topics_.size());
    for (std::size_t t = 0; t < order_.size(); ++t) rank_[topics_[order_[t]].name] = static_cast<std::int32_t>(t);
}

std::int32_t JudgmentTable::find_topic(std::string_view name) const {
    const std::int32_t number = topic_names.find(name);
    return number < 0 ? -1 : rank_[number];
}

std::int64_t JudgmentTable::find_doc(const Topic& topic, std::string_view wanted, std::uint32_t hash) const {
    const Slot* slots = slots_.data() + topic.slots;
    const auto mask = static_cast<std::size_t>(topic.slots_end - topic.slots) - 1;
    for (std::size_t s = hash & mask; slots[s].doc >= 0; s = (s + 1) & mask) {
        if (slots[s].hash == hash && doc(topic.docs + slots[s].doc) == wanted) return topic.docs + slots[s].doc;
    }
    return -1;
}

}  // namespace rankprism
