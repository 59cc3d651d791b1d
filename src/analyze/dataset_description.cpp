#include "analyze/dataset_description.hpp"

#include <nlohmann/json.hpp>
#include <string_view>

#include "model/shape.hpp"

namespace quarry::analyze {
namespace {

using Json = nlohmann::json;

std::vector<uint64_t> numbers(const Json& json, const char* name) {
    std::vector<uint64_t> found;
    const auto list = json.find(name);
    if (list == json.end() || !list->is_array()) return found;
    for (const Json& one : *list)
        found.push_back(one.is_number_unsigned() ? one.get<uint64_t>()
                                                 : DatasetDescription::kUnlimited);
    return found;
}

std::string text(const Json& json, const char* name) {
    const auto found = json.find(name);
    return found != json.end() && found->is_string() ? found->get<std::string>() : "";
}

}  // namespace

uint64_t DatasetDescription::elements() const {
    return elements_in(shape);
}

bool names_variable_length(std::string_view type) {
    if (type.find("variable-length") != type.npos) return true;
    constexpr std::string_view string = "string";
    for (size_t at = type.find(string); at != type.npos; at = type.find(string, at + 1)) {
        const size_t behind = at + string.size();
        if (behind >= type.size() || type[behind] != '[') return true;
    }
    return false;
}

std::optional<DatasetDescription> describe_dataset(const std::string& description) {
    const Json json = Json::parse(description, nullptr, false);
    if (!json.is_object() || !json.contains("shape") || !json.contains("size") ||
        !json["size"].is_number_unsigned())
        return std::nullopt;
    DatasetDescription dataset;
    dataset.type = text(json, "type");
    dataset.element_size = json["size"];
    dataset.shape = numbers(json, "shape");
    dataset.largest_shape = numbers(json, "max");
    dataset.layout = text(json, "layout");
    dataset.chunks = numbers(json, "chunks");
    dataset.filled = json.value("filled", Json(false)) == Json(true);
    if (const auto filters = json.find("filters"); filters != json.end() && filters->is_array()) {
        for (const Json& filter : *filters)
            if (filter.is_object()) dataset.filters.push_back(text(filter, "name"));
    }
    return dataset;
}

}  // namespace quarry::analyze
