#include "hdf5/coordinates.hpp"

#include <sstream>

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

}  // namespace

std::vector<std::string> coordinates_of(hid_t dataset) {
    if (H5Aexists(dataset, kName) <= 0) return {};
    const Handle attribute(H5Aopen(dataset, kName, H5P_DEFAULT), H5Aclose);
    std::istringstream words(text_of(attribute));
    std::vector<std::string> names;
    for (std::string name; words >> name;) names.push_back(name);
    return names;
}

}  // namespace quarry::hdf5
