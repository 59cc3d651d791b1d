#include "carve/needs.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <quarry/carved.hpp>

#include "base/file_times.hpp"
#include "carve/judge.hpp"
#include "carve/manifest.hpp"
#include "model/input_files.hpp"
#include "model/missing_data.hpp"

namespace quarry::carve_files {
namespace {

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

template <typename Key>
std::optional<size_t> number_in(const std::map<Key, size_t>& map, const Key& key) {
    const auto found = map.find(key);
    return found != map.end() ? std::optional(found->second) : std::nullopt;
}

// Below which an original lies under its path.
fs::path root_of(const InputFile& input) {
    return input.now.ends_with(input.path)
               ? "/" + input.now.substr(0, input.now.size() - input.path.size())
               : "/";
}

UsedDataset used_by(const Need& need) {
    UsedDataset used;
    if (need.token.size() == used.token.size())
        std::copy(need.token.begin(), need.token.end(), used.token.begin());
    else
        used.path = need.dataset.starts_with('/') ? need.dataset : "/" + need.dataset;
    used.why = "a dataset that is kept has its data there";
    return used;
}

// Of a file that no trace knows: nobody says what HDF5 found there when the one that needs it was
// read, but what has come or was changed since was not there.
std::string why_not_then(const std::string& path, const InputFile& by) {
    struct stat status{};
    const bool is_since = by.opened != 0 && stat(path.c_str(), &status) == 0 &&
                          nanoseconds(status.st_ctim) > by.opened;
    return is_since ? "it has come there, or was changed, since " + by.path +
                          " was read, in which a dataset has data of it. Record again, or leave "
                          "that dataset out with --drop"
                    : "";
}

InputFile input_at(const std::string& path, const Need& need, const InputFile& by) {
    InputFile input;
    std::error_code error;
    const fs::path real = fs::canonical(path, error);
    input.path = error ? path : real.string();
    if (input.path != path) input.also_by.insert(path);
    input.opened = by.opened;
    input.modified = {modified_time(path, input.size)};
    input.is_raw = need.has_bytes();
    if (!input.is_raw) input.read.push_back(used_by(need));
    return input;
}

void add_bytes(Job& job) {
    InputFile& input = job.fate.input;
    if (input.is_raw || !input.why_whole.empty()) return;
    input.is_inside = false;
    input.why_whole = kIsRawToo;
    job.is_done = false;
}

bool has_whole(const FileFate& fate, const UsedDataset& wanted) {
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

void add_to(Job& known, const std::string& path, const Need& need) {
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

}  // namespace

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

void Places::add(const InputFile& input, size_t number) {
    struct stat status{};
    if (stat(input.place().c_str(), &status) == 0)
        by_identity_.try_emplace({status.st_dev, status.st_ino}, number);
    by_path_.try_emplace(input.path, number);
    for (const std::string& path : input.also_by) by_path_.try_emplace(path, number);
}

Places::Found Places::find(const std::string& path) const {
    struct stat status{};
    if (stat(path.c_str(), &status) == 0)
        return {true, number_in(by_identity_, {status.st_dev, status.st_ino})};
    return {false, number_in(by_path_, path)};
}

Needs::Needs(std::vector<Job>& jobs) : jobs_(jobs) {
    for (size_t i = 0; i < jobs.size(); ++i) places_.add(jobs[i].fate.input, i);
}

void Needs::add(size_t by, const Need& need) {
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
        const InputFile& needing = jobs_[by].fate.input;
        Job job = job_for(input_at(path, need, needing));
        if (job.fate.problem.empty()) job.fate.problem = why_not_then(path, needing);
        jobs_.push_back(std::move(job));
        places_.add(jobs_.back().fate.input, number);
    }
    if (!named.directory.empty())
        jobs_[by].ways.add(named.root, named.directory, named.name, "/" + jobs_[number].fate.copy);
    if (!is_new) add_to(jobs_[number], path, need);
}

fs::path Needs::Named::path() const {
    std::error_code error;
    const fs::path written = root / directory.relative_path() / name;
    const fs::path plain = written.lexically_normal();
    const bool is_there = fs::exists(written, error);
    return is_there && !fs::equivalent(written, plain, error) ? fs::canonical(written, error)
                                                              : plain;
}

Needs::Named Needs::found(const InputFile& by, const fs::path& name) const {
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

bool Needs::was_or_is_there(const fs::path& path) const {
    const Places::Found found = places_.find(path);
    return found.is_there || found.number;
}

void Needs::add_by_last_name(size_t by, const Need& need) {
    const fs::path name = fs::path(need.file).filename();
    for (size_t i = 0; i < jobs_.size(); ++i) {
        InputFile& input = jobs_[i].fate.input;
        const bool may_be_it = input.is_inside || !input.why_whole.empty();
        if (i == by || !may_be_it || fs::path(input.path).filename() != name) continue;
        input.is_chosen = true;
        jobs_[by].needed.insert(i);
    }
}

}  // namespace quarry::carve_files
