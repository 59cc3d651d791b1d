// Whether HDF5 has written only the first block of a file again, as it does with each file that was
// opened for writing: by itself that changes nothing.
#pragma once

#include "analyze/credit.hpp"

namespace quarry::analyze {

inline bool is_of_superblock(const trace::Io& record, const ProcessTables& tables,
                             const TraceIndex& index) {
    // By version, with addresses of eight bytes. HDF5 may hand it over together with what lies
    // behind, which is another matter.
    constexpr std::array<uint64_t, 4> kSizes{96, 100, 48, 48};
    const uint32_t file = tables.file_of(record.storage);
    if (file == kNobody || record.address != 0) return false;
    const uint64_t version = index.facts.files[file].superblock;  // and one; 0 if nobody knows
    return version > 0 && version <= kSizes.size() && record.size <= kSizes[version - 1];
}

}  // namespace quarry::analyze
