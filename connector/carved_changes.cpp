#include "connector/carved_changes.hpp"

#include <array>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "base/say.hpp"
#include "connector/carved_dataset.hpp"
#include "connector/members.hpp"
#include "connector/opened_object.hpp"

namespace quarry::connector {
namespace {

unsigned expanded_links(const hdf5::Api& api, hid_t copying) {
    unsigned flags = 0;
    if (api.H5Pget_copy_object == nullptr || api.H5Pget_copy_object(copying, &flags) < 0)
        flags = H5O_COPY_EXPAND_SOFT_LINK_FLAG | H5O_COPY_EXPAND_EXT_LINK_FLAG;
    return flags;
}

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
    return copied.from.under->callbacks->object_cls.copy(
        original, &location, name.c_str(), copied.target_below, copied.target_location,
        copied.target_name, copied.copying, copied.link_creation, copied.transfer, nullptr);
}

herr_t refuse(CarvedFile& file, const CopiedObject& copied, const char* why) {
    file.note_unusable(copied.name, why);
    return -1;
}

constexpr const char* kMayHaveChanged =
    "can be copied only from a file that is open for reading and is as it was carved, and a group "
    "only by its path in it";
constexpr const char* kWithoutOriginal = "cannot be copied without its original";

const Selection kAll{};

std::optional<herr_t> copy_dataset(const CopiedObject& copied) {
    CarvedDataset* carved = carved_part_of(copied.source, copied.transfer);
    if (carved == nullptr) return std::nullopt;
    if (!lies_in_file_as_carved(copied.source, H5I_DATASET, copied.transfer))
        return refuse(*carved->file, copied, kMayHaveChanged);
    void* original = original_of(copied.source, *carved);
    if (original == nullptr) return refuse(*carved->file, copied, kWithoutOriginal);
    const herr_t answer = copy_from(original, H5I_DATASET, ".", copied);
    if (answer >= 0) carved->file->note_fetched(carved->missing, kAll);
    return answer;
}

// By its path: only datasets are known by their places in the original.
std::optional<herr_t> copy_group(const CopiedObject& copied) {
    CarvedFile* file = carved_file_around(copied.source, H5I_GROUP, copied.transfer);
    const Library& library = *copied.source.under->library;
    const unsigned expanded = expanded_links(library.api, copied.copying);
    if ((expanded & H5O_COPY_EXPAND_EXT_LINK_FLAG) != 0) {
        say({copied.name,
             " cannot be copied with what its external links lead to, on carved data. ",
             "Copy it without, and what they lead to by itself."});
        return -1;
    }
    if (file == nullptr) return std::nullopt;
    const auto below = missing_below(copied.source, file->missing(), copied.transfer);
    const bool is_whole =
        below && below->empty() &&
        ((expanded & H5O_COPY_EXPAND_SOFT_LINK_FLAG) == 0 || file->missing().count() == 0);
    if (is_whole) return std::nullopt;
    if (!below || copied.from_type != H5I_FILE ||
        !lies_in_file_as_carved(copied.source, H5I_GROUP, copied.transfer) ||
        file != carved_file_around(copied.from, H5I_FILE, copied.transfer))
        return refuse(*file, copied, kMayHaveChanged);
    const hid_t original = open_original_file(copied.source, *file);
    if (original < 0) return refuse(*file, copied, kWithoutOriginal);
    const herr_t answer = copy_from(library.api.H5VLobject(original), H5I_FILE,
                                    std::string("/") + copied.name, copied);
    const KeepErrors keep(library.api);
    library.api.H5Fclose(original);
    for (const size_t number : *below)
        if (answer >= 0) file->note_fetched(file->missing().without_pieces(number), kAll);
    return answer;
}

}  // namespace

bool is_kept_as_it_is(Object& dataset, hid_t transfer) noexcept {
    try {
        const CarvedDataset* carved = carved_part_of(dataset, transfer);
        if (carved == nullptr) return false;
        carved->file->note_unusable(carved->missing.path, "cannot be written to or resized");
    } catch (const std::bad_alloc&) {
        // Better not than wrongly.
    }
    return true;
}

std::optional<herr_t> copy_with_missing_data(const CopiedObject& copied) noexcept {
    if (!copied.source.under->is_native) return std::nullopt;
    try {
        switch (copied.type) {
            case H5I_DATASET:
                return copy_dataset(copied);
            case H5I_GROUP:
                return copy_group(copied);
            default:
                return std::nullopt;
        }
    } catch (const std::bad_alloc&) {
        return -1;
    }
}

}  // namespace quarry::connector
