// To which object an I/O belongs: by its address where that is known, else by the call that caused
// it.
#pragma once

#include "analyze/trace_index.hpp"

namespace quarry::analyze {

inline constexpr uint8_t kRawData = 3;  // as HDF5 numbers kinds of memory

struct Credit {
    uint32_t file = kNobody;
    uint32_t by_address = kNobody;
    uint32_t by_operation = kNobody;

    uint32_t object() const { return by_address != kNobody ? by_address : by_operation; }
    bool differs() const {
        return by_address != kNobody && by_operation != kNobody && by_address != by_operation;
    }
};

inline Credit credit_of(const TraceIndex& index, const ProcessTables& tables,
                        const trace::Io& record) {
    Credit credit;
    credit.file = tables.file_of(record.storage);
    credit.by_operation = record.object != trace::kNone
                              ? tables.object_of(record.object)
                              : tables.object_of_operation(record.operation);
    if (credit.file == kNobody) return credit;
    // A virtual dataset is read, and its source in this file does the work.
    const bool elsewhere = credit.by_operation != kNobody &&
                           index.facts.objects[credit.by_operation].file != credit.file;
    if (elsewhere) {
        const uint32_t source = tables.source_of(record.operation, credit.file);
        if (source != kNobody) credit.by_operation = source;
    }
    const AddressMap& addresses = index.addresses[credit.file];
    if (record.memory != kRawData) {
        credit.by_address = addresses.header_owner(record.address, record.size).value_or(kNobody);
        return credit;
    }
    // Several objects may share a part of the heap: whoever is at work knows better.
    credit.by_address = addresses.owner(record.address, record.size).value_or(kNobody);
    if (credit.object() == kNobody)
        credit.by_address = addresses.heap_owner(record.address).value_or(kNobody);
    return credit;
}

}  // namespace quarry::analyze
