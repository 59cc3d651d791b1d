#include "hdf5/attributes.hpp"

#include <algorithm>

#include "hdf5/failure.hpp"
#include "hdf5/properties.hpp"

namespace quarry::hdf5 {
namespace {

herr_t add_attribute(hid_t, const char* name, const H5A_info_t* info, void* attributes) {
    static_cast<std::vector<Attribute>*>(attributes)->push_back({name, *info});
    return 0;
}

std::vector<Attribute> as_stored(hid_t object) {
    std::vector<Attribute> found;
    checked(H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_NATIVE, nullptr, add_attribute, &found),
            "its attributes cannot be listed");
    return found;
}

// Single attributes may have a number of their making where nobody has asked for such numbers.
void sort_if_tracked(std::vector<Attribute>& attributes, hid_t creation_list) {
    unsigned order = 0;
    checked(H5Pget_attr_creation_order(creation_list, &order), "its attributes cannot be listed");
    if ((order & H5P_CRT_ORDER_TRACKED) == 0) return;
    std::sort(attributes.begin(), attributes.end(),
              [](const Attribute& left, const Attribute& right) {
                  return left.info.corder < right.info.corder;
              });
}

}  // namespace

std::vector<Attribute> attributes_of(hid_t object) {
    std::vector<Attribute> found = as_stored(object);
    if (found.size() > 1) sort_if_tracked(found, creation_list_of(object));
    return found;
}

std::vector<Attribute> attributes_of(hid_t object, hid_t creation_list) {
    std::vector<Attribute> found = as_stored(object);
    if (found.size() > 1) sort_if_tracked(found, creation_list);
    return found;
}

}  // namespace quarry::hdf5
