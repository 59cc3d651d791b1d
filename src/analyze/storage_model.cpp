#include "analyze/storage_model.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "model/selection_runs.hpp"
#include "model/shape.hpp"

namespace quarry::analyze {
namespace {

// How many of the elements that the steps choose lie before `place`.
uint64_t chosen_before(const Steps& steps, uint64_t place) {
    if (place <= steps.start || steps.stride == 0) return 0;
    const uint64_t distance = place - steps.start;
    if (steps.count == 1) return std::min(distance, steps.block);
    const uint64_t whole = distance / steps.stride;
    if (whole >= steps.count) return steps.count * steps.block;
    return whole * steps.block + std::min(distance % steps.stride, steps.block);
}

std::vector<Steps> whole(std::span<const uint64_t> shape) {
    std::vector<Steps> steps;
    for (const uint64_t size : shape) steps.push_back({0, 1, 1, size});
    return steps;
}

class Chunked : public StorageModel {
public:
    explicit Chunked(const Storage& storage)
        : storage_(storage),
          chunk_bytes_(elements_in(storage.chunks) * storage.element_size),
          cache_(storage.cache, chunk_bytes_) {}

    void access(const Selection& selection, std::span<const uint64_t> shape, bool writes) override {
        if (shape.size() != storage_.chunks.size()) return;
        std::map<std::vector<uint64_t>, Part> touched;
        switch (selection.kind) {
            case Selection::Kind::None:
                return;
            case Selection::Kind::All:
                add_steps(whole(shape), shape, touched);
                break;
            case Selection::Kind::Regular:
                if (selection.steps.size() == shape.size())
                    add_steps(selection.steps, shape, touched);
                break;
            case Selection::Kind::Blocks:
                add_blocks(selection, shape, touched);
                break;
            case Selection::Kind::Points:
                add_points(selection, touched);
                break;
        }
        for (const auto& [place, part] : touched) use(place, part, shape, writes);
    }

    void close() override { cache_.close(moved_); }

private:
    struct Part {
        uint64_t elements = 0;
        uint64_t runs = 0;  // that lie together in the chunk
    };
    using Touched = std::map<std::vector<uint64_t>, Part>;

    // Along each dimension the chunks that are met, with how many elements of each; a part is made
    // of one of each.
    void add_steps(std::span<const Steps> steps, std::span<const uint64_t> shape,
                   Touched& touched) const {
        struct Slice {
            uint64_t chunk;
            uint64_t elements;
            uint64_t runs;
        };
        // What a damaged trace may ask for has no end.
        constexpr uint64_t kMostParts = 10'000'000;
        uint64_t parts = 1;
        std::vector<std::vector<Slice>> slices(steps.size());
        for (size_t i = 0; i < steps.size(); ++i) {
            const Steps& one = steps[i];
            const uint64_t size = storage_.chunks[i];
            if (size == 0 || one.count == 0 || one.block == 0) return;
            const uint64_t end = std::min(one.start + (one.count - 1) * one.stride + one.block,
                                          std::max(shape[i], size));
            if (end <= one.start || (end - one.start) / size > kMostParts) return;
            for (uint64_t chunk = one.start / size; chunk * size < end; ++chunk) {
                const uint64_t elements =
                    chosen_before(one, (chunk + 1) * size) - chosen_before(one, chunk * size);
                const bool touches = one.stride == one.block || one.count == 1;
                const uint64_t runs =
                    touches ? 1 : (elements + one.block - 1) / std::max<uint64_t>(one.block, 1);
                if (elements > 0) slices[i].push_back({chunk, elements, runs});
            }
            if (slices[i].empty()) return;
            parts *= slices[i].size();
            if (parts > kMostParts) return;
        }
        std::vector<size_t> at(steps.size(), 0);
        while (true) {
            std::vector<uint64_t> place(steps.size());
            Part part{1, 1};
            bool is_joined = true;  // all behind this dimension is one run
            for (size_t i = steps.size(); i-- > 0;) {
                const Slice& slice = slices[i][at[i]];
                place[i] = slice.chunk;
                part.elements *= slice.elements;
                part.runs *= is_joined ? slice.runs : slice.elements;
                is_joined = is_joined && slice.elements == storage_.chunks[i];
            }
            Part& known = touched[place];
            known.elements += part.elements;
            known.runs += part.runs;
            size_t dimension = steps.size();
            while (dimension-- > 0) {
                if (++at[dimension] < slices[dimension].size()) break;
                at[dimension] = 0;
                if (dimension == 0) return;
            }
            if (steps.empty()) return;
        }
    }

    void add_blocks(const Selection& selection, std::span<const uint64_t> shape,
                    Touched& touched) const {
        const size_t rank = selection.rank;
        if (rank != storage_.chunks.size()) return;
        for (size_t at = 0; at + 2 * rank <= selection.corners.size(); at += 2 * rank) {
            std::vector<Steps> box;
            for (size_t i = 0; i < rank; ++i) {
                const uint64_t low = selection.corners[at + i];
                const uint64_t high = selection.corners[at + rank + i];
                box.push_back({low, 1, 1, high - low + 1});
            }
            add_steps(box, shape, touched);
        }
    }

    void add_points(const Selection& selection, Touched& touched) const {
        const size_t rank = selection.rank;
        if (rank != storage_.chunks.size() || rank == 0) return;
        for (size_t at = 0; at + rank <= selection.corners.size(); at += rank) {
            std::vector<uint64_t> place(rank);
            for (size_t i = 0; i < rank; ++i)
                place[i] = selection.corners[at + i] / std::max<uint64_t>(storage_.chunks[i], 1);
            Part& part = touched[place];
            ++part.elements;
            ++part.runs;
        }
    }

    void use(const std::vector<uint64_t>& place, const Part& part, std::span<const uint64_t> shape,
             bool writes) {
        uint64_t number = 0;
        uint64_t hash = 0;
        uint64_t inside = storage_.element_size;  // bytes of it that lie in the dataset
        for (size_t i = 0; i < place.size(); ++i) {
            const uint64_t chunks = (shape[i] + storage_.chunks[i] - 1) / storage_.chunks[i];
            number = number * std::max<uint64_t>(chunks, 1) + place[i];
            const auto bits = static_cast<unsigned>(std::bit_width(std::bit_ceil(chunks)) - 1);
            hash = i == 0 ? place[0] : (hash << bits) ^ place[i];
            const uint64_t begin = place[i] * storage_.chunks[i];
            inside *= std::min(storage_.chunks[i], shape[i] - std::min(shape[i], begin));
        }
        // What lies outside compresses to nothing.
        const uint64_t stored = storage_.has_filters ? inside : chunk_bytes_;
        const bool exists = storage_.exists || made_.contains(place);
        const uint64_t bytes = part.elements * storage_.element_size;
        // One that is too large to be kept is not read whole for a part of it, unless it must be
        // decoded.
        const bool is_direct =
            !storage_.has_filters && chunk_bytes_ > storage_.cache.bytes && exists;
        if (is_direct) {
            (writes ? moved_.writes : moved_.reads) += part.runs;
            (writes ? moved_.bytes_written : moved_.bytes_read) += bytes;
        } else if (exists || writes) {
            cache_.use({number, hash, bytes, stored, writes, exists}, moved_);
        }
        if (writes && !storage_.exists) made_.insert(place);
    }

    Storage storage_;
    uint64_t chunk_bytes_;
    ChunkCache cache_;
    std::set<std::vector<uint64_t>> made_;
};

// HDF5 reads a little ahead where little is asked for, and collects what is written.
class Contiguous : public StorageModel {
public:
    explicit Contiguous(const Storage& storage)
        : element_size_(storage.element_size), fills_(storage.filled && !storage.exists) {}

    void access(const Selection& selection, std::span<const uint64_t> shape, bool writes) override {
        const uint64_t all = elements_in(shape) * element_size_;
        if (writes && fills_) fill(selection, all);
        constexpr uint64_t kMostRuns = 50'000'000;
        uint64_t runs = 0;
        each_run(selection, shape, [&](uint64_t first, uint64_t count) {
            const uint64_t begin = first * element_size_;
            const uint64_t end = begin + count * element_size_;
            writes ? write(begin, end, all) : read(begin, end, all);
            return ++runs < kMostRuns;
        });
    }

    void close() override {
        flush();
        begin_ = end_ = 0;
    }

private:
    static constexpr uint64_t kWindow = 64 << 10;

    void count(bool writes, uint64_t bytes) {
        (writes ? moved_.writes : moved_.reads) += 1;
        (writes ? moved_.bytes_written : moved_.bytes_read) += bytes;
    }

    // When room is made for it, which the first write does, unless that writes everything.
    void fill(const Selection& selection, uint64_t all) {
        fills_ = false;
        if (selection.kind == Selection::Kind::All || elements_of(selection) * element_size_ == all)
            return;
        constexpr uint64_t kAtOnce = 1 << 20;
        for (uint64_t at = 0; at < all; at += kAtOnce) count(true, std::min(kAtOnce, all - at));
    }

    void flush() {
        if (is_dirty_) count(true, end_ - begin_);
        is_dirty_ = false;
    }

    void look_at(uint64_t begin, uint64_t all) {
        flush();
        begin_ = begin;
        end_ = std::min(begin + kWindow, all);
    }

    void read(uint64_t begin, uint64_t end, uint64_t all) {
        if (begin >= begin_ && end <= end_) return;
        if (end - begin > kWindow) {
            if (begin < end_ && end > begin_) flush();
            count(false, end - begin);
            return;
        }
        look_at(begin, all);
        count(false, end_ - begin_);
    }

    void write(uint64_t begin, uint64_t end, uint64_t all) {
        if (end - begin > kWindow) {
            if (begin < end_ && end > begin_) {
                flush();
                begin_ = end_ = 0;
            }
            count(true, end - begin);
            return;
        }
        const bool inside = begin >= begin_ && end <= end_;
        const bool follows = is_dirty_ && begin == end_ && end - begin_ <= kWindow;
        if (follows) {
            end_ = end;
        } else if (!inside) {
            look_at(begin, all);
            if (end_ - begin_ > end - begin) count(false, end_ - begin_);
        }
        is_dirty_ = true;
    }

    uint64_t element_size_;
    bool fills_;
    uint64_t begin_ = 0;
    uint64_t end_ = 0;
    bool is_dirty_ = false;
};

}  // namespace

std::unique_ptr<StorageModel> model_of(const Storage& storage) {
    if (storage.chunks.empty()) return std::make_unique<Contiguous>(storage);
    return std::make_unique<Chunked>(storage);
}

}  // namespace quarry::analyze
