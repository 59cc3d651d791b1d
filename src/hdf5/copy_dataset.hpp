// One dataset of a file that is copied: how it is, and what is to be done for the part of it that
// is wanted.
#pragma once

#include <hdf5.h>

#include <string>
#include <vector>

#include "hdf5/copy_file.hpp"
#include "hdf5/hollow.hpp"
#include "hdf5/own_library.hpp"

namespace quarry::hdf5 {

// Whether data is copied, or only found out what would become of it.
enum class Purpose { Copy, Rehearsal };

struct OldDataset {
    hid_t id;
    hid_t type;
    hid_t creation;
};

CopiedDataset dataset_as_it_is(hid_t dataset, hid_t creation, const ObjectToken& token,
                               const std::vector<std::string>& paths);
bool attributes_refer(hid_t object);  // to others, or are of named types

// Whether HDF5 would spoil its header in a copy.
bool has_old_filters(hid_t dataset, hid_t creation);

// Chunks with filters and values of variable length, for which `H5Ocopy` writes past its buffers.
bool has_filters_over_heap(hid_t type, hid_t creation);

// A fill value of variable length, of which `H5Ocopy` copies where it lies, and not what is there.
bool has_fill_value_in_heap(hid_t type, hid_t creation);

// Where every chunk that there is is wanted, nothing needs to be guarded.
void keep_whole_if_possible(hid_t old, hid_t creation, const CopyOrder& order,
                            CopiedDataset& copied);

// Changes the creation list so that a dataset made with it can be without what is not kept, which
// is noted; all is kept where that is not possible, for one or for any dataset of the file.
void prepare_list(const OldDataset& dataset, hid_t space, const std::string& why_nothing_is_hollow,
                  const GuardMark& mark, CopiedDataset& copied);

// The shape to make its copy with, which may have to get its own only afterwards. `is_moved` tells
// that HDF5 may have to copy it once more within its file.
Handle space_to_begin_with(const OldDataset& dataset, hid_t space, bool is_moved);
void give_shape(hid_t copy, hid_t space, hid_t first);

// For a rehearsal, which is held in memory.
void allocate_nothing(hid_t creation);

// Tells how many bytes there are in those.
uint64_t copy_wanted_chunks(hid_t old, hid_t copy, const CopiedDataset& copied,
                            const CopyOrder& order, Purpose purpose);

}  // namespace quarry::hdf5
