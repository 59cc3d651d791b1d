// Datasets that can be copied as they are, found by their headers alone: opening each of many small
// ones takes longer than copying it.
#pragma once

#include <optional>

#include "hdf5/header_file.hpp"
#include "hdf5/header_room.hpp"

namespace quarry::hdf5 {

struct PlainDataset {
    uint64_t stored = 0;  // bytes that its data takes
    HeaderAttributes attributes;
};

// One that is stored in one piece, without filters, of a type of its own; that is no dimension and
// names no coordinates; in which, its attributes included, nothing refers to anything. Nothing
// where that is not sure.
std::optional<PlainDataset> plain_dataset(HeaderFile& file, uint64_t address);

}  // namespace quarry::hdf5
