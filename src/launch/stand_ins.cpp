#include "launch/stand_ins.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <quarry/carved.hpp>
#include <ranges>
#include <sstream>
#include <utility>

#include "base/file_copy.hpp"

namespace quarry {
namespace {

constexpr const char* kMark = "user.quarry.stand_in";

namespace fs = std::filesystem;
using Kind = StandIn::Kind;

// Two bytes of the list are locked: one by whoever changes it, one by all who need what is in it.
enum : off_t { kChange = 0, kUse = 1 };

// Waits for others, unless told to only try (F_OFD_SETLK).
bool lock(int file, off_t byte, short how, int command = F_OFD_SETLKW) {
    struct flock range{};
    range.l_type = how;
    range.l_whence = SEEK_SET;
    range.l_start = byte;
    range.l_len = 1;
    int done = 0;
    do {
        done = fcntl(file, command, &range);
    } while (done != 0 && errno == EINTR);
    return done == 0;
}

std::string state_directory() {
    const char* state = getenv("XDG_STATE_HOME");
    const char* home = getenv("HOME");
    if (state && *state) return std::string(state) + "/quarry";
    return home ? std::string(home) + "/.local/state/quarry" : "";
}

// An open list that nobody else changes, or -1. It may have been removed while we waited.
int open_list(const std::string& path) {
    for (;;) {
        const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (file < 0) return -1;
        struct stat status{};
        const bool is_locked = lock(file, kChange, F_WRLCK) && fstat(file, &status) == 0;
        if (is_locked && status.st_nlink > 0) return file;
        const int why = errno;
        close(file);
        errno = why;
        if (!is_locked) return -1;
    }
}

// Names of files may hold anything but a null byte.
std::string as_text(const StandIn& one) {
    std::string text =
        fmt::format("{} {} {} {} {} {} {}", static_cast<char>(one.kind), one.device, one.inode,
                    one.size, one.modified.tv_sec, one.modified.tv_nsec, one.path);
    text += '\0';
    return text;
}

std::string text_of(int file) {
    std::string text;
    std::array<char, 4096> part{};
    for (ssize_t got = 0;
         (got = pread(file, part.data(), part.size(), static_cast<off_t>(text.size()))) > 0;)
        text.append(part.data(), static_cast<size_t>(got));
    return text;
}

// An entry that was not written to its end says nothing: it was not acted on.
std::vector<StandIn> read_list(int file) {
    std::istringstream text(text_of(file));
    std::vector<StandIn> listed;
    char kind = 0;
    for (StandIn one; text >> kind >> one.device >> one.inode >> one.size >> one.modified.tv_sec >>
                      one.modified.tv_nsec;) {
        text.get();
        std::getline(text, one.path, '\0');
        if (text.eof()) break;
        one.kind = static_cast<Kind>(kind);
        listed.push_back(one);
    }
    return listed;
}

// All of it or nothing: what follows a part would be taken for the rest.
bool append(int file, const std::string& text) {
    const off_t end = lseek(file, 0, SEEK_END);
    const ssize_t written = pwrite(file, text.data(), text.size(), end);
    if (written == static_cast<ssize_t>(text.size())) return true;
    const int why = written < 0 ? errno : ENOSPC;
    (void)!ftruncate(file, end);
    errno = why;
    return false;
}

bool is_itself(const StandIn& one, const struct stat& status) {
    return status.st_dev == one.device && status.st_ino == one.inode;
}

bool is_unchanged(const StandIn& copy, const struct stat& status) {
    return status.st_size == copy.size && status.st_mtim.tv_sec == copy.modified.tv_sec &&
           status.st_mtim.tv_nsec == copy.modified.tv_nsec;
}

// A file without any permission is a placeholder, or a copy that was not finished.
bool is_closed(const struct stat& status) {
    return S_ISREG(status.st_mode) && (status.st_mode & 07777) == 0;
}

// Not what another run has made there, which may be mounted on, also if it has got the number that
// ours had.
bool is_our_placeholder(const StandIn& one, const struct stat& status) {
    return is_itself(one, status) && is_closed(status) && is_unchanged(one, status);
}

enum class Named { Yes, No };

// Without a name, if the file system knows such files: then it only gets there once it is listed.
int open_new(const std::string& path, Named& named) {
    const std::string directory = fs::path(path).parent_path();
    const int file = ::open(directory.c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, 0);
    named = file >= 0 ? Named::No : Named::Yes;
    return file >= 0 ? file : ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0);
}

bool give_name(int file, const std::string& path) {
    const std::string unnamed = fmt::format("/proc/self/fd/{}", file);
    return linkat(AT_FDCWD, unnamed.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0;
}

// Which file it is, is noted before it gets any bytes. Nobody can open it before it is finished.
bool fill(StandIn one, int file, int list) {
    struct stat status{};
    if (fstat(file, &status) != 0) return false;
    one.device = status.st_dev;
    one.inode = status.st_ino;
    if (one.kind == Kind::Placeholder) one.modified = status.st_mtim;
    if (!append(list, as_text(one))) return false;
    return one.kind == Kind::Placeholder ||
           (copy_into(one.source, file) && fchmod(file, 0444) == 0);
}

bool make_file(const StandIn& one, int list) {
    Named named{};
    const off_t end = lseek(list, 0, SEEK_END);
    const int file = open_new(one.path, named);
    if (file < 0) return false;
    bool done = fill(one, file, list);
    if (named == Named::No) done = done && give_name(file, one.path);
    const int why = errno;
    if (!done && named == Named::Yes) unlink(one.path.c_str());
    if (!done) (void)!ftruncate(list, end);
    close(file);
    errno = why;
    return done;
}

bool note_made(StandIn one, int list) {
    struct stat status{};
    if (lstat(one.path.c_str(), &status) != 0) return false;
    one.device = status.st_dev;
    one.inode = status.st_ino;
    return append(list, as_text(one));
}

// One that is there already is somebody's. File systems that know no attributes lack the mark.
bool make_directory(const StandIn& one, int list) {
    if (mkdir(one.path.c_str(), 0777) != 0) return errno == EEXIST;
    setxattr(one.path.c_str(), kMark, "", 0, 0);
    return note_made(one, list);
}

bool make_one(const StandIn& one, int list) {
    switch (one.kind) {
        case Kind::Directory:
            return make_directory(one, list);
        case Kind::Link:
            return symlink(one.source.c_str(), one.path.c_str()) == 0 && note_made(one, list);
        default:
            return make_file(one, list);
    }
}

}  // namespace

Result<StandIns> StandIns::open(const std::string& directory) {
    std::string list = directory + "/" + kPlaceholders;
    int file = open_list(list);
    const int why = errno;
    if (file < 0) {
        std::error_code ignored;
        fs::create_directories(state_directory(), ignored);
        list = state_directory() + "/placeholders";
        file = open_list(list);
    }
    if (file < 0)
        return Error{
            fmt::format("{} cannot be written to ({}), and neither can {}, so nothing can "
                        "be noted that has to be taken away after the run. Copy the carved "
                        "files to a directory of your own, or set XDG_STATE_HOME.",
                        directory, std::strerror(why), list)};
    StandIns all(file, list);
    all.listed_ = read_list(file);
    if (lock(file, kUse, F_WRLCK, F_OFD_SETLK)) all.remove_all();
    if (!lock(file, kUse, F_RDLCK))
        return Error{list + " cannot be locked: " + std::strerror(errno) + "."};
    return all;
}

StandIns::StandIns(StandIns&& other) noexcept
    : file_(std::exchange(other.file_, -1)),
      list_(std::move(other.list_)),
      listed_(std::move(other.listed_)),
      sources_(std::move(other.sources_)) {}

StandIns::~StandIns() {
    if (file_ >= 0) close(file_);
}

bool StandIns::holds(const std::string& path) const {
    return std::any_of(listed_.begin(), listed_.end(),
                       [&](const StandIn& one) { return one.path == path; });
}

Result<bool> StandIns::make(std::vector<StandIn> wanted) {
    // All in one order: of those who want the same at the same time, not everybody is refused.
    std::ranges::sort(wanted, {}, &StandIn::path);
    for (const StandIn& one : wanted) {
        if (one.kind == Kind::Copy) sources_[one.path] = one.source;
        if (make_one(one, file_)) continue;
        if (errno == EEXIST && is_placeholder(one.path)) return is_anothers(one.path);
        return Error{
            fmt::format("{} cannot be made: {}. It has to stand there while the "
                        "program runs; make room or make its directory yourself.",
                        one.path, std::strerror(errno))};
    }
    lock(file_, kChange, F_UNLCK);
    return true;
}

std::vector<std::string> StandIns::finish() {
    std::vector<std::string> changed;
    if (!lock(file_, kChange, F_WRLCK)) return changed;
    if (lock(file_, kUse, F_WRLCK, F_OFD_SETLK)) {
        listed_ = read_list(file_);
        changed = remove_all();
        unlink(list_.c_str());
    }
    close(std::exchange(file_, -1));
    return changed;
}

// False if it has become somebody's data.
bool StandIns::take_away(const StandIn& one) const {
    struct stat status{};
    if (lstat(one.path.c_str(), &status) != 0) return true;
    if (one.kind == Kind::Directory || one.kind == Kind::Link) {
        if (is_itself(one, status)) remove(one.path.c_str());
        return true;
    }
    if (one.kind == Kind::Placeholder) {
        if (is_our_placeholder(one, status)) unlink(one.path.c_str());
        return true;
    }
    // Programs may have touched it only.
    const auto source = sources_.find(one.path);
    const bool is_copy = is_closed(status) || is_unchanged(one, status) ||
                         (source != sources_.end() && have_equal_bytes(one.path, source->second));
    if (!is_itself(one, status) || !is_copy) return false;
    return unlink(one.path.c_str()) == 0;
}

std::vector<std::string> StandIns::remove_all() {
    std::vector<std::string> changed;
    // Directories last, and those before what they are in.
    std::stable_partition(listed_.begin(), listed_.end(),
                          [](const StandIn& one) { return one.kind == Kind::Directory; });
    for (const StandIn& one : listed_ | std::views::reverse)
        if (!take_away(one)) changed.push_back(one.path);
    listed_.clear();
    (void)!ftruncate(file_, 0);
    return changed;
}

bool is_left_by_killed_run(const std::string& directory) {
    std::error_code failed;
    return getxattr(directory.c_str(), kMark, nullptr, 0) >= 0 &&
           std::filesystem::is_empty(directory, failed) && !failed;
}

bool is_placeholder(const std::string& path) {
    struct stat status{};
    return lstat(path.c_str(), &status) == 0 && is_closed(status) && status.st_size == 0;
}

Error is_anothers(const std::string& placeholder) {
    return {fmt::format(
        "{} stands there for another `quarry run --carved`. Wait for it; if it was killed, run "
        "something with its carved directory again, or remove the file, which is empty.",
        placeholder)};
}

}  // namespace quarry
