#include "base/temporary_directory.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace quarry {

Result<TemporaryDirectory> TemporaryDirectory::create() {
    std::error_code ignored;
    std::filesystem::path parent = std::filesystem::temp_directory_path(ignored);
    if (parent.empty()) parent = "/tmp";
    std::string path = parent / "quarry-XXXXXX";
    if (!mkdtemp(path.data()))
        return Error{"No temporary directory could be made in " + parent.string() + ": " +
                     std::strerror(errno) + ". Set TMPDIR to a directory you may write to."};
    return TemporaryDirectory(path);
}

TemporaryDirectory::~TemporaryDirectory() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

}  // namespace quarry
