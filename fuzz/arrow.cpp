// libFuzzer target: Arrow C streams that break the rules of the interface.
//
// The bytes of an input decide about everything that a producer of a stream decides: types, numbers, pointers and the
// contents of buffers. Each buffer is exactly as large as the lengths beside it say, so that AddressSanitizer sees a read
// beyond. The reader cannot know the size of a buffer, so a length that no buffer here could have is one that it must
// refuse by itself: a negative one, or one of 2^56 and more.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "../src/core/arrow.hpp"
#include "../src/core/text.hpp"

using namespace rankprism;

namespace {

// The bytes of an input, one after the other; zeros follow its end.
class Bytes {
  public:
    Bytes(const std::uint8_t* data, std::size_t size) : at_(data), end_(data + size) {}

    std::uint8_t next() { return at_ < end_ ? *at_++ : 0; }
    int below(int limit) { return next() % limit; }
    bool rarely() { return next() >= 250; }
    bool ended() const { return at_ >= end_; }

  private:
    const std::uint8_t *at_, *end_;
};

const char* const formats[] = {"n", "b", "c", "C", "s", "S", "i", "I", "l", "L", "e", "f", "g", "u", "U", "vu",
                               "d:10,2", "d:10,2,256", "d:5,-3,64", "d:5,200,32", "z", "+l", "d:1", "d:1,2,3", ""};
const std::int64_t beyond[] = {-1, -2, std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max(),
                               std::int64_t{1} << 57, (std::int64_t{1} << 62) + 1};

int handed_out, released;  // arrays of batches

void release_schema(ArrowSchema* schema) { schema->release = nullptr; }
void release_child(ArrowArray* array) { array->release = nullptr; }
void release_batch(ArrowArray* array) {
    if (array->release == nullptr) std::abort();
    ++released;
    array->release = nullptr;
}

// A stream and all that it owns.
struct Producer {
    explicit Producer(Bytes& bytes) : in(bytes) {}

    Bytes& in;
    std::vector<std::unique_ptr<std::uint8_t[]>> buffers;
    std::vector<std::unique_ptr<const void*[]>> pointers;
    std::vector<std::unique_ptr<ArrowArray>> arrays;
    std::vector<std::unique_ptr<ArrowArray*[]>> children;
    std::vector<std::unique_ptr<ArrowSchema>> schemas;
    std::vector<std::unique_ptr<ArrowSchema*[]>> columns;
    std::vector<std::unique_ptr<std::string>> texts;
    ArrowSchema root{};
    int batches_left = 0;

    std::uint8_t* buffer(std::int64_t size) {
        buffers.emplace_back(new std::uint8_t[static_cast<std::size_t>(size)]);
        for (std::int64_t i = 0; i < size; ++i) buffers.back()[static_cast<std::size_t>(i)] = in.next();
        return buffers.back().get();
    }

    const char* text(std::string content) {
        texts.push_back(std::make_unique<std::string>(std::move(content)));
        return texts.back()->c_str();
    }

    ArrowSchema* column(bool may_have_dictionary) {
        schemas.push_back(std::make_unique<ArrowSchema>());
        ArrowSchema* schema = schemas.back().get();
        std::string format = formats[in.below(sizeof formats / sizeof *formats)];
        if (in.rarely()) format = "d:" + std::string(1, static_cast<char>(in.next())) + format;
        schema->format = in.rarely() ? nullptr : text(format);
        schema->name = in.rarely() ? (in.rarely() ? text("\xff") : nullptr) : text("c");
        schema->release = in.rarely() ? nullptr : release_schema;
        if (may_have_dictionary && in.below(4) == 0) {
            schema->format = text(formats[2 + in.below(8)]);
            schema->dictionary = column(in.rarely());
        }
        return schema;
    }

    // Mostly a small number.
    std::int64_t number(int most) { return in.rarely() ? beyond[in.below(6)] : in.below(most + 1); }

    ArrowArray* array(const ArrowSchema& schema, std::int64_t usual) {
        arrays.push_back(std::make_unique<ArrowArray>());
        ArrowArray* array = arrays.back().get();
        const std::string format = schema.format == nullptr ? "" : schema.format;
        array->length = in.below(8) == 0 ? number(12) : usual;
        array->offset = in.below(4) == 0 ? number(9) : 0;
        array->null_count = in.below(3) == 0 ? number(3) : in.below(3) - 1;
        array->release = in.rarely() ? nullptr : release_child;
        const bool is_small = array->length >= 0 && array->length < 100 && array->offset >= 0 && array->offset < 100;
        const std::int64_t size = is_small ? array->offset + array->length : 0;
        std::vector<const void*> own;
        if (format != "n") own.push_back(in.below(2) == 0 ? nullptr : buffer((size + 7) / 8));
        if (format == "u" || format == "U") {
            const std::int64_t width = format == "u" ? 4 : 8;
            std::uint8_t* offsets = buffer((size + 1) * width);
            std::int64_t last = 0;
            if (in.below(4) != 0) {  // in order, or else whatever the bytes say
                for (std::int64_t i = 0; i <= size; ++i, last += in.below(9)) std::memcpy(offsets + i * width, &last, static_cast<std::size_t>(width));
            }
            last = in.below(5) == 0 ? in.below(300) : last;
            std::memcpy(offsets + size * width, &last, static_cast<std::size_t>(width));
            own.push_back(offsets);
            own.push_back(buffer(last));
        } else if (format == "vu") {
            std::uint8_t* views = buffer(size * 16);
            const int more = in.below(3);
            own.push_back(views);
            std::vector<std::int64_t> sizes;
            for (int i = 0; i < more; ++i) {
                sizes.push_back(in.below(40));
                own.push_back(buffer(sizes.back()));
                if (in.rarely()) sizes.back() = -1;
            }
            for (std::int64_t i = 0; i < size; ++i) {  // so that some are right
                const std::int32_t view[4] = {in.below(30) - 1, 0, in.below(4) - 1, in.below(40) - 1};
                if (in.below(3) != 0) std::memcpy(views + i * 16, view, sizeof view);
            }
            std::uint8_t* last = buffer(more * 8);
            if (more > 0) std::memcpy(last, sizes.data(), static_cast<std::size_t>(more) * 8);
            own.push_back(last);
        } else if (format != "n") {
            std::int64_t width = 32;
            if (format == "b" || format == "c" || format == "C") width = 1;
            if (format == "s" || format == "S" || format == "e") width = 2;
            if (format == "i" || format == "I" || format == "f" || format == "d:5,200,32") width = 4;
            if (format == "l" || format == "L" || format == "g" || format == "d:5,-3,64") width = 8;
            if (format == "d:10,2") width = 16;
            std::uint8_t* values = buffer(format == "b" ? (size + 7) / 8 : size * width);
            if (schema.dictionary != nullptr && in.below(4) != 0) {  // numbers of entries that may exist
                for (std::int64_t i = 0; i < size * width; ++i) values[i] = i % width == 0 ? values[i] % 8 : 0;
            }
            own.push_back(values);
        }
        if (in.rarely() && !own.empty()) own[static_cast<std::size_t>(in.below(static_cast<int>(own.size())))] = nullptr;
        array->n_buffers = static_cast<std::int64_t>(own.size());
        if (in.rarely()) {  // another number of buffers; those that are there are counted rightly
            own.resize(static_cast<std::size_t>(in.below(6)));
            array->n_buffers = in.rarely() ? beyond[in.below(6)] : static_cast<std::int64_t>(own.size());
            // Views may have any number of buffers, and the last one holds their sizes.
            if (format == "vu" && array->n_buffers > 2) array->n_buffers = 2;
        }
        pointers.emplace_back(new const void*[own.size()]);
        for (std::size_t i = 0; i < own.size(); ++i) pointers.back()[i] = own[i];
        array->buffers = in.rarely() ? nullptr : pointers.back().get();
        array->n_children = in.rarely() ? number(3) : 0;
        if (schema.dictionary != nullptr ? !in.rarely() : in.rarely()) {
            array->dictionary = this->array(schema.dictionary != nullptr ? *schema.dictionary : schema, 4);
        }
        return array;
    }

    void fill(ArrowArray& batch) {
        const std::int64_t count = root.n_children;
        batch = ArrowArray{};
        batch.length = in.rarely() ? number(12) : 1 + in.below(8);
        batch.offset = in.below(8) == 0 ? number(4) : 0;
        batch.null_count = in.rarely() ? number(3) : 0;
        batch.n_buffers = in.rarely() ? number(1) : 1;
        const bool is_small = batch.length >= 0 && batch.length < 100 && batch.offset >= 0 && batch.offset < 100;
        pointers.emplace_back(new const void*[1]);
        pointers.back()[0] = in.below(4) == 0 && is_small ? buffer((batch.length + batch.offset + 7) / 8) : nullptr;
        batch.buffers = in.rarely() ? nullptr : pointers.back().get();
        batch.n_children = in.rarely() ? number(8) : count;
        children.emplace_back(new ArrowArray*[static_cast<std::size_t>(count)]);
        for (std::int64_t i = 0; i < count; ++i) {
            children.back()[static_cast<std::size_t>(i)] =
                in.rarely() ? nullptr : array(*root.children[i], is_small ? batch.length + batch.offset : 4);
        }
        batch.children = in.rarely() ? nullptr : children.back().get();
        batch.release = release_batch;
        ++handed_out;
    }
};

Producer& producer_of(ArrowArrayStream* stream) { return *static_cast<Producer*>(stream->private_data); }

int get_schema(ArrowArrayStream* stream, ArrowSchema* out) {
    Producer& producer = producer_of(stream);
    if (producer.in.rarely() && producer.in.rarely()) return 5;
    *out = producer.root;
    return 0;
}

int get_next(ArrowArrayStream* stream, ArrowArray* out) {
    Producer& producer = producer_of(stream);
    *out = ArrowArray{};
    if (producer.batches_left-- <= 0) return 0;
    if (producer.in.rarely()) return 22;
    producer.fill(*out);
    return 0;
}

const char* get_last_error(ArrowArrayStream* stream) { return producer_of(stream).in.rarely() ? "\xff" : nullptr; }

void release_stream(ArrowArrayStream* stream) { stream->release = nullptr; }

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    Bytes in(data, size);
    const int choice = in.next();
    Producer producer(in);
    const int count = choice % 2 == 0 ? 4 : 5;
    producer.columns.emplace_back(new ArrowSchema*[static_cast<std::size_t>(count)]);
    for (int i = 0; i < count; ++i) producer.columns.back()[static_cast<std::size_t>(i)] = producer.column(true);
    producer.root.format = "+s";
    producer.root.n_children = count;
    producer.root.children = producer.columns.back().get();
    producer.root.release = release_schema;
    producer.batches_left = 1 + in.below(3);
    ArrowArrayStream stream{get_schema, get_next, get_last_error, release_stream, &producer};
    handed_out = released = 0;
    try {
        ArrowStream arrow(stream, "input");
        if (choice % 2 == 0) {
            const JudgmentTable table = judgments_from_arrow(arrow, 0, choice / 2 % 2 == 0 ? 1 : -1, 2, 3);
            for (std::int32_t t = 0; t < table.topics(); ++t) {
                if (table.find_topic(table.topic_name(t)) != t) std::abort();
            }
        } else {
            const int run = choice / 2 % 2 == 0 ? 0 : -1, rank = choice / 4 % 2 == 0 ? 4 : -1;
            for (const auto& [name, table] : runs_from_arrow(arrow, run, 1, 2, 3, rank)) {
                for (const Duplicates duplicates : {Duplicates::first, Duplicates::error}) {
                    try {
                        ranking(table, {Order::score, duplicates});
                    } catch (const BadInput&) {
                    }
                }
            }
        }
    } catch (const BadInput& error) {
        const std::string message = error.what();
        if (message.rfind("input", 0) != 0) std::abort();  // it names the source
        if (find_invalid_utf8(message.data(), message.data() + message.size()) != message.data() + message.size()) std::abort();
    }
    if (handed_out != released) std::abort();
    return 0;
}
