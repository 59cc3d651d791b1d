#include "model/selection.hpp"

#include <algorithm>

namespace quarry {
namespace {

constexpr uint8_t kMaxRank = 32;  // HDF5's own limit

// Seven bits a byte, the lowest first; the highest bit says that another byte follows.
void put(EncodedSelection& bytes, uint64_t number) {
    while (number >= 0x80) {
        bytes.push_back(static_cast<std::byte>(number | 0x80));
        number >>= 7;
    }
    bytes.push_back(static_cast<std::byte>(number));
}

class Numbers {
public:
    explicit Numbers(std::span<const std::byte> bytes) : bytes_(bytes) {}

    bool sound() const { return sound_; }
    bool at_end() const { return at_ == bytes_.size(); }

    uint64_t next() {
        uint64_t number = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            if (at_ >= bytes_.size()) break;
            const auto byte = static_cast<uint64_t>(bytes_[at_++]);
            number |= (byte & 0x7f) << shift;
            if ((byte & 0x80) == 0) return number;
        }
        sound_ = false;
        return 0;
    }

private:
    std::span<const std::byte> bytes_;
    size_t at_ = 0;
    bool sound_ = true;
};

// Small for small steps to either side.
uint64_t folded(uint64_t difference) {
    return (difference << 1) ^ (difference >> 63 != 0 ? ~uint64_t{0} : 0);
}
uint64_t unfolded(uint64_t number) {
    return (number >> 1) ^ (~(number & 1) + 1);
}

// One run of elements, however it was asked for.
bool is_run(const Steps& steps) {
    return steps.count == 1 || steps.stride == steps.block;
}

void put_steps(EncodedSelection& bytes, const Steps& steps) {
    // One element, the commonest of all, is a run of one and takes no stride.
    const bool simple = steps.block == 1 && steps.stride == 1;
    put(bytes, steps.count << 1 | (simple ? 0 : 1));
    put(bytes, steps.start);
    if (simple) return;
    put(bytes, steps.stride);
    put(bytes, steps.block);
}

Steps next_steps(Numbers& numbers) {
    Steps steps;
    const uint64_t count = numbers.next();
    steps.count = count >> 1;
    steps.start = numbers.next();
    if ((count & 1) == 0) return steps;
    steps.stride = numbers.next();
    steps.block = numbers.next();
    return steps;
}

std::string dimension_text(const Steps& steps) {
    const uint64_t last = steps.start + (steps.count - 1) * steps.stride + steps.block;
    if (steps.count == 1 && steps.block == 1) return std::to_string(steps.start);
    std::string text = std::to_string(steps.start) + ":" + std::to_string(last);
    if (is_run(steps)) return text;
    text += ":" + std::to_string(steps.stride);
    if (steps.block > 1) text += " by " + std::to_string(steps.block);
    return text;
}

}  // namespace

uint64_t elements_of(const Selection& selection) {
    const size_t rank = selection.rank;
    uint64_t elements = 0;
    switch (selection.kind) {
        case Selection::Kind::All:
        case Selection::Kind::None:
            break;
        case Selection::Kind::Regular:
            elements = 1;
            for (const Steps& steps : selection.steps) elements *= steps.count * steps.block;
            break;
        case Selection::Kind::Blocks:
            for (size_t at = 0; rank > 0 && at + 2 * rank <= selection.corners.size();
                 at += 2 * rank) {
                uint64_t block = 1;
                for (size_t i = 0; i < rank; ++i) {
                    block *= selection.corners[at + rank + i] - selection.corners[at + i] + 1;
                }
                elements += block;
            }
            break;
        case Selection::Kind::Points:
            elements = rank > 0 ? selection.corners.size() / rank : 0;
            break;
    }
    return elements;
}

EncodedSelection encode(const Selection& selection) {
    EncodedSelection bytes;
    bytes.push_back(static_cast<std::byte>(selection.kind));
    bytes.push_back(static_cast<std::byte>(selection.rank));
    for (const Steps& steps : selection.steps) put_steps(bytes, steps);
    // Each coordinate as its distance from the same dimension of the corner before.
    const size_t rank = selection.rank;
    for (size_t i = 0; i < selection.corners.size(); ++i) {
        put(bytes, folded(selection.corners[i] - (i >= rank ? selection.corners[i - rank] : 0)));
    }
    return bytes;
}

Result<Selection> decode_selection(std::span<const std::byte> bytes) {
    const Error damaged{"a selection in the trace is damaged"};
    if (bytes.size() < 2 || bytes[0] > static_cast<std::byte>(Selection::Kind::Points) ||
        bytes[1] > static_cast<std::byte>(kMaxRank)) {
        return damaged;
    }
    Selection selection;
    selection.kind = static_cast<Selection::Kind>(bytes[0]);
    selection.rank = static_cast<uint8_t>(bytes[1]);
    Numbers numbers(bytes.subspan(2));
    if (selection.kind == Selection::Kind::Regular) {
        for (unsigned i = 0; i < selection.rank; ++i)
            selection.steps.push_back(next_steps(numbers));
    }
    const bool has_corners =
        selection.kind == Selection::Kind::Blocks || selection.kind == Selection::Kind::Points;
    const size_t rank = selection.rank;
    if (has_corners && rank == 0) return damaged;
    while (has_corners && numbers.sound() && !numbers.at_end()) {
        const size_t i = selection.corners.size();
        selection.corners.push_back(unfolded(numbers.next()) +
                                    (i >= rank ? selection.corners[i - rank] : 0));
    }
    const size_t group = selection.kind == Selection::Kind::Blocks ? 2 * rank : rank;
    const bool whole = !has_corners || selection.corners.size() % group == 0;
    if (!numbers.sound() || !numbers.at_end() || !whole) return damaged;
    return selection;
}

std::string to_string(const Selection& selection) {
    const auto counted = [](size_t count, const char* what) {
        return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
    };
    const size_t rank = std::max<size_t>(selection.rank, 1);
    switch (selection.kind) {
        case Selection::Kind::None:
            return "nothing";
        case Selection::Kind::Blocks:
            return counted(selection.corners.size() / (2 * rank), "block");
        case Selection::Kind::Points:
            return counted(selection.corners.size() / rank, "point");
        case Selection::Kind::Regular: {
            std::string text = "[";
            for (const Steps& steps : selection.steps) {
                text += (text.size() > 1 ? ", " : "") + dimension_text(steps);
            }
            return text + "]";
        }
        case Selection::Kind::All:
            break;
    }
    return "all";
}

}  // namespace quarry
