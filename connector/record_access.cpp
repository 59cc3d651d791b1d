#include "connector/record_access.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "connector/content.hpp"
#include "connector/dataset_facts.hpp"
#include "connector/description.hpp"
#include "hdf5/select.hpp"
#include "trace/process_record.hpp"

namespace quarry::connector {
namespace {

void append(const Operation& operation, trace::Access record, const KnownObject* known,
            std::span<const std::byte> selection) {
    record.object = known != nullptr ? known->number : trace::kNone;
    record.operation = operation.number();
    record.start = operation.start();
    record.duration = operation.duration();
    record.bytes = record.elements * (known != nullptr ? known->element_size : 0);
    record.selection_size = static_cast<uint32_t>(selection.size());
    const size_t here = std::min(selection.size(), record.selection.size());
    std::memcpy(record.selection.data(), selection.data(), here);
    operation.writer().append(record, selection.subspan(here));
}

std::vector<hdf5::SourceAccess> sources_of(const Object& dataset, hid_t file_space) {
    DatasetFacts facts(dataset);
    const hid_t accessed = file_space == H5S_ALL ? facts.space() : file_space;
    if (accessed < 0 || facts.creation() < 0) return {};
    return hdf5::sources_of(dataset.under->library->api, facts.creation(), accessed);
}

}  // namespace

void Accesses::look_at(Access& access, Object& dataset, hid_t file_space) {
    const hdf5::Api& api = dataset.under->library->api;
    const KnownObject* known = described(dataset);
    const Selection selection =
        hdf5::selection_of(api, file_space, known != nullptr ? known->rank : -1);
    const uint64_t all = known != nullptr ? known->elements : 0;
    access.dataset = &dataset;
    access.elements = selection.kind == Selection::Kind::All ? all : elements_of(selection);
    access.selection = encode(selection);
    if (known == nullptr) return;
    has_content_ |= access.elements * known->element_size >= kLeastContent;
    if (known->is_virtual) access.sources = sources_of(dataset, file_space);
}

Accesses::Accesses(const Operation& operation, Direction direction, size_t count,
                   void* const datasets[], const hid_t file_spaces[]) noexcept
    : operation_(operation), direction_(direction), has_content_(direction == Direction::Write) {
    if (!operation || operation.writer().level() < RecordLevel::Accesses) return;
    const trace::OwnTime own = operation.own_time();
    trace::watch_task(operation.writer());
    try {
        if (count > 1) many_.resize(count);
        const std::span<Access> all = count > 1 ? std::span(many_) : std::span(&one_, count);
        for (size_t i = 0; i < count; ++i) look_at(all[i], as_object(datasets[i]), file_spaces[i]);
        all_ = all;
    } catch (const std::bad_alloc&) {
        stop_recording_without_memory();
    }
}

void Accesses::write(herr_t answer) const noexcept try {
    const trace::OwnTime own = operation_.own_time();
    for (const Access& access : all_) {
        trace::Access record{};
        record.prefix.flags =
            static_cast<uint8_t>((direction_ == Direction::Write ? trace::kAccessWrite : 0) |
                                 (answer < 0 ? trace::kAccessFailed : 0));
        record.elements = access.elements;
        append(operation_, record, access.dataset->known, access.selection);
        if (!access.sources.empty()) write_sources(access, answer);
        if (answer < 0) continue;
        const bool writes = direction_ == Direction::Write;
        if (KnownObject* known = access.dataset->known; known != nullptr) {
            known->was_written |= writes;
            known->was_read_with_others |= !writes && all_.size() > 1;
        }
        if (writes) look_for_address(*access.dataset);
    }
} catch (const std::bad_alloc&) {
    stop_recording_without_memory();
}

void Accesses::write_content(const hid_t memory_types[], const hid_t memory_spaces[],
                             const hid_t file_spaces[],
                             const void* const buffers[]) const noexcept {
    const trace::OwnTime own = operation_.own_time();
    const bool writes = direction_ == Direction::Write;
    for (size_t i = 0; i < all_.size(); ++i)
        record_content(operation_, *all_[i].dataset, all_[i].elements, memory_types[i],
                       memory_spaces[i], file_spaces[i], buffers[i], writes);
    if (writes && all_.size() == 1) record_lengths(operation_, *all_[0].dataset);
}

void Accesses::write_sources(const Access& access, herr_t answer) const {
    trace::Writer& writer = operation_.writer();
    for (const hdf5::SourceAccess& source : access.sources) {
        trace::Derived record{};
        record.prefix.flags =
            static_cast<uint8_t>((direction_ == Direction::Write ? trace::kDerivedWrite : 0) |
                                 (answer < 0 ? trace::kDerivedFailed : 0) |
                                 (source.at_most ? trace::kDerivedAtMost : 0) |
                                 (source.linear ? trace::kDerivedLinear : 0));
        record.object = access.dataset->known->number;
        record.operation = operation_.number();
        record.file = writer.text(source.file);
        record.dataset = writer.text(source.dataset);
        record.time = operation_.start();
        record.elements = source.elements;
        record.element_size = static_cast<uint32_t>(access.dataset->known->element_size);
        const EncodedSelection selection = encode(source.selection);
        record.selection_size = static_cast<uint32_t>(selection.size());
        const size_t here = std::min(selection.size(), record.selection.size());
        std::memcpy(record.selection.data(), selection.data(), here);
        writer.append(record, std::span(selection).subspan(here));
    }
}

void record_chunk_access(const Operation& operation, Object& dataset, herr_t answer,
                         const H5VL_optional_args_t& arguments) noexcept {
    const bool reads = arguments.op_type == H5VL_NATIVE_DATASET_CHUNK_READ;
    const bool writes = arguments.op_type == H5VL_NATIVE_DATASET_CHUNK_WRITE;
    if ((!reads && !writes) || answer < 0 || operation.writer().level() < RecordLevel::Accesses) {
        return;
    }
    trace::watch_task(operation.writer());
    const KnownObject* known = described(dataset);
    if (known == nullptr) return;
    // In both, and in every version, the place of the chunk comes first; what follows differs.
    const hsize_t* offset = nullptr;
    std::memcpy(&offset, arguments.args, sizeof offset);
    try {
        Selection selection;
        selection.kind = Selection::Kind::Regular;
        selection.rank = static_cast<uint8_t>(known->chunk.size());
        for (size_t i = 0; i < known->chunk.size(); ++i) {
            selection.steps.push_back({offset[i], 1, known->chunk[i], 1});
        }
        trace::Access record{};
        record.prefix.flags =
            static_cast<uint8_t>(trace::kAccessChunk | (writes ? trace::kAccessWrite : 0));
        record.elements = elements_of(selection);
        append(operation, record, known, encode(selection));
    } catch (const std::bad_alloc&) {
        stop_recording_without_memory();
    }
}

void record_length_access(const Operation& operation, Object& dataset, herr_t answer,
                          const H5VL_optional_args_t& arguments) noexcept {
    if (arguments.op_type != H5VL_NATIVE_DATASET_GET_VLEN_BUF_SIZE || answer < 0) return;
    const auto& wanted =
        static_cast<H5VL_native_dataset_optional_args_t*>(arguments.args)->get_vlen_buf_size;
    void* one = &dataset;
    Accesses(operation, Accesses::Direction::Read, 1, &one, &wanted.space_id).write(answer);
}

}  // namespace quarry::connector
