// The data of a dataset as it lies in its file.
#pragma once

#include <hdf5.h>

#include <string>
#include <vector>

#include "hdf5/stored_piece.hpp"

namespace quarry::hdf5 {

// In the order of HDF5's own index. Nothing for data in the header of its dataset or in other
// files.
std::vector<StoredPiece> pieces_of(hid_t dataset, hid_t creation_list, const std::string& what);

// Into a dataset with a guard: a chunk that everybody can read, for its mask has the guard's bit...
void copy_guarded_chunk(hid_t from, hid_t to, const StoredPiece& chunk, uint32_t guard);
// ... or one in its place that nobody can.
void write_stub(hid_t to, const StoredPiece& chunk);

}  // namespace quarry::hdf5
