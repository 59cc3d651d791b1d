// How long recording holds the program up: the time from the beginning of one of these to its end
// is added to what the trace says of it.
#pragma once

#include "trace/writer.hpp"

namespace quarry::trace {

class OwnTime {
public:
    // Null where nothing is recorded.
    explicit OwnTime(Writer* writer) noexcept : OwnTime(writer, 1) {}

    // For what is short and happens often: one in so many is measured and stands for all. The time
    // it happens at draws the lot, for programs repeat themselves.
    static OwnTime sampled(Writer* writer, uint64_t time) noexcept {
        return {time % kSample == 0 ? writer : nullptr, kSample};
    }

    ~OwnTime() {
        if (writer_ != nullptr) writer_->add_own_time((monotonic_now() - start_) * weight_);
    }
    OwnTime(const OwnTime&) = delete;
    OwnTime& operator=(const OwnTime&) = delete;

private:
    // A prime: clocks may go in steps.
    static constexpr uint64_t kSample = 31;

    OwnTime(Writer* writer, uint64_t weight) noexcept
        : writer_(writer), weight_(weight), start_(writer != nullptr ? monotonic_now() : 0) {}

    Writer* writer_;
    uint64_t weight_;
    uint64_t start_;
};

}  // namespace quarry::trace
