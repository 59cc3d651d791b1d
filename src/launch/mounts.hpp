// What a process sees in the file system, changed for itself and its children alone.
#pragma once

#include <quarry/result.hpp>
#include <string>
#include <vector>

namespace quarry {

enum class Access { ReadOnly, ReadWrite };

// From here on mounts are our own. Users other than root become masters of them by a user
// namespace, in which they keep their number. Lasts until the program is executed.
Result<bool> own_mounts();

// Shows all that is there now below a directory, too, whatever is covered later.
Result<bool> keep_tree(const std::string& directory);

// Where that is.
std::string tree_below(const std::string& directory);

struct MissingEntry {
    std::string path;
    std::string leads_to{};  // of a symbolic link
};

// Shows `directory` with all that is in it and, for each that is missing, a link, or something to
// mount over: a directory for what ends with a slash.
// Nobody can make anything in it. `stage` is a directory that is not itself an entry of it.
Result<bool> cover(const std::string& directory, const std::vector<MissingEntry>& missing,
                   const std::string& stage);

Result<bool> show(const std::string& file, const std::string& place, Access access);

}  // namespace quarry
