#include "connector/known_object.hpp"

#include <algorithm>
#include <array>
#include <new>

#include "connector/dataset_facts.hpp"
#include "connector/operation.hpp"
#include "hdf5/describe.hpp"

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

struct Place {
    uint64_t address = HADDR_UNDEF;
    uint64_t size = 0;
};

// Where contiguous data lies; only the native connector knows of addresses. How much there is of
// other data is not asked: HDF5 would read the whole index of its chunks for it.
Place place_of(const Object& dataset) {
    if (!dataset.under->is_native) return {};
    haddr_t address = HADDR_UNDEF;
    H5VL_native_dataset_optional_args_t native{};
    native.get_offset.offset = &address;
    H5VL_optional_args_t where{H5VL_NATIVE_DATASET_GET_OFFSET, &native};
    const H5VL_dataset_class_t& callbacks = dataset.under->callbacks->dataset_cls;
    if (callbacks.optional(dataset.below, &where, current_call.transfer, nullptr) < 0 ||
        address == HADDR_UNDEF)
        return {};
    hsize_t size = 0;
    H5VL_dataset_get_args_t how_much{};
    how_much.op_type = H5VL_DATASET_GET_STORAGE_SIZE;
    how_much.args.get_storage_size.storage_size = &size;
    // Of data that is not there yet, HDF5 tells the address "undefined", plus the size of the user
    // block.
    if (callbacks.get(dataset.below, &how_much, current_call.transfer, nullptr) < 0 || size == 0)
        return {};
    return {address, size};
}

void learn_type(const hdf5::Api& api, hid_t type, KnownObject& known) {
    known.element_size = api.H5Tget_size(type);
    known.texts->type = hdf5::describe_type(api, type);
}

void learn_shape(const hdf5::Api& api, hid_t space, KnownObject& known) {
    known.rank = api.H5Sget_simple_extent_ndims(space);
    const hssize_t elements = api.H5Sget_simple_extent_npoints(space);
    known.elements = static_cast<uint64_t>(std::max<hssize_t>(elements, 0));
    known.texts->shape = hdf5::describe_shape(api, space);
}

void learn_layout(const hdf5::Api& api, hid_t creation, KnownObject& known) {
    std::array<hsize_t, H5S_MAX_RANK> chunk;
    const H5D_layout_t layout = api.H5Pget_layout(creation);
    known.is_contiguous = layout == H5D_CONTIGUOUS;
    known.is_virtual = layout == H5D_VIRTUAL;
    if (layout == H5D_CHUNKED) {
        const int rank = api.H5Pget_chunk(creation, H5S_MAX_RANK, chunk.data());
        known.chunk.assign(chunk.data(), chunk.data() + std::max(rank, 0));
    }
    known.texts->layout = hdf5::describe_layout(api, creation);
}

// HDF5 makes a new list of a dataset's properties for whoever asks, which takes longer than
// everything else here. Data that was there, in one piece, has none that matter.
bool needs_creation_list(const KnownObject& known) {
    return known.address == HADDR_UNDEF || known.was_made;
}

enum class When { Used, Closed };

// Asks for what the program has not asked for. False if HDF5 does not tell.
bool learn_the_rest(const Object& dataset, KnownObject& known, When when) {
    const hdf5::Api& api = dataset.under->library->api;
    DatasetFacts facts(dataset);
    if (known.texts == nullptr) known.texts = std::make_unique<DatasetTexts>();
    if (!needs_creation_list(known)) {
        known.is_contiguous = true;
        known.texts->layout = hdf5::kInOnePiece;
    } else if (known.texts->layout.empty()) {
        if (facts.creation() < 0) return false;
        learn_layout(api, facts.creation(), known);
    }
    if (known.texts->type.empty()) {
        if (facts.type() < 0) return false;
        learn_type(api, facts.type(), known);
    }
    // To tell the shape of virtual data, HDF5 may open the files of its sources. Nobody wanted
    // that.
    const bool is_shape_wanted = !known.is_virtual || when == When::Used;
    if (known.texts->shape.empty() && is_shape_wanted) {
        if (facts.space() < 0) return false;
        learn_shape(api, facts.space(), known);
    }
    return true;
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

trace::Object record_of(const KnownObject& known, uint64_t time) {
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

// `since` is when it was as it is now.
void describe(const Object& dataset, KnownObject& known, When when, uint64_t since,
              trace::Writer& writer) {
    trace::Object record = record_of(known, since);
    const Place place = place_of(dataset);
    record.address = known.address = place.address;
    record.stored = place.size;
    const bool is_learned = learn_the_rest(dataset, known, when);
    known.is_described = is_learned && !known.texts->shape.empty();
    if (is_learned)
        record.description = writer.text(
            hdf5::describe_dataset(known.texts->type, known.texts->shape, known.texts->layout));
    known.texts.reset();
    writer.append(record);
}

KnownObject* identify(Object& object, H5I_type_t type, trace::Writer& writer) {
    H5O_info2_t info{};
    if (!get_info(object, type, info)) return nullptr;
    StorageRecord* storage = storage_with_serial(*object.under->library, info.fileno);
    if (storage == nullptr) return nullptr;
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

namespace {

KnownObject* described(Object& dataset, When when) noexcept {
    KnownObject* known = known_of(dataset, H5I_DATASET);
    trace::Writer* writer = recorder();
    if (known == nullptr || known->is_described || writer == nullptr) return known;
    try {
        describe(dataset, *known, when, known->met, *writer);
    } catch (const std::bad_alloc&) {
        stop_recording_without_memory();
    }
    return known;
}

}  // namespace

KnownObject* described(Object& dataset) noexcept {
    return described(dataset, When::Used);
}

void describe_before_close(Object& dataset) noexcept {
    described(dataset, When::Closed);
}

void describe_again(Object& dataset) noexcept {
    KnownObject* known = known_of(dataset, H5I_DATASET);
    trace::Writer* writer = recorder();
    if (known == nullptr || writer == nullptr) return;
    known->texts.reset();
    try {
        describe(dataset, *known, When::Used, trace::monotonic_now(), *writer);
    } catch (const std::bad_alloc&) {
        stop_recording_without_memory();
    }
}

void overhear(const Object& dataset, const H5VL_dataset_get_args_t& answer) noexcept try {
    KnownObject* known = dataset.known;
    if (known == nullptr || known->is_described) return;
    const trace::OwnTime own(recorder());
    const hdf5::Api& api = dataset.under->library->api;
    if (known->texts == nullptr) known->texts = std::make_unique<DatasetTexts>();
    const auto& [type, shape, layout] = *known->texts;
    if (answer.op_type == H5VL_DATASET_GET_TYPE && type.empty())
        learn_type(api, answer.args.get_type.type_id, *known);
    if (answer.op_type == H5VL_DATASET_GET_SPACE && shape.empty())
        learn_shape(api, answer.args.get_space.space_id, *known);
    if (answer.op_type == H5VL_DATASET_GET_DCPL && layout.empty())
        learn_layout(api, answer.args.get_dcpl.dcpl_id, *known);
} catch (const std::bad_alloc&) {
    stop_recording_without_memory();
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

void look_for_address(Object& dataset) noexcept {
    KnownObject* known = dataset.known;
    if (known == nullptr || !known->is_contiguous || known->address != HADDR_UNDEF) return;
    if (place_of(dataset).address != HADDR_UNDEF) describe_again(dataset);
}

}  // namespace quarry::connector
