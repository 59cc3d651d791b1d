// Callbacks on files: the only ones that start without an object.
#pragma once

#include "connector/library.hpp"

namespace quarry::connector {

void* file_create(Library& library, const char* name, unsigned flags, hid_t creation, hid_t access,
                  hid_t transfer, void** request) noexcept;
void* file_open(Library& library, const char* name, unsigned flags, hid_t access, hid_t transfer,
                void** request) noexcept;
herr_t file_close(void* object, hid_t transfer, void** request) noexcept;
herr_t file_get(void* object, H5VL_file_get_args_t* arguments, hid_t transfer,
                void** request) noexcept;
herr_t file_specific(Library& library, void* object, H5VL_file_specific_args_t* arguments,
                     hid_t transfer, void** request) noexcept;

}  // namespace quarry::connector
