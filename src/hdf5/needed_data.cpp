#include "hdf5/needed_data.hpp"

#include "hdf5/failure.hpp"
#include "hdf5/inventory.hpp"
#include "hdf5/other_files.hpp"
#include "hdf5/own_library.hpp"

namespace quarry::hdf5 {

std::vector<NeededData> sources_in(const std::string& file) {
    std::vector<NeededData> all;
    prepare_library();
    const Handle opened(H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
    if (opened < 0) return all;
    try {
        const Inventory inventory(opened);
        for (const Token& token : inventory.order()) {
            if (inventory.at(token).type != H5O_TYPE_DATASET) continue;
            const Handle dataset(H5Oopen_by_token(opened, place_of(token)), H5Oclose);
            for (const NeededData& needed : needed_by(dataset))
                if (!needed.dataset.empty()) all.push_back(needed);
        }
        return all;
    } catch (const Failure&) {
        return all;  // what cannot be walked through cannot be read, either
    }
}

}  // namespace quarry::hdf5
