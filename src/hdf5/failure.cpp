#include "hdf5/failure.hpp"

namespace quarry::hdf5 {
namespace {

herr_t keep_first(unsigned number, const H5E_error2_t* error, void* text) {
    if (number == 0 && error->desc != nullptr) *static_cast<std::string*>(text) = error->desc;
    return 0;
}

}  // namespace

std::string last_complaint() {
    std::string text;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, &text);
    return text.empty() ? "HDF5 does not say why" : text;
}

}  // namespace quarry::hdf5
