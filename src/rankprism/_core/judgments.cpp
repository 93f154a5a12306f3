#include "judgments.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

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

// Reads topic after topic, which is the order of almost all files. Returns false if a topic comes back.
bool read_grouped(JudgmentTable& table, const Text& text, JudgmentFormat format) {
    std::vector<JudgmentRow> rows;
    std::int32_t topic = -1;
    std::string_view topic_name, aspect_name;
    std::int32_t aspect = -1;
    std::int64_t number = 0;
    for (const char* p = text.begin(); next_line(p, text.end()); ++number) {
        const Columns line = parse_line(text, p, format);
        if (line.topic != topic_name || topic < 0) {
            if (topic >= 0) table.add_topic(topic, rows);
            rows.clear();
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
    if (topic >= 0) table.add_topic(topic, rows);
    return true;
}

void read_scattered(JudgmentTable& table, const Text& text, JudgmentFormat format) {
    std::vector<JudgmentRow> rows;
    std::vector<std::int32_t> topic;
    std::int64_t number = 0;
    for (const char* p = text.begin(); next_line(p, text.end()); ++number) {
        const Columns line = parse_line(text, p, format);
        topic.push_back(table.topic_names.number(line.topic));
        rows.push_back({line.doc, table.aspect_names.number(line.aspect), number, line.grade});
    }
    auto groups = by_topic(rows, topic, table.topic_names.size());
    for (std::int32_t t = 0; t < table.topic_names.size(); ++t) table.add_topic(t, groups[t]);
}

}  // namespace

JudgmentTable JudgmentTable::from_text(const Text& text, JudgmentFormat format) {
    JudgmentTable table;
    try {
        if (!read_grouped(table, text, format)) {
            table = JudgmentTable();
            read_scattered(table, text, format);
        }
    } catch (const Conflict& conflict) {
        throw conflict_error(table, conflict, text.name(), [&text](std::int64_t row) { return line_of_row(text, row); });
    }
    if (table.topics_.empty()) throw BadInput(text.name() + ": no judgments in this file, only blank or comment lines");
    table.sort_topics();
    return table;
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

    // Documents are sorted by id, descending, the rows of a document by aspect, and repeated rows as they came.
    const auto before = [this](const JudgmentRow& a, const JudgmentRow& b) {
        if (const int order = a.doc.compare(b.doc); order != 0) return order > 0;
        if (a.aspect != b.aspect) return local_aspect_[a.aspect] < local_aspect_[b.aspect];
        return a.number < b.number;
    };
    if (!std::is_sorted(rows.begin(), rows.end(), before)) std::sort(rows.begin(), rows.end(), before);

    std::int32_t relevant = 0;
    bool any = false;
    for (std::size_t r = 0; r < rows.size(); ++r) {
        const bool new_doc = r == 0 || rows[r].doc != rows[r - 1].doc;
        if (new_doc) {
            any = false;
            arena_.append(rows[r].doc);
            doc_offset_.push_back(arena_.size());
            relevant_number.push_back(-2);
            row_start.push_back(row_start.back());
        } else if (rows[r].aspect == rows[r - 1].aspect) {
            if (rows[r].grade != rows[r - 1].grade) throw Conflict{name, rows[r - 1], rows[r]};
            continue;
        }
        row_aspect.push_back(local_aspect_[rows[r].aspect]);
        row_grade.push_back(rows[r].grade);
        ++row_start.back();
        if (rows[r].grade >= 0 && !any) relevant_number.back() = -1;
        if (rows[r].grade > 0 && !any) {
            any = true;
            relevant_number.back() = relevant++;
        }
    }
    topic.docs_end = static_cast<std::int64_t>(relevant_number.size());

    std::size_t size = 8;
    while (size < static_cast<std::size_t>(topic.docs_end - topic.docs) * 2) size *= 2;
    slots_.resize(slots_.size() + size, Slot{0, -1});
    topic.slots_end = static_cast<std::int64_t>(slots_.size());
    Slot* slots = slots_.data() + topic.slots;
    for (std::int64_t d = topic.docs; d < topic.docs_end; ++d) {
        const std::uint32_t hash = hash_bytes(doc(d));
        std::size_t s = hash & (size - 1);
        while (slots[s].doc >= 0) s = (s + 1) & (size - 1);
        slots[s] = {hash, static_cast<std::int32_t>(d - topic.docs)};
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
