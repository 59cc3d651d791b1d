// How long recording holds the program up: the time from the beginning of one of these to its end
// is added to what the trace says of it.
#pragma once

#include "trace/writer.hpp"

namespace quarry::trace {

class OwnTime {
public:
    // Null where nothing is recorded.
    explicit OwnTime(Writer* writer) noexcept : OwnTime(writer, 1) {}

    // For what is short and happens often: one in so many is measured and stands for all. `lot` is
    // any number that is another each time.
    static OwnTime sampled(Writer* writer, uint64_t lot) noexcept {
        // Programs repeat themselves, and what is counted or timed with them.
        constexpr uint64_t kMix = 0x9e37'79b9'7f4a'7c15;
        return {(lot * kMix >> 32) % kSample == 0 ? writer : nullptr, kSample};
    }

    ~OwnTime() {
        if (writer_ != nullptr) writer_->add_own_time((monotonic_now() - start_) * weight_);
    }
    OwnTime(const OwnTime&) = delete;
    OwnTime& operator=(const OwnTime&) = delete;

private:
    static constexpr uint64_t kSample = 32;

    OwnTime(Writer* writer, uint64_t weight) noexcept
        : writer_(writer), weight_(weight), start_(writer != nullptr ? monotonic_now() : 0) {}

    Writer* writer_;
    uint64_t weight_;
    uint64_t start_;
};

}  // namespace quarry::trace
