#include "connector/notes.hpp"

#include <array>
#include <cstring>

#include "connector/description.hpp"
#include "connector/file_facts.hpp"
#include "connector/flushed_chunks.hpp"
#include "connector/record_access.hpp"
#include "trace/process_record.hpp"

namespace quarry::connector {
namespace {

struct Touching {
    trace::Touched what;
    bool writes = false;
    uint32_t name = trace::kNone;
    uint64_t bytes = 0;
};

void touch(const Operation& operation, const KnownObject* known, const Touching& touching) {
    trace::Touch record{};
    record.prefix.flags = touching.writes ? trace::kTouchWrite : 0;
    record.object = known != nullptr ? known->number : trace::kNone;
    record.operation = operation.number();
    record.start = operation.start();
    record.duration = operation.duration();
    record.name = touching.name;
    record.what = static_cast<uint8_t>(touching.what);
    record.bytes = touching.bytes;
    operation.writer().append(record);
}

void touch(const Operation& operation, Object& object, H5I_type_t type, const Touching& touching) {
    touch(operation, known_of(object, type), touching);
}

// Refreshing an object replaces it: the one that the call was made on is gone, and what is known of
// it is to be asked anew.
void refreshed(const Operation& operation) {
    if (operation.object() != nullptr) {
        operation.object()->is_described = false;
        operation.object()->parts.reset();
        operation.object()->met = trace::monotonic_now();
    }
    touch(operation, operation.object(), {trace::Touched::Information});
}

// The name that a location adds to its object; none where the object itself is meant, or where only
// a number is given.
uint32_t name_at(const Operation& operation, Location location) {
    switch (location->type) {
        case H5VL_OBJECT_BY_NAME:
            return operation.writer().text(location->loc_data.loc_by_name.name);
        case H5VL_OBJECT_BY_IDX:
            return operation.writer().text(location->loc_data.loc_by_idx.name);
        default:
            return trace::kNone;
    }
}

// Whether a location is the object it starts from: what is known of that is known of it.
bool is_itself(const H5VL_loc_params_t& location) {
    switch (location.type) {
        case H5VL_OBJECT_BY_SELF:
            return true;
        case H5VL_OBJECT_BY_NAME:
            return std::strcmp(location.loc_data.loc_by_name.name, ".") == 0;
        case H5VL_OBJECT_BY_IDX:
            return std::strcmp(location.loc_data.loc_by_idx.name, ".") == 0;
        default:
            return false;
    }
}

enum class How { Opened, Created };

void opened(const Operation& operation, Object* object, H5I_type_t type, How how, Path path) {
    if (object == nullptr) return;
    object->path = path;
    object->was_made = how == How::Created;
    const uint64_t duration = operation.duration();
    trace::watch_task(operation.writer());
    const KnownObject* known = known_of(*object, type);
    // To ask later may need all ranks of a parallel program.
    const bool is_now = known != nullptr && (object->was_made || is_parallel(*known->storage));
    if (type == H5I_DATASET && is_now) described(*object);
    trace::ObjectOpened record{};
    record.prefix.flags = how == How::Created ? trace::kObjectCreated : 0;
    record.number = known != nullptr ? known->number : trace::kNone;
    record.operation = operation.number();
    record.start = operation.start();
    record.duration = duration;
    operation.writer().append(record);
    if (type == H5I_DATASET) list_dataset(*object);
}

Path path_of_new(const Object& parent, const H5VL_loc_params_t& location, const char* name) {
    return name != nullptr ? path_at(parent, location, name) : Path::None;
}

void closed(const Operation& operation, herr_t answer) {
    if (answer < 0 || operation.object_number() == trace::kNone) return;
    trace::ObjectClosed record{};
    record.number = operation.object_number();
    record.operation = operation.number();
    record.start = operation.start();
    record.duration = operation.duration();
    operation.writer().append(record);
}

// The name of an attribute that was opened by its place in an order.
std::string name_of_attribute(const Object& attribute) {
    std::array<char, 1024> name{};
    size_t size = 0;
    H5VL_attr_get_args_t question{};
    question.op_type = H5VL_ATTR_GET_NAME;
    question.args.get_name.loc_params.obj_type = H5I_ATTR;
    question.args.get_name.loc_params.type = H5VL_OBJECT_BY_SELF;
    question.args.get_name.buf = name.data();
    question.args.get_name.buf_size = name.size();
    question.args.get_name.attr_name_len = &size;
    const auto get = attribute.under->callbacks->attr_cls.get;
    if (get(attribute.below, &question, current_call.transfer, nullptr) < 0) return "";
    return name.data();
}

uint64_t bytes_of_attribute(const Object& attribute) {
    hsize_t size = 0;
    H5VL_attr_get_args_t question{};
    question.op_type = H5VL_ATTR_GET_STORAGE_SIZE;
    question.args.get_storage_size.data_size = &size;
    const auto get = attribute.under->callbacks->attr_cls.get;
    return get(attribute.below, &question, current_call.transfer, nullptr) >= 0 ? size : 0;
}

void attribute_opened(const Operation& operation, Object& parent, Object* attribute,
                      Location location, const char* name, How how) {
    if (attribute == nullptr) return;
    attribute->path = path_at(parent, *location);
    if (is_itself(*location)) attribute->known = known_of(parent, location->obj_type);
    trace::watch_task(operation.writer());
    const bool by_name = name != nullptr && location->type != H5VL_OBJECT_BY_IDX;
    attribute->label = by_name ? operation.writer().text(name)
                               : operation.writer().text(name_of_attribute(*attribute));
    touch(operation, *attribute, H5I_ATTR,
          {trace::Touched::Attribute, how == How::Created, attribute->label, 0});
}

void attribute_moved(const Operation& operation, Object& attribute, herr_t answer, bool writes) {
    if (answer < 0) return;
    touch(operation, attribute, H5I_ATTR,
          {trace::Touched::Attribute, writes, attribute.label, bytes_of_attribute(attribute)});
}

}  // namespace

void note(Call<&H5VL_attr_class_t::create>, const Operation& operation, Object& parent,
          Object* attribute, Location location, const char* name, hid_t, hid_t, hid_t, hid_t, hid_t,
          void**) noexcept {
    attribute_opened(operation, parent, attribute, location, name, How::Created);
}

void note(Call<&H5VL_attr_class_t::open>, const Operation& operation, Object& parent,
          Object* attribute, Location location, const char* name, hid_t, hid_t, void**) noexcept {
    attribute_opened(operation, parent, attribute, location, name, How::Opened);
}

void note(Call<&H5VL_attr_class_t::read>, const Operation& operation, Object& attribute,
          herr_t answer, hid_t, void*, hid_t, void**) noexcept {
    attribute_moved(operation, attribute, answer, false);
}

void note(Call<&H5VL_attr_class_t::write>, const Operation& operation, Object& attribute,
          herr_t answer, hid_t, const void*, hid_t, void**) noexcept {
    attribute_moved(operation, attribute, answer, true);
}

void note(Call<&H5VL_attr_class_t::get>, const Operation& operation, Object& object, herr_t answer,
          H5VL_attr_get_args_t* arguments, hid_t, void**) noexcept {
    // By name or number from an object; other questions go to an attribute that has been opened.
    if (answer < 0 || arguments->op_type != H5VL_ATTR_GET_INFO) return;
    const auto& question = arguments->args.get_info;
    if (question.loc_params.type == H5VL_OBJECT_BY_SELF) return;
    const char* name = question.attr_name;
    touch(operation, object, question.loc_params.obj_type,
          {trace::Touched::Attribute, false,
           name != nullptr ? operation.writer().text(name) : trace::kNone, 0});
}

void note(Call<&H5VL_attr_class_t::specific>, const Operation& operation, Object& object,
          herr_t answer, Location location, H5VL_attr_specific_args_t* arguments, hid_t,
          void**) noexcept {
    if (answer < 0) return;
    trace::Writer& writer = operation.writer();
    Touching touching{trace::Touched::Attribute};
    switch (arguments->op_type) {
        case H5VL_ATTR_DELETE:
            touching.writes = true;
            touching.name = writer.text(arguments->args.del.name);
            break;
        case H5VL_ATTR_EXISTS:
            touching.name = writer.text(arguments->args.exists.name);
            break;
        case H5VL_ATTR_RENAME:
            touching.writes = true;
            touching.name = writer.text(arguments->args.rename.old_name);
            break;
        case H5VL_ATTR_DELETE_BY_IDX:
            touching.writes = true;
            break;
        case H5VL_ATTR_ITER:
            touching.what = trace::Touched::AttributeList;
            break;
    }
    touch(operation, object, location->obj_type, touching);
}

void note(Call<&H5VL_dataset_class_t::create>, const Operation& operation, Object& parent,
          Object* dataset, Location location, const char* name, hid_t, hid_t, hid_t, hid_t, hid_t,
          hid_t, void**) noexcept {
    opened(operation, dataset, H5I_DATASET, How::Created, path_of_new(parent, *location, name));
}

void note(Call<&H5VL_dataset_class_t::open>, const Operation& operation, Object& parent,
          Object* dataset, Location location, const char* name, hid_t, hid_t, void**) noexcept {
    opened(operation, dataset, H5I_DATASET, How::Opened, path_at(parent, *location, name));
}

void note(Call<&H5VL_dataset_class_t::specific>, const Operation& operation, Object& dataset,
          herr_t answer, H5VL_dataset_specific_args_t* arguments, hid_t, void**) noexcept {
    if (answer < 0) return;
    switch (arguments->op_type) {
        case H5VL_DATASET_SET_EXTENT:
            describe_again(dataset);
            touch(operation, dataset, H5I_DATASET, {trace::Touched::Extent, true});
            break;
        case H5VL_DATASET_FLUSH:
            touch(operation, dataset, H5I_DATASET, {trace::Touched::Flush, true});
            break;
        case H5VL_DATASET_REFRESH:
            refreshed(operation);
            break;
    }
}

void note(Call<&H5VL_dataset_class_t::optional>, const Operation& operation, Object& dataset,
          herr_t answer, H5VL_optional_args_t* arguments, hid_t, void**) noexcept {
    record_chunk_access(operation, dataset, answer, *arguments);
    record_length_access(operation, dataset, answer, *arguments);
}

void note(Call<&H5VL_dataset_class_t::close>, const Operation& operation, Object&, herr_t answer,
          hid_t, void**) noexcept {
    closed(operation, answer);
}

void note(Call<&H5VL_datatype_class_t::commit>, const Operation& operation, Object& parent,
          Object* type, Location location, const char* name, hid_t, hid_t, hid_t, hid_t, hid_t,
          void**) noexcept {
    opened(operation, type, H5I_DATATYPE, How::Created, path_of_new(parent, *location, name));
}

void note(Call<&H5VL_datatype_class_t::open>, const Operation& operation, Object& parent,
          Object* type, Location location, const char* name, hid_t, hid_t, void**) noexcept {
    opened(operation, type, H5I_DATATYPE, How::Opened, path_at(parent, *location, name));
}

void note(Call<&H5VL_datatype_class_t::close>, const Operation& operation, Object&, herr_t answer,
          hid_t, void**) noexcept {
    closed(operation, answer);
}

void note(Call<&H5VL_group_class_t::create>, const Operation& operation, Object& parent,
          Object* group, Location location, const char* name, hid_t, hid_t, hid_t, hid_t,
          void**) noexcept {
    opened(operation, group, H5I_GROUP, How::Created, path_of_new(parent, *location, name));
}

void note(Call<&H5VL_group_class_t::open>, const Operation& operation, Object& parent,
          Object* group, Location location, const char* name, hid_t, hid_t, void**) noexcept {
    opened(operation, group, H5I_GROUP, How::Opened, path_at(parent, *location, name));
}

void note(Call<&H5VL_group_class_t::get>, const Operation& operation, Object& group, herr_t answer,
          H5VL_group_get_args_t* arguments, hid_t, void**) noexcept {
    if (answer < 0 || arguments->op_type != H5VL_GROUP_GET_INFO) return;
    const H5VL_loc_params_t& location = arguments->args.get_info.loc_params;
    touch(operation, group, location.obj_type,
          {trace::Touched::LinkList, false, name_at(operation, &location)});
}

void note(Call<&H5VL_group_class_t::close>, const Operation& operation, Object&, herr_t answer,
          hid_t, void**) noexcept {
    closed(operation, answer);
}

void note(Call<&H5VL_link_class_t::get>, const Operation& operation, Object& object, herr_t answer,
          Location location, H5VL_link_get_args_t*, hid_t, void**) noexcept {
    if (answer < 0) return;
    touch(operation, object, location->obj_type,
          {trace::Touched::Link, false, name_at(operation, location)});
}

void note(Call<&H5VL_link_class_t::specific>, const Operation& operation, Object& object,
          herr_t answer, Location location, H5VL_link_specific_args_t* arguments, hid_t,
          void**) noexcept {
    if (answer < 0) return;
    const auto what =
        arguments->op_type == H5VL_LINK_ITER ? trace::Touched::LinkList : trace::Touched::Link;
    touch(operation, object, location->obj_type,
          {what, arguments->op_type == H5VL_LINK_DELETE, name_at(operation, location)});
}

void note(Call<&H5VL_object_class_t::open>, const Operation& operation, Object& parent,
          Object* object, Location location, H5I_type_t* type, hid_t, void**) noexcept {
    if (object != nullptr)
        opened(operation, object, *type, How::Opened, path_at(parent, *location));
}

void note(Call<&H5VL_object_class_t::get>, const Operation& operation, Object& object,
          herr_t answer, Location location, H5VL_object_get_args_t* arguments, hid_t,
          void**) noexcept {
    // The other questions are answered from memory.
    if (answer < 0 || arguments->op_type != H5VL_OBJECT_GET_INFO) return;
    touch(operation, object, location->obj_type,
          {trace::Touched::Information, false, name_at(operation, location)});
}

void note(Call<&H5VL_object_class_t::specific>, const Operation& operation, Object& object,
          herr_t answer, Location location, H5VL_object_specific_args_t* arguments, hid_t,
          void**) noexcept {
    if (answer < 0) return;
    if (arguments->op_type == H5VL_OBJECT_REFRESH) return refreshed(operation);
    Touching touching{trace::Touched::Information, false, name_at(operation, location)};
    if (arguments->op_type == H5VL_OBJECT_FLUSH) touching = {trace::Touched::Flush, true};
    if (arguments->op_type == H5VL_OBJECT_CHANGE_REF_COUNT) touching.writes = true;
    touch(operation, object, location->obj_type, touching);
}

void note(Call<&H5VL_file_class_t::specific>, const Operation& operation, Object& file,
          herr_t answer, H5VL_file_specific_args_t* arguments, hid_t transfer, void**) noexcept {
    if (answer < 0 || arguments->op_type != H5VL_FILE_FLUSH ||
        operation.writer().level() < RecordLevel::Io)
        return;
    // A file may be flushed by way of any object in it.
    const StorageRecord* storage = nullptr;
    if (arguments->args.flush.obj_type == H5I_FILE) {
        storage = storage_with_serial(*file.under->library, serial_of_file(file));
    } else if (const KnownObject* known = known_of(file, arguments->args.flush.obj_type)) {
        storage = known->storage;
    }
    if (storage != nullptr) claim_flushed_chunks(*storage, transfer);
}

// What leads to all bytes of a file. Told by this call and not by the driver: HDF5 itself asks that
// for the handle of files that were opened by symbolic links.
void note(Call<&H5VL_file_class_t::optional>, const Operation& operation, Object& file,
          herr_t answer, H5VL_optional_args_t* arguments, hid_t, void**) noexcept {
    const bool gives_bytes = arguments->op_type == H5VL_NATIVE_FILE_GET_VFD_HANDLE ||
                             arguments->op_type == H5VL_NATIVE_FILE_GET_FILE_IMAGE;
    if (answer < 0 || !gives_bytes) return;
    StorageRecord* storage = storage_with_serial(*file.under->library, serial_of_file(file));
    if (storage == nullptr) return;
    write_storage(*storage, operation.writer());
    trace::StorageHandle record{};
    record.time = trace::monotonic_now();
    record.number = storage->number;
    operation.writer().append(record);
}

void note(Call<&H5VL_file_class_t::close>, const Operation& operation, Object& file, herr_t answer,
          hid_t, void**) noexcept {
    if (answer < 0 || file.label == trace::kNone) return;
    trace::FileClosed record{};
    record.start = operation.start();
    record.duration = operation.duration();
    record.number = file.label;
    record.operation = operation.number();
    operation.writer().append(record);
}

void note_end(Object& dataset, hid_t transfer) noexcept {
    if (dataset.known == nullptr || dataset.known->is_described) return;
    const Operation asking(dataset.known, transfer, Operation::Clock::Unread);
    describe_before_close(dataset);
}

void note_file(const Operation& operation, Library& library, Object* file, const char* name,
               unsigned flags, bool created) noexcept {
    trace::Writer& writer = operation.writer();
    const uint64_t duration = operation.duration();
    trace::FileOpened record{};
    record.prefix.flags = static_cast<uint8_t>(
        (created ? trace::kFileCreated : 0) | (file == nullptr ? trace::kFileFailed : 0) |
        (created || (flags & 1u) != 0 ? trace::kFileWritable : 0));
    record.start = operation.start();
    record.duration = duration;
    record.number = writer.new_number();
    record.name = writer.text(name);
    record.operation = operation.number();
    record.mode = flags;
    // After a failure HDF5 holds its reasons, and asking it anything would erase them.
    if (file != nullptr) {
        trace::watch_task(writer);
        record.library = number_of(library, writer);
        StorageRecord* storage = storage_of_file(library, serial_of_file(*file), name);
        if (storage != nullptr) {
            write_storage(*storage, writer);
            record.storage = storage->number;
        }
        file->label = record.number;
    }
    writer.append(record);
}

void note_state(const Operation& operation, const Object& file) noexcept {
    constexpr uint64_t kWorthAWord = 64 << 10;
    if (file.label == trace::kNone) return;
    StorageRecord* storage = storage_with_serial(*file.under->library, serial_of_file(file));
    if (storage == nullptr || storage->objects.empty()) return;
    // In parallel programs all ranks ask, or none: what they remember may differ.
    const bool stays_as_it_is =
        storage->file != nullptr && !is_writable(*storage) && !is_parallel(*storage);
    const auto facts = stays_as_it_is && storage->facts ? storage->facts : facts_of_file(file);
    if (!facts || (storage->is_described && facts->free < kWorthAWord)) return;
    if (stays_as_it_is) storage->facts = facts;
    storage->is_described = true;
    trace::FileState record{};
    record.file = file.label;
    record.operation = operation.number();
    record.time = operation.start();
    record.free = facts->free;
    record.superblock = facts->superblock;
    record.page_size = facts->page_size;
    operation.writer().append(record);
}

void note_blob(const Object& file, const void* id, uint64_t size) noexcept {
    trace::Writer* writer = recorder();
    if (writer == nullptr) return;
    current_call.lengths.add(size);
    if (writer->level() < RecordLevel::Io || !file.under->is_native) return;
    // The native connector's id begins with the address of a part of the heap, many values of which
    // come one after the other.
    trace::HeapUsed record{};
    std::memcpy(&record.address, id, sizeof record.address);
    static thread_local uint64_t last_address = 0;
    static thread_local uint32_t last_object = trace::kNone;
    if (record.address == last_address && current_call.object == last_object) return;
    last_address = record.address;
    last_object = current_call.object;
    record.object = current_call.object;
    record.operation = current_call.operation;
    record.time = trace::monotonic_now();
    writer->append(record);
}

void note_link_written(const Operation& operation, Object* object, Location location) noexcept {
    if (object == nullptr) return;
    touch(operation, *object, location->obj_type,
          {trace::Touched::Link, true, name_at(operation, location)});
}

}  // namespace quarry::connector
