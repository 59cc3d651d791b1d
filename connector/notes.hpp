// What is put into the trace about the calls of a program, once they have been answered.
#pragma once

#include "connector/known_object.hpp"
#include "connector/operation.hpp"

namespace quarry::connector {

// Names a callback of the object layer: `Call<&H5VL_attr_class_t::read>`.
template <auto Callback>
struct Call {};

using Location = const H5VL_loc_params_t*;

void note(Call<&H5VL_attr_class_t::create>, const Operation&, Object&, Object* attribute, Location,
          const char* name, hid_t, hid_t, hid_t, hid_t, hid_t, void**) noexcept;
void note(Call<&H5VL_attr_class_t::open>, const Operation&, Object&, Object* attribute, Location,
          const char* name, hid_t, hid_t, void**) noexcept;
void note(Call<&H5VL_attr_class_t::read>, const Operation&, Object&, herr_t, hid_t, void*, hid_t,
          void**) noexcept;
void note(Call<&H5VL_attr_class_t::write>, const Operation&, Object&, herr_t, hid_t, const void*,
          hid_t, void**) noexcept;
void note(Call<&H5VL_attr_class_t::get>, const Operation&, Object&, herr_t, H5VL_attr_get_args_t*,
          hid_t, void**) noexcept;
void note(Call<&H5VL_attr_class_t::specific>, const Operation&, Object&, herr_t, Location,
          H5VL_attr_specific_args_t*, hid_t, void**) noexcept;

void note(Call<&H5VL_dataset_class_t::create>, const Operation&, Object&, Object* dataset, Location,
          const char*, hid_t, hid_t, hid_t, hid_t, hid_t, hid_t, void**) noexcept;
void note(Call<&H5VL_dataset_class_t::open>, const Operation&, Object&, Object* dataset, Location,
          const char*, hid_t, hid_t, void**) noexcept;
void note(Call<&H5VL_dataset_class_t::specific>, const Operation&, Object&, herr_t,
          H5VL_dataset_specific_args_t*, hid_t, void**) noexcept;
void note(Call<&H5VL_dataset_class_t::optional>, const Operation&, Object&, herr_t,
          H5VL_optional_args_t*, hid_t, void**) noexcept;
void note(Call<&H5VL_dataset_class_t::close>, const Operation&, Object&, herr_t, hid_t,
          void**) noexcept;

void note(Call<&H5VL_datatype_class_t::commit>, const Operation&, Object&, Object* type, Location,
          const char*, hid_t, hid_t, hid_t, hid_t, hid_t, void**) noexcept;
void note(Call<&H5VL_datatype_class_t::open>, const Operation&, Object&, Object* type, Location,
          const char*, hid_t, hid_t, void**) noexcept;
void note(Call<&H5VL_datatype_class_t::close>, const Operation&, Object&, herr_t, hid_t,
          void**) noexcept;

void note(Call<&H5VL_group_class_t::create>, const Operation&, Object&, Object* group, Location,
          const char*, hid_t, hid_t, hid_t, hid_t, void**) noexcept;
void note(Call<&H5VL_group_class_t::open>, const Operation&, Object&, Object* group, Location,
          const char*, hid_t, hid_t, void**) noexcept;
void note(Call<&H5VL_group_class_t::get>, const Operation&, Object&, herr_t, H5VL_group_get_args_t*,
          hid_t, void**) noexcept;
void note(Call<&H5VL_group_class_t::close>, const Operation&, Object&, herr_t, hid_t,
          void**) noexcept;

void note(Call<&H5VL_link_class_t::get>, const Operation&, Object&, herr_t, Location,
          H5VL_link_get_args_t*, hid_t, void**) noexcept;
void note(Call<&H5VL_link_class_t::specific>, const Operation&, Object&, herr_t, Location,
          H5VL_link_specific_args_t*, hid_t, void**) noexcept;

void note(Call<&H5VL_object_class_t::open>, const Operation&, Object&, Object* opened, Location,
          H5I_type_t* type, hid_t, void**) noexcept;
void note(Call<&H5VL_object_class_t::get>, const Operation&, Object&, herr_t, Location,
          H5VL_object_get_args_t*, hid_t, void**) noexcept;
void note(Call<&H5VL_object_class_t::specific>, const Operation&, Object&, herr_t, Location,
          H5VL_object_specific_args_t*, hid_t, void**) noexcept;

void note(Call<&H5VL_file_class_t::specific>, const Operation&, Object&, herr_t,
          H5VL_file_specific_args_t*, hid_t transfer, void**) noexcept;
void note(Call<&H5VL_file_class_t::optional>, const Operation&, Object&, herr_t,
          H5VL_optional_args_t*, hid_t, void**) noexcept;
void note(Call<&H5VL_file_class_t::close>, const Operation&, Object&, herr_t, hid_t,
          void**) noexcept;

// Most calls are told by the I/O that they cause, which carries their number, and by nothing else.
template <auto Callback, typename... Arguments>
concept IsNoted = requires(const Operation& operation, Object& object, Arguments... arguments) {
    note(Call<Callback>(), operation, object, arguments...);
};

// A dataset is about to be closed.
void note_end(Object& dataset, hid_t transfer) noexcept;

// A file was opened or created; `file` is null if that failed.
void note_file(const Operation& operation, Library& library, Object* file, const char* name,
               unsigned flags, bool created) noexcept;

// To be called before the file is closed.
void note_state(const Operation& operation, const Object& file) noexcept;

// Values of variable length were stored; `id` tells where.
void note_blob(const Object& file, const void* id, uint64_t size) noexcept;

// A link was made, copied or moved: it is new in the group at `location`.
void note_link_written(const Operation& operation, Object* object, Location location) noexcept;

}  // namespace quarry::connector
