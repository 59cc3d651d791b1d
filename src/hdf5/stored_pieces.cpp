#include "hdf5/stored_pieces.hpp"

#include <algorithm>

#include "hdf5/failure.hpp"
#include "hdf5/own_library.hpp"

namespace quarry::hdf5 {
namespace {

struct Chunks {
    size_t rank;
    std::vector<StoredPiece> all;
};

int add_chunk(const hsize_t* offset, unsigned mask, haddr_t address, hsize_t size, void* data) {
    auto& chunks = *static_cast<Chunks*>(data);
    if (address != HADDR_UNDEF)
        chunks.all.push_back({address, size, mask, {offset, offset + chunks.rank}});
    return 0;
}

// HDF5 1.14 tells the offsets of chunks wrong where another dimension than the first grows.
bool are_told_wrong(hid_t dataset, const std::vector<hsize_t>& largest) {
    H5D_chunk_index_t index{};
    return H5Dget_chunk_index_type(dataset, &index) >= 0 && index == H5D_CHUNK_IDX_EARRAY &&
           largest.front() != H5S_UNLIMITED;
}

// Asks for each chunk that there could be.
std::vector<StoredPiece> chunks_one_by_one(hid_t dataset, const std::vector<hsize_t>& shape,
                                           hid_t creation, const std::string& what) {
    std::vector<hsize_t> steps(shape.size());
    checked(H5Pget_chunk(creation, static_cast<int>(steps.size()), steps.data()), what);
    std::vector<StoredPiece> found;
    if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return found;
    std::vector<hsize_t> offset(shape.size(), 0);
    do {
        haddr_t address = HADDR_UNDEF;
        hsize_t size = 0;
        unsigned mask = 0;
        if (H5Dget_chunk_info_by_coord(dataset, offset.data(), &mask, &address, &size) >= 0 &&
            address != HADDR_UNDEF)
            found.push_back({address, size, mask, offset});
    } while (advance(offset, steps, shape));
    return found;
}

std::vector<StoredPiece> chunks_of(hid_t dataset, hid_t creation, const std::string& what) {
    const Handle space(checked(H5Dget_space(dataset), what), H5Sclose);
    std::vector<hsize_t> shape(
        static_cast<size_t>(checked(H5Sget_simple_extent_ndims(space), what)));
    std::vector<hsize_t> largest(shape.size());
    checked(H5Sget_simple_extent_dims(space, shape.data(), largest.data()), what);
    if (are_told_wrong(dataset, largest)) return chunks_one_by_one(dataset, shape, creation, what);
    Chunks chunks{shape.size(), {}};
    checked(H5Dchunk_iter(dataset, H5P_DEFAULT, add_chunk, &chunks), what);
    return std::move(chunks.all);
}

}  // namespace

bool advance(std::vector<hsize_t>& place, const std::vector<hsize_t>& steps,
             const std::vector<hsize_t>& shape) {
    for (size_t i = place.size(); i-- > 0;) {
        place[i] += steps[i];
        if (place[i] < shape[i]) return true;
        place[i] = 0;
    }
    return false;
}

std::vector<StoredPiece> pieces_of(hid_t dataset, const std::string& what) {
    const Handle creation(checked(H5Dget_create_plist(dataset), what), H5Pclose);
    if (H5Pget_layout(creation) == H5D_CHUNKED) return chunks_of(dataset, creation, what);
    const haddr_t address = H5Dget_offset(dataset);
    if (address == HADDR_UNDEF) return {};
    return {{address, H5Dget_storage_size(dataset), 0, {}}};
}

void copy_guarded_chunk(hid_t from, hid_t to, const StoredPiece& chunk, uint32_t guard) {
    const std::string what = "a chunk cannot be copied";
    std::vector<std::byte> bytes(chunk.size);
    uint32_t mask = 0;
    checked(H5Dread_chunk(from, H5P_DEFAULT, chunk.offset.data(), &mask, bytes.data()), what);
    checked(H5Dwrite_chunk(to, H5P_DEFAULT, mask | guard, chunk.offset.data(), bytes.size(),
                           bytes.data()),
            what);
}

void write_stub(hid_t to, const StoredPiece& chunk) {
    constexpr std::byte kNothing{};
    checked(H5Dwrite_chunk(to, H5P_DEFAULT, 0, chunk.offset.data(), sizeof kNothing, &kNothing),
            "a chunk cannot be left out");
}

}  // namespace quarry::hdf5
