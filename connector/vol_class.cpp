#include "connector/vol_class.hpp"

#include <array>
#include <utility>

#include "connector/forward.hpp"
#include "connector/info.hpp"
#include "connector/library.hpp"
#include "connector/plugin_path.hpp"
#include "connector/vol_file.hpp"
#include "connector/vol_introspect.hpp"
#include "connector/vol_object.hpp"
#include "connector/vol_wrap.hpp"

namespace quarry::connector {
namespace {

// What the native connector can do, for those who ask the class itself; whoever asks for a file is
// answered by the connector below.
constexpr uint64_t kCapabilities =
    H5VL_CAP_FLAG_FILE_BASIC | H5VL_CAP_FLAG_FILE_MORE | H5VL_CAP_FLAG_FLUSH_REFRESH |
    H5VL_CAP_FLAG_DATASET_BASIC | H5VL_CAP_FLAG_DATASET_MORE | H5VL_CAP_FLAG_GROUP_BASIC |
    H5VL_CAP_FLAG_GROUP_MORE | H5VL_CAP_FLAG_LINK_BASIC | H5VL_CAP_FLAG_LINK_MORE |
    H5VL_CAP_FLAG_HARD_LINKS | H5VL_CAP_FLAG_SOFT_LINKS | H5VL_CAP_FLAG_EXTERNAL_LINKS |
    H5VL_CAP_FLAG_UD_LINKS | H5VL_CAP_FLAG_ATTR_BASIC | H5VL_CAP_FLAG_ATTR_MORE |
    H5VL_CAP_FLAG_OBJECT_BASIC | H5VL_CAP_FLAG_OBJECT_MORE | H5VL_CAP_FLAG_STORED_DATATYPES |
    H5VL_CAP_FLAG_CREATION_ORDER | H5VL_CAP_FLAG_ITERATE | H5VL_CAP_FLAG_STORAGE_SIZE |
    H5VL_CAP_FLAG_BY_IDX | H5VL_CAP_FLAG_GET_PLIST | H5VL_CAP_FLAG_MOUNT | H5VL_CAP_FLAG_FILTERS |
    H5VL_CAP_FLAG_FILL_VALUES | H5VL_CAP_FLAG_OBJ_REF | H5VL_CAP_FLAG_REG_REF |
    H5VL_CAP_FLAG_ATTR_REF;

constexpr auto kAttribute = &H5VL_class_t::attr_cls;
constexpr auto kDataset = &H5VL_class_t::dataset_cls;
constexpr auto kDatatype = &H5VL_class_t::datatype_cls;
constexpr auto kFile = &H5VL_class_t::file_cls;
constexpr auto kGroup = &H5VL_class_t::group_cls;
constexpr auto kLink = &H5VL_class_t::link_cls;
constexpr auto kObject = &H5VL_class_t::object_cls;
constexpr auto kRequest = &H5VL_class_t::request_cls;
constexpr auto kBlob = &H5VL_class_t::blob_cls;
constexpr auto kToken = &H5VL_class_t::token_cls;

template <auto Group, auto Callback>
constexpr auto forward = &Forward<Group, Callback>::call;

template <auto Group, auto Callback>
constexpr auto close = &Close<Group, Callback>::call;

void fill_attribute(H5VL_attr_class_t& cls) {
    cls.create = forward<kAttribute, &H5VL_attr_class_t::create>;
    cls.open = forward<kAttribute, &H5VL_attr_class_t::open>;
    cls.read = forward<kAttribute, &H5VL_attr_class_t::read>;
    cls.write = forward<kAttribute, &H5VL_attr_class_t::write>;
    cls.get = forward<kAttribute, &H5VL_attr_class_t::get>;
    cls.specific = forward<kAttribute, &H5VL_attr_class_t::specific>;
    cls.optional = forward<kAttribute, &H5VL_attr_class_t::optional>;
    cls.close = close<kAttribute, &H5VL_attr_class_t::close>;
}

void fill_dataset(H5VL_dataset_class_t& cls) {
    cls.create = forward<kDataset, &H5VL_dataset_class_t::create>;
    cls.open = dataset_open;
    cls.read = dataset_read;
    cls.write = dataset_write;
    cls.get = dataset_get;
    cls.specific = dataset_specific;
    cls.optional = dataset_optional;
    cls.close = dataset_close;
}

void fill_datatype(H5VL_datatype_class_t& cls) {
    cls.commit = forward<kDatatype, &H5VL_datatype_class_t::commit>;
    cls.open = forward<kDatatype, &H5VL_datatype_class_t::open>;
    cls.get = forward<kDatatype, &H5VL_datatype_class_t::get>;
    cls.specific = forward<kDatatype, &H5VL_datatype_class_t::specific>;
    cls.optional = forward<kDatatype, &H5VL_datatype_class_t::optional>;
    cls.close = close<kDatatype, &H5VL_datatype_class_t::close>;
}

template <int kSlot>
void fill_file(H5VL_file_class_t& cls) {
    cls.create = [](const char* name, unsigned flags, hid_t creation, hid_t access, hid_t transfer,
                    void** request) noexcept {
        return file_create(library_in_slot(kSlot), name, flags, creation, access, transfer,
                           request);
    };
    cls.open = [](const char* name, unsigned flags, hid_t access, hid_t transfer,
                  void** request) noexcept {
        return file_open(library_in_slot(kSlot), name, flags, access, transfer, request);
    };
    cls.get = file_get;
    cls.specific = [](void* object, H5VL_file_specific_args_t* arguments, hid_t transfer,
                      void** request) noexcept {
        return file_specific(library_in_slot(kSlot), object, arguments, transfer, request);
    };
    cls.optional = forward<kFile, &H5VL_file_class_t::optional>;
    cls.close = file_close;
}

void fill_group(H5VL_group_class_t& cls) {
    cls.create = forward<kGroup, &H5VL_group_class_t::create>;
    cls.open = group_open;
    cls.get = forward<kGroup, &H5VL_group_class_t::get>;
    cls.specific = group_specific;
    cls.optional = forward<kGroup, &H5VL_group_class_t::optional>;
    cls.close = close<kGroup, &H5VL_group_class_t::close>;
}

void fill_link(H5VL_link_class_t& cls) {
    cls.create = link_create;
    cls.copy = link_copy;
    cls.move = link_move;
    cls.get = forward<kLink, &H5VL_link_class_t::get>;
    cls.specific = forward<kLink, &H5VL_link_class_t::specific>;
    cls.optional = forward<kLink, &H5VL_link_class_t::optional>;
}

void fill_object(H5VL_object_class_t& cls) {
    cls.open = object_open;
    cls.copy = object_copy;
    // HDF5 wraps the file that this may answer with by itself.
    cls.get = forward<kObject, &H5VL_object_class_t::get>;
    cls.specific = forward<kObject, &H5VL_object_class_t::specific>;
    cls.optional = forward<kObject, &H5VL_object_class_t::optional>;
}

herr_t blob_put(void* file, const void* value, size_t size, void* id, void* context) noexcept {
    const herr_t answer = forward<kBlob, &H5VL_blob_class_t::put>(file, value, size, id, context);
    if (answer >= 0) note_blob(as_object(file), id, size);
    return answer;
}

void fill_services(H5VL_class_t& cls) {
    cls.request_cls.wait = forward<kRequest, &H5VL_request_class_t::wait>;
    cls.request_cls.notify = forward<kRequest, &H5VL_request_class_t::notify>;
    cls.request_cls.cancel = forward<kRequest, &H5VL_request_class_t::cancel>;
    cls.request_cls.specific = forward<kRequest, &H5VL_request_class_t::specific>;
    cls.request_cls.optional = forward<kRequest, &H5VL_request_class_t::optional>;
    cls.request_cls.free = request_free;
    cls.blob_cls.put = blob_put;
    cls.blob_cls.get = forward<kBlob, &H5VL_blob_class_t::get>;
    cls.blob_cls.specific = forward<kBlob, &H5VL_blob_class_t::specific>;
    cls.blob_cls.optional = forward<kBlob, &H5VL_blob_class_t::optional>;
    cls.token_cls.cmp = token_compare;
    cls.token_cls.to_str = forward<kToken, &H5VL_token_class_t::to_str>;
    cls.token_cls.from_str = forward<kToken, &H5VL_token_class_t::from_str>;
    cls.optional = connector_optional;
}

template <int kSlot>
void fill_info(H5VL_info_class_t& cls) {
    cls.size = info_size();
    cls.copy = info_copy;
    cls.cmp = info_compare;
    cls.free = info_free;
    cls.to_str = info_to_text;
    cls.from_str = [](const char* text, void** info) noexcept {
        return info_from_text(library_in_slot(kSlot), text, info);
    };
}

template <int kSlot>
H5VL_class_t connector_class() {
    H5VL_class_t cls{};
    cls.version = H5VL_VERSION;
    cls.value = kConnectorValue;
    cls.name = kConnectorName;
    cls.conn_version = 1;
    cls.cap_flags = kCapabilities;
    cls.initialize = [](hid_t) noexcept {
        begin_life(library_in_slot(kSlot));
        restore_plugin_path_at_start(library_in_slot(kSlot));
        return herr_t{0};
    };
    cls.terminate = []() noexcept {
        end_life(library_in_slot(kSlot));
        return herr_t{0};
    };
    fill_info<kSlot>(cls.info_cls);
    cls.wrap_cls = wrap_callbacks();
    fill_attribute(cls.attr_cls);
    fill_dataset(cls.dataset_cls);
    fill_datatype(cls.datatype_cls);
    fill_file<kSlot>(cls.file_cls);
    fill_group(cls.group_cls);
    fill_link(cls.link_cls);
    fill_object(cls.object_cls);
    cls.introspect_cls.get_conn_cls = introspect_class;
    cls.introspect_cls.get_cap_flags = [](const void* info, uint64_t* flags) noexcept {
        return introspect_capabilities(library_in_slot(kSlot), info, flags);
    };
    cls.introspect_cls.opt_query = introspect_optional;
    fill_services(cls);
    return cls;
}

template <size_t... kSlots>
H5VL_class_t connector_class_for(int slot, std::index_sequence<kSlots...>) {
    constexpr std::array makers{&connector_class<kSlots>...};
    return makers[static_cast<size_t>(slot)]();
}

}  // namespace

H5VL_class_t connector_class_for_slot(int slot) {
    return connector_class_for(slot, std::make_index_sequence<kLibraries>());
}

}  // namespace quarry::connector
