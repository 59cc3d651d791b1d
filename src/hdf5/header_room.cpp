#include "hdf5/header_room.hpp"

#include <algorithm>
#include <string>

#include "hdf5/attributes.hpp"
#include "hdf5/failure.hpp"
#include "hdf5/formats.hpp"
#include "hdf5/own_library.hpp"

namespace quarry::hdf5 {
namespace {

const std::string kWhat = "its header cannot be laid out";

// What comes with each message: its own header, and with a link all but its name and value.
constexpr size_t kMessageHeader = 8;
constexpr size_t kPerLink = kMessageHeader + 40;

// Messages are filled up to a multiple of eight bytes, and in older ones each part is.
size_t filled_up(size_t size) {
    return (size + 7) / 8 * 8;
}

bool is_attribute_order_tracked(hid_t creation) {
    unsigned order = 0;
    checked(H5Pget_attr_creation_order(creation, &order), kWhat);
    return (order & H5P_CRT_ORDER_TRACKED) != 0;
}

H5O_hdr_info_t header_of(hid_t object) {
    H5O_native_info_t info{};
    checked(H5Oget_native_info(object, &info, H5O_NATIVE_INFO_HDR), kWhat);
    return info.hdr;
}

// How things of one kind lie, and what they take of the header.
struct Share {
    size_t count = 0;
    bool is_tracked = false;
    size_t size = 0;

    bool depends_on_place() const { return size > 0 && count > 1 && !is_tracked; }
};

size_t size_of_comment(hid_t object) {
    const ssize_t letters = H5Oget_comment(object, nullptr, 0);
    return letters > 0 ? kMessageHeader + filled_up(static_cast<size_t>(letters) + 1) : 0;
}

size_t size_of(hid_t object, const Attribute& one) {
    const Handle attribute(checked(H5Aopen(object, one.name.c_str(), H5P_DEFAULT), kWhat),
                           H5Aclose);
    const Handle type(checked(H5Aget_type(attribute), kWhat), H5Tclose);
    const Handle space(checked(H5Aget_space(attribute), kWhat), H5Sclose);
    size_t of_type = 0, of_space = 0;
    checked(H5Tencode(type, nullptr, &of_type), kWhat);
    checked(H5Sencode2(space, nullptr, &of_space, H5P_DEFAULT), kWhat);
    // Both say more than the message does: what they are, and that everything is selected.
    constexpr size_t kBeforeType = 2, kAboutSpace = 23;
    return room_for_attribute({one.name.size() + 1, of_type - kBeforeType, of_space - kAboutSpace,
                               static_cast<size_t>(one.info.data_size)});
}

Share share_of_attributes(hid_t object, hid_t creation) {
    unsigned most = 0, least = 0;
    checked(H5Pget_attr_phase_change(creation, &most, &least), kWhat);
    const std::vector<Attribute> attributes = attributes_of(object);
    Share share{attributes.size(), is_attribute_order_tracked(creation)};
    // Those of the first version hold all of them.
    if (attributes.size() > most && header_of(object).version > 1) return share;
    for (const Attribute& attribute : attributes) share.size += size_of(object, attribute);
    return share;
}

Share share_of_links(hid_t object, hid_t creation, const std::vector<Link>& links) {
    if (links.empty() || is_old_group(object)) return {};
    unsigned order = 0, most = 0, least = 0;
    checked(H5Pget_link_creation_order(creation, &order), kWhat);
    checked(H5Pget_link_phase_change(creation, &most, &least), kWhat);
    Share share{links.size(), (order & H5P_CRT_ORDER_TRACKED) != 0};
    if (links.size() > most) return share;
    for (const Link& link : links)
        share.size += kPerLink + link.name.size() +
                      (link.info.type == H5L_TYPE_HARD ? 0 : link.info.u.val_size);
    return share;
}

}  // namespace

size_t room_for_attribute(const AttributeSizes& sizes) {
    const auto& [name, type, space, value] = sizes;
    const size_t as_first_version =
        8 + filled_up(name) + filled_up(type) + filled_up(space) + filled_up(value);
    const size_t as_third_version = filled_up(9 + name + type + space + value);
    return kMessageHeader + std::max(as_first_version, as_third_version);
}

size_t room_needed(const HeaderAttributes& attributes, hid_t creation) {
    const bool is_needed = attributes.count > 1 && !is_attribute_order_tracked(creation);
    return is_needed ? attributes.room : 0;
}

size_t room_needed(hid_t object, hid_t creation, const std::vector<Link>& links) {
    const Share of_attributes = share_of_attributes(object, creation);
    const Share of_links = share_of_links(object, creation, links);
    const bool is_needed = of_attributes.depends_on_place() || of_links.depends_on_place();
    return is_needed ? of_attributes.size + of_links.size + size_of_comment(object) : 0;
}

// By a comment, which no count and no number of the order of making knows of.
void reserve_room(hid_t object, size_t size) {
    constexpr size_t kMost = 60'000;                // that a message can hold
    constexpr size_t kAround = kMessageHeader + 1;  // besides its letters
    if (size > kAround && size <= kMost)
        checked(H5Oset_comment(object, std::string(size - kAround, '-').c_str()), kWhat);
}

void give_room_back(hid_t object) {
    checked(H5Oset_comment(object, nullptr), kWhat);
}

unsigned pieces_of_header(hid_t object) {
    return header_of(object).nchunks;
}

}  // namespace quarry::hdf5
