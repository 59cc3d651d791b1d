// Work on files in processes of its own: not even HDF5's mistakes in reading a damaged file are to
// end this program.
#pragma once

#include <cstdint>
#include <functional>
#include <quarry/trace.hpp>
#include <string>
#include <vector>

#include "base/subprocess.hpp"

namespace quarry::carve_files {

using HearBytes = std::function<void(uint64_t)>;

// Adds them up and passes it on: of so many bytes in all.
HearBytes summed_up(uint64_t all, const Progress& progress);

// Calls `work` with the numbers up to `count`, so many at once; what it answers is the output of
// its outcome.
std::vector<Outcome> in_processes(size_t count, unsigned jobs,
                                  const std::function<std::string(size_t)>& work,
                                  const HearBytes& hear_bytes);

// From inside such work: that so many bytes have been gone through.
void tell_bytes(uint64_t bytes);

}  // namespace quarry::carve_files
