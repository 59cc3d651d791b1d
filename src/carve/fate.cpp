#include "carve/fate.hpp"

#include <fcntl.h>
#include <fnmatch.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace quarry::carve_files {
namespace {

bool matches(const std::vector<std::string>& patterns, const std::vector<std::string>& paths) {
    return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
        return std::any_of(paths.begin(), paths.end(), [&](const std::string& path) {
            return fnmatch(pattern.c_str(), path.c_str(), 0) == 0;
        });
    });
}

uint64_t nanoseconds(const statx_timestamp& time) {
    return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

}  // namespace

Judge::Judge(const InputFile& input, const CarveOptions& options) : options_(options) {
    for (const UsedDataset& used : input.read) {
        tokens_.insert(used.token);
        if (!used.path.empty()) paths_.insert(used.path);
    }
}

Judge::Judgement Judge::judge(const hdf5::CopiedDataset& dataset) const {
    if (matches(options_.keep, dataset.paths)) return {true, "it is to be kept"};
    if (matches(options_.drop, dataset.paths)) return {false, "it is to be left out"};
    const bool was_read =
        tokens_.contains(dataset.token) ||
        std::any_of(dataset.paths.begin(), dataset.paths.end(),
                    [&](const std::string& path) { return paths_.contains(path); });
    if (was_read && dataset.is_virtual)
        throw Uncarvable(dataset.paths.front() +
                         " was read and is virtual: where its sources are missing HDF5 reads fill "
                         "values, and they cannot be carved with it yet");
    if (was_read) return {true, "it was read"};
    if (dataset.is_scale) return {true, "it is a dimension of others"};
    // Where the sources of a virtual one are missing, HDF5 reads fill values.
    if (!dataset.is_virtual && dataset.stored < options_.keep_below) return {true, "it is small"};
    return {false, "nobody read it"};
}

std::string why_not(const InputFile& input) {
    if (input.was_written)
        return "the tasks have written to it: as it was before, it is not there any more";
    struct statx status{};
    if (statx(AT_FDCWD, input.path.c_str(), 0, STATX_BASIC_STATS | STATX_BTIME, &status) != 0)
        return std::string("it cannot be found: ") + std::strerror(errno);
    if (!S_ISREG(status.stx_mode)) return "it is no ordinary file";
    if (status.stx_size != input.size) return "it has changed since: its size is another";
    const bool is_same_file =
        input.inode == 0 || (status.stx_ino == input.inode &&
                             makedev(status.stx_dev_major, status.stx_dev_minor) == input.device);
    // Moved to where it is, or restored, it may be the same; written to since then, it is not.
    if (nanoseconds(status.stx_mtime) > input.opened)
        return "it has been changed since it was used";
    if (!is_same_file && nanoseconds(status.stx_ctime) > input.opened)
        return "another file has taken its place since it was used";
    return "";
}

}  // namespace quarry::carve_files
