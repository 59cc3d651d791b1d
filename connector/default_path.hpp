// The plugin path that is compiled into a HDF5 library, which it forgets once HDF5_PLUGIN_PATH is
// set.
#pragma once

#include <string_view>

namespace quarry::connector {

// The path, with `:` between directories, found among the constants of the library that is loaded
// at `base`: there is no function to ask. Empty if nothing looks like it.
std::string_view default_plugin_path(const void* base) noexcept;

}  // namespace quarry::connector
