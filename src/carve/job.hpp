// What is done with one file.
#pragma once

#include <quarry/carve.hpp>
#include <set>

#include "carve/ways.hpp"

namespace quarry::carve_files {

// What datasets that are kept have in another file.
struct Need {
    std::string file;     // as it is named there
    std::string dataset;  // its path; empty if its token is known, or bytes of the file are meant
    std::string token{};  // 16 bytes, or none

    bool has_bytes() const { return dataset.empty() && token.empty(); }
};

struct Job {
    FileFate fate;
    std::vector<Need> needs;
    std::set<size_t> needed;  // other jobs, whose files have them
    Ways ways;                // to those
    // Why it cannot be carved is how things are, and no reason to carve nothing.
    bool cannot_be_helped = false;
    bool is_done = false;
    bool is_verified = false;
};

// Finds out what would become of the file of a job.
void plan_one(Job& job, const CarveOptions& options);

// Makes its copy below `place`, and beside it what says what is missing.
void carve_one(Job& job, const std::string& place, const CarveOptions& options);

// Takes those away.
void remove_copy(const FileFate& fate, const std::string& place);

// Why its copy is another file than it should be; empty if it is not. To be asked when all copies
// are there: HDF5 asks the sources of a virtual dataset how large it is.
std::string difference_of(const Job& job, const std::string& place);

}  // namespace quarry::carve_files
