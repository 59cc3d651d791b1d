#include "hdf5/coordinates.hpp"

#include <optional>
#include <sstream>
#include <vector>

#include "hdf5/own_library.hpp"

namespace quarry::hdf5 {
namespace {

constexpr const char* kName = "coordinates";
constexpr size_t kLongest = 64 << 10;

std::string text_of(hid_t attribute) {
    const Handle type(H5Aget_type(attribute), H5Tclose);
    const Handle space(H5Aget_space(attribute), H5Sclose);
    const size_t size = H5Tget_size(type);
    if (H5Tget_class(type) != H5T_STRING || H5Sget_simple_extent_npoints(space) != 1) return "";
    if (H5Tis_variable_str(type) > 0) {
        char* text = nullptr;
        if (H5Aread(attribute, type, static_cast<void*>(&text)) < 0 || text == nullptr) return "";
        std::string found(text);
        H5free_memory(text);
        return found;
    }
    if (size > kLongest) return "";
    std::string text(size, '\0');
    if (H5Aread(attribute, type, text.data()) < 0) return "";
    return text.c_str();
}

// By paths: opening a dataset takes long.
std::vector<std::string> names_of_coordinates(hid_t file, const std::string& variable) {
    const char* path = variable.c_str();
    if (H5Aexists_by_name(file, path, kName, H5P_DEFAULT) <= 0) return {};
    const Handle attribute(H5Aopen_by_name(file, path, kName, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
    std::istringstream words(text_of(attribute));
    std::vector<std::string> names;
    for (std::string name; words >> name;) names.push_back(name);
    return names;
}

// The path of the group that a path lies in.
std::string parent_of(const std::string& path) {
    const size_t end = path.rfind('/');
    return end == 0 || end == std::string::npos ? "/" : path.substr(0, end);
}

// In the group of the variable, or one around it.
std::optional<Token> coordinate_of(const std::string& variable, const std::string& name,
                                   hid_t file) {
    std::string group = variable;
    do {
        group = parent_of(group);
        H5O_info2_t info{};
        const std::string path = joined(group, name);
        if (H5Lexists(file, path.c_str(), H5P_DEFAULT) > 0 &&
            H5Oget_info_by_name3(file, path.c_str(), &info, H5O_INFO_BASIC, H5P_DEFAULT) >= 0)
            return token_of(info.token);
    } while (group != "/");
    return std::nullopt;
}

}  // namespace

std::map<Token, std::string> named_coordinates(hid_t file, const Inventory& inventory,
                                               const IsChosen& is_chosen) {
    std::map<Token, std::string> found;
    for (const Token& token : inventory.order()) {
        const OldObject& object = inventory.at(token);
        if (object.type != H5O_TYPE_DATASET || !is_chosen(token, object)) continue;
        const std::string& variable = object.paths.front();
        for (const std::string& name : names_of_coordinates(file, variable)) {
            const auto coordinate = coordinate_of(variable, name, file);
            if (coordinate && inventory.find(*coordinate) != nullptr)
                found.emplace(*coordinate, variable);
        }
    }
    return found;
}

}  // namespace quarry::hdf5
