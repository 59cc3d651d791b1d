#include "connector/description.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <new>

#include "base/fork.hpp"
#include "connector/dataset_facts.hpp"
#include "connector/operation.hpp"

namespace quarry::connector {
namespace {

// Of data that lies in one piece, as far as it is told from other such data.
struct Likeness {
    static constexpr int kMostDimensions = 4;

    hdf5::PlainType type;
    int rank = -1;
    std::array<hsize_t, kMostDimensions> now{};
    std::array<hsize_t, kMostDimensions> most{};

    bool operator==(const Likeness&) const = default;
};

Likeness likeness_of(const hdf5::PlainType& type, const hdf5::Shape& shape) {
    Likeness likeness{type, shape.rank};
    std::copy_n(shape.now.begin(), std::max(shape.rank, 0), likeness.now.begin());
    std::copy_n(shape.most.begin(), std::max(shape.rank, 0), likeness.most.begin());
    return likeness;
}

// Descriptions that are in the trace. Programs meet thousands of datasets that are alike, and to
// write a text for each takes longer than to ask HDF5 what they are like.
struct Told {
    Likeness about;
    uint32_t description = trace::kNone;
};
std::array<Told, 61> told;
std::mutex told_mutex;
[[maybe_unused]] const bool told_mutex_is_free = keep_free_across_fork<told_mutex>();

Told& place_among_told(const Likeness& likeness) {
    uint64_t mixed = likeness.type.size;
    for (const hsize_t size : likeness.now) mixed = mixed * 31 + size;
    return told[mixed % told.size()];
}

uint32_t write_description(const DescriptionParts& parts, trace::Writer& writer) {
    return writer.text(hdf5::describe_dataset(
        parts.plain_type ? hdf5::describe_type(*parts.plain_type) : parts.type,
        parts.shape ? hdf5::describe_shape(*parts.shape) : "",
        parts.is_in_one_piece ? hdf5::kInOnePiece : parts.layout));
}

uint32_t tell(const DescriptionParts& parts, trace::Writer& writer) {
    const bool may_be_like_others = parts.is_in_one_piece && parts.plain_type && parts.shape &&
                                    parts.shape->rank <= Likeness::kMostDimensions;
    if (!may_be_like_others) return write_description(parts, writer);
    const Likeness likeness = likeness_of(*parts.plain_type, *parts.shape);
    const std::lock_guard guard(told_mutex);
    Told& before = place_among_told(likeness);
    if (before.description == trace::kNone || before.about != likeness)
        before = {likeness, write_description(parts, writer)};
    return before.description;
}

// Where contiguous data lies; only the native connector knows of addresses. How much there is of
// other data is not asked: HDF5 would read the whole index of its chunks for it.
Place place_of(const Object& dataset) {
    if (!dataset.under->is_native) return {};
    haddr_t address = HADDR_UNDEF;
    H5VL_native_dataset_optional_args_t native{};
    native.get_offset.offset = &address;
    H5VL_optional_args_t where{H5VL_NATIVE_DATASET_GET_OFFSET, &native};
    const H5VL_dataset_class_t& callbacks = dataset.under->callbacks->dataset_cls;
    if (callbacks.optional(dataset.below, &where, current_call.transfer, nullptr) < 0 ||
        address == HADDR_UNDEF)
        return {};
    hsize_t size = 0;
    H5VL_dataset_get_args_t how_much{};
    how_much.op_type = H5VL_DATASET_GET_STORAGE_SIZE;
    how_much.args.get_storage_size.storage_size = &size;
    // Of data that is not there yet, HDF5 tells the address "undefined", plus the size of the user
    // block.
    if (callbacks.get(dataset.below, &how_much, current_call.transfer, nullptr) < 0 || size == 0)
        return {};
    return {address, size};
}

DescriptionParts& parts_of(KnownObject& known) {
    if (known.parts == nullptr) known.parts = std::make_unique<DescriptionParts>();
    return *known.parts;
}

void learn_place(const Object& dataset, KnownObject& known) {
    DescriptionParts& parts = parts_of(known);
    if (!parts.place) parts.place = place_of(dataset);
    known.address = parts.place->address;
}

bool is_type_known(const DescriptionParts& parts) {
    return parts.plain_type || !parts.type.empty();
}

void learn_type(const hdf5::Api& api, hid_t type, KnownObject& known) {
    DescriptionParts& parts = parts_of(known);
    parts.plain_type = hdf5::plain_type_of(api, type);
    if (!parts.plain_type) parts.type = hdf5::describe_type(api, type);
    known.element_size = parts.plain_type ? parts.plain_type->size : api.H5Tget_size(type);
}

void learn_shape(const hdf5::Api& api, hid_t space, KnownObject& known) {
    hdf5::Shape& shape = parts_of(known).shape.emplace();
    hdf5::read_shape(api, space, shape);
    known.rank = shape.rank;
    known.elements = shape.elements();
}

bool is_layout_known(const DescriptionParts& parts) {
    return parts.is_in_one_piece || !parts.layout.empty();
}

// HDF5 makes a new list of a dataset's properties for whoever asks, and takes long to tell what is
// on one. Data that was there, in one piece, has none that matter.
bool lies_in_one_piece(const Object& dataset, KnownObject& known) {
    learn_place(dataset, known);
    if (known.address == HADDR_UNDEF || known.was_made) return false;
    known.is_contiguous = known.parts->is_in_one_piece = true;
    return true;
}

void learn_layout(const hdf5::Api& api, hid_t creation, KnownObject& known) {
    std::array<hsize_t, H5S_MAX_RANK> chunk;
    const H5D_layout_t layout = api.H5Pget_layout(creation);
    known.is_contiguous = layout == H5D_CONTIGUOUS;
    known.is_virtual = layout == H5D_VIRTUAL;
    if (layout == H5D_CHUNKED) {
        const int rank = api.H5Pget_chunk(creation, H5S_MAX_RANK, chunk.data());
        known.chunk.assign(chunk.data(), chunk.data() + std::max(rank, 0));
    }
    parts_of(known).layout = hdf5::describe_layout(api, creation);
}

enum class When { Used, Closed };

// Asks for what the program has not asked for. False if HDF5 does not tell.
bool learn_the_rest(const Object& dataset, KnownObject& known, When when) {
    const hdf5::Api& api = dataset.under->library->api;
    DatasetFacts facts(dataset);
    const DescriptionParts& parts = parts_of(known);
    if (!is_layout_known(parts) && !lies_in_one_piece(dataset, known)) {
        if (facts.creation() < 0) return false;
        learn_layout(api, facts.creation(), known);
    }
    if (!is_type_known(parts)) {
        if (facts.type() < 0) return false;
        learn_type(api, facts.type(), known);
    }
    // To tell the shape of virtual data, HDF5 may open the files of its sources. Nobody wanted
    // that.
    const bool is_shape_wanted = !known.is_virtual || when == When::Used;
    if (!parts.shape && is_shape_wanted) {
        if (facts.space() < 0) return false;
        learn_shape(api, facts.space(), known);
    }
    return true;
}

// `since` is when it was as it is now.
void describe(const Object& dataset, KnownObject& known, When when, uint64_t since,
              trace::Writer& writer) {
    trace::Object record = record_of(known, since);
    const bool is_learned = learn_the_rest(dataset, known, when);
    const DescriptionParts& parts = *known.parts;
    Place place = parts.place.value_or(Place{});
    // It may have been written since the program has asked for its properties.
    if (when == When::Closed && place.address == HADDR_UNDEF) place = place_of(dataset);
    record.address = known.address = place.address;
    record.stored = place.size;
    known.is_described = is_learned && parts.shape;
    if (is_learned) record.description = tell(parts, writer);
    known.parts.reset();
    writer.append(record);
}

KnownObject* described(Object& dataset, When when) noexcept {
    KnownObject* known = known_of(dataset, H5I_DATASET);
    trace::Writer* writer = recorder();
    if (known == nullptr || known->is_described || writer == nullptr) return known;
    try {
        describe(dataset, *known, when, known->met, *writer);
    } catch (const std::bad_alloc&) {
        stop_recording_without_memory();
    }
    return known;
}

}  // namespace

KnownObject* described(Object& dataset) noexcept {
    return described(dataset, When::Used);
}

void describe_before_close(Object& dataset) noexcept {
    described(dataset, When::Closed);
}

void describe_again(Object& dataset) noexcept {
    KnownObject* known = known_of(dataset, H5I_DATASET);
    trace::Writer* writer = recorder();
    if (known == nullptr || writer == nullptr) return;
    known->parts.reset();
    try {
        describe(dataset, *known, When::Used, trace::monotonic_now(), *writer);
    } catch (const std::bad_alloc&) {
        stop_recording_without_memory();
    }
}

void overhear(const Object& dataset, const H5VL_dataset_get_args_t& answer, hid_t transfer) noexcept
    try {
    KnownObject* known = dataset.known;
    if (known == nullptr || known->is_described) return;
    const DescriptionParts& parts = parts_of(*known);
    const bool is_type = answer.op_type == H5VL_DATASET_GET_TYPE && !is_type_known(parts);
    const bool is_shape = answer.op_type == H5VL_DATASET_GET_SPACE && !parts.shape;
    const bool is_layout = answer.op_type == H5VL_DATASET_GET_DCPL && !is_layout_known(parts);
    if (!is_type && !is_shape && !is_layout) return;
    const Operation asking(known, transfer, Operation::Clock::Unread);
    if (!asking) return;
    const trace::OwnTime own = asking.own_time();
    const hdf5::Api& api = dataset.under->library->api;
    if (is_type) learn_type(api, answer.args.get_type.type_id, *known);
    if (is_shape) learn_shape(api, answer.args.get_space.space_id, *known);
    if (is_layout && !lies_in_one_piece(dataset, *known))
        learn_layout(api, answer.args.get_dcpl.dcpl_id, *known);
} catch (const std::bad_alloc&) {
    stop_recording_without_memory();
}

void look_for_address(Object& dataset) noexcept {
    KnownObject* known = dataset.known;
    if (known == nullptr || !known->is_contiguous || known->address != HADDR_UNDEF) return;
    if (place_of(dataset).address != HADDR_UNDEF) describe_again(dataset);
}

}  // namespace quarry::connector
