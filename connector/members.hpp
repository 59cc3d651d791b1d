// What is in a group and in those below it.
#pragma once

#include "connector/object.hpp"

namespace quarry::connector {

// Each object once, by a path from the group, with its basic information. Negative if HDF5 or the
// callback fails.
inline herr_t visit_members(const Object& group, hid_t transfer, H5O_iterate2_t callback,
                            void* data) noexcept {
    H5VL_loc_params_t location{};
    location.obj_type = H5I_GROUP;
    location.type = H5VL_OBJECT_BY_SELF;
    H5VL_object_specific_args_t question{};
    question.op_type = H5VL_OBJECT_VISIT;
    question.args.visit = {H5_INDEX_NAME, H5_ITER_NATIVE, H5O_INFO_BASIC, callback, data};
    const auto visit = group.under->callbacks->object_cls.specific;
    return visit(group.below, &location, &question, transfer, nullptr);
}

// Each link of them once, by a path from the group.
inline herr_t visit_links(const Object& group, hid_t transfer, H5L_iterate2_t callback,
                          void* data) noexcept {
    H5VL_loc_params_t location{};
    location.obj_type = H5I_GROUP;
    location.type = H5VL_OBJECT_BY_SELF;
    H5VL_link_specific_args_t question{};
    question.op_type = H5VL_LINK_ITER;
    question.args.iterate = {true, H5_INDEX_NAME, H5_ITER_NATIVE, nullptr, callback, data};
    const auto visit = group.under->callbacks->link_cls.specific;
    return visit(group.below, &location, &question, transfer, nullptr);
}

}  // namespace quarry::connector
