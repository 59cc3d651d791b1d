#include "connector/carved_changes.hpp"

#include <array>
#include <cstring>
#include <new>
#include <string>

#include "connector/carved_dataset.hpp"

namespace quarry::connector {
namespace {

bool get_info(const CopiedObject& copied, const char* name, H5O_info2_t& info) {
    H5VL_loc_params_t location{};
    location.obj_type = copied.source_type;
    location.type = H5VL_OBJECT_BY_NAME;
    location.loc_data.loc_by_name.name = name;
    H5VL_object_get_args_t question{};
    question.op_type = H5VL_OBJECT_GET_INFO;
    question.args.get_info.fields = H5O_INFO_BASIC;
    question.args.get_info.oinfo = &info;
    const auto get = copied.source.under->callbacks->object_cls.get;
    return get(copied.source.below, &location, &question, copied.transfer, nullptr) >= 0;
}

// The file that the object lies in, if data of the object may be missing.
CarvedFile* incomplete_file(const CopiedObject& copied) {
    H5O_info2_t info{};
    if (!copied.source.under->is_native || !get_info(copied, copied.name, info)) return nullptr;
    const Library* library = copied.source.under->library;
    const auto met = carved_file_of({library, library->life, info.fileno});
    if (!met || *met == nullptr) return nullptr;
    const MissingData& missing = (*met)->missing();
    std::array<uint8_t, 16> place{};
    std::memcpy(place.data(), &info.token, place.size());
    const bool is_incomplete =
        info.type == H5O_TYPE_GROUP ? missing.count() > 0 : missing.find(place) < missing.count();
    return is_incomplete ? *met : nullptr;
}

// Whether the path leads to the same thing in the original: nothing can have been changed, and no
// link leads into another file.
bool is_as_in_original(const CopiedObject& copied) {
    unsigned intent = kWritable;
    H5VL_file_get_args_t question{};
    question.op_type = H5VL_FILE_GET_INTENT;
    question.args.get_intent.flags = &intent;
    const auto get = copied.source.under->callbacks->file_cls.get;
    if (copied.source_type != H5I_FILE ||
        get(copied.source.below, &question, copied.transfer, nullptr) < 0)
        return false;
    H5O_info2_t here{}, there{};
    return (intent & kWritable) == 0 && get_info(copied, "/", here) &&
           get_info(copied, copied.name, there) && here.fileno == there.fileno;
}

herr_t copy_from(hid_t original, const std::string& path, const CopiedObject& copied) {
    const Under& under = *copied.source.under;
    H5VL_loc_params_t location{};
    location.obj_type = H5I_FILE;
    location.type = H5VL_OBJECT_BY_SELF;
    return under.callbacks->object_cls.copy(
        under.library->api.H5VLobject(original), &location, path.c_str(), copied.target_below,
        copied.target_location, copied.target_name, copied.copying, copied.link_creation,
        copied.transfer, nullptr);
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
    try {
        CarvedFile* file = incomplete_file(copied);
        if (file == nullptr) return std::nullopt;
        if (!is_as_in_original(copied)) {
            file->note_unusable(copied.name,
                                "can be copied only by its path in a file that is "
                                "open for reading");
            return -1;
        }
        const std::string path = std::string("/") + copied.name;
        const hdf5::Api& api = copied.source.under->library->api;
        const hid_t original = open_original_file(copied.source, *file);
        if (original < 0) {
            file->note_unusable(copied.name, "cannot be copied without its original");
            return -1;
        }
        const herr_t answer = copy_from(original, path, copied);
        const KeepErrors keep(api);
        api.H5Fclose(original);
        return answer;
    } catch (const std::bad_alloc&) {
        return -1;
    }
}

}  // namespace quarry::connector
