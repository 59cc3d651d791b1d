#include "hdf5/select.hpp"

#include <algorithm>
#include <array>

namespace quarry::hdf5 {
namespace {

// A run of elements is written in one way, however it was asked for.
Steps normal(Steps steps) {
    const bool run = steps.count == 1 || steps.stride == steps.block;
    if (run) return {steps.start, 1, steps.count * steps.block, 1};
    return steps;
}

StepsByDimension regular_steps(const Api& api, hid_t space, unsigned rank) {
    std::array<hsize_t, H5S_MAX_RANK> start;
    std::array<hsize_t, H5S_MAX_RANK> stride;
    std::array<hsize_t, H5S_MAX_RANK> count;
    std::array<hsize_t, H5S_MAX_RANK> block;
    StepsByDimension steps;
    if (api.H5Sget_regular_hyperslab(space, start.data(), stride.data(), count.data(),
                                     block.data()) < 0) {
        return steps;
    }
    for (unsigned i = 0; i < rank; ++i)
        steps.push_back(normal({start[i], stride[i], count[i], block[i]}));
    return steps;
}

// The smallest box around a selection, as H5Soffset_simple has moved it. HDF5 tells the selection
// itself without that, and has no question for it but this one.
class Bounds {
public:
    Bounds(const Api& api, hid_t space) {
        known_ = api.H5Sget_select_bounds(space, first_.data(), last_.data()) >= 0;
    }

    // How many elements it has room for: a selection of so many fills it. None if it is not known.
    uint64_t room(size_t rank) const {
        uint64_t elements = known_ ? 1 : 0;
        for (size_t i = 0; i < rank; ++i) elements *= last_[i] - first_[i] + 1;
        return elements;
    }

    StepsByDimension as_steps(size_t rank) const {
        StepsByDimension steps;
        for (size_t i = 0; i < rank; ++i)
            steps.push_back({first_[i], 1, last_[i] - first_[i] + 1, 1});
        return steps;
    }

    void move(std::span<Steps> steps) const {
        for (size_t i = 0; known_ && i < steps.size(); ++i) steps[i].start = first_[i];
    }

    void move(std::vector<uint64_t>& coordinates, size_t rank) const {
        if (!known_ || rank == 0 || coordinates.empty()) return;
        std::array<uint64_t, H5S_MAX_RANK> lowest;
        lowest.fill(~uint64_t{0});
        for (size_t i = 0; i < coordinates.size(); ++i) {
            lowest[i % rank] = std::min(lowest[i % rank], coordinates[i]);
        }
        for (size_t i = 0; i < coordinates.size(); ++i) {
            coordinates[i] += first_[i % rank] - lowest[i % rank];
        }
    }

private:
    bool known_ = false;
    std::array<hsize_t, H5S_MAX_RANK> first_;
    std::array<hsize_t, H5S_MAX_RANK> last_;
};

std::vector<uint64_t> corners(size_t numbers, auto fill) {
    static_assert(sizeof(hsize_t) == sizeof(uint64_t));
    std::vector<hsize_t> coordinates(numbers);
    if (numbers > 0 && fill(coordinates.data()) < 0) return {};
    return {coordinates.begin(), coordinates.end()};
}

// Most programs select boxes, and every question to HDF5 costs as much as writing ten records:
// those that a box does not need are not asked.
void read_hyperslab(const Api& api, hid_t space, Selection& selection) {
    const Bounds bounds(api, space);
    const uint64_t room = bounds.room(selection.rank);
    selection.kind = Selection::Kind::Regular;
    const hssize_t elements = room > 1 ? api.H5Sget_select_npoints(space) : 1;
    if (elements > 0 && room == static_cast<uint64_t>(elements)) {
        selection.steps = bounds.as_steps(selection.rank);
        return;
    }
    if (api.H5Sis_regular_hyperslab(space) > 0) {
        selection.steps = regular_steps(api, space, selection.rank);
        bounds.move(selection.steps);
        return;
    }
    selection.kind = Selection::Kind::Blocks;
    const auto blocks = std::max<hssize_t>(api.H5Sget_select_hyper_nblocks(space), 0);
    selection.corners = corners(static_cast<size_t>(blocks) * selection.rank * 2, [&](hsize_t* to) {
        return api.H5Sget_select_hyper_blocklist(space, 0, static_cast<hsize_t>(blocks), to);
    });
    bounds.move(selection.corners, selection.rank);
}

void read_points(const Api& api, hid_t space, Selection& selection) {
    selection.kind = Selection::Kind::Points;
    const auto points = std::max<hssize_t>(api.H5Sget_select_elem_npoints(space), 0);
    selection.corners = corners(static_cast<size_t>(points) * selection.rank, [&](hsize_t* to) {
        return api.H5Sget_select_elem_pointlist(space, 0, static_cast<hsize_t>(points), to);
    });
    Bounds(api, space).move(selection.corners, selection.rank);
}

}  // namespace

Selection selection_of(const Api& api, hid_t space, int rank) {
    Selection selection;
    if (space == H5S_ALL || space == H5S_BLOCK || space == H5S_PLIST) return selection;
    const H5S_sel_type type = api.H5Sget_select_type(space);
    if (type == H5S_SEL_ALL) return selection;
    if (rank < 0) rank = api.H5Sget_simple_extent_ndims(space);
    selection.rank = static_cast<uint8_t>(std::max(rank, 0));
    switch (type) {
        case H5S_SEL_NONE:
            selection.kind = Selection::Kind::None;
            break;
        case H5S_SEL_POINTS:
            read_points(api, space, selection);
            break;
        case H5S_SEL_HYPERSLABS:
            read_hyperslab(api, space, selection);
            break;
        default:
            break;
    }
    return selection;
}

}  // namespace quarry::hdf5
