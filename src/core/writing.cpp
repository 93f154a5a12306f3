#include "writing.hpp"

#include <nanobind/nanobind.h>

#include <cmath>

#include "interrupt.hpp"

namespace rankprism {
namespace {

// The shortest text that reads back as the same number, as Python writes it: 2, -0.1, 1e+22. Needs the interpreter lock.
class NumberText {
  public:
    const std::string& operator()(double value) {
        if (!known_ || value != value_ || std::signbit(value) != std::signbit(value_)) {
            char* text = PyOS_double_to_string(value, 'r', 0, 0, nullptr);
            if (text == nullptr) throw std::bad_alloc();
            text_ = text;
            PyMem_Free(text);
            value_ = value;
            known_ = true;
        }
        return text_;
    }

  private:
    bool known_ = false;
    double value_ = 0;
    std::string text_;
};

// Adds an id that will be read back from between blanks, or refuses it.
void add_plain(std::string& out, std::string_view id, const std::string& source, const char* what, const char* format) {
    for (const char c : id) {
        if (is_column(c)) continue;
        throw BadInput(source + ": the " + what + " " + quoted(id) + " has a blank in it, which the format " + format +
                       " cannot hold; rename it");
    }
    if (id == "#" && std::string_view(what) == "topic") {
        throw BadInput(source + ": the topic '#' would turn its lines into comments; rename it");
    }
    out.append(id);
}

// Adds an id in quotes, with quotes inside it doubled, or refuses it if it would not be read back.
void add_quoted(std::string& out, std::string_view id, const std::string& source, const char* what) {
    const bool blanks_around = !id.empty() && (!is_column(id.front()) || !is_column(id.back()));
    if (blanks_around || id.find_first_of("\t\r\n") != std::string_view::npos) {
        throw BadInput(source + ": the " + what + " " + quoted(id) +
                       " has a tab or a line break in it or blanks around it, which the format evall cannot hold; rename it");
    }
    out += '"';
    for (const char c : id) {
        if (c == '"') out += '"';
        out += c;
    }
    out += '"';
}

void ask_for_interrupt(std::size_t line) {
    if (line % 65536 == 0) check_interrupt();
}

const char* format_name(LineFormat format) {
    switch (format) {
        case LineFormat::diversity: return "diversity";
        case LineFormat::adhoc: return "adhoc";
        case LineFormat::ntcir:
        case LineFormat::ntcir_adhoc: return "ntcir";
        case LineFormat::evall: return "evall";
    }
    return "";
}

}  // namespace

std::string judgment_lines(const JudgmentTable& table, const std::string& source, LineFormat format,
                           const std::vector<std::string>& weights) {
    const bool ntcir = format == LineFormat::ntcir || format == LineFormat::ntcir_adhoc;
    const char* name = format_name(format);
    NumberText number;
    std::string out;
    for (std::int32_t t = 0; t < table.topics(); ++t) {
        const JudgmentTable::Topic& judged = table.topic(t);
        const std::string_view topic = table.topic_name(t);
        for (std::int64_t d = judged.docs; d < judged.docs_end; ++d) {
            for (std::int64_t r = table.row_start[d]; r < table.row_start[d + 1]; ++r) {
                ask_for_interrupt(static_cast<std::size_t>(r));
                const std::int64_t a = judged.aspects + table.row_aspect[r];
                const std::string_view aspect = table.aspect_name(a);
                const double grade = table.row_grade[r];
                if (ntcir && !(grade >= 0 && grade <= 9 && std::floor(grade) == grade)) {
                    throw BadInput(source + ": grade " + number(grade) + " of document " + quoted(table.doc(d)) + ", topic " +
                                   quoted(topic) + ", aspect " + quoted(aspect) +
                                   " is not a level of NTCIR, which has the whole numbers 0 to 9; change the grade");
                }
                if (format == LineFormat::evall) {
                    add_quoted(out, topic, source, "topic");
                    out += '\t';
                    add_quoted(out, table.doc(d), source, "document");
                    out += "\t\"" + number(grade) + "\"\t";
                    add_quoted(out, aspect, source, "aspect");
                    out += "\t\"" + weights.at(static_cast<std::size_t>(a)) + "\"\n";
                    continue;
                }
                add_plain(out, topic, source, "topic", name);
                if (format == LineFormat::adhoc) {
                    out += " 0";
                } else if (format != LineFormat::ntcir_adhoc) {
                    out += ' ';
                    add_plain(out, aspect, source, "aspect", name);
                }
                out += ' ';
                add_plain(out, table.doc(d), source, "document", name);
                out += ntcir ? " L" : " ";
                out += ntcir ? std::to_string(static_cast<int>(grade)) : number(grade);
                out += '\n';
            }
        }
    }
    return out;
}

std::string trec_lines(const RunTable& run, const std::int32_t* lines, const std::int32_t* ranks, const double* scores,
                       std::size_t count, const std::string& tag) {
    NumberText number;
    std::string out;
    for (std::size_t i = 0; i < count; ++i) {
        ask_for_interrupt(i);
        const auto line = static_cast<std::size_t>(lines[i]);
        add_plain(out, run.topics[run.topic[line]], run.name(), "topic", "trec");
        out += " Q0 ";
        add_plain(out, run.lines[line].id(), run.name(), "document", "trec");
        out += ' ' + std::to_string(ranks[i]) + ' ';
        out += number(scores[i]);
        out += ' ' + tag + '\n';
    }
    return out;
}

std::string evall_lines(const RunTable& run, const std::int32_t* lines, std::size_t count) {
    std::string out;
    for (std::size_t i = 0; i < count; ++i) {
        ask_for_interrupt(i);
        const auto line = static_cast<std::size_t>(lines[i]);
        add_quoted(out, run.topics[run.topic[line]], run.name(), "topic");
        out += '\t';
        add_quoted(out, run.lines[line].id(), run.name(), "document");
        out += '\n';
    }
    return out;
}

}  // namespace rankprism
