// The option --thresholds.
#pragma once

#include <quarry/advice.hpp>

namespace quarry::cli {

// The defaults where the path is empty.
Result<Thresholds> thresholds_from_file(const std::string& path);

}  // namespace quarry::cli
