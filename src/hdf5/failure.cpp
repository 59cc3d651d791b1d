#include "hdf5/failure.hpp"

namespace quarry::hdf5 {
namespace {

herr_t keep_first(unsigned number, const H5E_error2_t* error, void* text) {
    if (number == 0 && error->desc != nullptr) *static_cast<std::string*>(text) = error->desc;
    return 0;
}

std::string own_version() {
    unsigned major = 0, minor = 0, release = 0;
    H5get_libversion(&major, &minor, &release);
    return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(release);
}

}  // namespace

std::string last_complaint() {
    std::string text;
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_first, &text);
    // Which is what it says of anything that a later one has thought of.
    if (text.starts_with("bad version number"))
        text += " (a newer HDF5 than the " + own_version() + " of Quarry may have written it)";
    return text.empty() ? "HDF5 does not say why" : text;
}

}  // namespace quarry::hdf5
