// Callbacks on what is inside a file that need more than handing on: those that carry a second
// object, several, or one that is to be made or ended.
#pragma once

#include "hdf5/api.hpp"

namespace quarry::connector {

void* dataset_open(void* object, const H5VL_loc_params_t* location, const char* name, hid_t access,
                   hid_t transfer, void** request) noexcept;
herr_t dataset_read(size_t count, void* datasets[], hid_t memory_types[], hid_t memory_spaces[],
                    hid_t file_spaces[], hid_t transfer, void* buffers[], void** request) noexcept;
herr_t dataset_write(size_t count, void* datasets[], hid_t memory_types[], hid_t memory_spaces[],
                     hid_t file_spaces[], hid_t transfer, const void* buffers[],
                     void** request) noexcept;
herr_t dataset_get(void* dataset, H5VL_dataset_get_args_t* arguments, hid_t transfer,
                   void** request) noexcept;
herr_t dataset_specific(void* dataset, H5VL_dataset_specific_args_t* arguments, hid_t transfer,
                        void** request) noexcept;
herr_t dataset_optional(void* dataset, H5VL_optional_args_t* arguments, hid_t transfer,
                        void** request) noexcept;
herr_t dataset_close(void* dataset, hid_t transfer, void** request) noexcept;

void* group_open(void* object, const H5VL_loc_params_t* location, const char* name, hid_t access,
                 hid_t transfer, void** request) noexcept;
herr_t group_specific(void* object, H5VL_group_specific_args_t* arguments, hid_t transfer,
                      void** request) noexcept;
herr_t link_create(H5VL_link_create_args_t* arguments, void* object,
                   const H5VL_loc_params_t* location, hid_t link_creation, hid_t link_access,
                   hid_t transfer, void** request) noexcept;
herr_t link_copy(void* source, const H5VL_loc_params_t* source_location, void* target,
                 const H5VL_loc_params_t* target_location, hid_t link_creation, hid_t link_access,
                 hid_t transfer, void** request) noexcept;
herr_t link_move(void* source, const H5VL_loc_params_t* source_location, void* target,
                 const H5VL_loc_params_t* target_location, hid_t link_creation, hid_t link_access,
                 hid_t transfer, void** request) noexcept;
void* object_open(void* object, const H5VL_loc_params_t* location, H5I_type_t* type, hid_t transfer,
                  void** request) noexcept;
herr_t object_copy(void* source, const H5VL_loc_params_t* source_location, const char* source_name,
                   void* target, const H5VL_loc_params_t* target_location, const char* target_name,
                   hid_t copying, hid_t link_creation, hid_t transfer, void** request) noexcept;
herr_t request_free(void* request) noexcept;
herr_t token_compare(void* object, const H5O_token_t* left, const H5O_token_t* right,
                     int* order) noexcept;
herr_t connector_optional(void* object, H5VL_optional_args_t* arguments, hid_t transfer,
                          void** request) noexcept;

}  // namespace quarry::connector
