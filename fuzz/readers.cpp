// libFuzzer target: the core's readers, compared with each other.
//
// The first byte says what is read and how; the rest is the text. A text is read from memory at once and, by several
// threads in tiny blocks, from a file: both must give the same, or the same error.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "../src/core/judgments.hpp"
#include "../src/core/run.hpp"
#include "../src/core/text.hpp"

using namespace rankprism;

namespace {

std::string summary(const Alignment& found) {
    std::string text;
    for (const auto start : found.start) text += std::to_string(start) + ' ';
    for (std::size_t i = 0; i < found.rank.size(); ++i) {
        text += std::to_string(found.rank[i]) + ':' + std::to_string(found.doc[i]) + ' ';
    }
    for (const auto length : found.length) text += std::to_string(length) + ' ';
    for (const auto& topic : found.unjudged) text += topic + ' ';
    return text;
}

std::string summary(const JudgmentTable& table) {
    std::string text;
    for (std::int32_t t = 0; t < table.topics(); ++t) {
        const auto& topic = table.topic(t);
        text += std::string(table.topic_name(t)) + ": ";
        for (auto d = topic.docs; d < topic.docs_end; ++d) {
            if (table.find_doc(topic, table.doc(d), hash_bytes(table.doc(d))) != d) std::abort();
            text += std::string(table.doc(d)) + ' ' + std::to_string(table.relevant_number[d]) + ' ';
            for (auto r = table.row_start[d]; r < table.row_start[d + 1]; ++r) {
                text += std::string(table.aspect_name(topic.aspects + table.row_aspect[r])) + '=' +
                        std::to_string(table.row_grade[r]) + ' ';
            }
        }
        if (table.find_topic(table.topic_name(t)) != t) std::abort();
    }
    return text;
}

// Tiny blocks, so that every line meets the end of one, and so little room that scattered lines need several passes.
const Reading in_pieces{3, 64, 200};

template <class Work> std::string result(Work&& work) {
    try {
        return work();
    } catch (const BadInput& error) {
        return error.what();
    }
}

const std::string& file_name() {
    static const std::string name = "/dev/shm/rankprism-fuzz-" + std::to_string(getpid());
    return name;
}

void must_be_equal(const std::string& a, const std::string& b) {
    if (a == b) return;
    std::fprintf(stderr, "in memory: %s\nfrom a file: %s\n", a.c_str(), b.c_str());
    std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) return 0;
    const int choice = data[0];
    const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
    if (std::FILE* file = std::fopen(file_name().c_str(), "wb")) {
        std::fwrite(text.data(), 1, text.size(), file);
        std::fclose(file);
    }
    // Whether something is a packed file is decided by its first block.
    const auto compare = [](const std::string& at_once, const std::string& from_file) {
        if (at_once.find("is compressed") == std::string::npos) must_be_equal(at_once, from_file);
    };
    if (choice % 2 == 0) {
        const JudgmentFormat formats[] = {JudgmentFormat::diversity, JudgmentFormat::adhoc, JudgmentFormat::prels};
        const JudgmentFormat format = formats[choice / 2 % 3];
        const auto read = [&](const Source& source, const Reading& reading) {
            return result([&] { return summary(JudgmentTable::from_source(source, format, reading)); });
        };
        compare(read(Source::bytes(text, "input"), {}), read(Source::file(file_name(), "input"), in_pieces));
        return 0;
    }
    static const JudgmentTable judged = JudgmentTable::from_source(
        Source::bytes("1 0 d1 1\n1 1 d2 2\n1 0 d3 0\n2 0 d1 1\n3 0 x 1\n", "judgments"), JudgmentFormat::diversity);
    const Order orders[] = {Order::score, Order::trec_eval_9, Order::ascending, Order::rank, Order::input};
    const Order order = orders[choice / 2 % 5];
    const Duplicates duplicates = choice / 16 % 2 == 0 ? Duplicates::error : Duplicates::first;
    const Joining joining{order, duplicates, false, choice / 32 % 4};
    const auto aligned = [&](const Source& source, const Reading& reading) {
        return result([&] { return summary(align_source(judged, source, joining, reading)); });
    };
    const std::string walked = aligned(Source::bytes(text, "input"), {});
    compare(walked, aligned(Source::file(file_name(), "input"), in_pieces));
    const std::string kept = result([&] {
        return summary(align(judged, RunTable::from_text(Text::from_bytes(text, "input")), joining));
    });
    // A run that is kept is parsed to its end before it is put in order, so the first error may be another one.
    const auto is_error = [](const std::string& found) { return found.rfind("input", 0) == 0; };
    if (!is_error(walked) || !is_error(kept)) must_be_equal(walked, kept);
    result([&] {
        const RunTable run = RunTable::from_text(Text::from_bytes(text, "input"));
        return std::to_string(ranking(run, joining).line.size());
    });
    return 0;
}
