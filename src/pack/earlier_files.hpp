// Files that are where a repeated run makes some: out of its way as long as it runs, since a
// program that finds its results may leave them as they are.
#pragma once

#include <map>
#include <quarry/result.hpp>
#include <set>
#include <string>

namespace quarry::pack_files {

class EarlierFiles {
public:
    EarlierFiles() = default;
    EarlierFiles(const EarlierFiles&) = delete;
    EarlierFiles& operator=(const EarlierFiles&) = delete;
    ~EarlierFiles();

    // If there is one. It stays on its file system, in a hidden directory beside.
    Result<bool> move_away(const std::string& path);

    // Where nothing was made instead, they are there again; the others are gone.
    void settle();

    // Whether what is there is one of those.
    bool are_back_at(const std::string& path) const;

private:
    // By the paths of the files themselves, where links lead to them.
    std::map<std::string, std::string> away_;  // where they are now
    std::set<std::string> back_;
};

}  // namespace quarry::pack_files
