// What values options take.
#pragma once

#include <CLI/CLI.hpp>

namespace quarry::cli {

CLI::Validator as_size();  // 64K, 2G
// As from a variable that is not set.
CLI::Validator not_empty();

}  // namespace quarry::cli
