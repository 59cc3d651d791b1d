#include <algorithm>
#include <map>

#include "hdf5/attributes.hpp"
#include "hdf5/compared.hpp"
#include "hdf5/data_parts.hpp"
#include "hdf5/failure.hpp"
#include "hdf5/own_library.hpp"
#include "hdf5/properties.hpp"

namespace quarry::hdf5 {
namespace {

Handle opened(hid_t object, const std::string& name) {
    return {checked(H5Aopen(object, name.c_str(), H5P_DEFAULT), "it cannot be opened"), H5Aclose};
}

void compare_attribute_values(Compared& files, const Where& where, hid_t old, hid_t copy,
                              hid_t old_type, hid_t copy_type, hid_t space) {
    const size_t count = elements_in(space);
    if (count == 0) return;
    const auto reading = [](hid_t attribute, hid_t type) {
        return Reading{type, [=](void* values) { return H5Aread(attribute, type, values); }};
    };
    const auto first = files.values.first_difference(
        reading(old, old_type), reading(copy, copy_type), space, "its value cannot be read");
    if (!first) return;
    files.differences.add(
        where, count == 1 ? "its value is another"
                          : "its value number " + std::to_string(*first) + " is another");
}

void compare_attribute(Compared& files, const Where& where, hid_t old_object, hid_t copy_object) {
    const uint64_t before = files.result.all_differences;
    const Handle old = opened(old_object, where.attribute);
    const Handle copy = opened(copy_object, where.attribute);
    const Handle old_type(H5Aget_type(old), H5Tclose);
    const Handle copy_type(H5Aget_type(copy), H5Tclose);
    compare_types(files, where, old_type, copy_type);
    const Handle old_space(H5Aget_space(old), H5Sclose);
    const Handle copy_space(H5Aget_space(copy), H5Sclose);
    compare_spaces(files, where, old_space, copy_space);
    // Values of different types would all be others.
    if (files.result.all_differences == before)
        compare_attribute_values(files, where, old, copy, old_type, copy_type, old_space);
    ++files.result.attributes;
}

void compare_attributes(Compared& files, const Where& where, hid_t old, hid_t copy) {
    const std::vector<Attribute> olds = attributes_of(old);
    const std::vector<Attribute> copies = attributes_of(copy);
    const std::vector<std::string> old_names = names_of(olds);
    const std::vector<std::string> copy_names = names_of(copies);
    files.old_scales.look_at(old, old_names);
    files.copy_scales.look_at(copy, copy_names);
    for (const auto& [i, k] : matched(files, where, "attribute", old_names, copy_names)) {
        const Where here{where.object, olds[i].name};
        if (olds[i].info.cset != copies[k].info.cset)
            files.differences.add(here, "its name is in another character set");
        try {
            compare_attribute(files, here, old, copy);
        } catch (const Failure& failure) {
            files.differences.add(here, std::string("it cannot be compared: ") + failure.what());
        }
    }
}

std::string comment_of(hid_t object) {
    const ssize_t size = H5Oget_comment(object, nullptr, 0);
    if (size <= 0) return "";
    std::string comment(static_cast<size_t>(size), '\0');
    H5Oget_comment(object, comment.data(), comment.size() + 1);
    return comment;
}

Properties header_properties(hid_t object, const H5O_info2_t& info, Times times) {
    H5O_native_info_t native{};
    checked(H5Oget_native_info(object, &native, H5O_NATIVE_INFO_HDR), "its header cannot be read");
    Properties all{
        {"version of the header", std::to_string(native.hdr.version)},
        {"links to it", std::to_string(info.rc)},
        {"comment", comment_of(object)},
    };
    if (times == Times::Compared) {
        all.push_back({"time of its making", std::to_string(info.btime)});
        all.push_back({"time of its last change", std::to_string(info.ctime)});
        all.push_back({"time of the last change of its data", std::to_string(info.mtime)});
        all.push_back({"time of its last use", std::to_string(info.atime)});
    }
    return all;
}

void compare_groups(Compared& files, const Where& where, const TwoObjects& groups) {
    files.differences.compare(where, group_properties(groups.old_list),
                              group_properties(groups.copy_list));
    H5G_info_t old_info{}, copy_info{};
    checked(H5Gget_info(groups.old, &old_info), "it cannot be read");
    checked(H5Gget_info(groups.copy, &copy_info), "it cannot be read");
    const auto is_of_old_kind = [](const H5G_info_t& info) {
        return info.storage_type == H5G_STORAGE_TYPE_SYMBOL_TABLE;
    };
    if (is_of_old_kind(old_info) != is_of_old_kind(copy_info))
        files.differences.add(where, "its links are stored in the way of another version");
}

void compare_named_types(Compared& files, const Where& where, const TwoObjects& types) {
    files.differences.compare(where, named_type_properties(types.old_list),
                              named_type_properties(types.copy_list));
    files.differences.compare(where, type_properties(types.old), type_properties(types.copy));
}

}  // namespace

void compare_types(Compared& files, const Where& where, hid_t old, hid_t copy) {
    // HDF5 looks neither at the order of members nor at characters of strings of any length.
    const H5T_class_t kind = H5Tget_class(old);
    const bool has_more = kind != H5T_INTEGER && kind != H5T_FLOAT && kind != H5T_REFERENCE;
    if (has_more || H5Tequal(old, copy) <= 0)
        files.differences.compare(where, type_properties(old), type_properties(copy));
    const bool is_named = H5Tcommitted(old) > 0;
    if (is_named != (H5Tcommitted(copy) > 0))
        files.differences.add(
            where, is_named ? "it is not of the named type any more" : "it is of a named type");
    else if (is_named && !files.pairs.join(token_of_object(old), token_of_object(copy)))
        files.differences.add(where, "it is of another named type");
}

void compare_spaces(Compared& files, const Where& where, hid_t old, hid_t copy) {
    if (H5Sextent_equal(old, copy) <= 0)
        files.differences.compare(where, space_properties(old), space_properties(copy));
}

std::vector<std::pair<size_t, size_t>> matched(Compared& files, const Where& where,
                                               const std::string& one,
                                               const std::vector<std::string>& old,
                                               const std::vector<std::string>& copy) {
    std::vector<std::pair<size_t, size_t>> both;
    if (old == copy) {
        for (size_t i = 0; i < old.size(); ++i) both.emplace_back(i, i);
        return both;
    }
    std::map<std::string, size_t> in_copy;
    for (size_t i = 0; i < copy.size(); ++i) in_copy[copy[i]] = i;
    for (size_t i = 0; i < old.size(); ++i) {
        const auto found = in_copy.find(old[i]);
        if (found == in_copy.end()) {
            files.differences.add(where, "the " + one + " " + old[i] + " is missing in the copy");
            continue;
        }
        both.emplace_back(i, found->second);
        in_copy.erase(found);
    }
    for (const auto& [name, place] : in_copy)
        files.differences.add(where, "the " + one + " " + name + " is in the copy only");
    if (!std::is_sorted(both.begin(), both.end(), [](const auto& left, const auto& right) {
            return left.second < right.second;
        }))
        files.differences.add(where, "the order of its " + one + "s is another");
    return both;
}

void compare_objects(Compared& files, const Where& where, hid_t old, hid_t copy) {
    constexpr unsigned kFields = H5O_INFO_BASIC | H5O_INFO_TIME | H5O_INFO_NUM_ATTRS;
    const std::string what = "it cannot be looked at";
    H5O_info2_t old_info{}, copy_info{};
    checked(H5Oget_info3(old, &old_info, kFields), what);
    checked(H5Oget_info3(copy, &copy_info, kFields), what);
    files.differences.compare(where, header_properties(old, old_info, files.times),
                              header_properties(copy, copy_info, files.times));
    const Handle old_list = creation_list_of(old);
    const Handle copy_list = creation_list_of(copy);
    if (old_info.num_attrs > 0 || copy_info.num_attrs > 0)
        compare_attributes(files, where, old, copy);
    const TwoObjects both{old, copy, old_list, copy_list};
    if (old_info.type == H5O_TYPE_DATASET)
        compare_datasets(files, where, both);
    else if (old_info.type == H5O_TYPE_GROUP)
        compare_groups(files, where, both);
    else
        compare_named_types(files, where, both);
    ++files.result.objects;
}

}  // namespace quarry::hdf5
