#include "connector/carved_changes.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "base/say.hpp"
#include "connector/carved_dataset.hpp"
#include "connector/copy_reach.hpp"
#include "connector/members.hpp"
#include "connector/open_originals.hpp"
#include "connector/opened_object.hpp"

namespace quarry::connector {
namespace {

struct Listed {
    std::string name;  // seen from the group
    size_t number;
};

struct Search {
    const MissingData& missing;
    std::vector<Listed> found;
};

herr_t look_at(hid_t, const char* name, const H5O_info2_t* info, void* data) noexcept try {
    auto& search = *static_cast<Search*>(data);
    std::array<uint8_t, 16> place{};
    std::memcpy(place.data(), &info->token, place.size());
    const size_t number = search.missing.find(place);
    if (number < search.missing.count()) search.found.push_back({name, number});
    return 0;
} catch (const std::bad_alloc&) {
    return -1;
}

// The datasets below a group that are not whole; nothing if that cannot be told. What a program has
// made itself can lie in the place of one.
std::optional<std::vector<size_t>> missing_below(const Object& group, const MissingData& missing,
                                                 hid_t transfer) {
    Search search{missing, {}};
    if (visit_members(group, transfer, look_at, &search) < 0) return std::nullopt;
    std::vector<size_t> found;
    for (const Listed& listed : search.found) {
        OpenedObject opened(group, H5I_GROUP, listed.name.c_str(), transfer);
        if (!opened) return std::nullopt;
        const bool is_dataset = opened.type() == H5I_DATASET;
        if (is_dataset && carved_part_of(opened.get(), transfer) != nullptr)
            found.push_back(listed.number);
    }
    return found;
}

herr_t copy_from(void* original, H5I_type_t type, const std::string& name,
                 const CopiedObject& copied) {
    H5VL_loc_params_t location{};
    location.obj_type = type;
    location.type = H5VL_OBJECT_BY_SELF;
    return copied.source.under->callbacks->object_cls.copy(
        original, &location, name.c_str(), copied.target_below, copied.target_location,
        copied.target_name, copied.copying, copied.link_creation, copied.transfer, nullptr);
}

herr_t refuse(CarvedFile& file, const std::string& path, const char* why) {
    file.note_unusable(path, why);
    return -1;
}

constexpr const char* kMayHaveChanged =
    "can be copied only from a file that is open for reading and is as it was carved";
constexpr const char* kWithoutPath = "can be copied only by a path in its own file";
constexpr const char* kWithoutOriginal = "cannot be copied without its original";

const Selection kAll{};

std::optional<herr_t> copy_dataset(const CopiedObject& copied) {
    CarvedDataset* carved = carved_part_of(copied.source, copied.transfer);
    if (carved == nullptr) return std::nullopt;
    if (!lies_in_file_as_carved(copied.source, H5I_DATASET, copied.transfer))
        return refuse(*carved->file, carved->missing.path, kMayHaveChanged);
    void* original = original_of(copied.source, *carved);
    if (original == nullptr) return refuse(*carved->file, carved->missing.path, kWithoutOriginal);
    const herr_t answer = copy_from(original, H5I_DATASET, ".", copied);
    if (answer >= 0) carved->file->note_fetched(carved->missing, kAll);
    return answer;
}

// By its path: only datasets are known by their places in the original.
herr_t copy_by_path(const CopiedObject& copied, CarvedFile& file,
                    const std::vector<size_t>& missing) {
    const std::string path = path_in_file(copied.source, copied.type, copied.transfer);
    if (path.empty()) return refuse(file, copied.name, kWithoutPath);
    if (!lies_in_file_as_carved(copied.source, copied.type, copied.transfer))
        return refuse(file, path, kMayHaveChanged);
    const SharedOriginal original = share_original(copied.source, file);
    if (original.id < 0) return refuse(file, path, kWithoutOriginal);
    const hdf5::Api& api = copied.source.under->library->api;
    const herr_t answer = copy_from(api.H5VLobject(original.id), H5I_FILE, path, copied);
    const KeepErrors keep(api);
    leave_original(copied.source, file, original);
    for (const size_t number : missing)
        if (answer >= 0) file.note_fetched(file.missing().without_pieces(number), kAll);
    return answer;
}

// What is below `from`, a group by its path, is copied along.
std::optional<herr_t> copy_with_all_below(const CopiedObject& copied, const char* from) {
    const OpenedObject reached(copied.source, copied.type, from, copied.transfer);
    if (!reached) return -1;
    if (copies_behind_external_links(reached.get(), copied.copying, copied.transfer)) {
        say({copied.name,
             " cannot be copied with what its external links lead to, on carved data. ",
             "Copy it without, and what they lead to by itself."});
        return -1;
    }
    CarvedFile* file = carved_file_around(copied.source, copied.type, copied.transfer);
    if (file == nullptr) return std::nullopt;
    const auto missing = missing_below(reached.get(), file->missing(), copied.transfer);
    if (!missing) return refuse(*file, copied.name, kMayHaveChanged);
    if (missing->empty()) return std::nullopt;
    return copy_by_path(copied, *file, *missing);
}

herr_t list_dataset(hid_t, const char* name, const H5O_info2_t* info, void* data) noexcept try {
    if (info->type == H5O_TYPE_DATASET)
        static_cast<std::vector<std::string>*>(data)->push_back(name);
    return 0;
} catch (const std::bad_alloc&) {
    return -1;
}

bool is_any_guarded(const CopiedObject& copied) {
    if (copied.type == H5I_DATASET) return is_guarded(copied.source);
    std::vector<std::string> names;
    if (copied.type != H5I_GROUP ||
        visit_members(copied.source, copied.transfer, list_dataset, &names) < 0)
        return false;
    return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
        OpenedObject opened(copied.source, H5I_GROUP, name.c_str(), copied.transfer);
        return opened && is_guarded(opened.get());
    });
}

// Of other connectors it is not known where their data lies, nor of files that are read through an
// object of the program.
std::optional<herr_t> copy_without_original(const CopiedObject& copied, const char* why) {
    if (!is_any_guarded(copied)) return std::nullopt;
    say({copied.name, " cannot be copied: data of it was left out by `quarry carve`, and ", why});
    return -1;
}

}  // namespace

bool is_kept_as_it_is(Object& dataset, hid_t transfer) noexcept {
    try {
        const CarvedDataset* carved = carved_part_of(dataset, transfer);
        if (carved == nullptr) return false;
        carved->file->note_unusable(carved->missing.path, "it cannot be written to or resized");
    } catch (const std::bad_alloc&) {
        // Better not than wrongly.
    }
    return true;
}

std::optional<herr_t> copy_with_missing_data(const CopiedObject& copied) noexcept {
    try {
        if (!copied.source.under->is_native)
            return copy_without_original(copied,
                                         "is not read from its original with another connector "
                                         "below Quarry.");
        if (carved_file_around(copied.source, copied.type, copied.transfer) == nullptr)
            if (const auto answer =
                    copy_without_original(copied, "it is not known of which file this is a copy."))
                return answer;
        if (copied.type == H5I_DATASET)
            if (const auto answer = copy_dataset(copied)) return answer;
        switch (reach_of_copy(copied.source, copied.type, copied.copying, copied.transfer)) {
            case CopyReach::Object:
                return std::nullopt;
            case CopyReach::Group:
                return copy_with_all_below(copied, ".");
            case CopyReach::File:
                return copy_with_all_below(copied, "/");
        }
    } catch (const std::bad_alloc&) {
    }
    return -1;
}

}  // namespace quarry::connector
