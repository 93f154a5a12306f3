// Judgments and runs as lines of text, in other formats.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "judgments.hpp"
#include "run.hpp"

namespace rankprism {

enum class LineFormat {
    diversity,    // topic aspect document grade
    adhoc,        // topic 0 document grade
    ntcir,        // topic aspect document L2
    ntcir_adhoc,  // topic document L2
    evall,        // "topic" TAB "document" TAB "grade" TAB "aspect" TAB "weight"
};

// All judgments in canonical order. weights: what evall writes for each aspect, topic after topic.
std::string judgment_lines(const JudgmentTable& table, const std::string& source, LineFormat format,
                           const std::vector<std::string>& weights);

// Some lines of a run: `topic Q0 document rank score tag`, with these ranks and scores.
std::string trec_lines(const RunTable& run, const std::int32_t* lines, const std::int32_t* ranks, const double* scores,
                       std::size_t count, const std::string& tag);

// The same as `"topic" TAB "document"`.
std::string evall_lines(const RunTable& run, const std::int32_t* lines, std::size_t count);

}  // namespace rankprism
