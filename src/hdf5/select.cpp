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

// What is asked about the selection of every access, the shortest way that there is.
class Space {
public:
    Space(const Api& api, hid_t id)
        : api_(api),
          id_(id),
          inside_(api.takes_shortcuts ? api.H5I_object_verify(id, H5I_DATASPACE) : nullptr) {}

    // Where it is known that an id stands for none, HDF5 is not asked, which would complain twice.
    bool is_there() const { return inside_ != nullptr || !api_.takes_shortcuts; }
    const Api& api() const { return api_; }
    hid_t id() const { return id_; }
    H5S_sel_type type() const {
        return inside_ != nullptr ? api_.H5S_get_select_type(inside_)
                                  : api_.H5Sget_select_type(id_);
    }
    bool get_bounds(hsize_t* first, hsize_t* last) const {
        return (inside_ != nullptr ? api_.H5S_get_select_bounds(inside_, first, last)
                                   : api_.H5Sget_select_bounds(id_, first, last)) >= 0;
    }
    hsize_t elements() const {
        if (inside_ != nullptr) return api_.H5S_get_select_npoints(inside_);
        return static_cast<hsize_t>(std::max<hssize_t>(api_.H5Sget_select_npoints(id_), 0));
    }

private:
    const Api& api_;
    hid_t id_;
    const void* inside_;  // what the id stands for
};

// The smallest box around a selection, as H5Soffset_simple has moved it. HDF5 tells the selection
// itself without that, and has no question for it but this one.
class Bounds {
public:
    explicit Bounds(const Space& space) : known_(space.get_bounds(first_.data(), last_.data())) {}

    // How many elements it has room for: a selection of so many fills it. None if it is not known.
    uint64_t room(size_t rank) const {
        uint64_t elements = known_ ? 1 : 0;
        for (size_t i = 0; i < rank; ++i) elements *= last_[i] - first_[i] + 1;
        return elements;
    }

    void add_to(StepsByDimension& steps, size_t rank) const {
        for (size_t i = 0; i < rank; ++i)
            steps.push_back({first_[i], 1, last_[i] - first_[i] + 1, 1});
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

// Most programs select boxes: what these do not need is not asked.
void read_hyperslab(const Space& space, Selection& selection) {
    const Api& api = space.api();
    const Bounds bounds(space);
    const uint64_t room = bounds.room(selection.rank);
    selection.kind = Selection::Kind::Regular;
    if (room == 1 || (room > 1 && room == space.elements())) {
        bounds.add_to(selection.steps, selection.rank);
        return;
    }
    if (api.H5Sis_regular_hyperslab(space.id()) > 0) {
        selection.steps = regular_steps(api, space.id(), selection.rank);
        bounds.move(selection.steps);
        return;
    }
    selection.kind = Selection::Kind::Blocks;
    const auto blocks = std::max<hssize_t>(api.H5Sget_select_hyper_nblocks(space.id()), 0);
    selection.corners = corners(static_cast<size_t>(blocks) * selection.rank * 2, [&](hsize_t* to) {
        return api.H5Sget_select_hyper_blocklist(space.id(), 0, static_cast<hsize_t>(blocks), to);
    });
    bounds.move(selection.corners, selection.rank);
}

void read_points(const Space& space, Selection& selection) {
    const Api& api = space.api();
    selection.kind = Selection::Kind::Points;
    const auto points = std::max<hssize_t>(api.H5Sget_select_elem_npoints(space.id()), 0);
    selection.corners = corners(static_cast<size_t>(points) * selection.rank, [&](hsize_t* to) {
        return api.H5Sget_select_elem_pointlist(space.id(), 0, static_cast<hsize_t>(points), to);
    });
    Bounds(space).move(selection.corners, selection.rank);
}

}  // namespace

Selection selection_of(const Api& api, hid_t id, int rank) {
    Selection selection;
    if (id == H5S_ALL || id == H5S_BLOCK || id == H5S_PLIST) return selection;
    const Space space(api, id);
    if (!space.is_there()) return selection;
    const H5S_sel_type type = space.type();
    if (type == H5S_SEL_ALL) return selection;
    if (rank < 0) rank = api.H5Sget_simple_extent_ndims(id);
    selection.rank = static_cast<uint8_t>(std::max(rank, 0));
    switch (type) {
        case H5S_SEL_NONE:
            selection.kind = Selection::Kind::None;
            break;
        case H5S_SEL_POINTS:
            read_points(space, selection);
            break;
        case H5S_SEL_HYPERSLABS:
            read_hyperslab(space, selection);
            break;
        default:
            break;
    }
    return selection;
}

}  // namespace quarry::hdf5
