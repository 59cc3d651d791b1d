#include "pack/changed_since.hpp"

#include <linux/magic.h>
#include <sys/vfs.h>

#include <algorithm>

#include "base/file_times.hpp"

namespace quarry::pack_files {
namespace {

constexpr uint32_t kXfs = 0x58465342;
constexpr uint32_t kZfs = 0x2fc12fc1;

// Those of which times come from the clock of this machine.
constexpr uint32_t kLocal[] = {
    EXT4_SUPER_MAGIC,      BTRFS_SUPER_MAGIC, TMPFS_MAGIC, F2FS_SUPER_MAGIC,
    OVERLAYFS_SUPER_MAGIC, RAMFS_MAGIC,       kXfs,        kZfs};

// A program is last heard of just before it ends, when its C library may still write what it holds.
// Clocks of servers may differ from ours, and they get late what is buffered.
uint64_t slack_at(const std::string& path) {
    constexpr uint64_t kLocalSlack = 1'000'000, kSlack = 2'000'000'000;
    struct statfs system{};
    const bool is_local = statfs(path.c_str(), &system) == 0 &&
                          std::find(std::begin(kLocal), std::end(kLocal),
                                    static_cast<uint32_t>(system.f_type)) != std::end(kLocal);
    return is_local ? kLocalSlack : kSlack;
}

}  // namespace

bool was_changed_after(uint64_t moment, const std::string& path, const struct stat& status) {
    return modified(status) > moment + slack_at(path);
}

}  // namespace quarry::pack_files
