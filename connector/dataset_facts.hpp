// The properties of a dataset, asked of the connector below.
#pragma once

#include "connector/object.hpp"
#include "connector/operation.hpp"

namespace quarry::connector {

// Ids that are asked for when they are needed, since that takes a while, and closed again; negative
// where there are none.
class DatasetFacts {
public:
    explicit DatasetFacts(const Object& dataset) : dataset_(dataset) {}
    ~DatasetFacts() {
        const hdf5::Api& api = dataset_.under->library->api;
        if (type_ >= 0) api.H5Tclose(type_);
        if (space_ >= 0) api.H5Sclose(space_);
        if (creation_ >= 0) api.H5Pclose(creation_);
    }
    DatasetFacts(const DatasetFacts&) = delete;
    DatasetFacts& operator=(const DatasetFacts&) = delete;

    hid_t type() {
        H5VL_dataset_get_args_t question{};
        if (type_ < 0 && ask(question, H5VL_DATASET_GET_TYPE))
            type_ = question.args.get_type.type_id;
        return type_;
    }
    hid_t space() {
        H5VL_dataset_get_args_t question{};
        if (space_ < 0 && ask(question, H5VL_DATASET_GET_SPACE))
            space_ = question.args.get_space.space_id;
        return space_;
    }
    hid_t creation() {
        H5VL_dataset_get_args_t question{};
        if (creation_ < 0 && ask(question, H5VL_DATASET_GET_DCPL))
            creation_ = question.args.get_dcpl.dcpl_id;
        return creation_;
    }

private:
    bool ask(H5VL_dataset_get_args_t& question, H5VL_dataset_get_t what) const {
        question.op_type = what;
        const auto get = dataset_.under->callbacks->dataset_cls.get;
        return get(dataset_.below, &question, current_call.transfer, nullptr) >= 0;
    }

    const Object& dataset_;
    hid_t type_ = H5I_INVALID_HID;
    hid_t space_ = H5I_INVALID_HID;
    hid_t creation_ = H5I_INVALID_HID;
};

}  // namespace quarry::connector
