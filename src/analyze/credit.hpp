// To which object an I/O belongs: by its address where that is known, else by the call that caused
// it.
#pragma once

#include <algorithm>
#include <span>

#include "analyze/trace_index.hpp"

namespace quarry::analyze {

// As HDF5 numbers kinds of memory.
inline constexpr uint8_t kSuperblock = 1;  // belongs to no object
inline constexpr uint8_t kRawData = 3;

struct Credit {
    uint32_t file = kNobody;
    uint32_t by_address = kNobody;  // or kFileItself
    uint32_t by_operation = kNobody;
    bool is_shared = false;  // metadata of several objects; these are those of the largest part
    std::span<const uint32_t> among;  // whose it is, where no more can be told

    // kNobody also where it is the file's own.
    uint32_t object() const {
        if (by_address == kFileItself) return kNobody;
        return by_address != kNobody ? by_address : by_operation;
    }
    bool differs() const {
        return by_address != kNobody && by_operation != kNobody && by_address != by_operation;
    }
};

// Raw data that one call has moved for several datasets, where space that had belonged to one has
// since been given to another: it is that of those of the call that have had any of it, or of all.
inline void choose_among(Credit& credit, std::span<const uint32_t> candidates,
                         const trace::Io& record, const AddressMap& addresses) {
    if (candidates.empty()) return;
    addresses.each_owner(record.address, record.size, [&](uint32_t owner) {
        if (std::find(candidates.begin(), candidates.end(), owner) != candidates.end())
            credit.by_address = owner;
    });
    if (credit.by_address != kNobody) return;
    credit.among = candidates;
    credit.is_shared = candidates.size() > 1;
    credit.by_operation = candidates.front();
}

inline Credit credit_of(const TraceIndex& index, const ProcessTables& tables,
                        const trace::Io& record) {
    Credit credit;
    credit.file = tables.file_of(record.storage);
    credit.by_operation = record.object != trace::kNone
                              ? tables.object_of(record.object)
                              : tables.object_of_operation(record.operation);
    if (credit.file == kNobody) return credit;
    const auto is_here = [&](uint32_t object) {
        return object != kNobody && index.facts.objects[object].file == credit.file;
    };
    if (credit.by_operation != kNobody && !is_here(credit.by_operation)) {
        // A virtual dataset is read, and its source in this file does the work; or a link from
        // another file is followed.
        credit.by_operation = tables.source_of(record.operation, credit.file);
        if (credit.by_operation == kNobody)
            credit.by_operation = tables.object_of_operation(record.operation);
        if (!is_here(credit.by_operation)) credit.by_operation = index.root_of(credit.file);
    }
    if (record.memory == kSuperblock) {
        credit.by_address = kFileItself;
        return credit;
    }
    const AddressMap& addresses = index.addresses[credit.file];
    const bool writes = (record.prefix.flags & trace::kIoWrite) != 0;
    if (record.memory != kRawData && !writes) {
        credit.by_address = addresses.header_owner(record.address, record.size).value_or(kNobody);
        if (credit.object() == kNobody)
            credit.by_address = addresses.metadata_owner(record.address).value_or(kNobody);
        if (credit.object() == kNobody) {
            credit.among = tables.indexed_in(record.operation);
            credit.is_shared = credit.among.size() > 1;
            if (!credit.among.empty()) credit.by_operation = credit.among.front();
        }
        return credit;
    }
    if (record.memory != kRawData) {
        // HDF5 writes metadata when it likes, and puts together what lies together.
        uint64_t most = 0;
        size_t owners = 0;
        addresses.each_metadata(record.address, record.size,
                                [&](uint32_t object, uint64_t begin, uint64_t end) {
                                    ++owners;
                                    if (end - begin <= most) return;
                                    credit.by_address = object;
                                    most = end - begin;
                                });
        credit.is_shared = owners > 1;
        return credit;
    }
    credit.by_address = addresses.owner(record.address, record.size).value_or(kNobody);
    // Several objects may share a part of the heap: when it is read, whoever is at work knows
    // better.
    if (credit.by_address == kNobody && (writes || credit.by_operation == kNobody))
        credit.by_address = addresses.heap_owner(record.address).value_or(kNobody);
    if (credit.object() == kNobody)
        choose_among(credit, tables.indexed_in(record.operation), record, addresses);
    return credit;
}

// What of it belongs to whom: give(object, begin, end), where the object may be kFileItself, or
// kNobody.
template <typename Give>
void each_part(const TraceIndex& index, const Credit& credit, const trace::Io& record,
               Give&& give) {
    if (!credit.is_shared) {
        const bool is_own = credit.by_address == kFileItself;
        give(is_own ? kFileItself : credit.object(), record.address, record.address + record.size);
        return;
    }
    if (!credit.among.empty()) {
        // In equal parts.
        const uint64_t count = credit.among.size();
        for (uint64_t i = 0; i < count; ++i)
            give(credit.among[i], record.address + record.size * i / count,
                 record.address + record.size * (i + 1) / count);
        return;
    }
    index.addresses[credit.file].each_metadata(
        record.address, record.size, [&](uint32_t object, uint64_t begin, uint64_t end) {
            give(object != kNobody ? object : credit.by_operation, begin, end);
        });
}

}  // namespace quarry::analyze
