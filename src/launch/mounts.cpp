#include "launch/mounts.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>

namespace quarry {
namespace {

namespace fs = std::filesystem;

Error failed(const std::string& what) {
    return Error{fmt::format("{}: {}.", what, std::strerror(errno))};
}

bool write_to(const char* path, const std::string& text) {
    const int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0) return false;
    const bool done = write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    const int why = errno;
    close(file);
    errno = why;
    return done;
}

// Without a way to change groups, as the kernel wants it of users.
bool keep_numbers(uid_t user, gid_t group) {
    return write_to("/proc/self/setgroups", "deny") &&
           write_to("/proc/self/uid_map", fmt::format("{0} {0} 1", user)) &&
           write_to("/proc/self/gid_map", fmt::format("{0} {0} 1", group));
}

bool bind(const std::string& source, const std::string& target) {
    // Mounts below come along: users may not show what is under them.
    return mount(source.c_str(), target.c_str(), nullptr, MS_BIND | MS_REC, nullptr) == 0;
}

// What the mount has been given, users may not take away.
unsigned long flags_of(const std::string& mount_point) {
    struct statvfs status{};
    if (statvfs(mount_point.c_str(), &status) != 0) return 0;
    constexpr std::pair<unsigned long, unsigned long> kSame[] = {
        {ST_RDONLY, MS_RDONLY},    {ST_NOSUID, MS_NOSUID},   {ST_NODEV, MS_NODEV},
        {ST_NOEXEC, MS_NOEXEC},    {ST_NOATIME, MS_NOATIME}, {ST_NODIRATIME, MS_NODIRATIME},
        {ST_RELATIME, MS_RELATIME}};
    unsigned long flags = 0;
    for (const auto& [shown, flag] : kSame)
        if (status.f_flag & shown) flags |= flag;
    return flags;
}

bool make_read_only(const std::string& mount_point) {
    return mount(nullptr, mount_point.c_str(), nullptr,
                 MS_REMOUNT | MS_BIND | MS_RDONLY | flags_of(mount_point), nullptr) == 0;
}

bool make_empty_file(const std::string& path) {
    return mknod(path.c_str(), S_IFREG | 0444, 0) == 0;
}

unsigned char type_of(const dirent& entry, const std::string& path) {
    struct stat status{};
    if (entry.d_type != DT_UNKNOWN || lstat(path.c_str(), &status) != 0) return entry.d_type;
    return S_ISLNK(status.st_mode) ? DT_LNK : S_ISDIR(status.st_mode) ? DT_DIR : DT_REG;
}

bool show_entry(unsigned char type, const std::string& from, const std::string& to) {
    if (type == DT_LNK) {
        std::error_code error;
        fs::copy_symlink(from, to, error);
        errno = error.value();
        return !error;
    }
    const bool is_made = type == DT_DIR ? mkdir(to.c_str(), 0755) == 0 : make_empty_file(to);
    return is_made && bind(from, to);
}

// What somebody has removed meanwhile is not missed. A directory that the user may not even pass
// through shows nothing.
Result<bool> show_entries(const std::string& directory, const std::string& stage) {
    if (access(directory.c_str(), X_OK) != 0) return true;
    const std::unique_ptr<DIR, int (*)(DIR*)> open_directory(opendir(directory.c_str()), closedir);
    if (!open_directory)
        return failed(directory + " cannot be listed, and so nothing can be added to it");
    while (const dirent* entry = readdir(open_directory.get())) {
        const std::string name = entry->d_name;
        if (name == "." || name == "..") continue;
        const std::string from = fs::path(directory) / name;
        if (!show_entry(type_of(*entry, from), from, stage + "/" + name) && errno != ENOENT)
            return failed(from + " cannot be mounted");
    }
    return true;
}

Result<bool> add_missing(const fs::path& directory, const std::vector<MissingEntry>& missing,
                         const std::string& stage) {
    for (const auto& [file, leads_to] : missing) {
        fs::path made = stage;
        const fs::path below = fs::path(file).lexically_relative(directory);
        for (const fs::path& name : below.parent_path()) {
            made /= name;
            const bool is_new = mkdir(made.c_str(), 0555) == 0;
            if (!is_new && errno != EEXIST) return failed(file + " cannot be shown");
            if (is_new) chmod(made.c_str(), 0555);  // whatever the umask
        }
        if (!below.has_filename()) continue;
        made /= below.filename();
        const bool is_made =
            leads_to.empty() ? make_empty_file(made) : symlink(leads_to.c_str(), made.c_str()) == 0;
        if (!is_made) return failed(file + " cannot be shown");
    }
    return true;
}

// As the original is, but that its owner, who may be we, cannot write to it.
bool take_after(const std::string& directory, const std::string& stage) {
    struct stat status{};
    if (stat(directory.c_str(), &status) != 0) return false;
    (void)!chown(stage.c_str(), status.st_uid, status.st_gid);
    if (chmod(stage.c_str(), (status.st_mode & 07555) | 0500) != 0) return false;
    return !(flags_of(directory) & MS_RDONLY) || make_read_only(stage);
}

// What is mounted outside later, by an automounter for one, is to be seen inside, but not the other
// way round.
bool let_nothing_out() {
    return mount(nullptr, "/", nullptr, MS_REC | MS_SLAVE, nullptr) == 0;
}

// In a changed root, "/" may be a directory like any other, and what it lies on cannot be reached,
// so that mounts might be seen outside. It is mounted where they are not, and becomes the root.
bool mount_the_root() {
    constexpr const char* kSomewhere = "/proc/tty";  // in any whole /proc
    std::error_code error;
    const fs::path here = fs::current_path(error);
    return !error && mount(nullptr, "/proc", nullptr, MS_PRIVATE, nullptr) == 0 &&
           bind("/", kSomewhere) && chroot(kSomewhere) == 0 && chdir("/") == 0 &&
           chdir(here.c_str()) == 0;
}

// The old root is let go of; what is in it has been mounted below the new one.
bool become_root(const std::string& stage) {
    return chdir(stage.c_str()) == 0 && syscall(SYS_pivot_root, ".", ".") == 0 &&
           umount2(".", MNT_DETACH) == 0 && chdir("/") == 0;
}

}  // namespace

Result<bool> own_mounts() {
    const uid_t user = geteuid();
    const gid_t group = getegid();
    if (unshare(CLONE_NEWNS) != 0) {
        if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
            return failed(
                "You cannot have mounts of your own: user namespaces are not allowed here, or "
                "not in this container");
        if (!keep_numbers(user, group))
            return failed("In a user namespace you would not be yourself");
    }
    if (let_nothing_out()) return true;
    if (errno != EINVAL)
        return failed(
            "You can have mounts of your own, but not change them: see whether AppArmor "
            "restricts user namespaces");
    if (!mount_the_root() || !let_nothing_out())
        return failed(
            "This is a changed root (chroot) that is no mount, and cannot be made one: see whether "
            "all of /proc is mounted in it");
    return true;
}

std::string tree_below(const std::string& directory) {
    return directory + "/tree";
}

Result<bool> keep_tree(const std::string& directory) {
    const std::string tree = tree_below(directory);
    // Inside another view it is there.
    if (access(tree.c_str(), F_OK) == 0) return true;
    // Nobody is to find it who looks for files: it can be passed through, but not listed.
    const bool done = mount("tmpfs", directory.c_str(), "tmpfs", 0, "mode=0111") == 0 &&
                      mkdir(tree.c_str(), 0755) == 0 && bind("/", tree);
    if (!done) return failed("The true files cannot be mounted below " + directory);
    return true;
}

Result<bool> cover(const std::string& directory, const std::vector<MissingEntry>& missing,
                   const std::string& stage) {
    // Unbindable, lest it be mounted into itself.
    if (mount("tmpfs", stage.c_str(), "tmpfs", MS_NOSUID | MS_NODEV, "mode=0755") != 0 ||
        mount(nullptr, stage.c_str(), nullptr, MS_UNBINDABLE, nullptr) != 0)
        return failed(stage + " cannot be mounted on");
    if (const auto shown = show_entries(directory, stage); !shown) return shown;
    if (const auto added = add_missing(directory, missing, stage); !added) return added;
    const bool done = take_after(directory, stage) &&
                      (directory == "/" ? become_root(stage)
                                        : mount(stage.c_str(), directory.c_str(), nullptr, MS_MOVE,
                                                nullptr) == 0) &&
                      mount(nullptr, directory.c_str(), nullptr, MS_PRIVATE, nullptr) == 0;
    if (!done) return failed(directory + " cannot be covered");
    return true;
}

Result<bool> show(const std::string& file, const std::string& place, Access access) {
    const bool done = bind(file, place) && (access == Access::ReadWrite || make_read_only(place));
    if (!done) return failed(file + " cannot be mounted over " + place);
    return true;
}

}  // namespace quarry
