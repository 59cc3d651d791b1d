#include "connector/known_object.hpp"

#include <algorithm>
#include <array>
#include <new>

#include "connector/carved_dataset.hpp"
#include "connector/operation.hpp"

namespace quarry::connector {
namespace {

H5VL_loc_params_t itself(H5I_type_t type) {
    H5VL_loc_params_t location{};
    location.obj_type = type;
    location.type = H5VL_OBJECT_BY_SELF;
    return location;
}

bool get_info(const Object& object, H5I_type_t type, H5O_info2_t& info) {
    const H5VL_loc_params_t location = itself(type);
    H5VL_object_get_args_t question{};
    question.op_type = H5VL_OBJECT_GET_INFO;
    question.args.get_info.fields = H5O_INFO_BASIC;
    question.args.get_info.oinfo = &info;
    const auto get = object.under->callbacks->object_cls.get;
    return get != nullptr &&
           get(object.below, &location, &question, current_call.transfer, nullptr) >= 0;
}

// Whether HDF5 may look through the file for a path: only as long as nobody would notice.
bool may_search(const StorageRecord& storage) {
    constexpr uint64_t kLargestFile = 16 << 20;
    constexpr uint64_t kMostTime = 10'000'000;
    return storage.identity.size <= kLargestFile && storage.path_search < kMostTime;
}

// The path by which the program has opened it.
std::string ask_path(const Object& object, H5I_type_t type) {
    const H5VL_loc_params_t location = itself(type);
    std::array<char, 1024> few;
    size_t size = 0;
    H5VL_object_get_args_t question{};
    question.op_type = H5VL_OBJECT_GET_NAME;
    question.args.get_name.buf = few.data();
    question.args.get_name.buf_size = few.size();
    question.args.get_name.name_len = &size;
    const auto get = object.under->callbacks->object_cls.get;
    if (get(object.below, &location, &question, current_call.transfer, nullptr) < 0) return "";
    if (size < few.size()) return {few.data(), size};
    std::string many(size + 1, '\0');
    question.args.get_name.buf = many.data();
    question.args.get_name.buf_size = many.size();
    if (get(object.below, &location, &question, current_call.transfer, nullptr) < 0) return "";
    many.resize(size);
    return many;
}

std::string path_of(const Object& object, H5I_type_t type, StorageRecord& storage) {
    if (object.path == Path::Known) return ask_path(object, type);
    if (object.path == Path::None || !may_search(storage)) return "";
    const uint64_t start = trace::monotonic_now();
    std::string path = ask_path(object, type);
    storage.path_search += trace::monotonic_now() - start;
    return path;
}

trace::ObjectType type_of(H5O_type_t type) {
    switch (type) {
        case H5O_TYPE_GROUP:
            return trace::ObjectType::Group;
        case H5O_TYPE_DATASET:
            return trace::ObjectType::Dataset;
        case H5O_TYPE_NAMED_DATATYPE:
            return trace::ObjectType::NamedType;
        default:
            return trace::ObjectType::Unknown;
    }
}

// One that no driver of ours has seen, and that the program has not opened itself: the callback of
// an external link (H5Pset_elink_cb) may have chosen a driver of its own.
void name_unseen(StorageRecord& storage, const Object& object, H5I_type_t type) {
    if (storage.file != nullptr || !storage.path.empty()) return;
    const std::string name = name_of_file(object, type, current_call.transfer);
    if (name.empty()) return;
    storage_of_file(*storage.library, storage.serial, name.c_str());
    storage.driver = "unknown";
}

KnownObject* identify(Object& object, H5I_type_t type, trace::Writer& writer) {
    H5O_info2_t info{};
    if (!get_info(object, type, info)) return nullptr;
    StorageRecord* storage = storage_with_serial(*object.under->library, info.fileno);
    if (storage == nullptr) return nullptr;
    name_unseen(*storage, object, type);
    KnownObject& known = storage->objects[info.token];
    // What is made may lie where something was that has been deleted since.
    const bool is_another = object.was_made && object.known == nullptr;
    if (is_another) known = {};
    known.storage = storage;
    known.was_made |= object.was_made;
    const bool is_new = known.number == trace::kNone;
    if (is_new) {
        known.number = writer.new_number();
        known.type = type_of(info.type);
        known.token = info.token;
        known.met = trace::monotonic_now();
    }
    const bool is_unnamed = known.path == trace::kNone && object.path == Path::Known;
    if (is_new || is_unnamed) {
        write_storage(*storage, writer);
        known.path = writer.text(path_of(object, type, *storage));
        writer.append(record_of(known, known.met));
    }
    return &known;
}

}  // namespace

trace::Object record_of(const KnownObject& known, uint64_t time) noexcept {
    trace::Object record{};
    record.prefix.flags = static_cast<uint8_t>(known.type);
    record.number = known.number;
    record.path = known.path;
    record.storage = known.storage->number;
    record.time = time;
    std::memcpy(record.token.data(), &known.token, record.token.size());
    record.address = HADDR_UNDEF;
    return record;
}

KnownObject* known_of(Object& object, H5I_type_t type) noexcept {
    trace::Writer* writer = recorder();
    if (object.known != nullptr || writer == nullptr) return object.known;
    try {
        object.known = identify(object, type, *writer);
    } catch (const std::bad_alloc&) {
        stop_recording_without_memory();
    }
    return object.known;
}

unsigned long serial_of_file(const Object& file) noexcept {
    unsigned long serial = 0;
    H5VL_file_get_args_t question{};
    question.op_type = H5VL_FILE_GET_FILENO;
    question.args.get_fileno.fileno = &serial;
    const auto get = file.under->callbacks->file_cls.get;
    return get(file.below, &question, current_call.transfer, nullptr) >= 0 ? serial : 0;
}

Path path_at(const Object& parent, const H5VL_loc_params_t& location, const char* name) noexcept {
    const auto below_parent = [&](const char* from_there) {
        return from_there[0] == '/' ? Path::Known : parent.path;
    };
    switch (location.type) {
        case H5VL_OBJECT_BY_NAME:
            return below_parent(location.loc_data.loc_by_name.name);
        case H5VL_OBJECT_BY_IDX:
            return below_parent(location.loc_data.loc_by_idx.name);
        case H5VL_OBJECT_BY_TOKEN:
            return Path::Unknown;
        case H5VL_OBJECT_BY_SELF:
            break;
    }
    return name != nullptr ? below_parent(name) : parent.path;
}

void was_linked(Object& object, H5I_type_t type, Path path) noexcept {
    if (path != Path::Known || object.path == Path::Known) return;
    object.path = path;
    trace::Writer* writer = recorder();
    if (writer == nullptr || object.known == nullptr) return;
    try {
        identify(object, type, *writer);
    } catch (const std::bad_alloc&) {
        stop_recording_without_memory();
    }
}

}  // namespace quarry::connector
