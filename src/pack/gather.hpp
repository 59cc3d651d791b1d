// What else than the data of inputs goes into an archive.
#pragma once

#include <quarry/pack.hpp>

namespace quarry::pack_files {

struct Gathered {
    Pack pack;                      // files have no checksums yet, and none is in the archive
    std::vector<InputFile> inputs;  // but for those that the run has made before it read them
    std::vector<std::string> cautions;
};

Result<Gathered> gather(const PackOptions& options, const std::vector<InputFile>& inputs);

}  // namespace quarry::pack_files
