// Data of a dataset that lies in files of its own, which HDF5 reads past its drivers: what was
// moved there follows from the selections.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/selection.hpp"

namespace quarry::analyze {

struct ExternalData {
    struct Part {
        std::string file;   // as the dataset names it
        uint64_t size = 0;  // bytes of the dataset in it; the largest number if there is no limit
    };
    std::vector<Part> parts;  // one after the other
    std::vector<uint64_t> shape;
    uint64_t element_size = 0;

    // How many bytes of each part a selection holds.
    std::vector<uint64_t> bytes_in_parts(const Selection& selection) const;
};

// From a dataset's description; nothing if its data lies in its own file.
std::optional<ExternalData> external_data_of(const std::string& description);

}  // namespace quarry::analyze
