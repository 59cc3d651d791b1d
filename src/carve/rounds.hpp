// Working through files in processes of their own, again and again: what is found in one may be
// needed of another.
#pragma once

#include <quarry/carve.hpp>

#include "carve/job.hpp"
#include "carve/workers.hpp"

namespace quarry::carve_files {

using Work = std::function<void(Job&)>;

// Whether there is something to be done of it.
bool is_open(const Job& job);

// Does all jobs that are open, and what they turn out to need.
Result<bool> do_all(std::vector<Job>& jobs, unsigned at_once, const Work& work,
                    const HearBytes& hear);

// What HDF5 goes over on its way from one copy to another.
Result<bool> lay_out_ways(const std::vector<Job>& jobs, const std::string& place);

// Compares copies that have not been compared yet. Those that turn out wrong are to be made again,
// as copies of all bytes: false if there are some.
Result<bool> verify_all(std::vector<Job>& jobs, unsigned at_once, const std::string& place,
                        const Progress& progress);

}  // namespace quarry::carve_files
