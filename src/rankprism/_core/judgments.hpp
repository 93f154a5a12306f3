// Judgments: which document has which grade on which aspect of which topic.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "names.hpp"
#include "text.hpp"

namespace rankprism {

// How the columns of a judgment file are read.
enum class JudgmentFormat {
    diversity,  // topic subtopic doc grade
    adhoc,      // topic (ignored) doc grade
    prels,      // topic doc grade method probability
};

// Everything is in one canonical order, whatever the order of the input was: topics and aspects as
// people list them, the documents of a topic by id descending. So sums run in one order, and a tie
// between documents is always decided by the smaller index.
class JudgmentTable {
  public:
    static JudgmentTable from_text(const Text& text, JudgmentFormat format);

    // Building: rows first, then one call of finish. `locate` names a row (counted from 0) in messages.
    void add(std::string_view topic, std::string_view aspect, std::string_view doc, double grade);
    template <class Locate> void finish(const std::string& source, Locate&& locate) {
        sort_topics();
        sort_documents();
        const Conflict conflict = sort_rows();
        if (conflict.first >= 0) fail(conflict, source, locate(conflict.first), locate(conflict.second));
    }

    std::int32_t topics() const { return static_cast<std::int32_t>(topic_order_.size()); }
    const std::string& topic(std::int32_t t) const { return topic_names_[topic_order_[t]]; }
    std::int32_t find_topic(std::string_view name) const;

    // Aspects of topic t: aspect_start[t] .. aspect_start[t + 1] in aspect_name.
    std::vector<std::int64_t> aspect_start;
    const std::string& aspect(std::int64_t a) const { return aspect_names_[aspect_number_[a]]; }

    // Documents of topic t: doc_start[t] .. doc_start[t + 1].
    std::vector<std::int64_t> doc_start;
    std::string_view doc(std::int64_t d) const {
        return {arena_.data() + doc_offset_[d], doc_offset_[d + 1] - doc_offset_[d]};
    }
    std::int64_t find_doc(std::int32_t t, std::string_view doc, std::uint32_t hash) const;

    // Which of its topic's relevant documents (those with a grade above 0) document d is, or -1.
    std::vector<std::int32_t> relevant_number;

    // Rows of document d: row_start[d] .. row_start[d + 1]; aspects are numbered within the topic.
    std::vector<std::int64_t> row_start;
    std::vector<std::int32_t> row_aspect;
    std::vector<double> row_grade;

  private:
    struct Row { std::int32_t entry; std::int32_t aspect; double grade; };
    struct Entry { const char* doc; std::uint32_t size; std::uint32_t hash; std::int32_t topic; };
    struct Slot { std::uint32_t hash; std::int32_t entry; };  // entry -1: free
    struct Conflict { std::int64_t first = -1, second = -1; std::int32_t aspect = 0; double one = 0, other = 0; };

    std::size_t slot_of(std::uint32_t hash, std::int32_t topic) const;
    std::int32_t entry_of(std::int32_t topic, std::string_view doc);
    void grow();
    void sort_topics();
    void sort_documents();
    Conflict sort_rows();
    [[noreturn]] void fail(const Conflict& conflict, const std::string& source, const std::string& first,
                           const std::string& second) const;

    Names topic_names_, aspect_names_;
    std::vector<std::int32_t> topic_order_;  // canonical position -> number
    std::vector<std::int32_t> topic_rank_;   // number -> canonical position
    std::vector<std::int32_t> aspect_number_;
    std::string arena_;  // document ids, one behind the other
    std::vector<std::uint64_t> doc_offset_;
    std::vector<Slot> slots_;
    std::vector<Entry> entries_;  // while building
    std::vector<Row> rows_;       // while building
    std::vector<std::int32_t> doc_of_entry_;
};

}  // namespace rankprism
