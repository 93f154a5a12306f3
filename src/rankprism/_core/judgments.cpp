#include "judgments.hpp"

#include <algorithm>
#include <cstdio>
#include <numeric>

namespace rankprism {
namespace {

constexpr std::string_view only_aspect = "0";  // what TREC writes where a topic has no subtopics

const char* expected(JudgmentFormat format) {
    switch (format) {
        case JudgmentFormat::diversity: return "4 columns: topic subtopic document grade";
        case JudgmentFormat::adhoc: return "4 columns: topic 0 document grade";
        case JudgmentFormat::prels: return "5 columns: topic document grade method probability";
    }
    return "";
}

// The position of the n-th line that holds data.
const char* data_line(const Text& text, std::int64_t n) {
    for (const char* p = text.begin(); p < text.end(); p = line_end(p) + 1) {
        p = skip_blanks(p);
        if (*p != '\n' && !is_comment(p) && n-- == 0) return p;
    }
    return text.end();
}

std::string short_number(double value) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%g", value);
    return buffer;
}

}  // namespace

JudgmentTable JudgmentTable::from_text(const Text& text, JudgmentFormat format) {
    JudgmentTable table;
    const std::size_t columns = format == JudgmentFormat::prels ? 5 : 4;
    for (const char* p = text.begin(); p < text.end();) {
        p = skip_blanks(p);
        if (*p == '\n' || is_comment(p)) {
            p = line_end(p) + 1;
            continue;
        }
        const char* line = p;
        std::string_view column[5];
        std::size_t found = 0;
        while (found < columns && *p != '\n') column[found++] = take_column(p);
        if (found < columns || *p != '\n') {
            text.fail(line, "expected " + std::string(expected(format)) + "; found " +
                                std::to_string(count_columns(line)));
        }
        const bool prels = format == JudgmentFormat::prels;
        const std::string_view grade_column = column[prels ? 2 : 3];
        double grade = 0;
        if (!parse_number(grade_column, grade)) {
            text.fail(line, "the grade " + quoted(grade_column) + " is not a number; expected " + expected(format));
        }
        table.add(column[0], format == JudgmentFormat::diversity ? column[1] : only_aspect,
                  column[prels ? 1 : 2], grade);
        ++p;
    }
    if (table.rows_.empty()) throw BadInput(text.name() + ": no judgments in this file, only blank or comment lines");
    table.finish(text.name(), [&text](std::int64_t row) {
        return "line " + std::to_string(text.line_of(data_line(text, row)));
    });
    return table;
}

std::size_t JudgmentTable::slot_of(std::uint32_t hash, std::int32_t topic) const {
    return (hash ^ (static_cast<std::uint32_t>(topic) * 0x9E3779B1U)) & (slots_.size() - 1);
}

std::int32_t JudgmentTable::entry_of(std::int32_t topic, std::string_view doc) {
    if (entries_.size() * 2 >= slots_.size()) grow();
    const std::uint32_t hash = hash_bytes(doc);
    std::size_t s = slot_of(hash, topic);
    for (; slots_[s].entry >= 0; s = (s + 1) & (slots_.size() - 1)) {
        const Entry& e = entries_[slots_[s].entry];
        if (slots_[s].hash == hash && e.topic == topic && doc == std::string_view(e.doc, e.size)) return slots_[s].entry;
    }
    const auto entry = static_cast<std::int32_t>(entries_.size());
    slots_[s] = {hash, entry};
    entries_.push_back({doc.data(), static_cast<std::uint32_t>(doc.size()), hash, topic});
    return entry;
}

void JudgmentTable::grow() {
    slots_.assign(std::max<std::size_t>(1024, slots_.size() * 2), Slot{0, -1});
    for (std::size_t e = 0; e < entries_.size(); ++e) {
        std::size_t s = slot_of(entries_[e].hash, entries_[e].topic);
        while (slots_[s].entry >= 0) s = (s + 1) & (slots_.size() - 1);
        slots_[s] = {entries_[e].hash, static_cast<std::int32_t>(e)};
    }
}

void JudgmentTable::add(std::string_view topic, std::string_view aspect, std::string_view doc, double grade) {
    const std::int32_t t = topic_names_.number(topic);
    rows_.push_back({entry_of(t, doc), aspect_names_.number(aspect), grade});
}

void JudgmentTable::sort_topics() {
    topic_order_.resize(topic_names_.size());
    std::iota(topic_order_.begin(), topic_order_.end(), 0);
    std::sort(topic_order_.begin(), topic_order_.end(), [this](std::int32_t a, std::int32_t b) {
        return comes_before(topic_names_[a], topic_names_[b]);
    });
    topic_rank_.resize(topic_order_.size());
    for (std::size_t t = 0; t < topic_order_.size(); ++t) {
        topic_rank_[topic_order_[t]] = static_cast<std::int32_t>(t);
    }
}

void JudgmentTable::sort_documents() {
    const auto count = entries_.size();
    doc_start.assign(topic_order_.size() + 1, 0);
    for (const Entry& e : entries_) ++doc_start[topic_rank_[e.topic] + 1];
    std::partial_sum(doc_start.begin(), doc_start.end(), doc_start.begin());

    std::vector<std::int32_t> order(count);
    std::vector<std::int64_t> next(doc_start.begin(), doc_start.end() - 1);
    for (std::size_t e = 0; e < count; ++e) {
        const auto t = topic_rank_[entries_[e].topic];
        order[next[t]++] = static_cast<std::int32_t>(e);
    }
    const auto id = [this](std::int32_t e) {
        const Entry& entry = entries_[e];
        return std::string_view(entry.doc, entry.size);
    };
    for (std::size_t t = 0; t + 1 < doc_start.size(); ++t) {
        std::sort(order.begin() + doc_start[t], order.begin() + doc_start[t + 1],
                  [&id](std::int32_t a, std::int32_t b) { return id(a) > id(b); });
    }

    std::size_t bytes = 0;
    for (const Entry& e : entries_) bytes += e.size;
    arena_.reserve(bytes);
    doc_offset_.reserve(count + 1);
    doc_of_entry_.resize(count);
    for (std::size_t d = 0; d < count; ++d) {
        doc_of_entry_[order[d]] = static_cast<std::int32_t>(d);
        doc_offset_.push_back(arena_.size());
        arena_.append(id(order[d]));
    }
    doc_offset_.push_back(arena_.size());
}

JudgmentTable::Conflict JudgmentTable::sort_rows() {
    const auto docs = entries_.size();
    row_start.assign(docs + 1, 0);
    for (const Row& r : rows_) ++row_start[doc_of_entry_[r.entry] + 1];
    std::partial_sum(row_start.begin(), row_start.end(), row_start.begin());
    std::vector<std::int64_t> order(rows_.size());  // input rows by document
    {
        std::vector<std::int64_t> next(row_start.begin(), row_start.end() - 1);
        for (std::size_t r = 0; r < rows_.size(); ++r) {
            const auto d = doc_of_entry_[rows_[r].entry];
            order[next[d]++] = static_cast<std::int64_t>(r);
        }
    }
    const auto row = [this](std::int64_t r) -> const Row& { return rows_[r]; };

    Conflict conflict;
    std::vector<std::int32_t> local(aspect_names_.size(), -1);
    row_aspect.reserve(rows_.size());
    row_grade.reserve(rows_.size());
    relevant_number.assign(docs, -1);
    aspect_start.assign(1, 0);
    std::vector<std::int64_t> starts(1, 0);
    for (std::size_t t = 0; t + 1 < doc_start.size(); ++t) {
        const auto first_doc = doc_start[t], last_doc = doc_start[t + 1];
        // The topic's aspects, as people list them.
        const std::size_t first_aspect = aspect_number_.size();
        for (std::int64_t i = row_start[first_doc]; i < row_start[last_doc]; ++i) {
            const std::int32_t a = row(order[i]).aspect;
            if (local[a] < 0) {
                local[a] = 0;
                aspect_number_.push_back(a);
            }
        }
        std::sort(aspect_number_.begin() + static_cast<std::ptrdiff_t>(first_aspect), aspect_number_.end(),
                  [this](std::int32_t a, std::int32_t b) { return comes_before(aspect_names_[a], aspect_names_[b]); });
        for (std::size_t a = first_aspect; a < aspect_number_.size(); ++a) {
            local[aspect_number_[a]] = static_cast<std::int32_t>(a - first_aspect);
        }
        aspect_start.push_back(static_cast<std::int64_t>(aspect_number_.size()));

        std::int32_t relevant = 0;
        for (std::size_t d = first_doc; d < last_doc; ++d) {
            const auto begin = order.begin() + row_start[d], end = order.begin() + row_start[d + 1];
            std::stable_sort(begin, end, [&](std::int64_t a, std::int64_t b) {
                return local[row(a).aspect] < local[row(b).aspect];
            });
            bool any = false;
            for (auto i = begin; i != end; ++i) {
                const Row& r = row(*i);
                any = any || r.grade > 0;
                if (i != begin && row(*(i - 1)).aspect == r.aspect) {  // judged twice
                    const bool earlier = conflict.first < 0 || *i < conflict.second;
                    if (row(*(i - 1)).grade != r.grade && earlier) {
                        conflict = {*(i - 1), *i, r.aspect, row(*(i - 1)).grade, r.grade};
                    }
                    continue;
                }
                row_aspect.push_back(local[r.aspect]);
                row_grade.push_back(r.grade);
            }
            starts.push_back(static_cast<std::int64_t>(row_grade.size()));
            if (any) relevant_number[d] = relevant++;
        }
        for (std::size_t a = first_aspect; a < aspect_number_.size(); ++a) local[aspect_number_[a]] = -1;
    }
    row_start = std::move(starts);
    if (conflict.first >= 0) return conflict;  // rows_ and entries_ are still needed for the message

    for (Slot& s : slots_) {
        if (s.entry >= 0) s.entry = doc_of_entry_[s.entry];
    }
    // Slots were chosen by topic numbers; from here on look-ups go by canonical position, through topic_order_.
    rows_ = {};
    entries_ = {};
    doc_of_entry_ = {};
    return conflict;
}

void JudgmentTable::fail(const Conflict& conflict, const std::string& source, const std::string& first,
                         const std::string& second) const {
    const Entry& e = entries_[rows_[conflict.first].entry];
    throw BadInput(source + ", " + second + ": document " + quoted({e.doc, e.size}) + " of topic " +
                   quoted(topic_names_[e.topic]) + ", aspect " + quoted(aspect_names_[conflict.aspect]) + " has grade " +
                   short_number(conflict.other) + " here and " + short_number(conflict.one) + " at " + first +
                   "; keep one of them");
}

std::int32_t JudgmentTable::find_topic(std::string_view name) const {
    const std::int32_t number = topic_names_.find(name);
    return number < 0 ? -1 : topic_rank_[number];
}

std::int64_t JudgmentTable::find_doc(std::int32_t t, std::string_view wanted, std::uint32_t hash) const {
    const auto first = doc_start[t], last = doc_start[t + 1];
    std::size_t s = slot_of(hash, topic_order_[t]);
    for (; slots_[s].entry >= 0; s = (s + 1) & (slots_.size() - 1)) {
        const std::int64_t d = slots_[s].entry;
        if (slots_[s].hash == hash && d >= first && d < last && doc(d) == wanted) return d;
    }
    return -1;
}

}  // namespace rankprism
