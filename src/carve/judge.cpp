#include "carve/judge.hpp"

#include <fcntl.h>
#include <fnmatch.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/file_times.hpp"
#include "model/input_files.hpp"

namespace quarry::carve_files {
namespace {

bool matches(const std::vector<std::string>& patterns, const std::vector<std::string>& paths) {
    return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
        return std::any_of(paths.begin(), paths.end(), [&](const std::string& path) {
            return fnmatch(pattern.c_str(), path.c_str(), 0) == 0;
        });
    });
}

void add(const UsedDataset& more, UsedDataset& known) {
    known.is_whole = known.is_whole || more.is_whole;
    known.chunks.insert(more.chunks.begin(), more.chunks.end());
}

}  // namespace

Judge::Judge(const InputFile& input, const CarveOptions& options) : options_(options) {
    for (const UsedDataset& used : input.read) {
        const auto [known, is_new] = uses_.try_emplace({used.token, used.path}, used);
        if (!is_new) add(used, known->second);
    }
    for (const auto& [key, used] : uses_) {
        if (used.token != hdf5::ObjectToken{}) by_token_.emplace(used.token, &used);
        if (!used.path.empty()) by_path_.emplace(used.path, &used);
    }
}

std::vector<const UsedDataset*> Judge::uses_of(const hdf5::ObjectToken& token,
                                               const std::vector<std::string>& paths) const {
    std::vector<const UsedDataset*> found;
    const auto add = [&](auto range) {
        for (auto at = range.first; at != range.second; ++at) found.push_back(at->second);
    };
    add(by_token_.equal_range(token));
    for (const std::string& path : paths) add(by_path_.equal_range(path));
    return found;
}

bool Judge::is_chosen(const hdf5::ObjectToken& token, const std::vector<std::string>& paths) const {
    if (matches(options_.keep, paths)) return true;
    return !is_dropped(paths) && !uses_of(token, paths).empty();
}

bool Judge::is_dropped(const std::vector<std::string>& paths) const {
    return !matches(options_.keep, paths) && matches(options_.drop, paths);
}

bool Judge::was_read(const hdf5::CopiedDataset& dataset, std::span<const uint64_t> chunk) const {
    const std::vector<uint64_t> offset(chunk.begin(), chunk.end());
    const auto uses = uses_of(dataset.token, dataset.paths);
    return std::any_of(uses.begin(), uses.end(), [&](const UsedDataset* used) {
        return used->is_whole || used->chunks.contains(offset);
    });
}

Judge::Judgement Judge::judge(const hdf5::CopiedDataset& dataset) const {
    using hdf5::Part;
    if (matches(options_.keep, dataset.paths)) return {Part::Whole, "it is to be kept"};
    if (is_dropped(dataset.paths)) return {Part::Nothing, "it is to be left out"};
    if (dataset.is_scale) return {Part::Whole, "it is a dimension of others"};
    // That of a virtual one is the size of others.
    const bool is_small = !dataset.is_virtual && dataset.stored < options_.keep_below;
    const auto uses = uses_of(dataset.token, dataset.paths);
    if (uses.empty() && is_small) return {Part::Whole, "it is small"};
    if (uses.empty()) return {Part::Nothing, "nobody read it"};
    const bool in_chunks = options_.granularity == CarveOptions::Granularity::Chunk && !is_small &&
                           std::none_of(uses.begin(), uses.end(),
                                        [](const UsedDataset* used) { return used->is_whole; });
    if (in_chunks) return {Part::Chunks, "some of its chunks were read"};
    return {Part::Whole, uses.front()->why};
}

namespace {

// The states of a file that have led to this one with the same data, and this one.
std::set<uint64_t> states_before(uint64_t modified, const InputFile& input) {
    std::multimap<uint64_t, uint64_t> before;
    for (const auto& [from, to] : input.touched) before.emplace(to, from);
    std::set<uint64_t> found;
    std::vector<uint64_t> open{modified};
    while (!open.empty()) {
        const uint64_t state = open.back();
        open.pop_back();
        if (!found.insert(state).second) continue;
        const auto [first, last] = before.equal_range(state);
        for (auto step = first; step != last; ++step) open.push_back(step->second);
    }
    return found;
}

bool has_data_of_all_states(uint64_t modified, const InputFile& input) {
    const std::set<uint64_t> known = states_before(modified, input);
    return std::includes(known.begin(), known.end(), input.modified.begin(), input.modified.end());
}

bool look_at(const std::string& path, struct statx& status) {
    return statx(AT_FDCWD, path.c_str(), 0, STATX_BASIC_STATS | STATX_BTIME, &status) == 0;
}

// Its device may have got another number, and another file the number that was free. Where nobody
// knows when it was born, it may be the same that was moved to where it is.
bool is_another(const struct statx& status, const InputFile& input) {
    if (input.inode == 0) return false;
    const bool has_its_number = status.stx_ino == input.inode;
    if (input.born != 0 && (status.stx_mask & STATX_BTIME) != 0)
        return !has_its_number || nanoseconds(status.stx_btime) != input.born;
    const bool is_on_its_device =
        makedev(status.stx_dev_major, status.stx_dev_minor) == input.device;
    return !(has_its_number && is_on_its_device) && nanoseconds(status.stx_ctime) > input.opened;
}

// Why what is there now is not what was opened; empty if it is.
std::string why_another(const InputFile& input) {
    struct statx status{};
    if (!look_at(input.place(), status))
        return std::string("it cannot be found: ") + std::strerror(errno) +
               ". Put it back, or choose others with --file";
    if (!S_ISREG(status.stx_mode)) return "it is no ordinary file. Choose others with --file";
    const bool is_size_known = !input.is_raw || input.inode != 0;
    if (is_size_known && status.stx_size != input.size)
        return "it has changed since: its size is another. Record again, or choose others with "
               "--file";
    const uint64_t modified = nanoseconds(status.stx_mtime);
    if (input.modified.empty() ? modified > input.opened : !has_data_of_all_states(modified, input))
        return "it has been changed since it was used. Record again, or choose others with --file";
    const bool is_anyone = input.is_raw && input.inode == 0;  // nobody has recorded which it is
    if (is_another(status, input) || (is_anyone && nanoseconds(status.stx_ctime) > input.opened))
        return "another file has taken its place since it was used. Record again, or choose others "
               "with --file";
    const auto taken = std::find_if(
        input.also_by.begin(), input.also_by.end(),
        [&](const auto& name) { return look_at(name, status) && is_another(status, input); });
    if (taken != input.also_by.end())
        return "it was also opened as " + *taken +
               ", where another file is by now. Put that name back as it was, or record again, or "
               "choose others with --file";
    return "";
}

}  // namespace

std::string why_not(const InputFile& input) {
    std::string why = why_another(input);
    if (input.was_carved && !why.empty())
        return "what was recorded is a carved copy (`quarry run --carved`), which does not tell of "
               "the file itself. Record again without --carved, or choose others with --file";
    if (input.was_written)
        return "the tasks have written to it: as it was before, it is not there any more. Put it "
               "back as it was and record again, or choose others with --file";
    if (is_spread(input.driver))
        return "HDF5 has spread it over several files (driver " + input.driver +
               "). Such files are not carved; h5repack makes one file of it";
    if (input.has_no_file)
        return "it has no file of its own: it was in memory, or read through an object of the "
               "program. What is opened by its path is carved";
    return why;
}

}  // namespace quarry::carve_files

namespace quarry {

std::vector<std::string> idle_patterns(const std::vector<FileFate>& files,
                                       const std::vector<std::string>& patterns) {
    const bool are_all_known = std::all_of(files.begin(), files.end(), [](const FileFate& file) {
        return file.problem.empty() && file.why_whole.empty();
    });
    if (!are_all_known) return {};
    std::vector<std::string> idle = patterns;
    for (const FileFate& file : files)
        for (const DatasetFate& dataset : file.datasets)
            std::erase_if(idle, [&](const std::string& pattern) {
                return carve_files::matches({pattern}, dataset.paths);
            });
    return idle;
}

}  // namespace quarry
