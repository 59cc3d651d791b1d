#include "model/selection_runs.hpp"

#include <algorithm>

#include "model/shape.hpp"

namespace quarry {
namespace {

using Give = std::function<bool(uint64_t, uint64_t)>;

// Dimension by dimension; `first` is the number of the element at the chosen places so far.
bool each_of_steps(std::span<const Steps> steps, std::span<const uint64_t> shape, uint64_t first,
                   const Give& give) {
    if (steps.empty()) return give(first, 1);
    const Steps& here = steps.front();
    const uint64_t below = elements_in(shape.subspan(1));
    const bool is_last = steps.size() == 1;
    uint64_t begin = here.start;
    for (uint64_t i = 0; i < here.count && begin < shape.front(); ++i) {
        const uint64_t end = begin + std::min(here.block, shape.front() - begin);
        if (is_last && !give(first + begin, end - begin)) return false;
        for (uint64_t at = begin; !is_last && at < end; ++at) {
            if (!each_of_steps(steps.subspan(1), shape.subspan(1), first + at * below, give))
                return false;
        }
        // Damaged ones may stand still, or step over the largest number.
        if (here.stride == 0 || here.stride > shape.front()) return true;
        begin += here.stride;
    }
    return true;
}

// Whole rows lie one after the other: as long as all of the last dimension is selected, it is one
// with the dimension before.
bool each_of_regular(std::vector<Steps> steps, std::vector<uint64_t> shape, const Give& give) {
    const auto is_whole = [](const Steps& one, uint64_t size) {
        return one.start == 0 && one.count == 1 && one.block >= size;
    };
    while (steps.size() > 1 && is_whole(steps.back(), shape.back())) {
        const uint64_t size = shape.back();
        steps.pop_back();
        shape.pop_back();
        Steps& rows = steps.back();
        rows = {rows.start * size, rows.stride * size, rows.count, rows.block * size};
        if (rows.stride == rows.block) rows = {rows.start, 1, 1, rows.count * rows.block};
        shape.back() *= size;
    }
    return each_of_steps(steps, shape, 0, give);
}

// As one run where possible: [0:10] is one block of ten, whichever way it was written.
Steps joined(Steps steps) {
    const bool touches = steps.count > 1 && steps.stride == steps.block;
    if (!touches) return steps;
    return {steps.start, 1, 1, steps.count * steps.block};
}

bool each_of_box(std::span<const uint64_t> low, std::span<const uint64_t> high,
                 std::span<const uint64_t> shape, const Give& give) {
    std::vector<Steps> steps;
    for (size_t i = 0; i < low.size(); ++i) steps.push_back({low[i], 1, 1, high[i] - low[i] + 1});
    return each_of_regular(std::move(steps), {shape.begin(), shape.end()}, give);
}

}  // namespace

void each_run(const Selection& selection, std::span<const uint64_t> shape, const Give& give) {
    const size_t rank = shape.size();
    const bool fits = selection.rank == rank;
    switch (selection.kind) {
        case Selection::Kind::None:
            return;
        case Selection::Kind::All:
            if (elements_in(shape) > 0) give(0, elements_in(shape));
            return;
        case Selection::Kind::Regular: {
            if (!fits || selection.steps.size() != rank) return;
            std::vector<Steps> steps;
            for (const Steps& one : selection.steps) steps.push_back(joined(one));
            each_of_regular(std::move(steps), {shape.begin(), shape.end()}, give);
            return;
        }
        case Selection::Kind::Blocks:
        case Selection::Kind::Points: {
            const size_t corners = selection.kind == Selection::Kind::Blocks ? 2 : 1;
            const std::span<const uint64_t> all = selection.corners;
            if (!fits || rank == 0) return;
            for (size_t at = 0; at + corners * rank <= all.size(); at += corners * rank) {
                const auto low = all.subspan(at, rank);
                const auto high = all.subspan(at + (corners - 1) * rank, rank);
                if (!each_of_box(low, high, shape, give)) return;
            }
            return;
        }
    }
}

}  // namespace quarry
