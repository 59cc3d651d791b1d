#include "base/say.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>

#include "base/keep_errno.hpp"
#include "base/raw_calls.hpp"

namespace quarry {
namespace {

struct Opened {
    explicit Opened(int file) : is_there(fstat(file, &status) == 0) {}

    bool is_same(const Opened& other) const {
        return is_there && other.is_there && status.st_dev == other.status.st_dev &&
               status.st_ino == other.status.st_ino;
    }
    // As whoever captures what is said has them without a name.
    bool is_named_file() const {
        return is_there && S_ISREG(status.st_mode) && status.st_nlink > 0;
    }

    struct stat status{};
    bool is_there;
};

// When the program began, or HDF5 in it.
const Opened stderr_at_first(STDERR_FILENO);

// As Python opens whatever it opens; what is made to be stderr is there for children, too.
bool is_for_this_program_only(int file) {
    return (fcntl(file, F_GETFD) & FD_CLOEXEC) != 0;
}

// As HDF5 opens what it writes; a log is only written to, or added to.
bool is_open_as_data(int file) {
    const int mode = fcntl(file, F_GETFL);
    return (mode & O_ACCMODE) == O_RDWR && (mode & O_APPEND) == 0;
}

// Once a program has closed it, the next file that it opens has its number: there our words would
// be among the program's data.
bool is_a_file_of_the_program() {
    const Opened now(STDERR_FILENO);
    if (now.is_same(stderr_at_first) || now.is_same(Opened(STDOUT_FILENO))) return false;
    return is_for_this_program_only(STDERR_FILENO) ||
           (now.is_named_file() && is_open_as_data(STDERR_FILENO));
}

}  // namespace

void say(std::initializer_list<std::string_view> pieces) noexcept {
    const KeepErrno keep;
    if (is_a_file_of_the_program()) return;
    std::array<char, 2048> line;
    size_t size = 0;
    const auto append = [&](std::string_view piece) {
        size += piece.copy(line.data() + size, line.size() - 1 - size);
    };
    append("quarry: ");
    for (const std::string_view piece : pieces) append(piece);
    line[size++] = '\n';
    if (raw_write(STDERR_FILENO, line.data(), size) < 0) return;
}

}  // namespace quarry
