// Where the files are by now that a run has made: programs write to one name, and give another one
// to what is complete.
#pragma once

#include <map>
#include <quarry/outputs.hpp>

namespace quarry::pack_files {

class Whereabouts {
public:
    // A path at which one of them may be.
    void add(const std::string& path);

    // At a path that was added, or in the directory where it was made; empty if it is in none.
    std::string of(const OutputFile& output);

private:
    void add_all_in(const std::string& folder);

    std::map<std::pair<uint64_t, uint64_t>, std::string> paths_;  // by device and inode
    std::set<std::string> folders_;                               // that have been looked through
};

}  // namespace quarry::pack_files
