#include "arrow.hpp"

#include <bitset>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <deque>
#include <limits>
#include <optional>

#include "interrupt.hpp"

namespace rankprism {
namespace {

constexpr std::string_view only_aspect = "0";  // what TREC writes if a topic has no subtopics
constexpr std::size_t longest_id = std::size_t{1} << 30;
constexpr std::int64_t most_values = std::int64_t{1} << 56;  // so that no number of bytes overflows

// How the values of a column lie in memory.
enum class Kind {
    nothing, boolean, int8, uint8, int16, uint16, int32, uint32, int64, uint64, half, single, twofold, decimal,
    text, large_text, text_view, other
};

Kind kind_of(std::string_view format) {
    static constexpr struct { std::string_view format; Kind kind; } known[] = {
        {"n", Kind::nothing}, {"b", Kind::boolean},  {"c", Kind::int8},   {"C", Kind::uint8},      {"s", Kind::int16},
        {"S", Kind::uint16},  {"i", Kind::int32},    {"I", Kind::uint32}, {"l", Kind::int64},      {"L", Kind::uint64},
        {"e", Kind::half},    {"f", Kind::single},   {"g", Kind::twofold}, {"u", Kind::text},
        {"U", Kind::large_text}, {"vu", Kind::text_view}};
    for (const auto& one : known) {
        if (one.format == format) return one.kind;
    }
    return format.substr(0, 2) == "d:" ? Kind::decimal : Kind::other;
}

bool is_set(const std::uint8_t* bits, std::int64_t i) { return ((bits[i >> 3] >> (i & 7)) & 1) != 0; }

// How many of the bits from `first` are set, among `size` of them.
std::int64_t count_bits(const std::uint8_t* bits, std::int64_t first, std::int64_t size) {
    std::int64_t found = 0, i = first;
    const std::int64_t end = first + size;
    for (; i < end && (i & 7) != 0; ++i) found += is_set(bits, i);
    for (; end - i >= 8; i += 8) found += static_cast<std::int64_t>(std::bitset<8>(bits[i >> 3]).count());
    for (; i < end; ++i) found += is_set(bits, i);
    return found;
}

// Whether all bytes are ASCII and none is NUL. Tests eight at a time, because ids are short: a 0 borrows into its top bit.
bool is_simple(std::string_view text) {
    if (text.size() < 8) return is_plain(text.data(), text.size());
    constexpr std::uint64_t ones = 0x0101010101010101ULL, tops = 0x8080808080808080ULL;
    const auto unusual = [](std::uint64_t word) { return (word | (word - ones)) & tops; };
    std::uint64_t found = unusual(load(text.data() + text.size() - 8));
    for (std::size_t at = 0; at + 8 < text.size(); at += 8) found |= unusual(load(text.data() + at));
    return found == 0;
}

double from_half(std::uint16_t bits) {
    const int exponent = (bits >> 10) & 31, fraction = bits & 1023;
    double value = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, exponent - 25);
    if (exponent == 31) {
        value = fraction == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
    }
    return (bits >> 15) != 0 ? -value : value;
}

bool is_utf8(std::string_view text) {
    const char* end = text.data() + text.size();
    return find_invalid_utf8(text.data(), end) == end;
}

// A type, for messages.
std::string shown(const std::string& format) { return is_utf8(format) ? quoted(format) : "of unreadable bytes"; }

// A decimal number as text: a whole number in two's complement, the low bytes first, with a point before its last
// `scale` digits.
std::string decimal_text(const char* bytes, int width, int scale) {
    std::uint32_t parts[8] = {};
    std::memcpy(parts, bytes, static_cast<std::size_t>(width));
    const int count = width / 4;
    const bool negative = (parts[count - 1] >> 31) != 0;
    if (negative) {
        std::uint64_t carry = 1;
        for (int i = 0; i < count; ++i) {
            carry += static_cast<std::uint32_t>(~parts[i]);
            parts[i] = static_cast<std::uint32_t>(carry);
            carry >>= 32;
        }
    }
    std::string digits;  // the last one first
    for (bool rest = true; rest;) {
        rest = false;
        std::uint64_t remainder = 0;
        for (int i = count - 1; i >= 0; --i) {
            const std::uint64_t part = (remainder << 32) | parts[i];
            parts[i] = static_cast<std::uint32_t>(part / 10);
            remainder = part % 10;
            rest |= parts[i] != 0;
        }
        digits += static_cast<char>('0' + remainder);
        if (scale > 0 && static_cast<int>(digits.size()) == scale) {
            digits += '.';
            rest = true;  // there is a digit before the point
        }
        rest |= scale > 0 && static_cast<int>(digits.size()) < scale;
    }
    if (negative) digits += '-';
    std::string text(digits.rbegin(), digits.rend());
    if (scale < 0 && text != "0") text.append(static_cast<std::size_t>(-scale), '0');
    return text;
}

// The values of one column in one batch, or of its dictionary.
class Values {
  public:
    explicit Values(const ArrowSchema& schema) : format_(schema.format == nullptr ? "" : schema.format), kind_(kind_of(format_)) {
        if (kind_ == Kind::decimal && !parse_decimal()) kind_ = Kind::other;
    }

    Kind kind() const { return kind_; }
    const std::string& format() const { return format_; }
    std::int64_t size() const { return size_; }
    bool is_text() const { return kind_ == Kind::text || kind_ == Kind::large_text || kind_ == Kind::text_view; }
    bool is_whole() const { return kind_ >= Kind::int8 && kind_ <= Kind::uint64; }

    // offset: where the rows of the batch begin. Returns what is wrong with the array, or nothing.
    std::string_view start(const ArrowArray& array, std::int64_t offset, std::int64_t size) {
        valid_ = nullptr;
        if (array.release == nullptr) return "has been released already";
        // Neither `offset` nor `size` is negative unless `array.length` is, and none of the sums may overflow.
        if (array.offset < 0 || array.length < offset || array.length - offset < size) return "has fewer rows than its batch";
        if (array.offset > most_values - array.length) return "begins too far after the start of its buffers";
        offset_ = array.offset + offset;
        size_ = size;
        const std::int64_t buffers = kind_ == Kind::nothing ? 0 : kind_ == Kind::text || kind_ == Kind::large_text ? 3 : 2;
        const bool is_view = kind_ == Kind::text_view;
        // A view refers to a buffer by a 32-bit number, so there cannot be more buffers.
        const bool is_right = is_view ? array.n_buffers >= 3 && array.n_buffers - 3 <= std::numeric_limits<std::int32_t>::max()
                                      : array.n_buffers == buffers;
        if (!is_right) return "does not have the buffers that its type needs";
        if (array.n_children != 0) return "has children, which its type does not allow";
        if (kind_ == Kind::nothing || size == 0) return {};
        if (array.buffers == nullptr || array.buffers[1] == nullptr) return "has no buffer of values";
        if (const std::string_view wrong = check_nulls(array); !wrong.empty()) return wrong;
        if (array.null_count != 0) valid_ = static_cast<const std::uint8_t*>(array.buffers[0]);
        data_ = static_cast<const char*>(array.buffers[1]);
        if (is_view) {
            more_ = array.buffers + 2;
            more_count_ = array.n_buffers - 3;
            more_sizes_ = static_cast<const std::int64_t*>(array.buffers[array.n_buffers - 1]);
            if (more_count_ > 0 && more_sizes_ == nullptr) return "does not give the sizes of its buffers";
        } else if (buffers == 3) {
            bytes_ = static_cast<const char*>(array.buffers[2]);
            // The end of the last text is the only size of a buffer that the interface gives.
            const std::int64_t after = array.length - offset;
            end_ = kind_ == Kind::text ? at<std::int32_t>(after) : at<std::int64_t>(after);
        }
        return {};
    }

    bool is_null(std::int64_t i) const {
        return kind_ == Kind::nothing || (valid_ != nullptr && !is_set(valid_, offset_ + i));
    }

    // The value as a whole number; call it only if the values are whole numbers. Numbers above 2^63 come out negative.
    std::int64_t whole(std::int64_t i) const {
        switch (kind_) {
            case Kind::int8: return at<std::int8_t>(i);
            case Kind::uint8: return at<std::uint8_t>(i);
            case Kind::int16: return at<std::int16_t>(i);
            case Kind::uint16: return at<std::uint16_t>(i);
            case Kind::int32: return at<std::int32_t>(i);
            case Kind::uint32: return at<std::uint32_t>(i);
            case Kind::uint64: return static_cast<std::int64_t>(at<std::uint64_t>(i));
            default: return at<std::int64_t>(i);
        }
    }

    // The value as a number; NaN if the values are neither numbers nor truth values.
    double number(std::int64_t i) const {
        switch (kind_) {
            case Kind::boolean: return is_set(reinterpret_cast<const std::uint8_t*>(data_), offset_ + i) ? 1 : 0;
            case Kind::half: return from_half(at<std::uint16_t>(i));
            case Kind::single: return at<float>(i);
            case Kind::twofold: return at<double>(i);
            case Kind::uint64: return static_cast<double>(at<std::uint64_t>(i));
            case Kind::decimal: {
                double value = std::numeric_limits<double>::quiet_NaN();
                parse_number(decimal(i), value);
                return value;
            }
            default: return is_whole() ? static_cast<double>(whole(i)) : std::numeric_limits<double>::quiet_NaN();
        }
    }

    // The smallest whole number that a float of this size may hold because another one was rounded to it.
    double first_inexact() const { return kind_ == Kind::half ? 0x1p11 : kind_ == Kind::single ? 0x1p24 : 0x1p53; }

    std::string decimal(std::int64_t i) const { return decimal_text(data_ + (offset_ + i) * width_, width_, scale_); }

    // False if the text is known to lie outside the buffers.
    bool text(std::int64_t i, std::string_view& found) const {
        if (kind_ == Kind::text) return between(at<std::int32_t>(i), at<std::int32_t>(i + 1), found);
        if (kind_ == Kind::large_text) return between(at<std::int64_t>(i), at<std::int64_t>(i + 1), found);
        const char* view = data_ + (offset_ + i) * 16;
        std::int32_t place[4];  // size, first four bytes, number of the buffer, offset in it
        std::memcpy(place, view, sizeof place);
        if (place[0] < 0) return false;
        if (place[0] <= 12) {
            found = {view + 4, static_cast<std::size_t>(place[0])};
            return true;
        }
        if (place[2] < 0 || place[2] >= more_count_ || place[3] < 0) return false;
        if (std::int64_t{place[3]} + place[0] > more_sizes_[place[2]] || more_[place[2]] == nullptr) return false;
        found = {static_cast<const char*>(more_[place[2]]) + place[3], static_cast<std::size_t>(place[0])};
        return true;
    }

  private:
    // Reads precision, scale and width from a format such as "d:10,2" or "d:10,2,256". False for any other format.
    bool parse_decimal() {
        int numbers[3] = {0, 0, 128};
        const char *at = format_.data() + 2, *end = format_.data() + format_.size();
        int count = 0;
        for (; count < 3; ++count) {
            const auto [next, error] = std::from_chars(at, end, numbers[count]);
            if (error != std::errc()) return false;
            at = next;
            if (at == end || *at != ',') break;
            ++at;
        }
        const int bits = numbers[2];
        scale_ = numbers[1];
        width_ = bits / 8;
        const bool is_known = bits == 32 || bits == 64 || bits == 128 || bits == 256;
        return at == end && count >= 1 && is_known && scale_ >= -200 && scale_ <= 200;
    }

    // Returns what is wrong with the bitmap and the number of nulls of an array, or nothing.
    std::string_view check_nulls(const ArrowArray& array) const {
        if (array.null_count < -1 || array.null_count > array.length) return "counts more nulls than it has rows";
        const auto* valid = static_cast<const std::uint8_t*>(array.buffers[0]);
        if (valid == nullptr) return array.null_count > 0 ? "counts nulls, but has no validity bitmap" : "";
        if (array.null_count >= 0 && array.length - count_bits(valid, array.offset, array.length) != array.null_count) {
            return "has a validity bitmap whose number of nulls differs from its count";
        }
        return {};
    }

    template <class T> T at(std::int64_t i) const {
        T value;
        std::memcpy(&value, data_ + (offset_ + i) * static_cast<std::int64_t>(sizeof(T)), sizeof value);
        return value;
    }

    bool between(std::int64_t from, std::int64_t to, std::string_view& found) const {
        if (from < 0 || to < from || to > end_ || (to > from && bytes_ == nullptr)) return false;
        found = to == from ? std::string_view() : std::string_view(bytes_ + from, static_cast<std::size_t>(to - from));
        return true;
    }

    std::string format_;
    Kind kind_;
    int scale_ = 0, width_ = 0;  // of decimal numbers
    std::int64_t offset_ = 0, size_ = 0;
    const std::uint8_t* valid_ = nullptr;  // a bit for each value; nullptr if none is null
    const char* data_ = nullptr;           // numbers, offsets or views
    const char* bytes_ = nullptr;          // the bytes of all texts
    std::int64_t end_ = 0;                 // where they end
    const void** more_ = nullptr;          // buffers of long texts
    std::int64_t more_count_ = 0;
    const std::int64_t* more_sizes_ = nullptr;
};

// A column of ids or of numbers. Each value is checked, and errors name its row.
class Column {
  public:
    // what: what messages call a value, e.g. "document"
    Column(const ArrowStream& stream, std::int64_t number, const char* what)
        : source_(stream.name()), number_(number), what_(what), own_(stream.column(number)) {
        const ArrowSchema& schema = stream.column(number);
        name_ = schema.name == nullptr ? "" : schema.name;
        if (schema.dictionary != nullptr) dictionary_.emplace(*schema.dictionary);
        // A dictionary of dictionaries is not text either: its entries would be taken for ids.
        const bool is_nested = dictionary_ && schema.dictionary->dictionary != nullptr;
        if (meant().kind() == Kind::other || is_nested || (dictionary_ && !own_.is_whole())) {
            throw BadInput(source_ + ": the column " + quoted(name_) + " has the Arrow type " + shown(own_.format()) +
                           ", which is neither text nor number; cast it to one of them");
        }
    }

    // Moves to the rows of a batch. row: the number of its first row, from 0.
    void start(const ArrowArray& batch, std::int64_t row) {
        const ArrowArray& array = *batch.children[number_];
        row_ = row;
        last_ = {};
        std::string_view wrong = own_.start(array, batch.offset, batch.length);
        if (wrong.empty() && !dictionary_ && array.dictionary != nullptr) wrong = "has a dictionary that its schema lacks";
        if (wrong.empty() && dictionary_) {
            if (array.dictionary == nullptr) {
                wrong = "has no dictionary";
            } else {
                wrong = dictionary_->start(*array.dictionary, 0, array.dictionary->length);
            }
        }
        if (!wrong.empty()) throw BadInput(source_ + ": the column " + quoted(name_) + " of the Arrow stream " + std::string(wrong));
    }

    // Whether ids are made from numbers, so that each is valid only until the next call.
    bool makes_ids() const { return !meant().is_text(); }

    bool is_null(std::int64_t i) const {
        if (own_.is_null(i)) return true;
        return dictionary_ && dictionary_->is_null(entry(i));
    }

    std::string_view id(std::int64_t i) {
        if (is_null(i)) fail(i, "the " + std::string(what_) + " id in the column " + quoted(name_) + " is missing (null); " + rule);
        const std::int64_t at = dictionary_ ? entry(i) : i;
        if (makes_ids()) return made(i, at);
        std::string_view text;
        if (!meant().text(at, text)) fail(i, "the text in the column " + quoted(name_) + " lies outside its buffers");
        if (text.empty()) fail(i, "'' is not a valid " + std::string(what_) + " id; " + rule);
        if (same_id(text, last_)) return text;
        if (!is_simple(text)) check_unusual(i, text);
        if (text.size() > longest_id) fail(i, "the " + std::string(what_) + " id is longer than a gigabyte");
        last_ = text;
        return text;
    }

    double number(std::int64_t i) const {
        if (is_null(i)) {
            fail(i, "the " + std::string(what_) + " in the column " + quoted(name_) + " is missing (null); it must be a finite number");
        }
        const std::int64_t at = dictionary_ ? entry(i) : i;
        const double value = meant().number(at);
        if (std::isfinite(value)) return value;
        if (meant().is_text()) {
            std::string_view text;
            const bool is_shown = meant().text(at, text) && text.size() <= 40 && is_plain(text.data(), text.size());
            fail(i, "the " + std::string(what_) + (is_shown ? " " + quoted(text) : "") + " in the column " + quoted(name_) +
                        " is text, not a number; cast the column to a type of numbers");
        }
        const std::string shown = std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
        fail(i, "the " + std::string(what_) + " " + shown + " is not a finite number");
    }

    [[noreturn]] void fail(std::int64_t i, const std::string& message) const {
        throw BadInput(source_ + ", row " + std::to_string(row_ + i + 1) + ": " + message);
    }

  private:
    static constexpr const char* rule = "ids are non-empty strings";

    const Values& meant() const { return dictionary_ ? *dictionary_ : own_; }

    // Where the value of a row is in the dictionary.
    std::int64_t entry(std::int64_t i) const {
        const std::int64_t at = own_.whole(i);
        if (at < 0 || at >= dictionary_->size()) fail(i, "the column " + quoted(name_) + " refers to an entry that its dictionary lacks");
        return at;
    }

    std::string_view made(std::int64_t i, std::int64_t at) {
        const Values& values = meant();
        if (values.is_whole()) {
            const std::int64_t whole = values.whole(at);
            const auto end = values.kind() == Kind::uint64
                                 ? std::to_chars(digits_, digits_ + sizeof digits_, static_cast<std::uint64_t>(whole)).ptr
                                 : std::to_chars(digits_, digits_ + sizeof digits_, whole).ptr;
            return {digits_, static_cast<std::size_t>(end - digits_)};
        }
        if (values.kind() == Kind::decimal) {
            made_ = values.decimal(at);
            return made_;
        }
        const double value = values.number(at);
        if (values.kind() == Kind::boolean) fail(i, std::string(value == 0 ? "False" : "True") + " is not a valid " + what_ + " id; " + rule);
        char text[400];  // the largest numbers have 309 digits
        if (std::isfinite(value) && value == std::trunc(value)) {  // a whole number that passed through a float column
            if (std::abs(value) >= values.first_inexact()) {
                std::snprintf(text, sizeof text, "%.17g", value);
                fail(i, "the " + std::string(what_) + " id " + text + " in the column " + quoted(name_) +
                            " is a float too large to be exact, so another id may have been rounded to it; make the column "
                            "whole numbers or text where the ids come from");
            }
            std::snprintf(text, sizeof text, "%.0f", value == 0 ? 0.0 : value);
            made_ = text;
            return made_;
        }
        std::snprintf(text, sizeof text, "%g", value);
        fail(i, std::string(text) + " is not a valid " + what_ + " id; " + rule);
    }

    void check_unusual(std::int64_t i, std::string_view text) const {
        if (text.find('\0') != std::string_view::npos) {
            fail(i, "the " + std::string(what_) + " id in the column " + quoted(name_) + " has a NUL character; remove it");
        }
        if (!is_utf8(text)) {
            fail(i, "the " + std::string(what_) + " id in the column " + quoted(name_) + " is not valid UTF-8");
        }
    }

    std::string source_;
    std::int64_t number_;
    const char* what_;
    std::string name_;
    Values own_;
    std::optional<Values> dictionary_;
    std::int64_t row_ = 0;
    std::string_view last_;  // an id of this batch that has been checked
    char digits_[24];
    std::string made_;
};

std::optional<Column> maybe(const ArrowStream& stream, std::int64_t number, const char* what) {
    return number < 0 ? std::nullopt : std::optional<Column>(std::in_place, stream, number, what);
}

// Looks for Ctrl-C now and then.
void work(std::int64_t i) {
    if ((i & 0xFFFF) == 0) check_interrupt();
}

// A table of judgments. All batches are kept until the table is read, because document ids point into them.
class Judged {
  public:
    Judged(ArrowStream& stream, std::int64_t topic, std::int64_t aspect, std::int64_t doc, std::int64_t grade)
        : topic_(stream, topic, "topic"), aspect_(maybe(stream, aspect, "aspect")), doc_(stream, doc, "document"),
          grade_(stream, grade, "grade") {
        for (Owned<ArrowArray> batch = stream.next(); batch->release != nullptr; batch = stream.next()) {
            batches_.push_back(std::move(batch));
        }
    }

    // Reads one topic after another, as almost all tables list them. Returns false if a topic comes back.
    bool read_grouped(JudgmentTable& table) {
        std::vector<JudgmentRow> rows;
        std::int32_t last = -1;
        const bool grouped = each(table, [&](std::int32_t topic, const JudgmentRow& row) {
            if (topic != last) {
                if (last >= 0) table.add_topic(last, rows);
                rows.clear();
                if (topic < last) return false;  // a new topic has the largest number
                last = topic;
            }
            rows.push_back(row);
            return true;
        });
        if (grouped && last >= 0) table.add_topic(last, rows);
        return grouped;
    }

    void read_scattered(JudgmentTable& table) {
        std::vector<JudgmentRow> rows;
        std::vector<std::int32_t> topics;
        each(table, [&](std::int32_t topic, const JudgmentRow& row) {
            topics.push_back(topic);
            rows.push_back(row);
            return true;
        });
        auto groups = by_topic(rows, topics, table.topic_names.size());
        for (std::int32_t t = 0; t < table.topic_names.size(); ++t) table.add_topic(t, groups[t]);
    }

  private:
    // Calls take(topic, row) for each row as long as it returns true.
    template <class Take> bool each(JudgmentTable& table, Take&& take) {
        std::int32_t topic = -1, aspect = -1;
        std::int64_t first = 0;
        for (const Owned<ArrowArray>& batch : batches_) {
            start(*batch, first);
            for (std::int64_t i = 0; i < batch->length; ++i) {
                work(i);
                topic = known(table.topic_names, topic, topic_.id(i));
                aspect = known(table.aspect_names, aspect, aspect_ ? aspect_->id(i) : only_aspect);
                const std::string_view doc = doc_.makes_ids() ? made_.emplace_back(doc_.id(i)) : doc_.id(i);
                const double grade = grade_.number(i);
                if (!(std::abs(grade) <= largest_grade)) {
                    grade_.fail(i, "the grade of document " + quoted(doc) + " is too large; " + grade_range);
                }
                if (!take(topic, JudgmentRow{doc, aspect, first + i, grade})) return false;
            }
            first += batch->length;
        }
        return true;
    }

    void start(const ArrowArray& batch, std::int64_t first) {
        topic_.start(batch, first);
        if (aspect_) aspect_->start(batch, first);
        doc_.start(batch, first);
        grade_.start(batch, first);
    }

    // The number of a name, which is often the name of the row before.
    static std::int32_t known(Names& names, std::int32_t last, std::string_view name) {
        return last >= 0 && same_id(names[last], name) ? last : names.number(name);
    }

    Column topic_;
    std::optional<Column> aspect_;
    Column doc_, grade_;
    std::vector<Owned<ArrowArray>> batches_;
    std::deque<std::string> made_;  // document ids that were numbers
};

}  // namespace

ArrowStream::ArrowStream(ArrowArrayStream& given, std::string name) : name_(std::move(name)) {
    if (given.release == nullptr || given.get_schema == nullptr || given.get_next == nullptr) {
        throw BadInput(name_ + ": the Arrow stream has been read already; make a new one, or pass a table");
    }
    stream_ = Owned<ArrowArrayStream>(given);
    const int code = stream_->get_schema(&*stream_, &*schema_);
    if (code != 0) fail(code, "gives no schema");
    if (schema_->release == nullptr || schema_->format == nullptr || std::string_view(schema_->format) != "+s") {
        throw BadInput(name_ + ": the Arrow stream holds no rows with named columns; pass a table, not a single column");
    }
    const auto is_whole = [](const ArrowSchema* column) { return column != nullptr && column->release != nullptr; };
    if (schema_->n_children < 0) throw BadInput(name_ + ": the schema of the Arrow stream has a negative number of columns");
    for (std::int64_t i = 0; i < schema_->n_children; ++i) {
        const ArrowSchema* column = schema_->children == nullptr ? nullptr : schema_->children[i];
        if (!is_whole(column) || (column->dictionary != nullptr && !is_whole(column->dictionary))) {
            throw BadInput(name_ + ": the schema of the Arrow stream lacks a column that it counts");
        }
        const std::string_view name = column->name == nullptr ? "" : column->name;
        if (!is_utf8(name)) {
            throw BadInput(name_ + ": the name of column " + std::to_string(i + 1) + " is not valid UTF-8; rename it");
        }
    }
}

std::vector<std::string> ArrowStream::columns() const {
    std::vector<std::string> names;
    for (std::int64_t i = 0; i < schema_->n_children; ++i) {
        const char* name = schema_->children[i]->name;
        names.emplace_back(name == nullptr ? "" : name);
    }
    return names;
}

const ArrowSchema& ArrowStream::column(std::int64_t number) const {
    if (number < 0 || number >= schema_->n_children) throw BadInput(name_ + ": the table has no column " + std::to_string(number));
    return *schema_->children[number];
}

Owned<ArrowArray> ArrowStream::next() {
    check_interrupt();
    Owned<ArrowArray> batch;
    if (stream_->release == nullptr) return batch;
    const int code = stream_->get_next(&*stream_, &*batch);
    if (code != 0) fail(code, "breaks off");
    if (batch->release == nullptr) {  // the end
        stream_ = Owned<ArrowArrayStream>();
        return batch;
    }
    bool is_whole = batch->length >= 0 && batch->offset >= 0 && batch->length <= most_values &&
                    batch->offset <= most_values - batch->length && batch->n_children == schema_->n_children;
    for (std::int64_t i = 0; is_whole && i < batch->n_children; ++i) {
        is_whole = batch->children != nullptr && batch->children[i] != nullptr;
    }
    if (!is_whole) throw BadInput(name_ + ": a batch of the Arrow stream does not have the columns of its schema");
    if (batch->null_count < -1 || batch->null_count > batch->length) {
        throw BadInput(name_ + ": a batch of the Arrow stream counts more nulls than it has rows");
    }
    if (batch->null_count != 0 && batch->n_buffers > 0 && batch->buffers != nullptr && batch->buffers[0] != nullptr) {
        const auto* valid = static_cast<const std::uint8_t*>(batch->buffers[0]);
        for (std::int64_t i = 0; i < batch->length; ++i) {
            if (!is_set(valid, batch->offset + i)) {
                throw BadInput(name_ + ", row " + std::to_string(rows_ + i + 1) + ": the whole row is missing (null); remove it");
            }
        }
    }
    rows_ += batch->length;
    return batch;
}

void ArrowStream::fail(int code, const char* doing) {
    const char* why = stream_->get_last_error == nullptr ? nullptr : stream_->get_last_error(&*stream_);
    const std::string reason = why == nullptr ? std::strerror(code) : why;
    throw BadInput(name_ + ": the Arrow stream " + doing + " (" + (is_utf8(reason) ? reason : "error " + std::to_string(code)) + ")");
}

JudgmentTable judgments_from_arrow(ArrowStream& stream, std::int64_t topic, std::int64_t aspect, std::int64_t doc,
                                   std::int64_t grade) {
    Judged judged(stream, topic, aspect, doc, grade);
    JudgmentTable table;
    try {
        if (!judged.read_grouped(table)) {
            table = JudgmentTable();
            judged.read_scattered(table);
        }
    } catch (const JudgmentTable::Conflict& conflict) {
        throw conflict_error(table, conflict, stream.name(), [](std::int64_t row) { return "row " + std::to_string(row + 1); });
    }
    table.sort_topics();
    return table;
}

std::vector<std::pair<std::string, RunTable>> runs_from_arrow(ArrowStream& stream, std::int64_t run, std::int64_t topic,
                                                              std::int64_t doc, std::int64_t score, std::int64_t rank) {
    std::optional<Column> runs = maybe(stream, run, "run"), ranks = maybe(stream, rank, "rank");
    Column topics(stream, topic, "topic"), docs(stream, doc, "document"), scores(stream, score, "score");
    Names names;
    std::deque<RunTable> found;
    std::vector<std::size_t> unranked;  // how many rows of each run have no rank
    std::int32_t number = -1;
    if (!runs) {
        number = names.number("run");
        found.emplace_back(stream.name());
        unranked.push_back(0);
    }
    std::int64_t first = 0;
    for (Owned<ArrowArray> batch = stream.next(); batch->release != nullptr; batch = stream.next()) {
        for (Column* column : {&topics, &docs, &scores}) column->start(*batch, first);
        if (runs) runs->start(*batch, first);
        if (ranks) ranks->start(*batch, first);
        for (std::int64_t i = 0; i < batch->length; ++i) {
            work(i);
            if (runs) {
                const std::string_view name = runs->id(i);
                if (number < 0 || !same_id(names[number], name)) number = names.number(name);
                if (number == static_cast<std::int32_t>(found.size())) {
                    found.emplace_back(stream.name() + ", run " + quoted(name));
                    unranked.push_back(0);
                }
            }
            RunTable& table = found[number];
            const std::string_view name = topics.id(i), id = docs.id(i);
            const double value = scores.number(i);
            const bool is_ranked = ranks && !ranks->is_null(i);
            unranked[number] += is_ranked ? 0 : 1;
            table.add(name, id, value, is_ranked ? ranks->number(i) : std::numeric_limits<double>::quiet_NaN());
            if (runs) table.rows.push_back(first + i + 1);
        }
        first += batch->length;
    }
    std::vector<std::pair<std::string, RunTable>> result;
    for (std::int32_t r = 0; r < names.size(); ++r) {
        RunTable& table = found[r];
        table.has_ranks = unranked[r] < table.lines.size();
        if (table.has_ranks && unranked[r] > 0) {
            throw BadInput(table.name() + ": some rows have a rank and some have none; give it to all or to none");
        }
        table.finish();
        result.emplace_back(names[r], std::move(table));
    }
    return result;
}

}  // namespace rankprism
