// Copies of carved files that a program may write to, each below a directory under its place.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "base/directory_lock.hpp"
#include "launch/view_plan.hpp"

namespace quarry {

class OwnCopies {
public:
    // In a new directory beside that of the carved files.
    static Result<OwnCopies> make(const std::string& carved,
                                  const std::vector<ViewPlan::Showing>& showings);

    std::string at(const std::string& place) const { return directory_ + place; }

    // Removes those that are as they were; answers the others, by original.
    std::map<std::string, std::string> keep_changed(
        const std::vector<ViewPlan::Showing>& showings) const;

    void remove_all() const;

private:
    explicit OwnCopies(std::string directory) : directory_(std::move(directory)) {}
    void remove(const std::string& place) const;

    std::string directory_;
    std::shared_ptr<const DirectoryLock> in_use_;
    std::map<std::string, uint64_t> touched_;  // when they were made, by place
};

}  // namespace quarry
