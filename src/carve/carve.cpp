#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <quarry/carve.hpp>
#include <quarry/carved.hpp>
#include <set>

#include "base/directory_lock.hpp"
#include "base/file_times.hpp"
#include "base/whole_path.hpp"
#include "base/workplace.hpp"
#include "carve/carve_alone.hpp"
#include "carve/fate.hpp"
#include "carve/job.hpp"
#include "carve/job_message.hpp"
#include "carve/manifest.hpp"
#include "carve/workers.hpp"
#include "model/missing_data.hpp"

namespace quarry {
namespace {

using namespace carve_files;
namespace fs = std::filesystem;

uint64_t modified_time(const std::string& path, uint64_t& size) {
    struct stat status{};
    if (stat(path.c_str(), &status) != 0) return 0;
    size = static_cast<uint64_t>(status.st_size);
    return modified(status);
}

Job job_for(const InputFile& input) {
    Job job;
    FileFate& fate = job.fate;
    fate.input = input;
    fate.problem = why_not(input);
    fate.size_before = input.size;
    if (!fate.problem.empty()) return job;
    std::error_code error;
    const fs::path real = fs::canonical(input.path, error);
    fate.copy = (error ? fs::path(input.path).lexically_normal() : real).relative_path();
    fate.modified = modified_time(input.place(), fate.size_before);
    return job;
}

// A file that another one turns out to need, or more of it.
class Needs {
public:
    explicit Needs(std::vector<Job>& jobs) : jobs_(jobs) {}

    void add(size_t by, const Need& need) {
        const std::string path = found(jobs_[by].fate.input.place(), need.file);
        // Then HDF5 reads fill values, with the original as with the copy.
        if (path.empty()) return;
        const std::string dataset =
            need.dataset.starts_with('/') ? need.dataset : "/" + need.dataset;
        const auto known = std::find_if(jobs_.begin(), jobs_.end(), [&](const Job& job) {
            std::error_code error;
            return fs::equivalent(job.fate.input.place(), path, error);
        });
        if (known == jobs_.end()) {
            jobs_.push_back(job_for(input_at(path, dataset)));
            return;
        }
        if (known->fate.input.is_inside || !has_whole(known->fate, dataset)) {
            known->fate.input.is_inside = false;
            known->fate.input.read.push_back({{}, dataset, true, {}});
            known->is_done = false;
        }
    }

private:
    // Beside the file that names it, or where we are.
    static std::string found(const std::string& by, const std::string& name) {
        std::error_code error;
        if (name == ".") return by;
        for (const fs::path& path : {fs::path(by).parent_path() / name, fs::path(name)})
            if (fs::exists(path, error)) return fs::absolute(path);
        return "";
    }

    static InputFile input_at(const std::string& path, const std::string& dataset) {
        InputFile input;
        input.path = path;
        input.opened = modified_time(path, input.size);
        input.read.push_back({{}, dataset, true, {}});
        return input;
    }

    static bool has_whole(const FileFate& fate, const std::string& path) {
        const bool is_asked_for = std::any_of(
            fate.input.read.begin(), fate.input.read.end(),
            [&](const UsedDataset& used) { return used.is_whole && used.path == path; });
        return is_asked_for || !fate.why_whole.empty() ||
               std::any_of(fate.datasets.begin(), fate.datasets.end(),
                           [&](const DatasetFate& dataset) {
                               return dataset.is_whole &&
                                      std::find(dataset.paths.begin(), dataset.paths.end(), path) !=
                                          dataset.paths.end();
                           });
    }

    std::vector<Job>& jobs_;
};

using Work = std::function<void(Job&)>;
using HearBytes = std::function<void(uint64_t)>;

// Does what is not done yet, each in a process of its own.
Result<bool> do_round(std::vector<Job>& jobs, const std::vector<size_t>& undone, unsigned at_once,
                      const Work& work, const HearBytes& hear) {
    const auto outcomes = in_processes(
        undone.size(), at_once,
        [&](size_t number) {
            Job& job = jobs[undone[number]];
            job.fate.datasets.clear();
            job.needs.clear();
            work(job);
            return message_of(job);
        },
        hear);
    for (size_t i = 0; i < undone.size(); ++i) {
        Job& job = jobs[undone[i]];
        if (outcomes[i].end == Outcome::End::Interrupted)
            return Error{"Interrupted: nothing has been changed."};
        if (!outcomes[i].succeeded() || !read_message(outcomes[i].output, job))
            job.fate.problem = "HDF5 did not get through it: " + outcomes[i].describe();
        job.is_done = true;
    }
    return true;
}

bool is_open(const Job& job) {
    return !job.is_done && job.fate.problem.empty();
}

// Files that HDF5 has read by itself, and nobody knows for which dataset: it may have looked for
// them in a way that only the program knew.
std::vector<size_t> taken_as_they_are(std::vector<Job>& jobs) {
    std::vector<size_t> taken;
    for (size_t i = 0; i < jobs.size(); ++i) {
        InputFile& input = jobs[i].fate.input;
        if (!is_open(jobs[i]) || !input.is_inside) continue;
        input.is_inside = false;
        input.why_whole = "HDF5 has read it by itself, and it is not known for which dataset";
        taken.push_back(i);
    }
    return taken;
}

Result<bool> do_all(std::vector<Job>& jobs, unsigned at_once, const Work& work,
                    const HearBytes& hear) {
    while (true) {
        std::vector<size_t> undone;
        for (size_t i = 0; i < jobs.size(); ++i)
            if (is_open(jobs[i]) && !jobs[i].fate.input.is_inside) undone.push_back(i);
        if (undone.empty()) undone = taken_as_they_are(jobs);
        if (undone.empty()) return true;
        if (auto done = do_round(jobs, undone, at_once, work, hear); !done) return done;
        for (const size_t number : undone) {
            const std::vector<Need> needs = jobs[number].needs;
            for (const Need& need : needs) Needs(jobs).add(number, need);
        }
    }
}

// Whether another file is found there by now.
bool has_another(const std::string& path, const InputFile& input) {
    struct stat status{};
    return input.inode != 0 && stat(path.c_str(), &status) == 0 &&
           (status.st_ino != input.inode || status.st_dev != input.device);
}

std::vector<Job> jobs_for(const std::vector<InputFile>& inputs) {
    std::vector<Job> jobs;
    std::map<std::string, size_t> copies;
    for (const InputFile& input : inputs) {
        Job job = job_for(input);
        std::erase_if(job.fate.input.also_by,
                      [&](const std::string& path) { return has_another(path, input); });
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
    for (Job& job : jobs) fates.push_back(std::move(job.fate));
    return fates;
}

// What is in the directory and not ours, if anything is.
std::string something_else_in(const fs::path& place) {
    std::set<std::string> ours{kManifest, kDatasets, kPlaceholders};
    if (const auto manifest = read_manifest(place, Detail::Files))
        for (const FileFate& file : manifest->files) ours.insert(file.copy);
    std::error_code error;
    fs::recursive_directory_iterator at(place, error), end;
    for (; !error && at != end; at.increment(error)) {
        const std::string path = at->path().lexically_relative(place);
        if (path == kMissingData || path == kOriginals)
            at.disable_recursion_pending();
        else if (!at->is_directory(error) && !ours.contains(path))
            return path;
    }
    return "";
}

// A directory that is there is replaced only if it is one of ours.
std::string why_not_replaced(const std::string& place) {
    std::error_code error;
    if (!fs::exists(place, error) || fs::is_empty(place, error)) return "";
    if (!fs::exists(place + "/" + kManifest, error))
        return place + " is there and was not made by `quarry carve`: it is left alone.";
    const std::string other = something_else_in(place);
    if (other.empty()) return "";
    return place + " holds " + other +
           ", which `quarry carve` has not made: it is left alone. Move that elsewhere, or carve "
           "into another directory.";
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
    const auto lock = DirectoryLock::try_to_take(options.directory, DirectoryLock::Kind::Alone);
    if (!lock) return Error{in_use(options.directory)};
    return carve_alone(inputs, options, progress);
}

namespace carve_files {

std::string in_use(const std::string& directory) {
    return directory +
           " is in use: a program runs on it, or it is being carved. Wait for the end of that, or "
           "carve elsewhere.";
}

Result<std::vector<FileFate>> carve_alone(const std::vector<InputFile>& inputs,
                                          const CarveOptions& options, const Progress& progress) {
    const auto whole = whole_path(options.directory);
    if (!whole) return whole.error();
    const std::string& place = *whole;
    if (const std::string reason = why_not_replaced(place); !reason.empty()) return Error{reason};
    std::vector<Job> jobs = jobs_for(inputs);
    uint64_t all = 0, done = 0;
    for (const Job& job : jobs) all += job.fate.problem.empty() ? job.fate.size_before : 0;

    const InterruptGuard guard;
    auto workplace = Workplace::beside(place);
    if (!workplace) return workplace.error();
    const auto worked = do_all(
        jobs, options.jobs, [&](Job& job) { carve_one(job, workplace->path(), options); },
        [&](uint64_t bytes) {
            done = std::min(done + bytes, all);
            if (progress) progress(done, all);
        });
    if (!worked) return worked.error();
    std::vector<FileFate> fates = fates_of(std::move(jobs));
    // What is not there to be carved cannot be helped; anything else should be looked at first.
    const bool is_sound = std::all_of(fates.begin(), fates.end(), [](const FileFate& fate) {
        return fate.problem.empty() || fate.input.was_written || fate.input.has_no_file;
    });
    const bool is_empty = std::all_of(fates.begin(), fates.end(),
                                      [](const FileFate& fate) { return fate.copy.empty(); });
    if (!is_sound || is_empty) {
        for (FileFate& fate : fates) fate.copy.clear();
        return fates;
    }
    if (const auto written = write_manifest(workplace->path(), {options.granularity, fates});
        !written)
        return written.error();
    // What a run that was killed has left is for the next one to take away.
    std::error_code none;
    fs::copy_file(place + "/" + kPlaceholders, workplace->path() + "/" + kPlaceholders, none);
    if (const auto there = workplace->put(); !there) return there.error();
    return fates;
}

}  // namespace carve_files
}  // namespace quarry
