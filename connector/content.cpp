#include "connector/content.hpp"

#include <cstring>

#include "connector/dataset_facts.hpp"

namespace quarry::connector {
namespace {

bool is_plain(const hdf5::Api& api, hid_t type) {
    switch (api.H5Tget_class(type)) {
        case H5T_INTEGER:
        case H5T_FLOAT:
        case H5T_ENUM:
        case H5T_BITFIELD:
            return true;
        default:
            return false;
    }
}

// How many elements the program's memory is sure to hold, from its pointer on: all of an extent
// that it gave itself, or all of the dataset as it is now. A selection need not begin at the
// pointer.
uint64_t elements_together(const Object& dataset, hid_t memory_space, hid_t file_space) {
    const hdf5::Api& api = dataset.under->library->api;
    const auto count = [&](hid_t space) {
        const hssize_t elements = api.H5Sget_simple_extent_npoints(space);
        return elements > 0 ? static_cast<uint64_t>(elements) : 0;
    };
    if (memory_space == H5S_ALL && file_space == H5S_ALL) {
        DatasetFacts facts(dataset);
        return facts.space() >= 0 ? count(facts.space()) : 0;
    }
    const bool is_given =
        memory_space != H5S_ALL && memory_space != H5S_BLOCK && memory_space != H5S_PLIST;
    if (!is_given || api.H5Sget_select_type(memory_space) != H5S_SEL_ALL) return 0;
    return count(memory_space);
}

// Of words spread over all of it: what took a while to read is not read once more. 0 if they are
// all the same, for constant data say nothing. No step depends on a value, since those of programs
// need not be set, and checkers would take offence.
uint64_t fingerprint_of(const void* values, uint64_t bytes) {
    constexpr uint64_t kWords = 64;
    constexpr uint64_t kFactor = 0x9e3779b97f4a7c15;
    const auto word_at = [&](uint64_t place) {
        uint64_t word = 0;
        std::memcpy(&word, static_cast<const char*>(values) + place, sizeof word);
        return word;
    };
    const uint64_t first = word_at(0);
    uint64_t fingerprint = bytes;
    uint64_t differences = 0;
    for (uint64_t i = 0; i < kWords; ++i) {
        const uint64_t word = word_at((bytes - sizeof word) / (kWords - 1) * i);
        differences |= word ^ first;
        fingerprint = (fingerprint ^ word) * kFactor;
        fingerprint ^= fingerprint >> 29;
    }
    const uint64_t any = (differences | (0 - differences)) >> 63;
    return fingerprint * any;
}

}  // namespace

void record_content(const Operation& operation, const Object& dataset, uint64_t elements,
                    hid_t memory_type, hid_t memory_space, hid_t file_space, const void* values,
                    bool writes) noexcept {
    const KnownObject* known = dataset.known;
    if (known == nullptr || values == nullptr || elements * known->element_size < kLeastContent)
        return;
    const hdf5::Api& api = dataset.under->library->api;
    if (!is_plain(api, memory_type) ||
        elements_together(dataset, memory_space, file_space) != elements)
        return;
    const uint64_t bytes = elements * api.H5Tget_size(memory_type);
    if (bytes < kLeastContent) return;
    trace::Content record{};
    record.prefix.flags = writes ? trace::kContentWritten : 0;
    record.object = known->number;
    record.operation = operation.number();
    record.time = operation.start();
    record.bytes = elements * known->element_size;
    record.fingerprint = fingerprint_of(values, bytes);
    operation.writer().append(record);
}

void record_lengths(const Operation& operation, const Object& dataset) noexcept {
    const Lengths& lengths = current_call.lengths;
    if (lengths.count == 0 || dataset.known == nullptr) return;
    trace::Lengths record{};
    record.object = dataset.known->number;
    record.operation = operation.number();
    record.time = operation.start();
    record.count = lengths.count;
    record.shortest = lengths.shortest;
    record.longest = lengths.longest;
    record.total = lengths.total;
    operation.writer().append(record);
}

}  // namespace quarry::connector
