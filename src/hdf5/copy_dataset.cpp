#include "hdf5/copy_dataset.hpp"

#include <algorithm>
#include <array>

#include "hdf5/dimension_scales.hpp"
#include "hdf5/failure.hpp"
#include "hdf5/own_library.hpp"
#include "hdf5/stored_pieces.hpp"
#include "hdf5/types.hpp"

namespace quarry::hdf5 {
namespace {

// As HDF5 writes it down for another time.
std::vector<std::byte> encoded(hid_t creation, const std::string& what) {
    size_t size = 0;
    checked(H5Pencode2(creation, nullptr, &size, H5P_DEFAULT), what);
    std::vector<std::byte> bytes(size);
    checked(H5Pencode2(creation, bytes.data(), &size, H5P_DEFAULT), what);
    return bytes;
}

std::vector<uint64_t> chunk_shape(hid_t creation) {
    if (H5Pget_layout(creation) != H5D_CHUNKED) return {};
    std::array<hsize_t, H5S_MAX_RANK> shape{};
    const int rank = H5Pget_chunk(creation, H5S_MAX_RANK, shape.data());
    return {shape.begin(), shape.begin() + std::max(rank, 0)};
}

}  // namespace

CopiedDataset dataset_as_it_is(hid_t dataset, hid_t creation, const ObjectToken& token,
                               const std::vector<std::string>& paths) {
    CopiedDataset found;
    found.token = token;
    found.paths = paths;
    found.stored = H5Dget_storage_size(dataset);
    found.is_scale = is_scale(dataset);
    found.is_virtual = H5Pget_layout(creation) == H5D_VIRTUAL;
    return found;
}

bool attributes_refer(hid_t object) {
    H5O_info2_t info{};
    checked(H5Oget_info3(object, &info, H5O_INFO_NUM_ATTRS), "attributes cannot be counted");
    for (hsize_t i = 0; i < info.num_attrs; ++i) {
        const Handle attribute(checked(H5Aopen_by_idx(object, ".", H5_INDEX_NAME, H5_ITER_NATIVE, i,
                                                      H5P_DEFAULT, H5P_DEFAULT),
                                       "an attribute cannot be opened"),
                               H5Aclose);
        const Handle type(H5Aget_type(attribute), H5Tclose);
        if (has_references(type) || H5Tcommitted(type) > 0) return true;
    }
    return false;
}

// Old headers may name filters by their numbers alone. HDF5 1.14 makes room in the copy for
// just that, writes the names as well, and what follows is lost.
bool has_old_filters(hid_t dataset, hid_t creation) {
    if (H5Pget_nfilters(creation) <= 0) return false;
    H5O_native_info_t info{};
    return H5Oget_native_info(dataset, &info, H5O_NATIVE_INFO_HDR) < 0 || info.hdr.version < 2;
}

// HDF5 1.14 takes the size of the last chunk, packed, for that of what it unpacks the next one
// into.
bool has_filters_over_heap(hid_t type, hid_t creation) {
    return H5Pget_nfilters(creation) > 0 && has_variable_length(type);
}

bool has_fill_value_in_heap(hid_t type, hid_t creation) {
    H5D_fill_value_t defined{};
    return has_variable_length(type) && H5Pfill_value_defined(creation, &defined) >= 0 &&
           defined == H5D_FILL_VALUE_USER_DEFINED;
}

void keep_whole_if_possible(hid_t old, hid_t creation, const CopyOrder& order,
                            CopiedDataset& copied) {
    if (H5Pget_layout(creation) != H5D_CHUNKED) return;
    copied.pieces = pieces_of(old, creation, "its chunks cannot be found");
    const bool is_all_wanted = std::all_of(
        copied.pieces.begin(), copied.pieces.end(),
        [&](const StoredPiece& piece) { return order.wants_chunk(copied, piece.offset); });
    if (!is_all_wanted) return;
    copied.kept = Part::Whole;
    copied.remark = "every chunk of it was read";
    copied.pieces.clear();
}

void prepare_list(const OldDataset& dataset, hid_t space, const std::string& why_nothing_is_hollow,
                  const GuardMark& mark, CopiedDataset& copied) {
    const auto& [old, type, creation] = dataset;
    if (copied.kept == Part::Chunks)
        copied.remark = why_not_in_chunks(old, type, creation);
    else if (copied.kept == Part::Nothing)
        copied.remark = why_nothing_is_hollow.empty() ? why_not_hollow(type, space, creation)
                                                      : why_nothing_is_hollow;
    else
        return;
    if (!copied.remark.empty()) {
        copied.kept = Part::Whole;
        return;
    }
    const std::string what = "the dataset cannot be made anew";
    copied.creation = encoded(creation, what);
    if (copied.pieces.empty()) copied.pieces = pieces_of(old, creation, what);
    copied.chunk = chunk_shape(creation);
    copied.kept == Part::Nothing ? make_hollow(creation, type, space, mark)
                                 : make_carvable(creation, mark);
}

Handle space_to_begin_with(const OldDataset& dataset, hid_t space, bool is_moved) {
    const auto& [old, type, creation] = dataset;
    H5D_alloc_time_t time{};
    H5D_chunk_index_t index{};
    const bool is_chunked =
        H5Pget_layout(creation) == H5D_CHUNKED && H5Dget_chunk_index_type(old, &index) >= 0;
    std::vector<hsize_t> shape(H5S_MAX_RANK), largest(H5S_MAX_RANK);
    const int rank = H5Sget_simple_extent_dims(space, shape.data(), largest.data());
    // HDF5 keeps the single-chunk index even after the dataset has shrunk: create the copy at full
    // size.
    if (is_chunked && index == H5D_CHUNK_IDX_SINGLE) shape = largest;
    // HDF5 copies chunks of references only into another file.
    else if (is_chunked && is_moved && H5Tget_class(type) == H5T_REFERENCE &&
             H5Pget_alloc_time(creation, &time) >= 0 && time == H5D_ALLOC_TIME_EARLY)
        std::fill(shape.begin(), shape.end(), 0);
    else
        return {checked(H5Scopy(space), "its shape cannot be copied"), H5Sclose};
    return {
        checked(H5Screate_simple(rank, shape.data(), largest.data()), "its shape cannot be copied"),
        H5Sclose};
}

void give_shape(hid_t copy, hid_t space, hid_t first) {
    if (H5Sextent_equal(space, first) > 0) return;
    std::vector<hsize_t> shape(H5S_MAX_RANK);
    H5Sget_simple_extent_dims(space, shape.data(), nullptr);
    checked(H5Dset_extent(copy, shape.data()), "it cannot be given its shape");
}

void allocate_nothing(hid_t creation) {
    if (H5Pget_layout(creation) == H5D_CONTIGUOUS) H5Pset_alloc_time(creation, H5D_ALLOC_TIME_LATE);
    if (H5Pget_layout(creation) == H5D_CHUNKED) H5Pset_alloc_time(creation, H5D_ALLOC_TIME_INCR);
}

uint64_t copy_wanted_chunks(hid_t old, hid_t copy, const CopiedDataset& copied,
                            const CopyOrder& order, Purpose purpose) {
    const Handle creation(H5Dget_create_plist(copy), H5Pclose);
    const uint32_t guard = guard_bit(creation);
    uint64_t kept = 0;
    for (const StoredPiece& piece : copied.pieces) {
        const bool is_wanted = order.wants_chunk(copied, piece.offset);
        if (is_wanted) kept += piece.size;
        if (purpose == Purpose::Rehearsal) continue;
        is_wanted ? copy_guarded_chunk(old, copy, piece, guard) : write_stub(copy, piece);
    }
    return kept;
}

}  // namespace quarry::hdf5
