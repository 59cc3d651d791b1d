#include "pack/whereabouts.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <filesystem>

#include "base/file_times.hpp"

namespace quarry::pack_files {
namespace {

namespace fs = std::filesystem;

// A number may since have gone to another file, which was made later.
bool is_at(const OutputFile& output, const std::string& path) {
    struct stat status{};
    if (stat(path.c_str(), &status) != 0 || status.st_dev != output.device ||
        status.st_ino != output.inode)
        return false;
    struct statx more{};
    const bool is_told = statx(AT_FDCWD, path.c_str(), 0, STATX_BTIME, &more) == 0 &&
                         (more.stx_mask & STATX_BTIME) != 0;
    return !is_told || output.born == 0 || nanoseconds(more.stx_btime) == output.born;
}

}  // namespace

void Whereabouts::add(const std::string& path) {
    struct stat status{};
    if (lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode))
        paths_.try_emplace({status.st_dev, status.st_ino}, path);
}

std::string Whereabouts::of(const OutputFile& output) {
    if (is_at(output, output.path)) return output.path;
    add_all_in(fs::path(output.path).parent_path());
    const auto found = paths_.find({output.device, output.inode});
    return found != paths_.end() && is_at(output, found->second) ? found->second : "";
}

void Whereabouts::add_all_in(const std::string& folder) {
    if (!folders_.insert(folder).second) return;
    std::error_code failed;
    fs::directory_iterator at(folder, failed), end;
    for (; !failed && at != end; at.increment(failed)) add(at->path());
}

}  // namespace quarry::pack_files
