#include "hdf5/raw_pieces.hpp"

#include <algorithm>

#include "hdf5/own_library.hpp"

namespace quarry::hdf5 {
namespace {

using Pieces = std::vector<RawPiece>;

int add_chunk(const hsize_t*, unsigned, haddr_t address, hsize_t size, void* pieces) {
    if (address != HADDR_UNDEF) static_cast<Pieces*>(pieces)->push_back({address, size});
    return 0;
}

herr_t add_object(hid_t place, const char* name, const H5O_info2_t* info, void* pieces) {
    if (info->type != H5O_TYPE_DATASET) return 0;
    const Handle set(H5Dopen2(place, name, H5P_DEFAULT), H5Dclose);
    const Handle creation(H5Dget_create_plist(set), H5Pclose);
    const H5D_layout_t layout = H5Pget_layout(creation);
    if (layout == H5D_CHUNKED)
        return H5Dchunk_iter(set, H5P_DEFAULT, add_chunk, pieces) < 0 ? -1 : 0;
    if (layout != H5D_CONTIGUOUS) return 0;
    // Not there yet, or in another file.
    const haddr_t address = H5Dget_offset(set);
    if (address == HADDR_UNDEF || H5Pget_external_count(creation) > 0) return 0;
    static_cast<Pieces*>(pieces)->push_back({address, H5Dget_storage_size(set)});
    return 0;
}

}  // namespace

Result<std::vector<RawPiece>> raw_pieces_in(const std::string& path) {
    prepare_library();
    const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
    if (file < 0) return Error{path + " cannot be opened"};
    Pieces pieces;
    if (H5Ovisit3(file, H5_INDEX_NAME, H5_ITER_NATIVE, add_object, &pieces, H5O_INFO_BASIC) < 0)
        return Error{"not all of " + path + " can be read"};
    std::sort(pieces.begin(), pieces.end(), [](const RawPiece& left, const RawPiece& right) {
        return left.address < right.address;
    });
    return pieces;
}

}  // namespace quarry::hdf5
