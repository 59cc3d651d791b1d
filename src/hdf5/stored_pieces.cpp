#include "hdf5/stored_pieces.hpp"

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

}  // namespace

std::vector<StoredPiece> pieces_of(hid_t dataset, const std::string& what) {
    const Handle creation(checked(H5Dget_create_plist(dataset), what), H5Pclose);
    const Handle space(checked(H5Dget_space(dataset), what), H5Sclose);
    if (H5Pget_layout(creation) == H5D_CHUNKED) {
        Chunks chunks{static_cast<size_t>(H5Sget_simple_extent_ndims(space)), {}};
        checked(H5Dchunk_iter(dataset, H5P_DEFAULT, add_chunk, &chunks), what);
        return std::move(chunks.all);
    }
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
