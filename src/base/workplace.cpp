#include "base/workplace.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <utility>

namespace quarry {
namespace {

namespace fs = std::filesystem;

constexpr const char* kUnfinished = ".quarry-unfinished-";

int locked(const std::string& path) {
    const int file = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file >= 0 && flock(file, LOCK_EX | LOCK_NB) == 0) return file;
    if (file >= 0) close(file);
    return -1;
}

// One that was just made may not be locked yet.
void tidy_up(const fs::path& folder) {
    std::error_code error;
    const auto long_ago = fs::file_time_type::clock::now() - std::chrono::minutes(1);
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
        const std::string name = entry.path().filename();
        if (!name.starts_with(kUnfinished) || entry.last_write_time(error) > long_ago) continue;
        const int lock = locked(entry.path());
        if (lock < 0) continue;
        fs::remove_all(entry.path(), error);
        close(lock);
    }
}

// What has to be made for it to be there, the deepest one first.
std::vector<std::string> missing_on_the_way(fs::path folder) {
    std::vector<std::string> missing;
    std::error_code error;
    for (; folder.has_relative_path() && !fs::exists(folder, error); folder = folder.parent_path())
        missing.push_back(folder);
    return missing;
}

Error nothing_beside(const std::string& place, int why) {
    return {"No directory can be made beside " + place + ": " + std::strerror(why) + "."};
}

bool is_renamed(const std::string& from, const std::string& to, unsigned how) {
    return renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), how) == 0;
}

Error not_put(const std::string& place) {
    return {place + " cannot be put in its place: " + std::strerror(errno) + "."};
}

// Files were when they were written.
bool are_folders_synced(const std::string& top) {
    bool are_synced = is_synced(top);
    std::error_code error;
    fs::recursive_directory_iterator at(top, error), end;
    for (; !error && at != end; at.increment(error))
        if (at->is_directory(error) && !at->is_symlink(error))
            are_synced = is_synced(at->path()) && are_synced;
    return are_synced && !error;
}

mode_t umask_now() {
    const mode_t now = umask(0);
    umask(now);
    return now;
}

}  // namespace

bool is_synced(const std::string& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    const bool done = fsync(file) == 0;
    close(file);
    return done;
}

Workplace::Workplace(std::string path, std::string place, std::vector<std::string> made)
    : path_(std::move(path)),
      place_(std::move(place)),
      made_(std::move(made)),
      lock_(locked(path_)) {}

Workplace::Workplace(Workplace&& other) noexcept
    : path_(std::exchange(other.path_, {})),
      place_(std::move(other.place_)),
      made_(std::exchange(other.made_, {})),
      lock_(std::exchange(other.lock_, -1)) {}

Workplace::~Workplace() {
    std::error_code error;
    if (!path_.empty()) fs::remove_all(path_, error);
    // Those in which there is something by now stay.
    for (const std::string& folder : made_) rmdir(folder.c_str());
    if (lock_ >= 0) close(lock_);
}

Result<Workplace> Workplace::beside(const std::string& place) {
    const fs::path folder = fs::path(place).parent_path();
    std::string made = (folder / kUnfinished).string() + "XXXXXX";
    std::vector<std::string> missing = missing_on_the_way(folder);
    std::error_code error;
    fs::create_directories(folder, error);
    tidy_up(folder);
    if (mkdtemp(made.data()) == nullptr)
        return nothing_beside(place, error ? error.value() : errno);
    return Workplace(made, place, std::move(missing));
}

Result<bool> Workplace::can_be_beside(const std::string& place) {
    fs::path folder = fs::path(place).parent_path();
    if (const auto missing = missing_on_the_way(folder); !missing.empty())
        folder = fs::path(missing.back()).parent_path();
    std::error_code error;
    if (!fs::is_directory(folder, error)) return nothing_beside(place, ENOTDIR);
    if (access(folder.c_str(), W_OK | X_OK) != 0) return nothing_beside(place, errno);
    return true;
}

Result<bool> Workplace::put(const WhyKept& why_kept) {
    if (chmod(path_.c_str(), 0777 & ~umask_now()) != 0 || !are_folders_synced(path_))
        return Error{path_ + " cannot be used: " + std::strerror(errno) + "."};
    if (is_renamed(path_, place_, RENAME_NOREPLACE)) {
        is_synced(fs::path(place_).parent_path());
        path_.clear();
        return true;
    }
    if (errno == EEXIST && why_kept != nullptr) return replace(why_kept);
    return not_put(place_);
}

// What was there before is then where this was, and goes with it.
Result<bool> Workplace::replace(const WhyKept& why_kept) {
    if (const std::string why = why_kept(place_); !why.empty()) return Error{why};
    if (!is_renamed(path_, place_, RENAME_EXCHANGE)) return not_put(place_);
    if (why_kept(path_).empty()) {
        is_synced(fs::path(place_).parent_path());
        return true;
    }
    if (is_renamed(path_, place_, RENAME_EXCHANGE))
        return Error{place_ +
                     " was changed by somebody else just now: it is left alone. Try again."};
    const std::string aside = std::exchange(path_, {});
    return Error{place_ + " was changed by somebody else just now. It is now " + aside + "."};
}

}  // namespace quarry
