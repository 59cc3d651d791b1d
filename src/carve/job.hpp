// What is done with one file.
#pragma once

#include <quarry/carve.hpp>

namespace quarry::carve_files {

// A dataset of another file, of which a virtual one that is kept has its data.
struct Need {
    std::string file;  // as it is named there
    std::string dataset;
};

struct Job {
    FileFate fate;
    std::vector<Need> needs;
    bool is_done = false;
};

// Finds out what would become of the file of a job.
void plan_one(Job& job, const CarveOptions& options);

// Makes its copy below `place`, and beside it what says what is missing.
void carve_one(Job& job, const std::string& place, const CarveOptions& options);

}  // namespace quarry::carve_files
