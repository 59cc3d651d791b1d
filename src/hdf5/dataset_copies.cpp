#include "hdf5/dataset_copies.hpp"

#include <utility>

#include "hdf5/copy_values.hpp"
#include "hdf5/failure.hpp"
#include "hdf5/header_room.hpp"
#include "hdf5/hollow.hpp"
#include "hdf5/object_clock.hpp"
#include "hdf5/other_files.hpp"
#include "hdf5/stand_ins.hpp"
#include "hdf5/told_growth.hpp"
#include "hdf5/types.hpp"

namespace quarry::hdf5 {

DatasetCopies::DatasetCopies(hid_t from, const Inventory& inventory, NewFile& file,
                             const CopyOrder& order, const Required& required, Purpose purpose)
    : from_(from),
      inventory_(inventory),
      file_(file),
      order_(order),
      required_(required),
      purpose_(purpose),
      why_nothing_is_hollow_(why_nothing_is_hollow(from)) {}

void DatasetCopies::look_for_plain_ones(HeaderFile& headers) {
    for (const Token& token : inventory_.order()) {
        if (inventory_.at(token).type != H5O_TYPE_DATASET) continue;
        if (const auto plain = plain_dataset(headers, address_of(from_, token)))
            plain_.emplace(token, *plain);
    }
}

void DatasetCopies::make(const Token& token, hid_t old_group, const NewLink& link) {
    const auto plain = plain_.find(token);
    if (plain != plain_.end()) {
        CopiedDataset copied;
        copied.token = token;
        copied.paths = inventory_.at(token).paths;
        copied.stored = plain->second.stored;
        decide(copied);
        if (copied.kept == Part::Whole) {
            copy_by_hdf5(old_group, link, copied);
            was_copied(std::move(copied));
            return;
        }
    }
    make_opened(token, old_group, link);
}

void DatasetCopies::make_opened(const Token& token, hid_t old_group, const NewLink& link) {
    const std::string what = "the dataset cannot be copied";
    const Handle old(checked(H5Dopen2(old_group, link.name.c_str(), H5P_DEFAULT), what), H5Dclose);
    const Handle type(checked(H5Dget_type(old), what), H5Tclose);
    const Handle creation(checked(H5Dget_create_plist(old), what), H5Pclose);
    CopiedDataset copied = dataset_as_it_is(old, creation, token, inventory_.at(token).paths);
    decide(copied);
    const bool is_wanted = copied.kept != Part::Nothing;
    if (copied.kept == Part::Chunks) keep_whole_if_possible(old, creation, order_, copied);
    const bool refers = !is_plain(token) && (has_references(type) || attributes_refer(old));
    const bool can_go_by_hdf5 =
        !refers && H5Tcommitted(type) <= 0 && !has_old_filters(old, creation) &&
        !has_filters_over_heap(type, creation) && !has_fill_value_in_heap(type, creation);
    if (copied.kept == Part::Whole && can_go_by_hdf5 && purpose_ == Purpose::Copy) {
        copy_by_hdf5(old_group, link, copied);
    } else {
        make_anew({old, type, creation}, refers, copied, link);
        if (const auto place = file_.places.find(token)) copied.place = token_of(*place);
    }
    // Without its files, external data refuses to be read, but virtual data is fill values.
    if (copied.kept == Part::Whole && (is_wanted || copied.is_virtual))
        copied.needs = needed_by(old);
    copied.is_elsewhere = !is_wanted && H5Pget_external_count(creation) > 0;
    was_copied(std::move(copied));
}

void DatasetCopies::decide(CopiedDataset& copied) const {
    const auto required = required_.find(copied.token);
    copied.kept = required == required_.end() ? order_.wanted(copied) : Part::Whole;
    if (required != required_.end()) copied.remark = required->second;
}

// Its own way knows every detail, needs no filter and is fast.
void DatasetCopies::copy_by_hdf5(hid_t old_group, const NewLink& link,
                                 const CopiedDataset& copied) {
    const char* name = link.name.c_str();
    ToldGrowth growth(file_.id, copied.stored, order_.progress);
    checked(H5Ocopy(old_group, name, link.group, name, H5P_DEFAULT, link.creation),
            "the dataset cannot be copied");
    told_ = growth.end();
    file_.places.add_path(copied.token, copied.paths.front());
}

void DatasetCopies::was_copied(CopiedDataset copied) {
    if (copied.kept == Part::Whole && !copied.is_elsewhere) copied.kept_bytes = copied.stored;
    if (order_.progress) order_.progress(copied.stored - std::exchange(told_, 0));
    made_.push_back(std::move(copied));
}

// `refers` tells that something in it points at objects, which may not be there yet.
void DatasetCopies::make_anew(const OldDataset& dataset, bool refers, CopiedDataset& copied,
                              const NewLink& link) {
    const std::string what = "the dataset cannot be made anew";
    const auto& [old, type, creation] = dataset;
    const Token& token = copied.token;
    const Handle space(checked(H5Dget_space(old), what), H5Sclose);
    // Before the list is changed: filters that are put on it again lose their names.
    stand_in_for_filters(creation);
    prepare_list(dataset, space, why_nothing_is_hollow_, guard_mark(order_.mark, token), copied);
    if (purpose_ == Purpose::Rehearsal) allocate_nothing(creation);
    const hid_t type_of_copy = file_.types.like(type);
    file_.version.choose_like(old);
    const ObjectTimes times = times_of(old);
    // Old headers do not tell otherwise that nobody wanted to know.
    if (file_.version.is_earliest() && times.changed == 0) H5Pset_obj_track_times(creation, false);
    const ObjectClock clock(times.made);
    const auto plain = plain_.find(token);
    const size_t room = plain != plain_.end() ? room_needed(plain->second.attributes, creation)
                                              : room_needed(old, creation, {});
    const Handle first = space_to_begin_with(dataset, space, room > 0);
    Handle made(checked(H5Dcreate_anon(file_.id, type_of_copy, first, creation, H5P_DEFAULT), what),
                H5Dclose);
    const Handle copy = file_.placement.placed(std::move(made), room, link, made_.size());
    give_shape(copy, space, first);
    file_.places.add(token, copy);
    if (refers) {
        make_attributes(old, copy, file_.types.as_function());
    } else {
        const ObjectClock later(times.changed);
        copy_attributes(old, creation, copy, file_.types.as_function());
    }
    if (copied.kept == Part::Nothing) file_.finishing.is_left_hollow(token);
    if (copied.kept == Part::Chunks) {
        ToldGrowth growth(file_.id, copied.stored, order_.progress);
        copied.kept_bytes = copy_wanted_chunks(old, copy, copied, order_, purpose_);
        told_ = growth.end();
    }
    const bool is_rehearsed = purpose_ == Purpose::Rehearsal && !has_references(type);
    if (copied.kept == Part::Whole && !is_rehearsed) file_.finishing.needs_data(token);
    if (refers) {
        file_.finishing.postpone(token);
    } else {
        const ObjectClock later(times.changed);
        file_.finishing.finish_now(token, old, copy);
    }
}

}  // namespace quarry::hdf5
