// A file that is made as the copy of another one, as far as it is there.
#pragma once

#include <hdf5.h>

#include "hdf5/copied_types.hpp"
#include "hdf5/finishing.hpp"
#include "hdf5/formats.hpp"
#include "hdf5/header_placement.hpp"
#include "hdf5/inventory.hpp"
#include "hdf5/new_places.hpp"

namespace quarry::hdf5 {

struct NewFile {
    NewFile(hid_t from, hid_t to, const Inventory& inventory)
        : id(to),
          places(from, to),
          version(to),
          finishing(from, inventory, places),
          types(from, to, version, places, finishing) {}

    // Of all that is open in it.
    void let_go() {
        types.let_go();
        placement.let_go();
    }

    hid_t id;
    NewPlaces places;
    HeaderVersion version;
    Finishing finishing;
    HeaderPlacement placement;
    CopiedTypes types;
};

}  // namespace quarry::hdf5
