#include "hdf5/data_parts.hpp"

#include <algorithm>

#include "hdf5/failure.hpp"
#include "hdf5/own_library.hpp"
#include "hdf5/types.hpp"

namespace quarry::hdf5 {
namespace {

constexpr size_t kAtOnce = 8 << 20;  // bytes

struct Chunks {
    int rank;
    std::vector<Chunk> all;
};

int add_chunk(const hsize_t* offset, unsigned, haddr_t address, hsize_t size, void* data) {
    auto& chunks = *static_cast<Chunks*>(data);
    if (address != HADDR_UNDEF) chunks.all.push_back({{offset, offset + chunks.rank}, size});
    return 0;
}

// HDF5 1.14 tells the offsets of chunks wrong where another dimension than the first grows.
bool are_told_wrong(hid_t dataset, const std::vector<hsize_t>& largest) {
    H5D_chunk_index_t index{};
    return H5Dget_chunk_index_type(dataset, &index) >= 0 && index == H5D_CHUNK_IDX_EARRAY &&
           largest.front() != H5S_UNLIMITED;
}

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

// Asks for each chunk that there could be.
std::vector<Chunk> chunks_one_by_one(hid_t dataset, const std::vector<hsize_t>& shape,
                                     const std::string& what) {
    const Handle creation(checked(H5Dget_create_plist(dataset), what), H5Pclose);
    std::vector<hsize_t> steps(shape.size());
    checked(H5Pget_chunk(creation, static_cast<int>(steps.size()), steps.data()), what);
    std::vector<Chunk> found;
    if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return found;
    std::vector<hsize_t> offset(shape.size(), 0);
    do {
        hsize_t size = 0;
        if (H5Dget_chunk_storage_size(dataset, offset.data(), &size) >= 0 && size > 0)
            found.push_back({offset, size});
    } while (advance(offset, steps, shape));
    return found;
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

std::vector<Chunk> chunks_of(hid_t dataset, const std::string& what) {
    const Handle space(checked(H5Dget_space(dataset), what), H5Sclose);
    Chunks chunks{checked(H5Sget_simple_extent_ndims(space), what), {}};
    std::vector<hsize_t> shape(static_cast<size_t>(chunks.rank));
    std::vector<hsize_t> largest(shape.size());
    checked(H5Sget_simple_extent_dims(space, shape.data(), largest.data()), what);
    if (are_told_wrong(dataset, largest)) return chunks_one_by_one(dataset, shape, what);
    checked(H5Dchunk_iter(dataset, H5P_DEFAULT, add_chunk, &chunks), what);
    return std::move(chunks.all);
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
        H5Sselect_hyperslab(part, H5S_SELECT_SET, start.data(), nullptr, here.data(), nullptr);
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
    for (const Chunk& chunk : chunks_of(dataset, what)) {
        std::vector<hsize_t> here(size.size());
        for (size_t i = 0; i < here.size(); ++i)
            here[i] = std::min(size[i], shape[i] - chunk.offset[i]);
        H5Sselect_hyperslab(part, H5S_SELECT_SET, chunk.offset.data(), nullptr, here.data(),
                            nullptr);
        use(part);
    }
}

}  // namespace quarry::hdf5
