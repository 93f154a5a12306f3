// Reads tables of other libraries through the Arrow C stream interface. This needs no Arrow library: the interface is
// three C structs, see https://arrow.apache.org/docs/format/CStreamInterface.html.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "judgments.hpp"
#include "run.hpp"

extern "C" {

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

struct ArrowSchema {
    const char* format;
    const char* name;
    const char* metadata;
    int64_t flags;
    int64_t n_children;
    struct ArrowSchema** children;
    struct ArrowSchema* dictionary;
    void (*release)(struct ArrowSchema*);
    void* private_data;
};

struct ArrowArray {
    int64_t length;
    int64_t null_count;
    int64_t offset;
    int64_t n_buffers;
    int64_t n_children;
    const void** buffers;
    struct ArrowArray** children;
    struct ArrowArray* dictionary;
    void (*release)(struct ArrowArray*);
    void* private_data;
};

#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema* out);
    int (*get_next)(struct ArrowArrayStream*, struct ArrowArray* out);
    const char* (*get_last_error)(struct ArrowArrayStream*);
    void (*release)(struct ArrowArrayStream*);
    void* private_data;
};

#endif

}  // extern "C"

namespace rankprism {

// One of the three structs above, released when it is no longer needed.
template <class Struct> class Owned {
  public:
    Owned() : value_{} {}
    // Takes the contents over, so that nobody else releases them.
    explicit Owned(Struct& given) : value_(given) { given.release = nullptr; }
    Owned(Owned&& other) noexcept : value_(other.value_) { other.value_.release = nullptr; }
    Owned(const Owned&) = delete;
    Owned& operator=(const Owned&) = delete;
    Owned& operator=(Owned&& other) noexcept {
        release();
        value_ = other.value_;
        other.value_.release = nullptr;
        return *this;
    }
    ~Owned() { release(); }

    Struct* operator->() { return &value_; }
    const Struct* operator->() const { return &value_; }
    Struct& operator*() { return value_; }
    const Struct& operator*() const { return value_; }

  private:
    void release() {
        if (value_.release != nullptr) value_.release(&value_);
        value_.release = nullptr;
    }

    Struct value_;
};

// A table that comes in batches of rows and can be read once.
class ArrowStream {
  public:
    // Takes the stream over. `name` is what messages call it.
    ArrowStream(ArrowArrayStream& given, std::string name);

    const std::string& name() const { return name_; }
    std::vector<std::string> columns() const;  // the names of the columns
    const ArrowSchema& column(std::int64_t number) const;

    // The next rows. At the end of the stream, the batch has nothing to release.
    Owned<ArrowArray> next();

  private:
    [[noreturn]] void fail(int code, const char* doing);

    std::string name_;
    Owned<ArrowArrayStream> stream_;
    Owned<ArrowSchema> schema_;
    std::int64_t rows_ = 0;  // so far
};

// Judgments from the columns with these numbers. If `aspect` is -1, there is one aspect called 0.
JudgmentTable judgments_from_arrow(ArrowStream& stream, std::int64_t topic, std::int64_t aspect, std::int64_t doc,
                                   std::int64_t grade);

// Runs by the names in the column `run`, in the order in which they begin. If `run` is -1, the table is one run without
// a name. If `rank` is -1, there are no ranks.
std::vector<std::pair<std::string, RunTable>> runs_from_arrow(ArrowStream& stream, std::int64_t run, std::int64_t topic,
                                                              std::int64_t doc, std::int64_t score, std::int64_t rank);

}  // namespace rankprism
