#include "connector/opened_object.hpp"

#include "connector/carved_dataset.hpp"

namespace quarry::connector {

OpenedObject::OpenedObject(const Object& from, H5I_type_t from_type, const char* name,
                           hid_t transfer) noexcept
    : object_{nullptr, from.under}, transfer_(transfer) {
    const KeepErrors keep(from.under->library->api);
    H5VL_loc_params_t location{};
    location.obj_type = from_type;
    location.type = H5VL_OBJECT_BY_NAME;
    location.loc_data.loc_by_name.name = name;
    object_.below =
        from.under->callbacks->object_cls.open(from.below, &location, &type_, transfer, nullptr);
}

OpenedObject::~OpenedObject() {
    if (object_.below == nullptr) return;
    let_original_go(object_);
    close_below(object_, type_, transfer_);
}

void close_below(const Object& object, H5I_type_t type, hid_t transfer) noexcept {
    const KeepErrors keep(object.under->library->api);
    const H5VL_class_t& classes = *object.under->callbacks;
    if (type == H5I_DATASET)
        classes.dataset_cls.close(object.below, transfer, nullptr);
    else if (type == H5I_GROUP)
        classes.group_cls.close(object.below, transfer, nullptr);
    else if (type == H5I_DATATYPE)
        classes.datatype_cls.close(object.below, transfer, nullptr);
}

}  // namespace quarry::connector
