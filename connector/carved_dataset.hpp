// A dataset of a carved file that is not whole there, and its original.
#pragma once

#include "connector/carved_chunks.hpp"
#include "connector/carved_file.hpp"
#include "connector/open_originals.hpp"

namespace quarry::connector {

struct CarvedDataset {
    CarvedDataset(CarvedFile* in, size_t which)
        : file(in), number(which), missing(in->missing().without_pieces(which)) {}

    CarvedFile* file;
    size_t number;
    MissingDataset missing;  // without its pieces
    CarvedChunks chunks{file->missing(), number, missing.chunk};
    bool is_sure = true;  // that it is what was left out, and nothing that the program has made
    // The original, once it has been needed. Opened by programs' own functions, since HDF5 can open
    // a file in no other way while it reads.
    SharedOriginal shared;  // the file
    hid_t original = -1;
    void* original_below = nullptr;
};

// The name by which the file of an object is open.
std::string name_of_file(const Object& object, H5I_type_t type, hid_t transfer);

// Which file of a carved directory an object that was just opened lies in, and what of it is
// missing: later, the name of its file may lead elsewhere.
void meet_carved(Object& object, H5I_type_t type, hid_t transfer) noexcept;

// The carved file that an open object lies in; null if nothing is missing there. May throw
// std::bad_alloc.
CarvedFile* carved_file_around(const Object& object, H5I_type_t type, hid_t transfer);

// Whether nothing can have been changed in such a file, neither by the program before, nor in what
// HDF5 has not written yet. May throw std::bad_alloc.
bool lies_in_file_as_carved(const Object& object, H5I_type_t type, hid_t transfer);

// By which an object is found in its own file alone; empty if that is not known. May throw
// std::bad_alloc.
std::string path_in_file(const Object& object, H5I_type_t type, hid_t transfer);

// Whether a dataset has the filter that nobody has, whatever connector it was opened by.
bool is_guarded(const Object& dataset);

// Whether a chunk of a dataset with that filter, of which this is the mask, leaves the filter out.
bool is_there_for_all(const Object& dataset, uint32_t mask);

// Null if it is whole. It lives as long as the dataset is open. May throw std::bad_alloc.
CarvedDataset* carved_part_of(Object& dataset, hid_t transfer);

// The connector's object of the original, null if it cannot be had.
void* original_of(const Object& dataset, CarvedDataset& carved);

// Before the dataset is closed.
void let_original_go(Object& dataset) noexcept;

}  // namespace quarry::connector
