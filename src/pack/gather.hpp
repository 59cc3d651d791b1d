// What else than the data of inputs goes into an archive.
#pragma once

#include <quarry/pack.hpp>

namespace quarry::pack_files {

// Files have no checksums yet, and none is in the archive.
Result<Pack> gather(const PackOptions& options, const std::vector<InputFile>& inputs);

}  // namespace quarry::pack_files
