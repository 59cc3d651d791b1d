// What HDF5 goes over on its way from one file to another one that is named there: links, and
// directories that have no file of ours. It follows names as they are written, in carved files too.
#pragma once

#include <filesystem>
#include <map>
#include <quarry/result.hpp>
#include <set>
#include <string>

namespace quarry::carve_files {

class Ways {
public:
    // From a directory, by a name that leads to a file whose copy lies under the path `copy`. All
    // files are below `root`, which is no part of that path.
    void add(const std::filesystem::path& root, const std::filesystem::path& directory,
             const std::filesystem::path& name, const std::filesystem::path& copy);

    // Makes them below a directory of carved files.
    Result<bool> lay_out(const std::string& place) const;

private:
    void step(const std::filesystem::path& root, const std::filesystem::path& part,
              std::filesystem::path& here);

    std::set<std::filesystem::path> directories_;
    std::map<std::filesystem::path, std::filesystem::path> links_;  // and where each leads
};

// Whether it is a link such as these: it leads to what is in the same directory of carved files, so
// that nothing is lost with it.
bool leads_within(const std::filesystem::path& link, const std::filesystem::path& place);

}  // namespace quarry::carve_files
