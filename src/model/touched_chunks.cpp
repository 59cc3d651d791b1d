#include "model/touched_chunks.hpp"

#include <algorithm>

namespace quarry {
namespace {

using Numbers = std::vector<uint64_t>;

// Numbers of chunks along one dimension, in order, each once.
void add_range(uint64_t first, uint64_t last, uint64_t chunk, Numbers& numbers) {
    uint64_t number = first / chunk;
    if (!numbers.empty()) number = std::max(number, numbers.back() + 1);
    for (; number <= last / chunk; ++number) numbers.push_back(number);
}

Numbers along(const Steps& steps, uint64_t size, uint64_t chunk) {
    Numbers numbers;
    if (steps.start >= size || steps.count == 0 || steps.block == 0) return numbers;
    const uint64_t room = size - 1 - steps.start;
    const uint64_t stride = std::max<uint64_t>(steps.stride, 1);
    const uint64_t count = std::min(steps.count, room / stride + 1);
    const auto end_of = [&](uint64_t block) {
        const uint64_t before = block * stride;
        return steps.start + std::min(before + std::min(steps.block - 1, room - before), room);
    };
    // No chunk lies between two blocks.
    if (stride <= chunk) {
        add_range(steps.start, end_of(count - 1), chunk, numbers);
        return numbers;
    }
    for (uint64_t i = 0; i < count; ++i)
        add_range(steps.start + i * stride, end_of(i), chunk, numbers);
    return numbers;
}

// One for each way to choose a number in every dimension.
void give_all(const std::vector<Numbers>& numbers, std::span<const uint64_t> chunk,
              const std::function<void(const std::vector<uint64_t>&)>& give) {
    const size_t rank = numbers.size();
    if (std::any_of(numbers.begin(), numbers.end(), [](const Numbers& n) { return n.empty(); }))
        return;
    std::vector<size_t> at(rank, 0);
    std::vector<uint64_t> offset(rank);
    while (true) {
        for (size_t i = 0; i < rank; ++i) offset[i] = numbers[i][at[i]] * chunk[i];
        give(offset);
        size_t i = rank;
        while (i > 0 && ++at[i - 1] == numbers[i - 1].size()) at[--i] = 0;
        if (i == 0) return;
    }
}

bool is_whole(const Selection& selection, std::span<const uint64_t> shape) {
    if (selection.kind == Selection::Kind::All) return true;
    if (selection.kind != Selection::Kind::Regular) return false;
    for (size_t i = 0; i < shape.size(); ++i) {
        const Steps& steps = selection.steps[i];
        const bool is_dense = steps.stride <= steps.block || steps.count == 1;
        if (steps.start != 0 || !is_dense ||
            (steps.count - 1) * steps.stride + steps.block < shape[i])
            return false;
    }
    return true;
}

}  // namespace

bool each_touched_chunk(const Selection& selection, std::span<const uint64_t> shape,
                        std::span<const uint64_t> chunk,
                        const std::function<void(const std::vector<uint64_t>& offset)>& give) {
    const size_t rank = shape.size();
    const bool fits = chunk.size() == rank && rank > 0 &&
                      (selection.kind == Selection::Kind::None || selection.rank == rank) &&
                      std::none_of(chunk.begin(), chunk.end(), [](auto size) { return size == 0; });
    if (selection.kind == Selection::Kind::None) return fits;
    if (!fits || is_whole(selection, shape)) return false;
    std::vector<Numbers> numbers(rank);
    if (selection.kind == Selection::Kind::Regular) {
        for (size_t i = 0; i < rank; ++i)
            numbers[i] = along(selection.steps[i], shape[i], chunk[i]);
        give_all(numbers, chunk, give);
        return true;
    }
    const bool is_blocks = selection.kind == Selection::Kind::Blocks;
    const size_t step = is_blocks ? 2 * rank : rank;
    for (size_t at = 0; at + step <= selection.corners.size(); at += step) {
        const uint64_t* first = selection.corners.data() + at;
        const uint64_t* last = is_blocks ? first + rank : first;
        for (size_t i = 0; i < rank; ++i) {
            numbers[i].clear();
            if (first[i] < shape[i])
                add_range(first[i], std::min(last[i], shape[i] - 1), chunk[i], numbers[i]);
        }
        give_all(numbers, chunk, give);
    }
    return true;
}

}  // namespace quarry
