// External links whose access list names a driver of its own (h5py sets one on every open).
//
// HDF5 opens the target below the object layer, with the driver on that list; a file that is also
// open through ours would then be two files to HDF5, with two caches and a lock in each other's
// way.
#pragma once

#include "connector/library.hpp"

namespace quarry::connector {

// Puts our driver around the one that an external link's access list names, from now on.
void follow_external_links(Library& library) noexcept;

}  // namespace quarry::connector
