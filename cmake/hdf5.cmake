# HDF5 >= 1.14: the headers for the connector (which never links the library), and the library and
# tools for the tests. HDF5_ROOT names one of your own; set-up passes the private one where the
# system has none that is new enough.
find_package(HDF5 REQUIRED COMPONENTS C)
if(HDF5_VERSION VERSION_LESS 1.14)
  message(FATAL_ERROR "HDF5 ${HDF5_VERSION} was found; Quarry needs 1.14 or newer. Run `make build`, "
                      "which builds one, or set HDF5_ROOT to the prefix of one you have.")
endif()

add_library(quarry_hdf5_headers INTERFACE)
target_include_directories(quarry_hdf5_headers SYSTEM INTERFACE ${HDF5_INCLUDE_DIRS})

add_library(quarry_hdf5_library INTERFACE)
target_link_libraries(quarry_hdf5_library INTERFACE quarry_hdf5_headers ${HDF5_C_LIBRARIES})
