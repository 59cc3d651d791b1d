#include "hdf5/in_memory.hpp"

namespace quarry::hdf5 {

Handle memory_access(size_t growth) {
    Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    H5Pset_fapl_core(access, growth, false);
    return access;
}

}  // namespace quarry::hdf5
