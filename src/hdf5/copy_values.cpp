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

struct OldAttribute {
    OldAttribute(hid_t object, const Attribute& attribute)
        : name(attribute.name),
          encoding(attribute.info.cset),
          id(opened_attribute(object, name)),
          type(checked(H5Aget_type(id), "the type of the attribute " + name + " cannot be read"),
               H5Tclose),
          space(checked(H5Aget_space(id), "the shape of the attribute " + name + " cannot be read"),
                H5Sclose) {}

    std::string name;
    H5T_cset_t encoding;  // of its name, which is all that attributes are made with
    Handle id;
    Handle type;
    Handle space;
};

hid_t creation_list_for(H5T_cset_t encoding) {
    if (encoding == H5T_CSET_ASCII) return H5P_DEFAULT;
    static const hid_t utf8 = [] {
        const hid_t list = H5Pcreate(H5P_ATTRIBUTE_CREATE);
        H5Pset_char_encoding(list, H5T_CSET_UTF8);
        return list;
    }();
    return utf8;
}

Handle make_attribute(const OldAttribute& old, hid_t to, const TypeInCopy& type_in_copy) {
    return {checked(H5Acreate2(to, old.name.c_str(), type_in_copy(old.type), old.space,
                               creation_list_for(old.encoding), H5P_DEFAULT),
                    "the attribute " + old.name + " cannot be copied"),
            H5Aclose};
}

using Renew = std::function<void(std::byte* values, size_t count)>;

void copy_value(const OldAttribute& old, hid_t to, const Renew& renew) {
    const std::string what = "the value of the attribute " + old.name + " cannot be copied";
    const size_t count = elements_in(old.space);
    if (count == 0) return;
    Values values(old.type, old.space, count);
    checked(H5Aread(old.id, old.type, values.data()), what);
    values.are_filled();
    if (renew) renew(values.data(), count);
    checked(H5Awrite(to, old.type, values.data()), what);
}

void copy_chunks(hid_t from, hid_t creation_list, hid_t to, const std::string& what) {
    for (const StoredPiece& chunk : pieces_of(from, creation_list, what))
        copy_guarded_chunk(from, to, chunk, 0);
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

void copy_attributes(hid_t from, hid_t creation_list, hid_t to, const TypeInCopy& type_in_copy) {
    for (const Attribute& attribute : attributes_of(from, creation_list)) {
        const OldAttribute old(from, attribute);
        copy_value(old, make_attribute(old, to, type_in_copy), nullptr);
    }
}

void make_attributes(hid_t from, hid_t to, const TypeInCopy& type_in_copy) {
    for (const Attribute& attribute : attributes_of(from))
        make_attribute(OldAttribute(from, attribute), to, type_in_copy);
}

void fill_attributes(hid_t from, hid_t to, const NewPlaces& places, std::set<Token>& referred) {
    for (const Attribute& attribute : attributes_of(from)) {
        const OldAttribute old(from, attribute);
        copy_value(old, opened_attribute(to, old.name), [&](std::byte* values, size_t count) {
            places.renew(values, count, old.type, is_of_axes(old.name) ? nullptr : &referred);
        });
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
        copy_chunks(from, creation, to, what);
}

}  // namespace quarry::hdf5
