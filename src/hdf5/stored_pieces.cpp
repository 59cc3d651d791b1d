#include "hdf5/stored_pieces.hpp"

#include <algorithm>
#include <optional>

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

// Which dimension alone grows, where HDF5 keeps an array of chunks that grows with it.
std::optional<size_t> growing_dimension(hid_t dataset, const std::vector<hsize_t>& largest) {
    H5D_chunk_index_t index{};
    if (H5Dget_chunk_index_type(dataset, &index) < 0 || index != H5D_CHUNK_IDX_EARRAY)
        return std::nullopt;
    const auto found = std::find(largest.begin(), largest.end(), H5S_UNLIMITED);
    if (found == largest.end()) return std::nullopt;
    return static_cast<size_t>(found - largest.begin());
}

// HDF5 1.14 counts the chunks of such an array as if its first dimension grew, and tells their
// offsets so. Some may lie outside of the dataset, where nobody finds them.
void correct_offsets(hid_t dataset, hid_t creation, const std::vector<hsize_t>& shape,
                     const std::vector<hsize_t>& largest, size_t growing,
                     std::vector<StoredPiece>& chunks, const std::string& what) {
    std::vector<hsize_t> steps(shape.size());
    checked(H5Pget_chunk(creation, static_cast<int>(steps.size()), steps.data()), what);
    const auto most = [&](size_t i) { return (largest[i] + steps[i] - 1) / steps[i]; };
    std::vector<StoredPiece> correct;
    for (StoredPiece& chunk : chunks) {
        hsize_t number = 0;
        for (size_t i = growing; i < shape.size(); ++i)
            number = (i > growing ? number * most(i) : 0) + chunk.offset[i] / steps[i];
        for (size_t i = shape.size(); i-- > 0;) {
            if (i == growing) continue;
            chunk.offset[i] = number % most(i) * steps[i];
            number /= most(i);
        }
        chunk.offset[growing] = number * steps[growing];
        const bool is_inside = std::equal(chunk.offset.begin(), chunk.offset.end(), shape.begin(),
                                          [](hsize_t at, hsize_t size) { return at < size; });
        if (!is_inside) continue;
        hsize_t size = 0;
        if (H5Dget_chunk_storage_size(dataset, chunk.offset.data(), &size) < 0 ||
            size != chunk.size)
            throw Failure(what + ": its chunks are not where HDF5 says");
        correct.push_back(std::move(chunk));
    }
    chunks = std::move(correct);
}

std::vector<StoredPiece> chunks_of(hid_t dataset, hid_t creation, const std::string& what) {
    const Handle space(checked(H5Dget_space(dataset), what), H5Sclose);
    std::vector<hsize_t> shape(
        static_cast<size_t>(checked(H5Sget_simple_extent_ndims(space), what)));
    std::vector<hsize_t> largest(shape.size());
    checked(H5Sget_simple_extent_dims(space, shape.data(), largest.data()), what);
    Chunks chunks{shape.size(), {}};
    checked(H5Dchunk_iter(dataset, H5P_DEFAULT, add_chunk, &chunks), what);
    if (const auto growing = growing_dimension(dataset, largest); growing && *growing > 0)
        correct_offsets(dataset, creation, shape, largest, *growing, chunks.all, what);
    return std::move(chunks.all);
}

}  // namespace

std::vector<StoredPiece> pieces_of(hid_t dataset, hid_t creation_list, const std::string& what) {
    if (H5Pget_layout(creation_list) == H5D_CHUNKED) return chunks_of(dataset, creation_list, what);
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
