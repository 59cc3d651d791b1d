#include "hdf5/copy_file.hpp"

#include <unistd.h>

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <unordered_map>

#include "hdf5/coordinates.hpp"
#include "hdf5/copy_dataset.hpp"
#include "hdf5/copy_values.hpp"
#include "hdf5/failure.hpp"
#include "hdf5/formats.hpp"
#include "hdf5/header_room.hpp"
#include "hdf5/hollow.hpp"
#include "hdf5/identity.hpp"
#include "hdf5/inventory.hpp"
#include "hdf5/object_clock.hpp"
#include "hdf5/other_files.hpp"
#include "hdf5/own_library.hpp"
#include "hdf5/plain_dataset.hpp"
#include "hdf5/stand_ins.hpp"
#include "hdf5/types.hpp"

namespace quarry::hdf5 {
namespace {

struct Times {
    time_t made = 0;
    time_t changed = 0;
};

// Why datasets must be kept whole that nobody chose.
using Required = std::map<Token, std::string>;

class FileCopy {
public:
    FileCopy(hid_t from, hid_t to, const CopyOrder& order, Required& required, Purpose purpose)
        : from_(from),
          to_(to),
          order_(order),
          required_(required),
          purpose_(purpose),
          why_nothing_is_hollow_(why_nothing_is_hollow(from)),
          inventory_(from),
          places_(from, to),
          utf8_links_(H5Pcreate(H5P_LINK_CREATE), H5Pclose),
          sharing_types_(H5Pcreate(H5P_OBJECT_COPY), H5Pclose) {
        H5Pset_char_encoding(utf8_links_, H5T_CSET_UTF8);
        H5Pset_copy_object(sharing_types_, H5O_COPY_MERGE_COMMITTED_DTYPE_FLAG);
    }

    ~FileCopy() { let_go(); }
    FileCopy(const FileCopy&) = delete;
    FileCopy& operator=(const FileCopy&) = delete;

    // Of all that is open in the copy.
    void let_go() {
        for (const auto& [token, type] : types_) H5Tclose(type);
        types_.clear();
        given_up_.clear();
    }

    // False if something was left out that turned out to be required.
    bool is_complete() const { return is_complete_; }

    std::vector<uint64_t> addresses() const {
        std::vector<uint64_t> found;
        for (const Token& token : inventory_.order()) found.push_back(address_of(token));
        return found;
    }

    // What need not be opened to be copied.
    void look_for_plain_datasets(HeaderFile& headers) {
        for (const Token& token : inventory_.order()) {
            if (inventory_.at(token).type != H5O_TYPE_DATASET) continue;
            if (const auto plain = plain_dataset(headers, address_of(token)))
                plain_.emplace(token, *plain);
        }
    }

    std::vector<CopiedDataset> run() {
        require_coordinates();
        complete_root(inventory_.order().front());
        for (const Token& token : inventory_.order())
            if (inventory_.at(token).type == H5O_TYPE_NAMED_DATATYPE && !places_.contains(token))
                make_type(token);
        // Groups as they are met: links into them are there before what they lead to has links.
        for (const Token& token : inventory_.order())
            if (inventory_.at(token).type == H5O_TYPE_GROUP) fill_group(token);
        // Types without a name turn up on the way.
        while (!unfinished_.empty()) {
            const Token next = unfinished_.front();
            unfinished_.pop_front();
            finish(next);
        }
        for (const Token& token : inventory_.order()) count_what_has_no_name(token);
        require_what_is_referred_to();
        return std::move(copied_);
    }

private:
    uint64_t address_of(const Token& token) const {
        haddr_t address = 0;
        checked(H5VLnative_token_to_addr(from_, place_of(token), &address),
                "the place of an object is not known");
        return address;
    }
    Handle old_object(const Token& token) const {
        return {checked(H5Oopen_by_token(from_, place_of(token)), "an object cannot be opened"),
                H5Oclose};
    }
    H5O_token_t place_in_copy(const Token& token) const {
        const auto place = places_.find(token);
        if (!place) throw Failure("a copy is missing");
        return *place;
    }
    Handle new_object(const Token& token) const {
        return {checked(H5Oopen_by_token(to_, place_in_copy(token)), "a copy cannot be opened"),
                H5Oclose};
    }

    void require_coordinates() {
        const auto is_chosen = [this](const Token& token, const OldObject& object) {
            return !plain_.contains(token) && order_.is_chosen(token, object.paths);
        };
        for (const auto& [token, variable] : named_coordinates(from_, inventory_, is_chosen))
            if (!order_.is_dropped(inventory_.at(token).paths))
                required_.emplace(token, "it is a coordinate of " + variable);
    }

    // And all that is then referred to by attributes of what was left out. What its data refers to
    // turns up when that is copied.
    void require_what_is_referred_to() {
        std::map<Token, const CopiedDataset*> missing;
        for (const CopiedDataset& dataset : copied_)
            if (dataset.kept != Part::Whole && dataset.remark.empty())
                missing[dataset.token] = &dataset;
        std::deque<Token> unseen;
        for (const auto& [target, path] : referred_) unseen.push_back(target);
        for (; !unseen.empty(); unseen.pop_front()) {
            const Token token = unseen.front();
            const auto found = missing.find(token);
            if (found == missing.end() || order_.is_dropped(found->second->paths)) continue;
            required_.emplace(token, referred_.at(token) + " refers to it");
            is_complete_ = false;
            for (const Token& target : referred_by_hollow_[token])
                if (referred_.emplace(target, found->second->paths.front()).second)
                    unseen.push_back(target);
        }
    }

    // What is made next gets a header of the same version as that of the old object.
    void set_version(hid_t old) {
        H5O_native_info_t info{};
        checked(H5Oget_native_info(old, &info, H5O_NATIVE_INFO_HDR), "a header cannot be read");
        const bool is_old = info.hdr.version < 2 || is_old_group(old);
        H5F_libver_t low = is_old ? H5F_LIBVER_EARLIEST : H5F_LIBVER_V18;
        H5D_chunk_index_t index{};
        if (H5Iget_type(old) == H5I_DATASET && H5Dget_chunk_index_type(old, &index) >= 0 &&
            index != H5D_CHUNK_IDX_BTREE && !is_old)
            low = H5F_LIBVER_V110;
        if (low == version_) return;
        checked(H5Fset_libver_bounds(to_, low, H5F_LIBVER_LATEST), "the format cannot be chosen");
        version_ = low;
    }

    void was_made(const Token& token, hid_t copy) {
        H5O_info2_t info{};
        checked(H5Oget_info3(copy, &info, H5O_INFO_BASIC), "a copy cannot be read");
        places_.add(token, info.token);
    }

    void make_attributes(hid_t old, hid_t copy) {
        hdf5::make_attributes(old, copy, [this](hid_t type) { return type_in_copy(type); });
    }

    static Times times_of(hid_t object) {
        H5O_info2_t info{};
        checked(H5Oget_info3(object, &info, H5O_INFO_TIME), "times cannot be read");
        return {info.btime != 0 ? info.btime : info.ctime, info.ctime};
    }

    // The same for what is made of it: named types are shared, also those that nothing leads to but
    // what is of them.
    hid_t type_in_copy(hid_t old) {
        if (H5Tcommitted(old) <= 0) return old;
        H5O_info2_t info{};
        checked(H5Oget_info3(old, &info, H5O_INFO_BASIC), "a named type cannot be found");
        const Token token = token_of(info.token);
        if (!types_.contains(token)) make_type(token);
        return types_.at(token);
    }

    void make_type(const Token& token) {
        const Handle old = old_object(token);
        set_version(old);
        const ObjectClock clock(times_of(old).made);
        const Handle creation(H5Tget_create_plist(old), H5Pclose);
        const std::string what = "a named type cannot be copied";
        const hid_t type = checked(H5Tcopy(old), what);
        types_[token] = type;
        checked(H5Tcommit_anon(to_, type, creation, H5P_DEFAULT), what);
        was_made(token, type);
        reserve_room(type, room_needed(old, creation, {}));
        give_room_back(type);
        make_attributes(old, type);
        unfinished_.push_back(token);
    }

    // Made with its file.
    void complete_root(const Token& token) {
        const std::string what = "the root cannot be copied";
        const Handle old = old_object(token);
        const Handle creation(checked(H5Gget_create_plist(old), what), H5Pclose);
        if (const size_t room = room_needed(old, creation, inventory_.at(token).links)) {
            reserve_room(to_, room);
            give_room_back(to_);
        }
        make_attributes(old, to_);
        was_made(token, to_);
    }

    // Groups of old are always listed by name, but their trees are as full as their order of making
    // lets them be: sorted names, one by one, would leave each leaf half empty. Where objects lie
    // tells how it was in the original.
    std::vector<Link> by_address(const std::vector<Link>& links) const {
        std::vector<std::pair<uint64_t, size_t>> places;
        for (const Link& link : links) {
            const bool is_object = link.info.type == H5L_TYPE_HARD;
            places.emplace_back(is_object ? address_of(token_of(link.info.u.token)) : HADDR_UNDEF,
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
        const Handle old = old_object(token);
        const Handle copy = new_object(token);
        for (const Link& link : is_old_group(old) ? by_address(group.links) : group.links) {
            try {
                make_link(link, old, copy);
            } catch (const Failure& failure) {
                throw Failure(joined(path, link.name) + ": " + failure.what());
            }
        }
        unfinished_.push_back(token);
    }

    void make_link(const Link& link, hid_t old_group, hid_t group) {
        const std::string what = "the link cannot be copied";
        const char* name = link.name.c_str();
        const hid_t creation =
            link.info.cset == H5T_CSET_UTF8 ? hid_t{utf8_links_} : H5P_LINK_CREATE_DEFAULT;
        if (link.info.type == H5L_TYPE_HARD) {
            const Token token = token_of(link.info.u.token);
            if (!places_.contains(token)) {
                make_object(token, old_group, group, link.name, creation);
                return;
            }
            const OpenedCopy object(to_, place_in_copy(token));
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

    void make_object(const Token& token, hid_t old_group, hid_t group, const std::string& name,
                     hid_t link_creation) {
        const OldObject& object = inventory_.at(token);
        if (object.type == H5O_TYPE_GROUP)
            make_group(token, group, name, link_creation);
        else if (object.type == H5O_TYPE_DATASET)
            make_dataset(token, old_group, group, name, link_creation);
        else
            throw Failure("it cannot be read");
    }

    void make_group(const Token& token, hid_t group, const std::string& name, hid_t link_creation) {
        const std::string what = "the group cannot be copied";
        const Handle old = old_object(token);
        set_version(old);
        const ObjectClock clock(times_of(old).made);
        const Handle creation(checked(H5Pcreate(H5P_GROUP_CREATE), what), H5Pclose);
        set_group_properties(old, creation);
        Handle made(checked(H5Gcreate_anon(to_, creation, H5P_DEFAULT), what), H5Gclose);
        // Only links that come after the one that turns a group keep the order they are made in.
        if (is_old_group(made) && !is_old_group(old)) renew_group(made);
        const size_t room = room_needed(old, creation, inventory_.at(token).links);
        const Handle copy = placed(std::move(made), room, {group, name, link_creation});
        make_attributes(old, copy);
        was_made(token, copy);
    }

    struct NewLink {
        hid_t group;
        const std::string& name;
        hid_t creation;
    };

    // Attributes and links whose order is not tracked are listed as they lie in the header of their
    // object. They lie there as they were made if all of them find room in its first piece.
    Handle placed(Handle made, size_t room, const NewLink& link) {
        const std::string what = "it cannot be put into its group";
        const char* name = link.name.c_str();
        reserve_room(made, room);
        // Copies that HDF5 makes are in one piece, also where something lies behind the object.
        if (room == 0 || pieces_of_header(made) == 1) {
            checked(H5Olink(made, link.group, name, link.creation, H5P_DEFAULT), what);
            if (room > 0) give_room_back(made);
            return made;
        }
        checked(H5Ocopy(made, ".", link.group, name, sharing_types_, link.creation), what);
        if (has_no_data(made) && given_up_.size() * kPerGivenUp <= copied_.size())
            given_up_.push_back(std::move(made));
        Handle copy(checked(H5Oopen(link.group, name, H5P_DEFAULT), what), H5Oclose);
        give_room_back(copy);
        return copy;
    }

    static bool has_no_data(hid_t object) {
        return H5Iget_type(object) != H5I_DATASET || H5Dget_storage_size(object) == 0;
    }

    void make_dataset(const Token& token, hid_t old_group, hid_t group, const std::string& name,
                      hid_t link_creation) {
        const std::string what = "the dataset cannot be copied";
        const auto plain = plain_.find(token);
        if (plain != plain_.end()) {
            CopiedDataset copied;
            copied.token = token;
            copied.paths = inventory_.at(token).paths;
            copied.stored = plain->second.stored;
            decide(copied);
            if (copied.kept == Part::Whole) {
                copy_by_hdf5(old_group, {group, name, link_creation}, copied);
                was_copied(std::move(copied));
                return;
            }
        }
        const Handle old(checked(H5Dopen2(old_group, name.c_str(), H5P_DEFAULT), what), H5Dclose);
        const Handle type(checked(H5Dget_type(old), what), H5Tclose);
        const Handle creation(checked(H5Dget_create_plist(old), what), H5Pclose);
        CopiedDataset copied = dataset_as_it_is(old, creation, token, inventory_.at(token).paths);
        decide(copied);
        const bool is_wanted = copied.kept != Part::Nothing;
        if (copied.kept == Part::Chunks) keep_whole_if_possible(old, creation, order_, copied);
        const bool refers =
            plain == plain_.end() && (has_references(type) || attributes_refer(old));
        const bool is_plain =
            !refers && H5Tcommitted(type) <= 0 && !has_old_filters(old, creation) &&
            !has_filters_over_heap(type, creation) && !has_fill_value_in_heap(type, creation);
        if (copied.kept == Part::Whole && is_plain && purpose_ == Purpose::Copy) {
            copy_by_hdf5(old_group, {group, name, link_creation}, copied);
        } else {
            make_dataset_anew({old, type, creation}, refers, copied, {group, name, link_creation});
            if (const auto place = places_.find(token)) copied.place = token_of(*place);
        }
        // Without its files, external data refuses to be read, but virtual data is fill values.
        if (copied.kept == Part::Whole && (is_wanted || copied.is_virtual))
            copied.needs = needed_by(old);
        copied.is_elsewhere = !is_wanted && H5Pget_external_count(creation) > 0;
        was_copied(std::move(copied));
    }

    void decide(CopiedDataset& copied) const {
        const auto required = required_.find(copied.token);
        copied.kept = required == required_.end() ? order_.wanted(copied) : Part::Whole;
        if (required != required_.end()) copied.remark = required->second;
    }

    // Its own way knows every detail, needs no filter and is fast.
    void copy_by_hdf5(hid_t old_group, const NewLink& link, const CopiedDataset& copied) {
        const char* name = link.name.c_str();
        checked(H5Ocopy(old_group, name, link.group, name, H5P_DEFAULT, link.creation),
                "the dataset cannot be copied");
        places_.add_path(copied.token, copied.paths.front());
    }

    void was_copied(CopiedDataset copied) {
        if (copied.kept == Part::Whole && !copied.is_elsewhere) copied.kept_bytes = copied.stored;
        if (order_.progress) order_.progress(copied.stored);
        copied_.push_back(std::move(copied));
    }

    // `refers` tells that something in it points at objects, which may not be there yet.
    void make_dataset_anew(const OldDataset& dataset, bool refers, CopiedDataset& copied,
                           const NewLink& link) {
        const std::string what = "the dataset cannot be made anew";
        const auto& [old, type, creation] = dataset;
        const Token& token = copied.token;
        const Handle space(checked(H5Dget_space(old), what), H5Sclose);
        // Before the list is changed: filters that are put on it again lose their names.
        stand_in_for_filters(creation);
        prepare_list(dataset, space, why_nothing_is_hollow_, guard_mark(order_.mark), copied);
        if (purpose_ == Purpose::Rehearsal) allocate_nothing(creation);
        const hid_t type_of_copy = type_in_copy(type);
        set_version(old);
        const Times times = times_of(old);
        // Old headers do not tell otherwise that nobody wanted to know.
        if (version_ == H5F_LIBVER_EARLIEST && times.changed == 0)
            H5Pset_obj_track_times(creation, false);
        const ObjectClock clock(times.made);
        const auto plain = plain_.find(token);
        const size_t room = plain != plain_.end() ? room_needed(plain->second.attributes, creation)
                                                  : room_needed(old, creation, {});
        const Handle first = space_to_begin_with(dataset, space, room > 0);
        Handle made(checked(H5Dcreate_anon(to_, type_of_copy, first, creation, H5P_DEFAULT), what),
                    H5Dclose);
        const Handle copy = placed(std::move(made), room, link);
        give_shape(copy, space, first);
        was_made(token, copy);
        if (refers) {
            make_attributes(old, copy);
        } else {
            const ObjectClock later(times.changed);
            copy_attributes(old, creation, copy,
                            [this](hid_t attribute) { return type_in_copy(attribute); });
        }
        if (copied.kept == Part::Nothing) hollow_.insert(token);
        if (copied.kept == Part::Chunks)
            copied.kept_bytes = copy_wanted_chunks(old, copy, copied, order_, purpose_);
        const bool is_rehearsed = purpose_ == Purpose::Rehearsal && !has_references(type);
        if (copied.kept == Part::Whole && !is_rehearsed) with_data_.insert(token);
        if (refers) {
            unfinished_.push_back(token);
        } else {
            const ObjectClock later(times.changed);
            complete(token, old, copy, {});
        }
    }

    // Once everything has its place: what points at places.
    void finish(const Token& token) {
        try {
            const Handle old = old_object(token);
            const ObjectClock clock(times_of(old).changed);
            const Handle copy = new_object(token);
            finish(token, old, copy);
        } catch (const Failure& failure) {
            const OldObject* named = inventory_.find(token);
            throw Failure((named != nullptr ? named->paths.front() : "a type without a name") +
                          ": " + failure.what());
        }
    }

    void finish(const Token& token, hid_t old, hid_t copy) {
        std::set<Token> referred;
        fill_attributes(old, copy, places_, referred);
        complete(token, old, copy, std::move(referred));
    }

    // All but attributes, which refer to `referred`.
    void complete(const Token& token, hid_t old, hid_t copy, std::set<Token> referred) {
        copy_comment(old, copy);
        if (with_data_.contains(token)) copy_data(old, copy, places_, referred);
        const OldObject* named = inventory_.find(token);
        if (hollow_.contains(token)) referred_by_hollow_[token].swap(referred);
        for (const Token& target : referred)
            referred_.emplace(target, named != nullptr ? named->paths.front() : "a kept type");
        if (times_of(copy).changed != times_of(old).changed) touch(copy);
    }

    // Besides links and what is of a named type, programs may count themselves among what leads to
    // an object (H5Oincr_refcount).
    void count_what_has_no_name(const Token& token) const {
        const OldObject& object = inventory_.at(token);
        if (object.count <= object.paths.size()) return;
        const std::string what = "what leads to it cannot be counted";
        const OpenedCopy copy(to_, place_in_copy(token));
        H5O_info2_t info{};
        checked(H5Oget_info3(copy, &info, H5O_INFO_BASIC), what);
        constexpr uint32_t kMost = 1000;  // a damaged count may be any
        if (object.count > info.rc + kMost) return;
        for (uint32_t count = info.rc; count < object.count; ++count)
            checked(H5Oincr_refcount(copy), what);
    }

    // Links that were made in a group have changed it, and HDF5 has no other call that does nothing
    // but set the time.
    static void touch(hid_t copy) {
        checked(H5Oset_comment(copy, "-"), "its time cannot be set");
        checked(H5Oset_comment(copy, nullptr), "its time cannot be set");
    }

    static void copy_comment(hid_t old, hid_t copy) {
        const ssize_t size = H5Oget_comment(old, nullptr, 0);
        if (size <= 0) return;
        std::string comment(static_cast<size_t>(size), '\0');
        H5Oget_comment(old, comment.data(), comment.size() + 1);
        checked(H5Oset_comment(copy, comment.c_str()), "its comment cannot be copied");
    }

    hid_t from_;
    hid_t to_;
    const CopyOrder& order_;
    Required& required_;
    Purpose purpose_;
    const std::string why_nothing_is_hollow_;
    Inventory inventory_;
    std::unordered_map<Token, PlainDataset, TokenHash> plain_;
    NewPlaces places_;
    Handle utf8_links_;  // what links with such names are made with
    Handle sharing_types_;
    // Objects whose headers could not grow. Closed, they would leave their places to the next ones,
    // which could not grow there either. Their room is lost, so there are only a few.
    std::vector<Handle> given_up_;
    static constexpr size_t kPerGivenUp = 64;
    std::map<Token, hid_t> types_;
    H5F_libver_t version_ = H5F_LIBVER_ERROR;
    std::deque<Token> unfinished_;
    std::set<Token> with_data_;
    std::set<Token> hollow_;
    std::map<Token, std::string> referred_;  // to which something refers that is kept: its path
    std::map<Token, std::set<Token>> referred_by_hollow_;
    std::vector<CopiedDataset> copied_;
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
