// Which files are worth a record: data, not the parts of programs.
#pragma once

#include <string_view>

namespace quarry::preload {

bool is_data(std::string_view absolute_path, std::string_view trace_directory);

}  // namespace quarry::preload
