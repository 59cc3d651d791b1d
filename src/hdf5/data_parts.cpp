#include "hdf5/data_parts.hpp"

#include <algorithm>

#include "hdf5/failure.hpp"
#include "hdf5/own_library.hpp"
#include "hdf5/stored_pieces.hpp"
#include "hdf5/types.hpp"

namespace quarry::hdf5 {
namespace {

constexpr size_t kAtOnce = 8 << 20;  // bytes

// Goes on to the place after this one in a shape, in steps; false behind the last.
bool advance(std::vector<hsize_t>& place, const std::vector<hsize_t>& steps,
             const std::vector<hsize_t>& shape) {
    for (size_t i = place.size(); i-- > 0;) {
        place[i] += steps[i];
        if (place[i] < shape[i]) return true;
        place[i] = 0;
    }
    return false;
}

}  // namespace

Values::Values(hid_t type, hid_t space, size_t count)
    : type_(type), space_(space), bytes_(count * H5Tget_size(type)) {}

Values::~Values() {
    if (filled_ && (has_variable_length(type_) || has_references(type_)))
        H5Treclaim(type_, space_, H5P_DEFAULT, bytes_.data());
}

size_t elements_in(hid_t space) {
    return static_cast<size_t>(std::max<hssize_t>(H5Sget_simple_extent_npoints(space), 0));
}

void each_part(hid_t space, size_t element, const std::function<void(hid_t)>& use) {
    const int dimensions = H5Sget_simple_extent_ndims(space);
    const auto rank = static_cast<size_t>(std::max(dimensions, 0));
    if (rank == 0) {
        use(space);
        return;
    }
    std::vector<hsize_t> shape(rank);
    H5Sget_simple_extent_dims(space, shape.data(), nullptr);
    if (elements_in(space) == 0) return;
    std::vector<hsize_t> count(rank, 1);
    hsize_t bytes = std::max<size_t>(element, 1);
    for (size_t i = rank; i-- > 0;) {
        count[i] = std::clamp<hsize_t>(kAtOnce / bytes, 1, shape[i]);
        bytes *= count[i];
    }
    std::vector<hsize_t> start(rank, 0);
    const Handle part(H5Scopy(space), H5Sclose);
    do {
        std::vector<hsize_t> here(rank);
        for (size_t i = 0; i < rank; ++i) here[i] = std::min(count[i], shape[i] - start[i]);
        checked(
            H5Sselect_hyperslab(part, H5S_SELECT_SET, start.data(), nullptr, here.data(), nullptr),
            "a part of a dataset cannot be selected");
        use(part);
    } while (advance(start, count, shape));
}

void each_chunk(hid_t dataset, hid_t space, hid_t creation_list, const std::string& what,
                const std::function<void(hid_t)>& use) {
    const int rank = H5Sget_simple_extent_ndims(space);
    std::vector<hsize_t> size(static_cast<size_t>(rank));
    std::vector<hsize_t> shape(size.size());
    H5Pget_chunk(creation_list, rank, size.data());
    H5Sget_simple_extent_dims(space, shape.data(), nullptr);
    const Handle part(H5Scopy(space), H5Sclose);
    for (const StoredPiece& chunk : pieces_of(dataset, creation_list, what)) {
        std::vector<hsize_t> here(size.size());
        for (size_t i = 0; i < here.size(); ++i)
            here[i] = std::min(size[i], shape[i] - chunk.offset[i]);
        checked(H5Sselect_hyperslab(part, H5S_SELECT_SET, chunk.offset.data(), nullptr, here.data(),
                                    nullptr),
                what);
        use(part);
    }
}

}  // namespace quarry::hdf5
