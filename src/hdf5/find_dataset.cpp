#include "hdf5/find_dataset.hpp"

#include <filesystem>
#include <optional>

#include "hdf5/file_name.hpp"
#include "hdf5/new_places.hpp"
#include "hdf5/own_library.hpp"

namespace quarry::hdf5 {
namespace {

std::optional<FoundDataset> find_dataset(hid_t file, unsigned long serial,
                                         const std::string& path) {
    const Handle dataset(H5Oopen(file, path.c_str(), H5P_DEFAULT), H5Oclose);
    H5O_info2_t info{};
    if (dataset < 0 || H5Oget_info3(dataset, &info, H5O_INFO_BASIC) < 0) return std::nullopt;
    FoundDataset found;
    found.token = token_of(info.token);
    if (info.fileno == serial) return found;
    found.file = std::filesystem::absolute(file_name_of(dataset));
    return found;
}

}  // namespace

std::map<std::string, FoundDataset> find_datasets(const std::string& file,
                                                  const std::vector<std::string>& paths) {
    std::map<std::string, FoundDataset> found;
    if (paths.empty()) return found;
    prepare_library();
    const Handle opened(H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
    unsigned long serial = 0;
    if (opened < 0 || H5Fget_fileno(opened, &serial) < 0) return found;
    for (const std::string& path : paths)
        if (const auto one = find_dataset(opened, serial, path)) found.emplace(path, *one);
    return found;
}

}  // namespace quarry::hdf5
