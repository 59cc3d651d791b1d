// The archive as an RO-Crate: what is in it, and how that came about.
#pragma once

#include <quarry/pack.hpp>

namespace quarry::pack_files {

Result<std::string> crate_of(const PackOptions& options, const Pack& pack,
                             const std::vector<FileFate>& inputs);

}  // namespace quarry::pack_files
