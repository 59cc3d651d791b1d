#include "hdf5/attributes.hpp"

#include <algorithm>

#include "hdf5/failure.hpp"

namespace quarry::hdf5 {
namespace {

herr_t add_attribute(hid_t, const char* name, const H5A_info_t* info, void* attributes) {
    static_cast<std::vector<Attribute>*>(attributes)->push_back({name, *info});
    return 0;
}

}  // namespace

std::vector<Attribute> attributes_of(hid_t object) {
    std::vector<Attribute> found;
    checked(H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_NATIVE, nullptr, add_attribute, &found),
            "its attributes cannot be listed");
    std::stable_sort(found.begin(), found.end(), [](const Attribute& left, const Attribute& right) {
        return left.info.corder_valid && right.info.corder_valid &&
               left.info.corder < right.info.corder;
    });
    return found;
}

}  // namespace quarry::hdf5
