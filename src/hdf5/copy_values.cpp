#include "hdf5/copy_values.hpp"

#include <algorithm>

#include "hdf5/attributes.hpp"
#include "hdf5/data_parts.hpp"
#include "hdf5/failure.hpp"
#include "hdf5/own_library.hpp"
#include "hdf5/stand_ins.hpp"
#include "hdf5/stored_pieces.hpp"
#include "hdf5/types.hpp"

namespace quarry::hdf5 {
namespace {

bool is_of_axes(const std::string& name) {
    return name == "DIMENSION_LIST" || name == "REFERENCE_LIST";
}

Handle opened_attribute(hid_t object, const std::string& name) {
    return {checked(H5Aopen(object, name.c_str(), H5P_DEFAULT),
                    "the attribute " + name + " cannot be opened"),
            H5Aclose};
}

void fill_attribute(hid_t from, hid_t to, const std::string& name, const NewPlaces& places,
                    std::set<Token>& referred) {
    const std::string what = "the value of the attribute " + name + " cannot be copied";
    const Handle old = opened_attribute(from, name);
    const Handle space(checked(H5Aget_space(old), what), H5Sclose);
    const size_t count = elements_in(space);
    if (count == 0) return;
    const Handle type(checked(H5Aget_type(old), what), H5Tclose);
    Values values(type, space, count);
    checked(H5Aread(old, type, values.data()), what);
    values.are_filled();
    places.renew(values.data(), count, type, is_of_axes(name) ? nullptr : &referred);
    checked(H5Awrite(opened_attribute(to, name), type, values.data()), what);
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

void make_attributes(hid_t from, hid_t to, const TypeInCopy& type_in_copy) {
    for (const auto& [name, info] : attributes_of(from)) {
        const std::string what = "the attribute " + name + " cannot be copied";
        const Handle old = opened_attribute(from, name);
        const Handle type(checked(H5Aget_type(old), what), H5Tclose);
        const Handle space(checked(H5Aget_space(old), what), H5Sclose);
        const Handle creation(checked(H5Aget_create_plist(old), what), H5Pclose);
        const hid_t type_of_copy = type_in_copy(type);
        const Handle made(
            checked(H5Acreate2(to, name.c_str(), type_of_copy, space, creation, H5P_DEFAULT), what),
            H5Aclose);
    }
}

void fill_attributes(hid_t from, hid_t to, const NewPlaces& places, std::set<Token>& referred) {
    for (const auto& [name, info] : attributes_of(from))
        fill_attribute(from, to, name, places, referred);
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
