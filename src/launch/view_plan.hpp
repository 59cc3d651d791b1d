// What has to be made, covered and mounted so that programs find carved files in their places.
#pragma once

#include <map>
#include <quarry/carved.hpp>
#include <string>
#include <vector>

#include "launch/mounts.hpp"
#include "launch/stand_ins.hpp"

namespace quarry {

struct ViewPlan {
    struct Showing {
        ServedFile file;
        std::string place;
    };

    std::vector<Showing> folders;  // that are shown before all files
    std::vector<Showing> showings;
    std::vector<StandIn> stand_ins;  // that are not there yet
    // By directory: what is missing there; directories end with a slash.
    std::map<std::string, std::vector<MissingEntry>> covers;
    std::vector<std::string> uncovered;  // originals that are in the way
};

// Looks only. `present` are those that other runs have made.
Result<ViewPlan> plan_view(const CarvedDirectory& carved, CarvedViewOptions::Means means,
                           const StandIns& present);

}  // namespace quarry
