// What a trace says of a dataset, as values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace quarry::analyze {

struct DatasetDescription {
    std::string type;
    uint64_t element_size = 0;
    std::vector<uint64_t> shape;
    std::vector<uint64_t> largest_shape;  // kUnlimited where it may grow
    std::string layout;
    std::vector<uint64_t> chunks;
    std::vector<std::string> filters;  // names

    static constexpr uint64_t kUnlimited = ~uint64_t{0};

    uint64_t elements() const;
    uint64_t bytes() const { return elements() * element_size; }
};

// Nothing if it is no description of a dataset, or a damaged one.
std::optional<DatasetDescription> describe_dataset(const std::string& json);

}  // namespace quarry::analyze
