#include "hdf5/find_dataset.hpp"

#include <filesystem>

#include "hdf5/new_places.hpp"
#include "hdf5/own_library.hpp"

namespace quarry::hdf5 {
namespace {

template <typename Get>
std::string text_of(hid_t object, Get get) {
    const ssize_t size = get(object, nullptr, 0);
    if (size <= 0) return "";
    std::string text(static_cast<size_t>(size) + 1, '\0');
    get(object, text.data(), text.size());
    text.pop_back();
    return text;
}

}  // namespace

std::optional<FoundDataset> find_dataset(const std::string& file, const std::string& path) {
    prepare_library();
    const Handle opened(H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
    if (opened < 0) return std::nullopt;
    const Handle dataset(H5Oopen(opened, path.c_str(), H5P_DEFAULT), H5Oclose);
    H5O_info2_t info{};
    unsigned long serial = 0;
    if (dataset < 0 || H5Oget_info3(dataset, &info, H5O_INFO_BASIC) < 0 ||
        H5Fget_fileno(opened, &serial) < 0)
        return std::nullopt;
    FoundDataset found;
    found.token = token_of(info.token);
    if (info.fileno == serial) return found;
    found.file = std::filesystem::absolute(text_of(dataset, H5Fget_name));
    found.path = text_of(dataset, H5Iget_name);
    return found;
}

}  // namespace quarry::hdf5
