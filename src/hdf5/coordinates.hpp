// Which other datasets say where and when the values of a dataset are.
#pragma once

#include <hdf5.h>

#include <functional>
#include <map>
#include <string>

#include "hdf5/inventory.hpp"

namespace quarry::hdf5 {

using IsChosen = std::function<bool(const Token&, const OldObject&)>;

// What chosen datasets name by the conventions for climate data, each with the path of one that
// does: the words of the attribute `coordinates`.
std::map<Token, std::string> named_coordinates(hid_t file, const Inventory& inventory,
                                               const IsChosen& is_chosen);

}  // namespace quarry::hdf5
