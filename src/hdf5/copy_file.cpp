#include "hdf5/copy_file.hpp"

#include <unistd.h>

#include <algorithm>

#include "hdf5/coordinates.hpp"
#include "hdf5/copy_values.hpp"
#include "hdf5/dataset_copies.hpp"
#include "hdf5/failure.hpp"
#include "hdf5/formats.hpp"
#include "hdf5/header_room.hpp"
#include "hdf5/identity.hpp"
#include "hdf5/inventory.hpp"
#include "hdf5/new_file.hpp"
#include "hdf5/object_clock.hpp"
#include "hdf5/own_library.hpp"
#include "hdf5/referred_objects.hpp"

namespace quarry::hdf5 {
namespace {

class FileCopy {
public:
    FileCopy(hid_t from, hid_t to, const CopyOrder& order, Required& required, Purpose purpose)
        : from_(from),
          order_(order),
          required_(required),
          inventory_(from),
          file_(from, to, inventory_),
          datasets_(from, inventory_, file_, order, required, purpose),
          utf8_links_(H5Pcreate(H5P_LINK_CREATE), H5Pclose) {
        H5Pset_char_encoding(utf8_links_, H5T_CSET_UTF8);
    }

    void look_for_plain_datasets(HeaderFile& headers) { datasets_.look_for_plain_ones(headers); }
    void let_go() { file_.let_go(); }

    // False if something was left out that turned out to be required.
    bool is_complete() const { return is_complete_; }

    std::vector<uint64_t> addresses() const {
        std::vector<uint64_t> found;
        for (const Token& token : inventory_.order()) found.push_back(address_of(from_, token));
        return found;
    }

    std::vector<CopiedDataset> run() {
        require_coordinates();
        complete_root(inventory_.order().front());
        for (const Token& token : inventory_.order())
            if (inventory_.at(token).type == H5O_TYPE_NAMED_DATATYPE &&
                !file_.places.contains(token))
                file_.types.make(token);
        // Groups as they are met: links into them are there before what they lead to has links.
        for (const Token& token : inventory_.order())
            if (inventory_.at(token).type == H5O_TYPE_GROUP) fill_group(token);
        file_.finishing.finish_all();
        for (const Token& token : inventory_.order()) count_what_has_no_name(token);
        is_complete_ = file_.finishing.referred().have_all(datasets_.made(), order_, required_);
        return std::move(datasets_.made());
    }

private:
    void require_coordinates() {
        const auto is_chosen = [this](const Token& token, const OldObject& object) {
            return !datasets_.is_plain(token) && order_.is_chosen(token, object.paths);
        };
        for (const auto& [token, variable] : named_coordinates(from_, inventory_, is_chosen))
            if (!order_.is_dropped(inventory_.at(token).paths))
                required_.emplace(token, "it is a coordinate of " + variable);
    }

    // Made with its file.
    void complete_root(const Token& token) {
        const std::string what = "the root cannot be copied";
        const Handle old = object_at(from_, token);
        const Handle creation(checked(H5Gget_create_plist(old), what), H5Pclose);
        if (const size_t room = room_needed(old, creation, inventory_.at(token).links)) {
            reserve_room(file_.id, room);
            give_room_back(file_.id);
        }
        make_attributes(old, file_.id, file_.types.as_function());
        file_.places.add(token, file_.id);
    }

    // Groups of old are always listed by name, but their trees are as full as their order of making
    // lets them be: sorted names, one by one, would leave each leaf half empty. Where objects lie
    // tells how it was in the original.
    std::vector<Link> by_address(const std::vector<Link>& links) const {
        std::vector<std::pair<uint64_t, size_t>> places;
        for (const Link& link : links) {
            const bool is_object = link.info.type == H5L_TYPE_HARD;
            places.emplace_back(
                is_object ? address_of(from_, token_of(link.info.u.token)) : HADDR_UNDEF,
                places.size());
        }
        std::sort(places.begin(), places.end());
        std::vector<Link> sorted;
        for (const auto& [address, number] : places) sorted.push_back(links[number]);
        return sorted;
    }

    void fill_group(const Token& token) {
        const OldObject& group = inventory_.at(token);
        const std::string& path = group.paths.front();
        const Handle old = object_at(from_, token);
        const Handle copy = file_.places.open_copy(token);
        for (const Link& link : is_old_group(old) ? by_address(group.links) : group.links) {
            try {
                make_link(link, old, copy);
            } catch (const Failure& failure) {
                throw Failure(joined(path, link.name) + ": " + failure.what());
            }
        }
        file_.finishing.postpone(token);
    }

    void make_link(const Link& link, hid_t old_group, hid_t group) {
        const std::string what = "the link cannot be copied";
        const char* name = link.name.c_str();
        const hid_t creation =
            link.info.cset == H5T_CSET_UTF8 ? hid_t{utf8_links_} : H5P_LINK_CREATE_DEFAULT;
        if (link.info.type == H5L_TYPE_HARD) {
            const Token token = token_of(link.info.u.token);
            if (!file_.places.contains(token)) {
                make_object(token, old_group, {group, link.name, creation});
                return;
            }
            const OpenedCopy object(file_.id, file_.places.at(token));
            checked(H5Olink(object, group, name, creation, H5P_DEFAULT), what);
            return;
        }
        std::vector<char> value(link.info.u.val_size + 1);
        checked(H5Lget_val(old_group, name, value.data(), link.info.u.val_size, H5P_DEFAULT), what);
        if (link.info.type == H5L_TYPE_SOFT) {
            checked(H5Lcreate_soft(value.data(), group, name, creation, H5P_DEFAULT), what);
        } else {
            checked(H5Lcreate_ud(group, name, link.info.type, value.data(), link.info.u.val_size,
                                 creation, H5P_DEFAULT),
                    what);
        }
    }

    void make_object(const Token& token, hid_t old_group, const NewLink& link) {
        const OldObject& object = inventory_.at(token);
        if (object.type == H5O_TYPE_GROUP)
            make_group(token, link);
        else if (object.type == H5O_TYPE_DATASET)
            datasets_.make(token, old_group, link);
        else
            throw Failure("it cannot be read");
    }

    void make_group(const Token& token, const NewLink& link) {
        const std::string what = "the group cannot be copied";
        const Handle old = object_at(from_, token);
        file_.version.choose_like(old);
        const ObjectClock clock(times_of(old).made);
        const Handle creation(checked(H5Pcreate(H5P_GROUP_CREATE), what), H5Pclose);
        set_group_properties(old, creation);
        Handle made(checked(H5Gcreate_anon(file_.id, creation, H5P_DEFAULT), what), H5Gclose);
        // Only links that come after the one that turns a group keep the order they are made in.
        if (is_old_group(made) && !is_old_group(old)) renew_group(made);
        const size_t room = room_needed(old, creation, inventory_.at(token).links);
        const Handle copy =
            file_.placement.placed(std::move(made), room, link, datasets_.made().size());
        make_attributes(old, copy, file_.types.as_function());
        file_.places.add(token, copy);
    }

    // Besides links and what is of a named type, programs may count themselves among what leads to
    // an object (H5Oincr_refcount).
    void count_what_has_no_name(const Token& token) const {
        const OldObject& object = inventory_.at(token);
        if (object.count <= object.paths.size()) return;
        const std::string what = "what leads to it cannot be counted";
        const OpenedCopy copy(file_.id, file_.places.at(token));
        H5O_info2_t info{};
        checked(H5Oget_info3(copy, &info, H5O_INFO_BASIC), what);
        constexpr uint32_t kMost = 1000;  // a damaged count may be any
        if (object.count > info.rc + kMost) return;
        for (uint32_t count = info.rc; count < object.count; ++count)
            checked(H5Oincr_refcount(copy), what);
    }

    hid_t from_;
    const CopyOrder& order_;
    Required& required_;
    Inventory inventory_;
    NewFile file_;
    DatasetCopies datasets_;
    Handle utf8_links_;  // what links with such names are made with
    bool is_complete_ = true;
};

}  // namespace

Result<std::vector<CopiedDataset>> plan_copy(const std::string& file, const CopyOrder& order) {
    prepare_library();
    try {
        const Handle old(
            checked(H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), "it cannot be opened"),
            H5Fclose);
        Required required;
        while (true) {
            const Handle copy = make_like_in_memory(old);
            FileCopy copying(old, copy, order, required, Purpose::Rehearsal);
            std::vector<CopiedDataset> copied = copying.run();
            if (copying.is_complete()) return copied;
        }
    } catch (const Failure& failure) {
        return Error{failure.what()};
    }
}

Result<CopiedFile> copy_file(const std::string& from, const std::string& to,
                             const CopyOrder& order) {
    prepare_library();
    bool is_begun = false;
    try {
        const Handle old(
            checked(H5Fopen(from.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), "it cannot be opened"),
            H5Fclose);
        HeaderFile headers(from, header_format_of(old));
        Required required;
        CopiedFile made;
        for (bool is_complete = false; !is_complete;) {
            if (is_begun) unlink(to.c_str());
            is_begun = true;
            Handle copy = make_like(old, to);
            FileCopy copying(old, copy, order, required, Purpose::Copy);
            copying.look_for_plain_datasets(headers);
            made.datasets = copying.run();
            is_complete = copying.is_complete();
            copying.let_go();
            if (copy.close() < 0) throw Failure(to + " cannot be written: " + last_complaint());
            if (is_complete) made.identity = identity_of(headers, copying.addresses());
        }
        copy_user_block(user_block_of(old), from, to);
        return made;
    } catch (const Failure& failure) {
        if (is_begun) unlink(to.c_str());
        return Error{failure.what()};
    }
}

}  // namespace quarry::hdf5
