#include "connector/vol_object.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <new>

#include "connector/carved_changes.hpp"
#include "connector/carved_data.hpp"
#include "connector/carved_dataset.hpp"
#include "connector/description.hpp"
#include "connector/flushed_chunks.hpp"
#include "connector/forward.hpp"
#include "connector/opened_object.hpp"
#include "connector/record_access.hpp"
#include "connector/record_copy.hpp"
#include "connector/refused_copy.hpp"

namespace quarry::connector {
namespace {

// The datasets below those of one multi-dataset call.
class DatasetsBelow {
public:
    DatasetsBelow(size_t count, void* const datasets[]) noexcept {
        if (count > few_.size()) many_.reset(new (std::nothrow) void*[count]);
        const Under* under = as_object(datasets[0]).under;
        for (size_t i = 0; i < count; ++i) {
            one_call_ = one_call_ && as_object(datasets[i]).under == under;
        }
        one_call_ = one_call_ && (count <= few_.size() || many_ != nullptr);
        for (size_t i = 0; one_call_ && i < count; ++i) get()[i] = as_object(datasets[i]).below;
    }

    // False where they lie on different connectors, or memory is short.
    bool one_call() const { return one_call_; }
    void** get() { return many_ != nullptr ? many_.get() : few_.data(); }

private:
    std::array<void*, 16> few_;
    std::unique_ptr<void*[]> many_;
    bool one_call_ = true;
};

template <typename Buffer>
constexpr auto kDirection =
    std::is_const_v<Buffer> ? Accesses::Direction::Write : Accesses::Direction::Read;

bool is_any_kept_as_it_is(size_t count, void* datasets[], hid_t transfer) {
    return std::any_of(datasets, datasets + count, [&](void* dataset) {
        return is_kept_as_it_is(as_object(dataset), transfer);
    });
}

template <auto Callback, typename Buffer>
herr_t transfer_all(size_t count, void* datasets[], hid_t memory_types[], hid_t memory_spaces[],
                    hid_t file_spaces[], hid_t transfer, Buffer* buffers[], void** request) {
    DatasetsBelow below_all(count, datasets);
    if (below_all.one_call()) {
        const Under* under = as_object(datasets[0]).under;
        if (std::is_const_v<Buffer> && is_serving() &&
            is_any_kept_as_it_is(count, datasets, transfer))
            return -1;
        // What belongs to several datasets is credited by its address alone.
        const Operation operation(count == 1 ? as_object(datasets[0]).known : nullptr, transfer);
        const Accesses accesses(operation, kDirection<Buffer>, count, datasets, file_spaces);
        const RefusedCopies refused;
        herr_t answer = (under->callbacks->dataset_cls.*Callback)(
            count, below_all.get(), memory_types, memory_spaces, file_spaces, transfer, buffers,
            request);
        if constexpr (!std::is_const_v<Buffer>) {
            if (answer < 0 && is_serving())
                answer = read_with_originals(
                    {count, datasets, memory_types, memory_spaces, file_spaces, transfer, buffers});
        }
        if (refused.are_there()) answer = -1;
        accesses.write(answer);
        const bool is_done = answer >= 0 && (request == nullptr || *request == nullptr);
        if (is_done && accesses.has_content())
            accesses.write_content(memory_types, memory_spaces, file_spaces, buffers);
        wrap_request(under, request);
        return answer;
    }
    for (size_t i = 0; i < count; ++i) {
        if (transfer_all<Callback>(1, datasets + i, memory_types + i, memory_spaces + i,
                                   file_spaces + i, transfer, buffers + i, nullptr) < 0) {
            return -1;
        }
    }
    return 0;
}

bool is_about_chunks(const H5VL_optional_args_t& arguments) {
    switch (arguments.op_type) {
        case H5VL_NATIVE_DATASET_GET_CHUNK_INDEX_TYPE:
        case H5VL_NATIVE_DATASET_GET_CHUNK_STORAGE_SIZE:
        case H5VL_NATIVE_DATASET_GET_NUM_CHUNKS:
        case H5VL_NATIVE_DATASET_GET_CHUNK_INFO_BY_IDX:
        case H5VL_NATIVE_DATASET_GET_CHUNK_INFO_BY_COORD:
        case H5VL_NATIVE_DATASET_CHUNK_READ:
        case H5VL_NATIVE_DATASET_CHUNK_ITER:
            return true;
        default:
            return false;
    }
}

// Closes an object that could not be opened completely; always null.
void* close_unfinished(void* object, H5I_type_t type, hid_t transfer) {
    if (object == nullptr) return nullptr;
    close_below(as_object(object), type, transfer);
    discard(&as_object(object));
    return nullptr;
}

// Discards an answer that would be wrong.
herr_t discard_answer(const Object& dataset, herr_t answer,
                      const H5VL_dataset_get_args_t& arguments) {
    if (answer >= 0 && arguments.op_type == H5VL_DATASET_GET_SPACE)
        dataset.under->library->api.H5Sclose(arguments.args.get_space.space_id);
    return -1;
}

template <auto Callback>
herr_t link_to(void* source, const H5VL_loc_params_t* source_location, void* target,
               const H5VL_loc_params_t* target_location, hid_t link_creation, hid_t link_access,
               hid_t transfer, void** request) {
    // HDF5 gives no object for "the same place as the other one".
    const Under* under = as_object(source != nullptr ? source : target).under;
    const Operation operation(nullptr, transfer);
    const herr_t answer = (under->callbacks->link_cls.*Callback)(
        below(source), source_location, below(target), target_location, link_creation, link_access,
        transfer, request);
    if (operation && answer >= 0) {
        note_link_written(operation, static_cast<Object*>(target != nullptr ? target : source),
                          target_location);
    }
    wrap_request(under, request);
    return answer;
}

}  // namespace

void* dataset_open(void* object, const H5VL_loc_params_t* location, const char* name, hid_t access,
                   hid_t transfer, void** request) noexcept {
    using Open = Forward<&H5VL_class_t::dataset_cls, &H5VL_dataset_class_t::open>;
    const RefusedCopies refused;
    void* dataset = Open::call(object, location, name, access, transfer, request);
    if (refused.are_there()) dataset = close_unfinished(dataset, H5I_DATASET, transfer);
    if (dataset == nullptr || !is_serving()) return dataset;
    meet_carved(as_object(dataset), H5I_DATASET, transfer);
    if (!is_in_another_view(as_object(dataset), access, transfer)) return dataset;
    let_original_go(as_object(dataset));
    return close_unfinished(dataset, H5I_DATASET, transfer);
}

herr_t dataset_read(size_t count, void* datasets[], hid_t memory_types[], hid_t memory_spaces[],
                    hid_t file_spaces[], hid_t transfer, void* buffers[], void** request) noexcept {
    return transfer_all<&H5VL_dataset_class_t::read>(count, datasets, memory_types, memory_spaces,
                                                     file_spaces, transfer, buffers, request);
}

herr_t dataset_write(size_t count, void* datasets[], hid_t memory_types[], hid_t memory_spaces[],
                     hid_t file_spaces[], hid_t transfer, const void* buffers[],
                     void** request) noexcept {
    return transfer_all<&H5VL_dataset_class_t::write>(count, datasets, memory_types, memory_spaces,
                                                      file_spaces, transfer, buffers, request);
}

herr_t dataset_get(void* object, H5VL_dataset_get_args_t* arguments, hid_t transfer,
                   void** request) noexcept {
    using Get = Forward<&H5VL_class_t::dataset_cls, &H5VL_dataset_class_t::get>;
    const RefusedCopies refused;
    const herr_t answer = Get::call(object, arguments, transfer, request);
    // The shape of a virtual dataset without a limit is that of its sources.
    if (refused.are_there()) return discard_answer(as_object(object), answer, *arguments);
    const bool is_done = answer >= 0 && (request == nullptr || *request == nullptr);
    if (is_done) overhear(as_object(object), *arguments, transfer);
    if (answer >= 0 && is_serving()) hide_carving(as_object(object), *arguments, transfer);
    return answer;
}

herr_t dataset_specific(void* object, H5VL_dataset_specific_args_t* arguments, hid_t transfer,
                        void** request) noexcept {
    using Specific = Forward<&H5VL_class_t::dataset_cls, &H5VL_dataset_class_t::specific>;
    if (arguments->op_type == H5VL_DATASET_SET_EXTENT && is_serving() &&
        is_kept_as_it_is(as_object(object), transfer))
        return -1;
    return Specific::call(object, arguments, transfer, request);
}

herr_t dataset_optional(void* object, H5VL_optional_args_t* arguments, hid_t transfer,
                        void** request) noexcept {
    using Optional = Forward<&H5VL_class_t::dataset_cls, &H5VL_dataset_class_t::optional>;
    if (arguments->op_type == H5VL_NATIVE_DATASET_CHUNK_WRITE && is_serving() &&
        is_kept_as_it_is(as_object(object), transfer))
        return -1;
    if (is_serving() && is_about_chunks(*arguments))
        if (const auto answer = answer_about_chunks(as_object(object), *arguments, transfer))
            return *answer;
    const herr_t answer = Optional::call(object, arguments, transfer, request);
    if (answer < 0 && arguments->op_type == H5VL_NATIVE_DATASET_GET_VLEN_BUF_SIZE && is_serving())
        return length_with_original(as_object(object), *arguments, transfer);
    return answer;
}

herr_t dataset_close(void* object, hid_t transfer, void** request) noexcept {
    Object& dataset = as_object(object);
    claim_flushed_chunks(dataset, transfer);
    note_end(dataset, transfer);
    let_original_go(dataset);
    using Dataset = Close<&H5VL_class_t::dataset_cls, &H5VL_dataset_class_t::close>;
    return Dataset::call(object, transfer, request);
}

void* group_open(void* object, const H5VL_loc_params_t* location, const char* name, hid_t access,
                 hid_t transfer, void** request) noexcept {
    using Open = Forward<&H5VL_class_t::group_cls, &H5VL_group_class_t::open>;
    const RefusedCopies refused;
    void* group = Open::call(object, location, name, access, transfer, request);
    if (refused.are_there()) group = close_unfinished(group, H5I_GROUP, transfer);
    if (group != nullptr && is_serving()) meet_carved(as_object(group), H5I_GROUP, transfer);
    return group;
}

herr_t group_specific(void* object, H5VL_group_specific_args_t* arguments, hid_t transfer,
                      void** request) noexcept {
    using Group = Forward<&H5VL_class_t::group_cls, &H5VL_group_class_t::specific>;
    if (arguments->op_type != H5VL_GROUP_MOUNT)
        return Group::call(object, arguments, transfer, request);
    H5VL_group_specific_args_t changed = *arguments;
    changed.args.mount.child_file = below(arguments->args.mount.child_file);
    return Group::call(object, &changed, transfer, request);
}

herr_t link_create(H5VL_link_create_args_t* arguments, void* object,
                   const H5VL_loc_params_t* location, hid_t link_creation, hid_t link_access,
                   hid_t transfer, void** request) noexcept {
    H5VL_link_create_args_t changed = *arguments;
    void* known = object;
    if (arguments->op_type == H5VL_LINK_CREATE_HARD) {
        void* current = arguments->args.hard.curr_obj;
        changed.args.hard.curr_obj = below(current);
        if (known == nullptr) known = current;
    }
    const Under* under = as_object(known).under;
    const Operation operation(nullptr, transfer);
    const herr_t answer = under->callbacks->link_cls.create(
        &changed, below(object), location, link_creation, link_access, transfer, request);
    if (operation && answer >= 0) {
        note_link_written(operation, static_cast<Object*>(known), location);
        if (arguments->op_type == H5VL_LINK_CREATE_HARD &&
            arguments->args.hard.curr_obj != nullptr) {
            Object& linked = as_object(arguments->args.hard.curr_obj);
            const Path path =
                object != nullptr ? path_at(as_object(object), *location) : linked.path;
            was_linked(linked, arguments->args.hard.curr_loc_params.obj_type, path);
        }
    }
    wrap_request(under, request);
    return answer;
}

herr_t link_copy(void* source, const H5VL_loc_params_t* source_location, void* target,
                 const H5VL_loc_params_t* target_location, hid_t link_creation, hid_t link_access,
                 hid_t transfer, void** request) noexcept {
    return link_to<&H5VL_link_class_t::copy>(source, source_location, target, target_location,
                                             link_creation, link_access, transfer, request);
}

herr_t link_move(void* source, const H5VL_loc_params_t* source_location, void* target,
                 const H5VL_loc_params_t* target_location, hid_t link_creation, hid_t link_access,
                 hid_t transfer, void** request) noexcept {
    return link_to<&H5VL_link_class_t::move>(source, source_location, target, target_location,
                                             link_creation, link_access, transfer, request);
}

void* object_open(void* object, const H5VL_loc_params_t* location, H5I_type_t* type, hid_t transfer,
                  void** request) noexcept {
    using Open = Forward<&H5VL_class_t::object_cls, &H5VL_object_class_t::open>;
    const RefusedCopies refused;
    void* opened = Open::call(object, location, type, transfer, request);
    if (refused.are_there()) opened = close_unfinished(opened, *type, transfer);
    if (opened != nullptr && is_serving()) meet_carved(as_object(opened), *type, transfer);
    return opened;
}

herr_t object_copy(void* source, const H5VL_loc_params_t* source_location, const char* source_name,
                   void* target, const H5VL_loc_params_t* target_location, const char* target_name,
                   hid_t copying, hid_t link_creation, hid_t transfer, void** request) noexcept {
    const Under* under = as_object(source).under;
    const Operation operation(as_object(source).known, transfer);
    Object& from = as_object(source);
    const H5I_type_t from_type = source_location->obj_type;
    if (is_serving()) {
        OpenedObject copied(from, from_type, source_name, transfer);
        const auto answer =
            copied ? copy_with_missing_data({copied.get(), copied.type(), source_name,
                                             below(target), target_location, target_name, copying,
                                             link_creation, transfer})
                   : std::nullopt;
        if (answer) return *answer;
    }
    const herr_t answer = under->callbacks->object_cls.copy(
        from.below, source_location, source_name, below(target), target_location, target_name,
        copying, link_creation, transfer, request);
    if (answer >= 0) record_copy(operation, from, from_type, source_name, copying);
    wrap_request(under, request);
    return answer;
}

herr_t request_free(void* request) noexcept {
    const herr_t answer =
        Forward<&H5VL_class_t::request_cls, &H5VL_request_class_t::free>::call(request);
    if (answer >= 0) discard(&as_object(request));
    return answer;
}

herr_t token_compare(void* object, const H5O_token_t* left, const H5O_token_t* right,
                     int* order) noexcept {
    const Under* under = as_object(object).under;
    void* below_object = as_object(object).below;
    if (under->callbacks->token_cls.cmp != nullptr) {
        return under->callbacks->token_cls.cmp(below_object, left, right, order);
    }
    *order = std::memcmp(left, right, sizeof *left);
    return 0;
}

herr_t connector_optional(void* object, H5VL_optional_args_t* arguments, hid_t transfer,
                          void** request) noexcept {
    const Under* under = as_object(object).under;
    void* below_object = as_object(object).below;
    if (under->callbacks->optional == nullptr) return -1;
    const herr_t answer = under->callbacks->optional(below_object, arguments, transfer, request);
    wrap_request(under, request);
    return answer;
}

}  // namespace quarry::connector
