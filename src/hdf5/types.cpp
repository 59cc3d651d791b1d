#include "hdf5/types.hpp"

#include "hdf5/own_library.hpp"

namespace quarry::hdf5 {

bool has_variable_length(hid_t type) {
    switch (H5Tget_class(type)) {
        case H5T_VLEN:
            return true;
        case H5T_STRING:
            return H5Tis_variable_str(type) > 0;
        case H5T_ARRAY: {
            const Handle element(H5Tget_super(type), H5Tclose);
            return has_variable_length(element);
        }
        case H5T_COMPOUND: {
            const int members = H5Tget_nmembers(type);
            for (int i = 0; i < members; ++i) {
                const Handle member(H5Tget_member_type(type, static_cast<unsigned>(i)), H5Tclose);
                if (has_variable_length(member)) return true;
            }
            return false;
        }
        default:
            return false;
    }
}

}  // namespace quarry::hdf5
