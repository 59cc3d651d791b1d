#include "hdf5/copy_values.hpp"

#include <algorithm>
#include <vector>

#include "hdf5/data_parts.hpp"
#include "hdf5/failure.hpp"
#include "hdf5/own_library.hpp"
#include "hdf5/stand_ins.hpp"
#include "hdf5/stored_pieces.hpp"
#include "hdf5/types.hpp"

namespace quarry::hdf5 {
namespace {

std::string name_of_attribute(hid_t attribute) {
    const ssize_t size = checked(H5Aget_name(attribute, 0, nullptr), "an attribute has no name");
    std::string name(static_cast<size_t>(size), '\0');
    H5Aget_name(attribute, name.size() + 1, name.data());
    return name;
}

bool is_of_axes(const std::string& name) {
    return name == "DIMENSION_LIST" || name == "REFERENCE_LIST";
}

void copy_attribute(hid_t attribute, hid_t to, const TypeInCopy& type_in_copy,
                    const NewPlaces& places, std::set<Token>* referred) {
    const std::string name = name_of_attribute(attribute);
    const std::string what = "the attribute " + name + " cannot be copied";
    const Handle old_type(checked(H5Aget_type(attribute), what), H5Tclose);
    const Handle space(checked(H5Aget_space(attribute), what), H5Sclose);
    const Handle creation(checked(H5Aget_create_plist(attribute), what), H5Pclose);
    const hid_t type = type_in_copy(old_type);
    const Handle copy(
        checked(H5Acreate2(to, name.c_str(), type, space, creation, H5P_DEFAULT), what), H5Aclose);
    const size_t count = elements_in(space);
    if (count == 0) return;
    Values values(old_type, space, count);
    checked(H5Aread(attribute, old_type, values.data()), what);
    values.are_filled();
    places.renew(values.data(), count, old_type, is_of_axes(name) ? nullptr : referred);
    checked(H5Awrite(copy, old_type, values.data()), what);
}

void copy_chunks(hid_t from, hid_t to, const std::string& what) {
    for (const StoredPiece& chunk : pieces_of(from, what)) copy_guarded_chunk(from, to, chunk, 0);
}

void copy_decoded(hid_t from, hid_t to, hid_t type, hid_t part, const NewPlaces& places,
                  std::set<Token>& referred, const std::string& what) {
    const hssize_t selected = H5Sget_select_npoints(part);
    const auto count = static_cast<hsize_t>(std::max<hssize_t>(selected, 1));
    const Handle memory(H5Screate_simple(1, &count, nullptr), H5Sclose);
    Values values(type, memory, count);
    checked(H5Dread(from, type, memory, part, H5P_DEFAULT, values.data()), what);
    values.are_filled();
    places.renew(values.data(), count, type, &referred);
    checked(H5Dwrite(to, type, memory, part, H5P_DEFAULT, values.data()), what);
}

}  // namespace

void copy_attributes(hid_t from, hid_t to, const TypeInCopy& type_in_copy, const NewPlaces& places,
                     std::set<Token>* referred) {
    H5O_info2_t info{};
    checked(H5Oget_info3(from, &info, H5O_INFO_NUM_ATTRS), "attributes cannot be counted");
    if (info.num_attrs == 0) return;
    // By their creation, where that is known.
    const Handle by_creation(
        H5Aopen_by_idx(from, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, 0, H5P_DEFAULT, H5P_DEFAULT),
        H5Aclose);
    const H5_index_t index = by_creation >= 0 ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME;
    for (hsize_t i = 0; i < info.num_attrs; ++i) {
        const Handle attribute(
            checked(H5Aopen_by_idx(from, ".", index, H5_ITER_INC, i, H5P_DEFAULT, H5P_DEFAULT),
                    "an attribute cannot be opened"),
            H5Aclose);
        copy_attribute(attribute, to, type_in_copy, places, referred);
    }
}

void copy_data(hid_t from, hid_t to, const NewPlaces& places, std::set<Token>& referred) {
    const std::string what = "its data cannot be copied";
    const Handle type(checked(H5Dget_type(from), what), H5Tclose);
    const Handle space(checked(H5Dget_space(from), what), H5Sclose);
    const Handle creation(checked(H5Dget_create_plist(from), what), H5Pclose);
    const H5D_layout_t layout = H5Pget_layout(creation);
    if (layout == H5D_VIRTUAL || H5Pget_external_count(creation) > 0) return;
    H5D_space_status_t allocated{};
    checked(H5Dget_space_status(from, &allocated), what);
    if (allocated == H5D_SPACE_STATUS_NOT_ALLOCATED) return;
    const bool is_decoded = has_variable_length(type) || has_references(type);
    if (is_decoded && has_stand_in(creation))
        throw Failure(
            "a filter of it is not installed here, and what lies in the heap or refers to objects "
            "cannot be copied without: put the plugin on HDF5_PLUGIN_PATH");
    const auto copy_part = [&](hid_t part) {
        copy_decoded(from, to, type, part, places, referred, what);
    };
    if (layout != H5D_CHUNKED)
        each_part(space, H5Tget_size(type), copy_part);
    else if (is_decoded)
        each_chunk(from, space, creation, what, copy_part);
    else
        copy_chunks(from, to, what);
}

}  // namespace quarry::hdf5
