// Which files without HDF5 are worth a record: data, not the parts of programs.
#pragma once

#include <string_view>

namespace quarry::trace {

bool is_data(std::string_view absolute_path);

}  // namespace quarry::trace
