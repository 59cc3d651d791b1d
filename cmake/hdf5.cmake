# HDF5 >= 1.14: the headers for the connector (which never links the library), and the library and
# tools for the tests. HDF5_ROOT names one of your own; otherwise it is the one that set-up found or
# built, and without set-up the system's.
set(found_by_setup ${PROJECT_SOURCE_DIR}/.deps/hdf5.env)
if(NOT HDF5_ROOT AND NOT DEFINED ENV{HDF5_ROOT} AND EXISTS ${found_by_setup})
  file(STRINGS ${found_by_setup} prefix REGEX "^HDF5_PREFIX=")
  string(REGEX REPLACE "^HDF5_PREFIX=\"(.*)\"$" "\\1" HDF5_ROOT "${prefix}")
endif()
find_package(HDF5 REQUIRED COMPONENTS C)
if(HDF5_VERSION VERSION_LESS 1.14)
  message(FATAL_ERROR "HDF5 ${HDF5_VERSION} was found; Quarry needs 1.14 or newer. Run `make build`, "
                      "which builds one, or set HDF5_ROOT to the prefix of one you have.")
endif()

add_library(quarry_hdf5_headers INTERFACE)
target_include_directories(quarry_hdf5_headers SYSTEM INTERFACE ${HDF5_INCLUDE_DIRS})

add_library(quarry_hdf5_library INTERFACE)
target_link_libraries(quarry_hdf5_library INTERFACE quarry_hdf5_headers ${HDF5_C_LIBRARIES})

# Where the program finds the library, from where it lies: one that set-up has built goes along when
# it is installed. One and the same path when built and installed, since CMake would otherwise end it
# with a colon, which to the loader means the working directory.
list(GET HDF5_C_LIBRARIES 0 hdf5_library)
if(TARGET ${hdf5_library})
  get_target_property(hdf5_library ${hdf5_library} LOCATION)
endif()
file(REAL_PATH ${hdf5_library} hdf5_library)
file(REAL_PATH ${PROJECT_SOURCE_DIR} source_directory)
cmake_path(GET hdf5_library PARENT_PATH hdf5_library_directory)
cmake_path(IS_PREFIX source_directory "${hdf5_library_directory}" hdf5_is_from_setup)
set(QUARRY_RPATH ${hdf5_library_directory})
if(hdf5_is_from_setup)
  set(QUARRY_RPATH $ORIGIN/../lib/quarry/hdf5)
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/lib/quarry)
  file(CREATE_LINK ${hdf5_library_directory} ${CMAKE_BINARY_DIR}/lib/quarry/hdf5 SYMBOLIC)
  file(GLOB hdf5_files ${hdf5_library_directory}/libhdf5.so.*)
  install(FILES ${hdf5_files} DESTINATION lib/quarry/hdf5)
elseif(hdf5_library_directory IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
  set(QUARRY_RPATH "")
endif()
