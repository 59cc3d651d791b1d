// The files that programs found and read, and what of their data they used.
#pragma once

#include <array>
#include <quarry/trace.hpp>

namespace quarry {

struct UsedDataset {
    std::array<uint8_t, 16> token{};  // its identity in the file
    std::string path;                 // one of them; empty where no program has used one
};

struct InputFile {
    std::string path;  // by which it was opened first
    uint64_t device = 0;
    uint64_t inode = 0;
    uint64_t born = 0;
    uint64_t size = 0;    // when it was opened first
    uint64_t opened = 0;  // first, in nanoseconds since 1970
    bool was_written = false;
    std::vector<std::string> tasks;  // that used it
    std::vector<UsedDataset> read;   // datasets of which elements were read
};

// Of the tasks with these names, or of all where there are none. Files that the tasks made
// themselves are no inputs.
Result<std::vector<InputFile>> inputs_of_trace(const std::string& directory,
                                               const std::vector<std::string>& tasks);

}  // namespace quarry
