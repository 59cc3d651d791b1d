// What the calling thread is doing for the program right now: the byte layer credits its I/O to it.
#pragma once

#include "connector/storage_record.hpp"
#include "trace/own_time.hpp"

namespace quarry::connector {

// Of the values of variable length that a call has put into the heap.
struct Lengths {
    uint64_t count = 0;
    uint64_t shortest = ~uint64_t{0};
    uint64_t longest = 0;
    uint64_t total = 0;

    void add(uint64_t length) {
        ++count;
        shortest = length < shortest ? length : shortest;
        longest = length > longest ? length : longest;
        total += length;
    }
};

struct Current {
    uint32_t object = trace::kNone;
    uint32_t operation = trace::kNone;
    hid_t transfer = H5P_DEFAULT;
    Lengths lengths = {};
};
inline thread_local Current current_call;

// One call of the program, from its beginning to the end of the scope. They nest: HDF5 calls back
// into programs that visit objects.
class Operation {
public:
    enum class Clock { Read, Unread };

    // `transfer` is the list of the call. Whatever is asked of the connector below while it lasts
    // must be asked with the same one: HDF5 keeps the last it was given for the rest of the call.
    Operation(KnownObject* object, hid_t transfer, Clock clock = Clock::Read) noexcept
        : writer_(recorder()), object_(object) {
        if (writer_ == nullptr) return;
        writer_->begin_if_forked();
        current_ = &current_call;
        before_ = *current_;
        object_number_ = object != nullptr ? object->number : trace::kNone;
        number_ = writer_->new_number();
        *current_ = {object_number_, number_, transfer, {}};
        if (clock == Clock::Read) start_ = trace::monotonic_now();
    }
    ~Operation() {
        if (writer_ != nullptr) *current_ = before_;
    }
    Operation(const Operation&) = delete;
    Operation& operator=(const Operation&) = delete;

    explicit operator bool() const { return writer_ != nullptr; }
    trace::Writer& writer() const { return *writer_; }
    uint32_t number() const { return number_; }
    // What the call was made on, if that was known. A call that closes may have ended it, and its
    // file: then only the number is left.
    KnownObject* object() const { return object_; }
    uint32_t object_number() const { return object_number_; }
    // Of calls whose clock was read.
    uint64_t start() const { return start_; }
    uint64_t duration() const { return trace::monotonic_now() - start_; }

    // Until it ends, the call is held up by recording.
    trace::OwnTime own_time() const { return trace::OwnTime::sampled(writer_, number_); }

private:
    trace::Writer* writer_;
    KnownObject* object_;
    uint32_t object_number_ = trace::kNone;
    Current* current_ = nullptr;  // of the thread, which takes long to find out
    Current before_;
    uint32_t number_ = trace::kNone;
    uint64_t start_ = 0;
};

}  // namespace quarry::connector
