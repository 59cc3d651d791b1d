#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <quarry/carve.hpp>
#include <quarry/carved.hpp>
#include <set>

#include "base/directory_lock.hpp"
#include "base/file_times.hpp"
#include "base/whole_path.hpp"
#include "base/workplace.hpp"
#include "carve/carve_alone.hpp"
#include "carve/job.hpp"
#include "carve/job_message.hpp"
#include "carve/judge.hpp"
#include "carve/manifest.hpp"
#include "carve/ways.hpp"
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

// Copies are below the directory under the paths of their originals, and so is what we need there.
bool is_name_of_ours(const fs::path& copy) {
    const std::string first = *copy.begin();
    return first == kMissingData || first == kOriginals || first == kManifest ||
           first == kDatasets || first == kPlaceholders;
}

Job job_for(const InputFile& input) {
    Job job;
    FileFate& fate = job.fate;
    fate.input = input;
    fate.problem = why_not(input);
    job.cannot_be_helped = input.was_written || input.has_no_file;
    fate.size_before = input.size;
    if (!fate.problem.empty()) return job;
    fate.copy = fs::path(input.path).relative_path();
    if (is_name_of_ours(fate.copy)) {
        fate.problem =
            "where its copy would be, Quarry keeps a file of its own. Move it to another "
            "directory, and record again";
        fate.copy.clear();
        return job;
    }
    fate.modified = modified_time(input.place(), fate.size_before);
    return job;
}

// Where the files of jobs are, or were: a dataset may have its data in thousands.
class Places {
public:
    void add(const InputFile& input, size_t number) {
        struct stat status{};
        if (stat(input.place().c_str(), &status) == 0)
            by_identity_.try_emplace({status.st_dev, status.st_ino}, number);
        by_path_.try_emplace(input.path, number);
        for (const std::string& path : input.also_by) by_path_.try_emplace(path, number);
    }

    struct Found {
        bool is_there = false;
        std::optional<size_t> number;  // of the job
    };
    // What a program has read, and is not there any more, is known by its name.
    Found find(const std::string& path) const {
        struct stat status{};
        if (stat(path.c_str(), &status) == 0)
            return {true, number_in(by_identity_, {status.st_dev, status.st_ino})};
        return {false, number_in(by_path_, path)};
    }

private:
    template <typename Key>
    static std::optional<size_t> number_in(const std::map<Key, size_t>& map, const Key& key) {
        const auto found = map.find(key);
        return found != map.end() ? std::optional(found->second) : std::nullopt;
    }

    std::map<std::pair<dev_t, ino_t>, size_t> by_identity_;
    std::map<std::string, size_t> by_path_;
};

// A file that another one turns out to need, or more of it.
class Needs {
public:
    explicit Needs(std::vector<Job>& jobs) : jobs_(jobs) {
        for (size_t i = 0; i < jobs.size(); ++i) places_.add(jobs[i].fate.input, i);
    }

    void add(size_t by, const Need& need) {
        const Named named = found(jobs_[by].fate.input, need.file);
        if (named.name.empty()) {
            add_by_last_name(by, need);
            return;
        }
        const std::string path = named.path();
        const size_t number = places_.find(path).number.value_or(jobs_.size());
        jobs_[by].needed.insert(number);
        const bool is_new = number == jobs_.size();
        if (is_new) {
            jobs_.push_back(job_for(input_at(path, need)));
            places_.add(jobs_.back().fate.input, number);
        }
        if (!named.directory.empty())
            jobs_[by].ways.add(named.root, named.directory, named.name,
                               "/" + jobs_[number].fate.copy);
        if (!is_new) add_to(jobs_[number], path, need);
    }

private:
    // A file by its name in another one, and the directory where HDF5 begins with it.
    struct Named {
        fs::path root;
        fs::path directory;  // none for names that begin with the root
        fs::path name;

        // Without the directories that it leads into and out of again, unless that is another way.
        fs::path path() const {
            std::error_code error;
            const fs::path written = root / directory.relative_path() / name;
            const fs::path plain = written.lexically_normal();
            const bool is_there = fs::exists(written, error);
            return is_there && !fs::equivalent(written, plain, error)
                       ? fs::canonical(written, error)
                       : plain;
        }
    };

    static void add_to(Job& known, const std::string& path, const Need& need) {
        InputFile& input = known.fate.input;
        input.is_chosen = true;
        if (path != input.place()) input.also_by.insert(path);
        if (need.has_bytes()) {
            add_bytes(known);
        } else if (const UsedDataset used = used_by(need);
                   input.is_inside || !has_whole(known.fate, used)) {
            input.is_inside = false;
            input.read.push_back(used);
            known.is_done = false;
        }
    }

    // Beside the file that names it, by whatever name that is opened, or where we are. Of a path
    // from the root that leads nowhere, HDF5 looks for the last name.
    Named found(const InputFile& by, const fs::path& name) const {
        std::error_code error;
        const fs::path place = by.place();
        const fs::path root = root_of(by);
        const fs::path here = fs::path("/") / place.lexically_relative(root).parent_path();
        if (name == ".") return {root, here, place.filename()};
        if (name.is_absolute() && was_or_is_there(name)) return {"/", "", name};
        const fs::path wanted = name.is_absolute() ? name.filename() : name;
        std::vector<Named> all{{root, here, wanted}};
        for (const fs::path path : by.also_by) all.push_back({"/", path.parent_path(), wanted});
        all.push_back({"/", fs::current_path(error), wanted});
        for (const Named& named : all)
            if (was_or_is_there(named.path())) return named;
        return {};
    }

    // Below which an original lies under its path.
    static fs::path root_of(const InputFile& input) {
        return input.now.ends_with(input.path)
                   ? "/" + input.now.substr(0, input.now.size() - input.path.size())
                   : "/";
    }

    bool was_or_is_there(const fs::path& path) const {
        const Places::Found found = places_.find(path);
        return found.is_there || found.number;
    }

    // Where HDF5 finds nothing it reads fill values, with the original as with the copy. It may
    // have found, by a prefix that only the program knew, what has this name elsewhere.
    void add_by_last_name(size_t by, const Need& need) {
        const fs::path name = fs::path(need.file).filename();
        for (size_t i = 0; i < jobs_.size(); ++i) {
            InputFile& input = jobs_[i].fate.input;
            const bool may_be_it = input.is_inside || !input.why_whole.empty();
            if (i == by || !may_be_it || fs::path(input.path).filename() != name) continue;
            input.is_chosen = true;
            jobs_[by].needed.insert(i);
        }
    }

    static UsedDataset used_by(const Need& need) {
        UsedDataset used;
        if (need.token.size() == used.token.size())
            std::copy(need.token.begin(), need.token.end(), used.token.begin());
        else
            used.path = need.dataset.starts_with('/') ? need.dataset : "/" + need.dataset;
        used.why = "a dataset that is kept has its data there";
        return used;
    }

    static InputFile input_at(const std::string& path, const Need& need) {
        InputFile input;
        std::error_code error;
        const fs::path real = fs::canonical(path, error);
        input.path = error ? path : real.string();
        if (input.path != path) input.also_by.insert(path);
        input.opened = modified_time(path, input.size);
        input.is_raw = need.has_bytes();
        if (!input.is_raw) input.read.push_back(used_by(need));
        return input;
    }

    static void add_bytes(Job& job) {
        InputFile& input = job.fate.input;
        if (input.is_raw || !input.why_whole.empty()) return;
        input.is_inside = false;
        input.why_whole = "it also holds data of a dataset in another file";
        job.is_done = false;
    }

    static bool has_whole(const FileFate& fate, const UsedDataset& wanted) {
        const auto is_it = [&](const UsedDataset& used) {
            return used.is_whole && used.path == wanted.path && used.token == wanted.token;
        };
        const auto has_it = [&](const DatasetFate& dataset) {
            return dataset.remains == Remains::Kept &&
                   std::find(dataset.paths.begin(), dataset.paths.end(), wanted.path) !=
                       dataset.paths.end();
        };
        return fate.input.is_raw || !fate.why_whole.empty() ||
               std::any_of(fate.input.read.begin(), fate.input.read.end(), is_it) ||
               std::any_of(fate.datasets.begin(), fate.datasets.end(), has_it);
    }

    std::vector<Job>& jobs_;
    Places places_;
};

using Work = std::function<void(Job&)>;
using HearBytes = std::function<void(uint64_t)>;

// What HDF5 crashes on can still be copied as it is.
void note_end(const Outcome& outcome, Job& job) {
    InputFile& input = job.fate.input;
    const std::string why = "HDF5 did not get through it: " + outcome.describe();
    const bool is_taken_apart = !input.is_raw && input.why_whole.empty();
    if (outcome.end == Outcome::End::Signalled && is_taken_apart) {
        input.why_whole = why;
        job.is_done = false;
    } else {
        job.fate.problem = why;
    }
}

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
        job.is_done = true;
        if (!outcomes[i].succeeded() || !read_message(outcomes[i].output, job))
            note_end(outcomes[i], job);
        job.is_verified = false;
    }
    return true;
}

bool is_open(const Job& job) {
    return job.fate.input.is_chosen && !job.is_done && job.fate.problem.empty();
}

// Without the files that have some of its data, a virtual dataset would have fill values, and not a
// word would be said.
void give_up_what_lacks_data(std::vector<Job>& jobs) {
    bool is_new = true;
    while (is_new) {
        is_new = false;
        for (Job& job : jobs) {
            const auto lacking =
                std::find_if(job.needed.begin(), job.needed.end(),
                             [&](size_t number) { return !jobs[number].fate.problem.empty(); });
            if (!job.fate.problem.empty() || lacking == job.needed.end()) continue;
            const Job& other = jobs[*lacking];
            job.fate.problem = "a dataset in it has data in " + other.fate.input.path +
                               ", which cannot be carved. --drop leaves such a dataset out";
            job.cannot_be_helped = other.cannot_be_helped;
            is_new = true;
        }
    }
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
    Needs all_needs(jobs);
    while (true) {
        std::vector<size_t> undone;
        for (size_t i = 0; i < jobs.size(); ++i)
            if (is_open(jobs[i]) && !jobs[i].fate.input.is_inside) undone.push_back(i);
        if (undone.empty()) undone = taken_as_they_are(jobs);
        if (undone.empty()) {
            give_up_what_lacks_data(jobs);
            return true;
        }
        for (const size_t number : undone) jobs[number].needed.clear();
        if (auto done = do_round(jobs, undone, at_once, work, hear); !done) return done;
        for (const size_t number : undone) {
            const std::vector<Need> needs = jobs[number].needs;
            for (const Need& need : needs) all_needs.add(number, need);
        }
    }
}

// What HDF5 goes over on its way from one copy to another.
Result<bool> lay_out_ways(const std::vector<Job>& jobs, const std::string& place) {
    for (const Job& job : jobs) {
        if (!job.fate.problem.empty()) continue;
        if (auto laid = job.ways.lay_out(place); !laid) return laid;
    }
    return true;
}

// Compares copies that have not been compared yet. Those that turn out wrong are to be made again,
// as copies of all bytes: false if there are some.
Result<bool> verify_all(std::vector<Job>& jobs, unsigned at_once, const std::string& place) {
    std::vector<Job*> carved;
    for (Job& job : jobs)
        if (job.fate.input.is_chosen && !job.is_verified && job.fate.problem.empty() &&
            job.fate.why_whole.empty() && !job.fate.input.is_raw)
            carved.push_back(&job);
    const auto outcomes = in_processes(
        carved.size(), at_once,
        [&](size_t number) { return difference_of(*carved[number], place); }, nullptr);
    bool are_right = true;
    for (size_t i = 0; i < carved.size(); ++i) {
        if (outcomes[i].end == Outcome::End::Interrupted)
            return Error{"Interrupted: nothing has been changed."};
        carved[i]->is_verified = true;
        const std::string why = outcomes[i].succeeded() ? outcomes[i].output
                                                        : "HDF5 did not get through its copy: " +
                                                              outcomes[i].describe();
        if (why.empty()) continue;
        carved[i]->fate.input.why_whole = why;
        carved[i]->is_done = are_right = false;
    }
    return are_right;
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
    for (Job& job : jobs)
        if (job.fate.input.is_chosen) fates.push_back(std::move(job.fate));
    return fates;
}

bool can_be_read(const fs::path& folder) {
    std::error_code error;
    const fs::directory_iterator first(folder, error);
    return !error;
}

// What is in the directory and not ours, if anything is. What is in a directory that cannot be read
// nobody knows.
std::string something_else_in(const fs::path& place) {
    std::set<std::string> ours{kManifest, kDatasets, kPlaceholders};
    if (const auto manifest = read_manifest(place, Detail::Files))
        for (const FileFate& file : manifest->files) {
            ours.insert(file.copy);
            ours.insert(std::string(kMissingData) + "/" + file.copy);
        }
    std::error_code error;
    fs::recursive_directory_iterator at(place, error), end;
    for (; !error && at != end; at.increment(error)) {
        const std::string path = at->path().lexically_relative(place);
        const bool is_folder = fs::is_directory(at->symlink_status(error));
        const bool is_strange = is_folder
                                    ? !can_be_read(at->path())
                                    : !ours.contains(path) && !leads_within(at->path(), place);
        if (is_strange) return path;
    }
    return error ? "what cannot be read" : "";
}

// A directory that is there is replaced only if it is one of ours.
std::string why_not_replaced(const std::string& place) {
    std::error_code error;
    if (!fs::exists(fs::symlink_status(place, error))) return "";
    if (!fs::is_directory(place, error)) return place + " is there, and is no directory.";
    if (fs::is_empty(place, error)) return "";
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
    for (const Job& job : jobs) all += is_open(job) ? job.fate.size_before : 0;

    const InterruptGuard guard;
    auto workplace = Workplace::beside(place);
    if (!workplace) return workplace.error();
    for (bool are_right = false; !are_right;) {
        const auto worked = do_all(
            jobs, options.jobs, [&](Job& job) { carve_one(job, workplace->path(), options); },
            [&](uint64_t bytes) {
                done = std::min(done + bytes, all);
                if (progress) progress(done, all);
            });
        if (!worked) return worked.error();
        if (const auto laid = lay_out_ways(jobs, workplace->path()); !laid) return laid.error();
        const auto verified = options.verifies ? verify_all(jobs, options.jobs, workplace->path())
                                               : Result<bool>(true);
        if (!verified) return verified.error();
        are_right = *verified;
    }
    // What is not there to be carved cannot be helped; anything else should be looked at first.
    const bool is_sound = std::all_of(jobs.begin(), jobs.end(), [](const Job& job) {
        return !job.fate.input.is_chosen || job.fate.problem.empty() || job.cannot_be_helped;
    });
    for (Job& job : jobs) {
        if (job.fate.problem.empty() || job.fate.copy.empty()) continue;
        remove_copy(job.fate, workplace->path());
        job.fate.copy.clear();
    }
    std::vector<FileFate> fates = fates_of(std::move(jobs));
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
