#include <sys/stat.h>

#include <quarry/carved.hpp>

#include "base/file_times.hpp"

namespace quarry {
namespace {

// What another run has put in the place of an original that is not there.
bool is_stand_in(const ServedFile& file, const struct stat& status) {
    struct stat copy{};
    const bool is_closed = (status.st_mode & 07777) == 0;
    return is_closed || (stat(file.copy.c_str(), &copy) == 0 && copy.st_size == status.st_size &&
                         modified(copy) == modified(status));
}

}  // namespace

bool has_changed(const ServedFile& file) {
    struct stat now{};
    if (file.modified == 0 || stat(file.original.c_str(), &now) != 0) return false;
    const bool is_same =
        file.modified == modified(now) && file.size == static_cast<uint64_t>(now.st_size);
    return !is_same && !is_stand_in(file, now);
}

std::set<std::string> changed_originals(const CarvedDirectory& carved) {
    std::set<std::string> changed;
    for (const ServedFile& file : carved.files)
        if (has_changed(file)) changed.insert(file.original);
    return changed;
}

}  // namespace quarry
