// The files that programs wrote.
#pragma once

#include <quarry/trace.hpp>
#include <set>

namespace quarry {

struct OutputFile {
    std::string path;               // by which it was opened first
    std::set<std::string> also_by;  // other paths by which it was opened
    uint64_t device = 0;            // 0 where there is no file to look at
    uint64_t inode = 0;
    uint64_t born = 0;  // in nanoseconds since 1970; 0 if nobody knows
    bool is_hdf5 = false;
    bool was_made = false;           // and was not there before
    uint64_t made = 0;               // first, in nanoseconds since 1970; 0 if it was there
    uint64_t written = 0;            // last, or made
    std::vector<std::string> tasks;  // that wrote to it
};

// Of the tasks with these names, or of all where there are none; in the order of their paths.
Result<std::vector<OutputFile>> outputs_of_trace(const std::string& directory,
                                                 const std::vector<std::string>& tasks);

// Paths of other files that they opened for writing, though they did not write.
Result<std::set<std::string>> opened_for_writing_only(const std::string& directory,
                                                      const std::vector<std::string>& tasks);

}  // namespace quarry
