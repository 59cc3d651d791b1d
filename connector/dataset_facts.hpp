// The properties of a dataset, asked of the connector below.
#pragma once

#include "connector/object.hpp"
#include "connector/operation.hpp"
#include "hdf5/describe.hpp"

namespace quarry::connector {

// Ids that are closed again.
class DatasetFacts {
public:
    explicit DatasetFacts(const Object& dataset) : api_(dataset.under->library->api) {
        H5VL_dataset_get_args_t question{};
        if (ask(dataset, question, H5VL_DATASET_GET_TYPE))
            ids_.type = question.args.get_type.type_id;
        if (ask(dataset, question, H5VL_DATASET_GET_SPACE))
            ids_.space = question.args.get_space.space_id;
        if (ask(dataset, question, H5VL_DATASET_GET_DCPL))
            ids_.creation = question.args.get_dcpl.dcpl_id;
    }
    ~DatasetFacts() {
        if (ids_.type >= 0) api_.H5Tclose(ids_.type);
        if (ids_.space >= 0) api_.H5Sclose(ids_.space);
        if (ids_.creation >= 0) api_.H5Pclose(ids_.creation);
    }
    DatasetFacts(const DatasetFacts&) = delete;
    DatasetFacts& operator=(const DatasetFacts&) = delete;

    bool complete() const { return ids_.type >= 0 && ids_.space >= 0 && ids_.creation >= 0; }
    const hdf5::DatasetIds& ids() const { return ids_; }

private:
    static bool ask(const Object& dataset, H5VL_dataset_get_args_t& question,
                    H5VL_dataset_get_t what) {
        question.op_type = what;
        return dataset.under->callbacks->dataset_cls.get(dataset.below, &question,
                                                         current_call.transfer, nullptr) >= 0;
    }

    const hdf5::Api& api_;
    hdf5::DatasetIds ids_;
};

}  // namespace quarry::connector
