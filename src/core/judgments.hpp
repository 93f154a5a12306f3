// Judgments: which document has which grade on which aspect of which topic.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "names.hpp"
#include "narrow.hpp"
#include "text.hpp"

namespace rankprism {

// How the columns of a judgment file are read.
enum class JudgmentFormat {
    diversity,  // topic subtopic doc grade
    adhoc,      // topic (ignored) doc grade
    prels,      // topic doc grade method probability
};

// Grades lie between -largest_grade and largest_grade, so that their sums and products are finite numbers.
constexpr double largest_grade = 1e9;
constexpr const char* grade_range = "grades lie between -1,000,000,000 and 1,000,000,000";

// One judgment of a topic, as it comes in.
struct JudgmentRow {
    std::string_view doc;
    std::int32_t aspect;
    std::int64_t number;  // the number of the row in its source, from 0
    double grade;
};

// Everything is in one canonical order, whatever the order of the input was. Topics and aspects are sorted as people
// list them, and the documents of a topic by id, descending. So sums always run in the same order, and the
// document with the smaller index wins a tie.
class JudgmentTable {
  public:
    static JudgmentTable from_source(const Source& source, JudgmentFormat format, const Reading& reading = {});

    struct Topic {
        std::int32_t name;
        std::int64_t aspects, aspects_end;  // in aspect_names
        std::int64_t docs, docs_end;
        std::int64_t slots, slots_end;  // a power of two of them, at least 8
    };

    // Adds a whole topic. Each topic may be added only once. Ids are copied. `bare` are aspects that the topic has even
    // if no document is judged on them.
    void add_topic(std::int32_t name, std::vector<JudgmentRow>& rows, const std::vector<std::int32_t>& bare = {});
    // Adds all topics of another table. Returns false if this table has one of them already; it is then unusable.
    bool append(const JudgmentTable& other);
    void reserve(const JudgmentTable& part, double times);  // room for `times` tables like `part`
    void sort_topics();  // after the last topic was added
    void clear();        // keeps the memory
    bool empty() const { return topics_.empty(); }

    Names topic_names, aspect_names;

    std::int32_t topics() const { return static_cast<std::int32_t>(order_.size()); }
    const Topic& topic(std::int32_t t) const { return topics_[order_[t]]; }
    std::string_view topic_name(std::int32_t t) const { return topic_names[topic(t).name]; }
    std::int32_t find_topic(std::string_view name) const;

    std::string_view aspect_name(std::int64_t a) const { return aspect_names[aspects_[a]]; }
    std::string_view doc(std::int64_t d) const {
        return {arena_.data() + doc_offset_[d], doc_offset_[d + 1] - doc_offset_[d]};
    }
    // The document of topic t with this id, or -1.
    std::int64_t find_doc(const Topic& topic, std::string_view doc, std::uint32_t hash) const {
        return is_marked(topic, hash) ? look_up(topic, doc, hash) : -1;
    }

    // Which of its topic's relevant documents (those with a grade above 0) document d is; or -1; or -2 if all grades of
    // the document are negative.
    std::vector<std::int32_t> relevant_number;
    // Rows of document d: row_start[d] .. row_start[d + 1]; aspects are numbered within the topic.
    std::vector<std::int64_t> row_start{0};
    Narrow row_aspect;
    Grades row_grade;

    // Two judgments that contradict each other. add_topic throws this, and its caller writes the message.
    struct Conflict { std::int32_t topic; JudgmentRow first, second; };

  private:
    struct Slot { std::uint32_t hash; std::int32_t doc; };  // doc counted within the topic, -1: free

    static std::int64_t mark(const Topic& topic, std::uint32_t hash) {
        return topic.slots / 8 + (hash >> 6 & ((topic.slots_end - topic.slots) / 8 - 1));
    }
    bool is_marked(const Topic& topic, std::uint32_t hash) const { return (marks_[mark(topic, hash)] >> (hash & 63) & 1) != 0; }
    std::int64_t look_up(const Topic& topic, std::string_view doc, std::uint32_t hash) const;

    std::vector<Topic> topics_;        // in the order in which they were added
    std::vector<std::int32_t> order_;  // canonical position -> index in topics_
    std::vector<std::int32_t> rank_;   // name -> canonical position
    std::vector<std::int32_t> aspects_;
    std::string arena_;  // document ids, one behind the other
    std::vector<std::uint64_t> doc_offset_{0};
    std::vector<Slot> slots_;  // a small hash table for each topic
    // One word for eight slots, in which the hash of each document sets a bit. Most documents of a run are not judged, and
    // for nearly all of them this bit is 0, so no slot has to be looked at.
    std::vector<std::uint64_t> marks_;
    std::vector<std::int32_t> local_aspect_;
    std::vector<std::uint64_t> aspect_value_;  // of each aspect's name, see listed_value

    // What add_topic works with, kept from topic to topic so that memory is allocated only once.
    struct Scratch {
        struct Document { std::string_view id; std::uint32_t hash; };
        std::vector<Slot> slots;
        std::vector<Document> documents;      // each once
        std::vector<std::uint32_t> document;  // of each row, as an index into documents
        std::vector<std::uint32_t> place;     // of each document in the table
        std::vector<std::uint32_t> order;     // of the rows
        std::vector<std::uint32_t> sorted, count;
        std::vector<std::uint32_t> aspects;  // of the rows in the table
        std::vector<double> grades;

        void number_documents(const std::vector<JudgmentRow>& rows);
        void sort_documents();  // by id, descending
        template <class Key> void stable_sort(std::size_t keys, Key&& key);  // order, by a number below `keys`
    };
    Scratch scratch_;
};

// The error for a conflict; `locate` names a row of the source.
template <class Locate>
BadInput conflict_error(const JudgmentTable& table, const JudgmentTable::Conflict& c, const std::string& source, Locate&& locate) {
    const auto grade = [](double value) {
        std::string text = std::to_string(value);
        text.erase(text.find_last_not_of('0') + 1);
        if (text.back() == '.') text.pop_back();
        return text;
    };
    return BadInput(source + ", " + locate(c.second.number) + ": document " + quoted(c.second.doc) + " of topic " +
                    quoted(table.topic_names[c.topic]) + ", aspect " + quoted(table.aspect_names[c.second.aspect]) +
                    " has grade " + grade(c.second.grade) + " here and " + grade(c.first.grade) + " at " +
                    locate(c.first.number) + "; keep one of them");
}

// The rows of each topic if they are scattered: their indices in `rows`.
template <class Row> std::vector<std::vector<Row>> by_topic(const std::vector<Row>& rows, const std::vector<std::int32_t>& topic, std::int32_t topics) {
    std::vector<std::vector<Row>> groups(topics);
    for (std::size_t i = 0; i < rows.size(); ++i) groups[topic[i]].push_back(rows[i]);
    return groups;
}

}  // namespace rankprism
