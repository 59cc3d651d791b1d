#include "hdf5/file_name.hpp"

namespace quarry::hdf5 {

std::string file_name_of(hid_t object) {
    const ssize_t size = H5Fget_name(object, nullptr, 0);
    if (size <= 0) return "";
    std::string name(static_cast<size_t>(size), '\0');
    H5Fget_name(object, name.data(), name.size() + 1);
    return name;
}

}  // namespace quarry::hdf5
