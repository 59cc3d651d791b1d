#include "hdf5/relocated.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <vector>

#include "hdf5/failure.hpp"
#include "hdf5/in_memory.hpp"
#include "hdf5/other_files.hpp"
#include "hdf5/virtual_sources.hpp"

namespace quarry::hdf5 {
namespace {

namespace fs = std::filesystem;

const std::string kWhat = "its data cannot be looked for about the copy";

bool is_there(const fs::path& path) {
    std::error_code error;
    return fs::exists(path, error);
}

std::string about_copy(const fs::path& about_original, const CopiedPlace& place) {
    const fs::path folder = fs::canonical(place.original).parent_path();
    const fs::path way = fs::weakly_canonical(about_original).lexically_relative(folder);
    return (fs::canonical(place.copy).parent_path() / way).lexically_normal();
}

// HDF5 finds external files from where the program is.
std::string external_in_copy(const fs::path& name, const CopiedPlace& place) {
    return name.is_absolute() ? about_copy(name, place)
                              : (about_copy(fs::current_path(), place) / name).string();
}

// HDF5 finds sources beside the file that names them, then from where the program is. It follows
// names as they are written: what they lead over has to be about the copy, too.
std::string source_in_copy(const fs::path& name, const CopiedPlace& place) {
    const fs::path copy = fs::canonical(place.copy);
    if (name == ".") return copy;
    // Of a path from the root that leads nowhere, it looks for the last name.
    const fs::path wanted = name.is_absolute() && !is_there(name) ? name.filename() : name;
    const bool is_here = !is_there(fs::path(place.original).parent_path() / wanted) &&
                         !is_there(fs::canonical(place.original).parent_path() / wanted) &&
                         is_there(wanted);
    const fs::path directory =
        is_here ? fs::path(about_copy(fs::current_path(), place)) : copy.parent_path();
    const fs::path moved =
        wanted.is_absolute() ? fs::path(about_copy(wanted, place)) : directory / wanted;
    // A file that is not there HDF5 would look for by its last name, and find that of the original.
    constexpr const char* kNowhere = "/dev/null/.";
    return is_there(moved) ? moved.string() : kNowhere;
}

void add_external_files(hid_t from, hid_t to, const CopiedPlace& place) {
    for (const auto& [name, offset, size] : external_files_of(from)) {
        const std::string moved = external_in_copy(name, place);
        checked(H5Pset_external(to, moved.c_str(), offset, size), kWhat);
    }
}

// All of a source has the shape that the source will turn out to have, which files do not tell.
Handle source_selection(hid_t here, hid_t there) {
    if (H5Sget_select_type(there) != H5S_SEL_ALL) return {checked(H5Scopy(there), kWhat), H5Sclose};
    const auto count = static_cast<hsize_t>(checked(H5Sget_select_npoints(here), kWhat));
    return {checked(H5Screate_simple(1, &count, nullptr), kWhat), H5Sclose};
}

// As HDF5 writes the name of a source.
std::string escaped(const std::string& name) {
    std::string text;
    for (const char character : name) text += character == '%' ? "%%" : std::string(1, character);
    return text;
}

void add_source(const VirtualMapping& mapping, hid_t here, hsize_t block, hid_t to,
                const CopiedPlace& place) {
    const std::string file = escaped(source_in_copy(name_of_block(mapping.file, block), place));
    const std::string dataset = escaped(name_of_block(mapping.dataset, block));
    checked(H5Pset_virtual(to, here, file.c_str(), dataset.c_str(),
                           source_selection(here, mapping.there)),
            kWhat);
}

// HDF5 has found sources for as many blocks as are in the shape. Each is looked for by itself: it
// may be the only one that is about the copy.
void add_blocks(const VirtualMapping& mapping, hid_t space, hid_t to, const CopiedPlace& place) {
    std::array<hsize_t, H5S_MAX_RANK> start, stride, count, block, shape;
    const int rank = checked(H5Sget_simple_extent_dims(space, shape.data(), nullptr), kWhat);
    checked(H5Sget_regular_hyperslab(mapping.here, start.data(), stride.data(), count.data(),
                                     block.data()),
            kWhat);
    const auto unlimited = std::find(count.begin(), count.begin() + rank, H5S_UNLIMITED);
    if (unlimited == count.begin() + rank) throw Failure(kWhat);
    *unlimited = 1;
    const auto dimension = static_cast<size_t>(unlimited - count.begin());
    const Handle one(checked(H5Scopy(space), kWhat), H5Sclose);
    for (hsize_t number = 0; start[dimension] < shape[dimension]; ++number) {
        checked(H5Sselect_hyperslab(one, H5S_SELECT_SET, start.data(), stride.data(), count.data(),
                                    block.data()),
                kWhat);
        add_source(mapping, one, number, to, place);
        start[dimension] += stride[dimension];
    }
}

void add_sources(hid_t from, hid_t to, hid_t space, const CopiedPlace& place) {
    for (const VirtualMapping& mapping : mappings_of(from)) {
        if (names_blocks(mapping.file) || names_blocks(mapping.dataset))
            add_blocks(mapping, space, to, place);
        else
            add_source(mapping, mapping.here, 0, to, place);
    }
}

void copy_fill_value(hid_t from, hid_t to, hid_t type) {
    H5D_fill_value_t defined{};
    checked(H5Pfill_value_defined(from, &defined), kWhat);
    if (defined != H5D_FILL_VALUE_USER_DEFINED) return;
    std::vector<std::byte> value(H5Tget_size(type));
    checked(H5Pget_fill_value(from, type, value.data()), kWhat);
    checked(H5Pset_fill_value(to, type, value.data()), kWhat);
}

constexpr size_t kGrowth = 1 << 16;
constexpr const char* kDataset = "relocated";

std::vector<std::byte> image_of_file_with(hid_t type, hid_t space, hid_t creation) {
    const Handle file(
        checked(H5Fcreate(kNoFile, H5F_ACC_TRUNC, H5P_DEFAULT, memory_access(kGrowth)), kWhat),
        H5Fclose);
    const Handle made(
        checked(H5Dcreate2(file, kDataset, type, space, H5P_DEFAULT, creation, H5P_DEFAULT), kWhat),
        H5Dclose);
    checked(H5Fflush(file, H5F_SCOPE_GLOBAL), kWhat);
    std::vector<std::byte> image(
        static_cast<size_t>(checked(H5Fget_file_image(file, nullptr, 0), kWhat)));
    checked(H5Fget_file_image(file, image.data(), image.size()), kWhat);
    return image;
}

// For reading only: HDF5 opens the sources of a virtual dataset as the file is open that it is in.
Handle file_in_memory(std::vector<std::byte> image) {
    const Handle access = memory_access(kGrowth);
    checked(H5Pset_file_image(access, image.data(), image.size()), kWhat);
    return {checked(H5Fopen(kNoFile, H5F_ACC_RDONLY, access), kWhat), H5Fclose};
}

}  // namespace

Handle relocated(hid_t dataset, const CopiedPlace& place) try {
    const Handle creation(checked(H5Dget_create_plist(dataset), kWhat), H5Pclose);
    const bool is_virtual = H5Pget_layout(creation) == H5D_VIRTUAL;
    if (!is_virtual && H5Pget_external_count(creation) <= 0) {
        H5Iinc_ref(dataset);
        return {dataset, H5Dclose};
    }
    const Handle space(checked(H5Dget_space(dataset), kWhat), H5Sclose);
    const Handle old_type(checked(H5Dget_type(dataset), kWhat), H5Tclose);
    const Handle type(checked(H5Tcopy(old_type), kWhat), H5Tclose);
    const Handle changed(checked(H5Pcreate(H5P_DATASET_CREATE), kWhat), H5Pclose);
    if (is_virtual)
        add_sources(creation, changed, space, place);
    else
        add_external_files(creation, changed, place);
    copy_fill_value(creation, changed, type);
    const Handle file = file_in_memory(image_of_file_with(type, space, changed));
    return {checked(H5Dopen2(file, kDataset, H5P_DEFAULT), kWhat), H5Dclose};
} catch (const fs::filesystem_error& error) {
    throw Failure(kWhat + ": " + error.code().message());
}

}  // namespace quarry::hdf5
