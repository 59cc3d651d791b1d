#include <algorithm>
#include <filesystem>
#include <map>
#include <quarry/carve.hpp>
#include <quarry/carved.hpp>

#include "base/directory_lock.hpp"
#include "base/subprocess.hpp"
#include "base/whole_path.hpp"
#include "base/workplace.hpp"
#include "carve/carve_alone.hpp"
#include "carve/manifest.hpp"
#include "carve/needs.hpp"
#include "carve/replaceable.hpp"
#include "carve/rounds.hpp"

namespace quarry {
namespace {

using namespace carve_files;
namespace fs = std::filesystem;

std::vector<Job> jobs_for(const std::vector<InputFile>& inputs) {
    std::vector<Job> jobs;
    std::map<std::string, size_t> copies;
    for (const InputFile& input : inputs) {
        Job job = job_for(input);
        const auto [first, is_new] = copies.try_emplace(job.fate.copy, jobs.size());
        if (!job.fate.copy.empty() && !is_new) {
            FileFate& other = jobs[first->second].fate;
            // Several paths may lead to one file.
            if (other.input.inode == input.inode && other.input.device == input.device) {
                add_uses(other.input, job.fate.input);
                continue;
            }
            job.fate.problem = other.problem =
                "several files were used at this path: one has taken the place of another";
        }
        jobs.push_back(std::move(job));
    }
    return jobs;
}

std::vector<FileFate> fates_of(std::vector<Job> jobs) {
    std::vector<FileFate> fates;
    for (Job& job : jobs)
        if (job.fate.input.is_chosen) fates.push_back(std::move(job.fate));
    return fates;
}

// Makes copies below the directory, and again as copies of all bytes where they turn out wrong.
Result<bool> make_copies(std::vector<Job>& jobs, const std::string& place,
                         const CarveOptions& options, const Progress& progress) {
    uint64_t all = 0;
    for (const Job& job : jobs) all += is_open(job) ? job.fate.size_before : 0;
    const HearBytes hear = summed_up(all, progress);
    for (bool are_right = false; !are_right;) {
        const auto worked =
            do_all(jobs, options.jobs, [&](Job& job) { carve_one(job, place, options); }, hear);
        if (!worked) return worked;
        if (const auto laid = lay_out_ways(jobs, place); !laid) return laid;
        const auto verified = options.verifies
                                  ? verify_all(jobs, options.jobs, place, options.verifying)
                                  : Result<bool>(true);
        if (!verified) return verified;
        are_right = *verified;
    }
    return true;
}

// What is not there to be carved cannot be helped; anything else should be looked at first.
bool is_sound(const std::vector<Job>& jobs) {
    return std::all_of(jobs.begin(), jobs.end(), [](const Job& job) {
        return !job.fate.input.is_chosen || job.fate.problem.empty() || job.cannot_be_helped;
    });
}

// A directory that was made while this one was at work may be in use by now, or somebody's own.
std::string why_kept(const std::string& there, DirectoryLock& lock) {
    if (!lock.is_on(there)) {
        auto taken = DirectoryLock::try_to_take(there, DirectoryLock::Kind::Alone);
        if (!taken) return in_use(there);
        lock = std::move(*taken);
    }
    return why_not_replaced(there);
}

// Puts the copies to their place, with a manifest, unless that is not to be.
Result<std::vector<FileFate>> put_copies(std::vector<Job> jobs, Workplace& workplace,
                                         const std::string& place,
                                         CarveOptions::Granularity granularity,
                                         DirectoryLock& lock) {
    const bool may_be_put = is_sound(jobs);
    for (Job& job : jobs) {
        if (job.fate.problem.empty() || job.fate.copy.empty()) continue;
        remove_copy(job.fate, workplace.path());
        job.fate.copy.clear();
    }
    std::vector<FileFate> fates = fates_of(std::move(jobs));
    const bool is_empty = std::all_of(fates.begin(), fates.end(),
                                      [](const FileFate& fate) { return fate.copy.empty(); });
    if (!may_be_put || is_empty) {
        for (FileFate& fate : fates) fate.copy.clear();
        return fates;
    }
    if (const auto written = write_manifest(workplace.path(), {granularity, fates}); !written)
        return written.error();
    if (const std::string why = why_kept(place, lock); !why.empty()) return Error{why};
    // What a run that was killed has left is for the next one to take away.
    std::error_code none;
    fs::copy_file(place + "/" + kPlaceholders, workplace.path() + "/" + kPlaceholders, none);
    const auto why = [&](const std::string& there) { return why_kept(there, lock); };
    if (const auto there = workplace.put(why); !there) return there.error();
    return fates;
}

}  // namespace

Result<std::vector<FileFate>> plan_carving(const std::vector<InputFile>& inputs,
                                           const CarveOptions& options) {
    std::vector<Job> jobs = jobs_for(inputs);
    const auto done =
        do_all(jobs, options.jobs, [&](Job& job) { plan_one(job, options); }, nullptr);
    if (!done) return done.error();
    return fates_of(std::move(jobs));
}

Result<std::vector<FileFate>> carve(const std::vector<InputFile>& inputs,
                                    const CarveOptions& options, const Progress& progress) {
    auto lock = DirectoryLock::try_to_take(options.directory, DirectoryLock::Kind::Alone);
    if (!lock) return Error{in_use(options.directory)};
    return carve_alone(inputs, options, *lock, progress);
}

namespace carve_files {

std::string in_use(const std::string& directory) {
    return directory +
           " is in use: a program runs on it, or it is being carved. Wait for the end of that, or "
           "carve elsewhere.";
}

Result<std::vector<FileFate>> carve_alone(const std::vector<InputFile>& inputs,
                                          const CarveOptions& options, DirectoryLock& lock,
                                          const Progress& progress) {
    const auto whole = whole_path(options.directory);
    if (!whole) return whole.error();
    const std::string& place = *whole;
    if (const std::string reason = why_not_replaced(place); !reason.empty()) return Error{reason};
    std::vector<Job> jobs = jobs_for(inputs);
    const InterruptGuard guard;
    auto workplace = Workplace::beside(place);
    if (!workplace) return workplace.error();
    if (const auto made = make_copies(jobs, workplace->path(), options, progress); !made)
        return made.error();
    return put_copies(std::move(jobs), *workplace, place, options.granularity, lock);
}

}  // namespace carve_files
}  // namespace quarry
