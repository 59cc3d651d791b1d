#include "hdf5/formats.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>

#include "hdf5/failure.hpp"
#include "hdf5/filters.hpp"
#include "hdf5/in_memory.hpp"
#include "hdf5/object_clock.hpp"

namespace quarry::hdf5 {
namespace {

// The list that an empty file like this one is made with.
Handle list_to_make_like(hid_t file) {
    const std::string what = "the properties of the file cannot be read";
    Handle creation(checked(H5Fget_create_plist(file), what), H5Pclose);
    const Handle root(checked(H5Gopen2(file, "/", H5P_DEFAULT), what), H5Gclose);
    set_group_properties(root, creation);
    return creation;
}

unsigned superblock_of(hid_t file) {
    H5F_info2_t info{};
    checked(H5Fget_info2(file, &info), "the file cannot be looked at");
    return info.super.version;
}

// By what formats are told apart. HDF5 decides on them by what it may use and what it has to.
struct Format {
    unsigned superblock;
    unsigned header;  // of the root group
    bool is_old_group;

    bool operator==(const Format&) const = default;
};

Format format_of(hid_t file) {
    const Handle root(H5Gopen2(file, "/", H5P_DEFAULT), H5Gclose);
    H5O_native_info_t header{};
    checked(H5Oget_native_info(root, &header, H5O_NATIVE_INFO_HDR), "the root cannot be read");
    return {superblock_of(file), header.hdr.version, is_old_group(root)};
}

}  // namespace

hsize_t user_block_of(hid_t file) {
    const Handle creation(H5Fget_create_plist(file), H5Pclose);
    hsize_t size = 0;
    checked(H5Pget_userblock(creation, &size), "the user block cannot be read");
    return size;
}

HeaderFormat header_format_of(hid_t file) {
    const Handle creation(H5Fget_create_plist(file), H5Pclose);
    size_t address_size = 0, length_size = 0;
    checked(H5Pget_sizes(creation, &address_size, &length_size), "the file cannot be looked at");
    HeaderFormat format;
    format.base = user_block_of(file);
    format.address_size = static_cast<unsigned>(address_size);
    format.length_size = static_cast<unsigned>(length_size);
    format.superblock = superblock_of(file) < 2 ? 96 : 48;
    return format;
}

// One by one: the list that HDF5 gives away for a group also holds where its links lie in the old
// file, and a group made with it looks for them there.
void set_group_properties(hid_t group, hid_t creation) {
    const std::string what = "the properties of the group cannot be read";
    const Handle old(checked(H5Gget_create_plist(group), what), H5Pclose);
    unsigned links = 0, attributes = 0, most = 0, least = 0, names = 0, length = 0;
    hbool_t times = true;
    size_t hint = 0;
    H5Pget_link_creation_order(old, &links);
    H5Pset_link_creation_order(creation, links);
    H5Pget_attr_creation_order(old, &attributes);
    H5Pset_attr_creation_order(creation, attributes);
    H5Pget_link_phase_change(old, &most, &least);
    H5Pset_link_phase_change(creation, most, least);
    H5Pget_attr_phase_change(old, &most, &least);
    H5Pset_attr_phase_change(creation, most, least);
    H5Pget_est_link_info(old, &names, &length);
    H5Pset_est_link_info(creation, names, length);
    H5Pget_obj_track_times(old, &times);
    H5Pset_obj_track_times(creation, times);
    H5Pget_local_heap_size_hint(old, &hint);
    H5Pset_local_heap_size_hint(creation, hint);
    for (const auto& [id, flags, values, name] : filters_of(old))
        checked(H5Pset_filter(creation, id, flags, values.size(), values.data()), what);
}

bool is_old_group(hid_t object) {
    H5G_info_t info{};
    return H5Iget_type(object) == H5I_GROUP && H5Gget_info(object, &info) >= 0 &&
           info.storage_type == H5G_STORAGE_TYPE_SYMBOL_TABLE;
}

void HeaderVersion::choose_like(hid_t old) {
    H5O_native_info_t info{};
    checked(H5Oget_native_info(old, &info, H5O_NATIVE_INFO_HDR), "a header cannot be read");
    const bool is_old = info.hdr.version < 2 || is_old_group(old);
    H5F_libver_t low = is_old ? H5F_LIBVER_EARLIEST : H5F_LIBVER_V18;
    H5D_chunk_index_t index{};
    if (H5Iget_type(old) == H5I_DATASET && H5Dget_chunk_index_type(old, &index) >= 0 &&
        index != H5D_CHUNK_IDX_BTREE && !is_old)
        low = H5F_LIBVER_V110;
    if (low == low_) return;
    checked(H5Fset_libver_bounds(file_, low, H5F_LIBVER_LATEST), "the format cannot be chosen");
    low_ = low;
}

// By a link of a kind that the oldest HDF5 did not know.
void renew_group(hid_t group) {
    const std::string what = "the format of the group cannot be chosen";
    checked(H5Lcreate_external("-", "/", group, "-", H5P_DEFAULT, H5P_DEFAULT), what);
    checked(H5Ldelete(group, "-", H5P_DEFAULT), what);
}

namespace {

Handle make_with(hid_t access, hid_t from, const std::string& path) {
    const Handle creation = list_to_make_like(from);
    const Handle root(H5Gopen2(from, "/", H5P_DEFAULT), H5Gclose);
    H5O_info2_t info{};
    checked(H5Oget_info3(root, &info, H5O_INFO_TIME), "the root cannot be read");
    const ObjectClock clock(info.btime != 0 ? info.btime : info.ctime);
    const Format wanted = format_of(from);
    const auto made_with = [&](H5F_libver_t low) -> Handle {
        H5Pset_libver_bounds(access, low, H5F_LIBVER_LATEST);
        return {checked(H5Fcreate(path.c_str(), H5F_ACC_EXCL, creation, access),
                        path + " cannot be made"),
                H5Fclose};
    };
    std::optional<H5F_libver_t> near;
    for (const H5F_libver_t low : {H5F_LIBVER_V110, H5F_LIBVER_V18, H5F_LIBVER_EARLIEST}) {
        Handle made = made_with(low);
        Format format = format_of(made);
        if (format == wanted) return made;
        // Links of newer kinds turn an old group into a new one.
        format.is_old_group = false;
        if (format == wanted) near = low;
        made.close();
        unlink(path.c_str());
    }
    if (!near) throw Failure("its format is one that HDF5 reads but no longer writes");
    Handle made = made_with(*near);
    renew_group(made);
    return made;
}

}  // namespace

// HDF5 takes room for headers in blocks. In larger ones more headers can grow where they lie; what
// is left of the last one may be lost.
Handle make_like(hid_t from, const std::string& path) {
    constexpr hsize_t kUsual = 2048, kLargest = 32 << 10, kShare = 1000;
    hsize_t size = 0;
    checked(H5Fget_filesize(from, &size), "the size of the file cannot be told");
    const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    checked(H5Pset_meta_block_size(access, std::clamp(size / kShare, kUsual, kLargest)),
            path + " cannot be made");
    return make_with(access, from, path);
}

Handle make_like_in_memory(hid_t from) {
    constexpr size_t kGrowth = 1 << 20;
    return make_with(memory_access(kGrowth), from, kNoFile);
}

// What comes before the file of HDF5 in its file.
void copy_user_block(hsize_t size, const std::string& old_path, const std::string& new_path) {
    if (size == 0) return;
    std::string block(size, '\0');
    std::ifstream in(old_path, std::ios::binary);
    in.read(block.data(), static_cast<std::streamsize>(size));
    std::fstream out(new_path, std::ios::binary | std::ios::in | std::ios::out);
    out.write(block.data(), static_cast<std::streamsize>(size));
    out.flush();
    if (!in || !out) throw Failure("the user block cannot be copied");
}

}  // namespace quarry::hdf5
