#include "hdf5/inventory.hpp"

#include "hdf5/failure.hpp"
#include "hdf5/own_library.hpp"
#include "hdf5/stand_ins.hpp"

namespace quarry::hdf5 {
namespace {

herr_t add_link(hid_t group, const char* name, const H5L_info2_t* info, void* links) {
    Link link{name, *info};
    // HDF5 tells the values of links only if it knows their kind.
    if (info->type >= H5L_TYPE_UD_MIN && H5Lis_registered(info->type) <= 0) {
        stand_in_for_links(info->type);
        if (H5Lget_info2(group, name, &link.info, H5P_DEFAULT) < 0) return -1;
    }
    static_cast<std::vector<Link>*>(links)->push_back(std::move(link));
    return 0;
}

H5O_info2_t object_behind(const Link& link, hid_t group) {
    H5O_info2_t info{};
    if (H5Oget_info_by_name3(group, link.name.c_str(), &info, H5O_INFO_BASIC, H5P_DEFAULT) < 0)
        info.type = H5O_TYPE_UNKNOWN;
    info.token = link.info.u.token;
    return info;
}

}  // namespace

std::string joined(const std::string& group, const std::string& name) {
    return group == "/" ? "/" + name : group + "/" + name;
}

Inventory::Inventory(hid_t file) : file_(file) {
    H5O_info2_t root{};
    checked(H5Oget_info3(file, &root, H5O_INFO_BASIC), "the root group cannot be read");
    see(root, "/");
    while (!unread_.empty()) {
        const Token next = unread_.front();
        unread_.pop_front();
        read(next);
    }
}

const OldObject* Inventory::find(const Token& token) const {
    const auto found = objects_.find(token);
    return found != objects_.end() ? &found->second : nullptr;
}

void Inventory::see(const H5O_info2_t& object, const std::string& path) {
    const Token token = token_of(object.token);
    objects_.emplace(token, OldObject{object.type, object.rc, {path}, {}});
    order_.push_back(token);
    if (object.type == H5O_TYPE_GROUP) unread_.push_back(token);
}

void Inventory::read(const Token& token) {
    const std::string path = objects_.at(token).paths.front();
    const std::string what = "the group " + path + " cannot be read";
    const Handle id(checked(H5Oopen_by_token(file_, place_of(token)), what), H5Oclose);
    std::vector<Link> links;
    if (H5Literate2(id, H5_INDEX_CRT_ORDER, H5_ITER_INC, nullptr, add_link, &links) < 0) {
        links.clear();
        checked(H5Literate2(id, H5_INDEX_NAME, H5_ITER_NATIVE, nullptr, add_link, &links), what);
    }
    for (const Link& link : links) {
        if (link.info.type != H5L_TYPE_HARD) continue;
        const auto known = objects_.find(token_of(link.info.u.token));
        if (known == objects_.end())
            see(object_behind(link, id), joined(path, link.name));
        else
            known->second.paths.push_back(joined(path, link.name));
    }
    objects_.at(token).links = std::move(links);
}

}  // namespace quarry::hdf5
