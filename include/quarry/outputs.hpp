// The files that programs wrote.
#pragma once

#include <quarry/trace.hpp>

namespace quarry {

struct OutputFile {
    std::string path;  // by which it was opened first
    bool is_hdf5 = false;
    bool was_made = false;           // and not only changed
    uint64_t written = 0;            // last, or made, in nanoseconds since 1970
    std::vector<std::string> tasks;  // that wrote to it
};

// Of the tasks with these names, or of all where there are none; in the order of their paths.
Result<std::vector<OutputFile>> outputs_of_trace(const std::string& directory,
                                                 const std::vector<std::string>& tasks);

}  // namespace quarry
