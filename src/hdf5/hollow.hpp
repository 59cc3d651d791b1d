// A dataset without its data, which nobody can take for one: readers are refused, and so are
// writers, after whom the rest would read as zeros. docs/formats/carved.md lists what of a dataset
// is changed for that.
#pragma once

#include <hdf5.h>

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "base/checksum.hpp"
#include "hdf5/object_token.hpp"

namespace quarry::hdf5 {

// A filter that nobody has installed and that HDF5 may not leave out. Its name, which HDF5 tells
// whoever wants the data, takes 8 bytes in each header; two letters more, and it would be 16. So do
// its values, by which a dataset is told from others, also of other carved files: the token is that
// in the original.
inline constexpr H5Z_filter_t kGuardFilter = 20818;
inline constexpr const char* kGuardName = "quarry";
using GuardMark = std::array<unsigned, 2>;
inline GuardMark guard_mark(uint64_t mark_of_file, const ObjectToken& token) {
    Checksum checksum;
    checksum.add(std::as_bytes(std::span(&mark_of_file, 1)));
    checksum.add(std::as_bytes(std::span(token)));
    const uint64_t mark = checksum.value();
    return {static_cast<unsigned>(mark), static_cast<unsigned>(mark >> 32)};
}

// Why the data of a dataset has to be kept, though nobody wants it; empty if it need not be.
std::string why_not_hollow(hid_t type, hid_t space, hid_t creation_list);
// The same for all datasets of a file.
std::string why_nothing_is_hollow(hid_t file);

// Changes a creation list so that a dataset made with it is hollow.
void make_hollow(hid_t creation_list, hid_t type, hid_t space, const GuardMark& mark);

// The same for leaving out single chunks.
std::string why_not_in_chunks(hid_t dataset, hid_t type, hid_t creation_list);
void make_carvable(hid_t creation_list, const GuardMark& mark);

// The bit of the guard in the mask of a chunk: set, the chunk is there for everybody to read.
uint32_t guard_bit(hid_t creation_list);

}  // namespace quarry::hdf5
