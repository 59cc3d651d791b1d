// What a trace says of a dataset, as values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace quarry::analyze {

// Whether values of the type, as a description names it, lie in the global heap.
bool names_variable_length(std::string_view type);

struct DatasetDescription {
    std::string type;
    uint64_t element_size = 0;
    std::vector<uint64_t> shape;
    std::vector<uint64_t> largest_shape;  // kUnlimited where it may grow
    std::string layout;
    std::vector<uint64_t> chunks;
    std::vector<std::string> filters;  // names
    bool filled = false;               // the fill value is written wherever room is made

    static constexpr uint64_t kUnlimited = ~uint64_t{0};

    uint64_t elements() const;
    bool has_variable_length() const { return names_variable_length(type); }
    uint64_t bytes() const { return elements() * element_size; }
};

// Nothing if it is no description of a dataset, or a damaged one.
std::optional<DatasetDescription> describe_dataset(const std::string& json);

}  // namespace quarry::analyze
