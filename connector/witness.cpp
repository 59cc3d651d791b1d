#include "connector/witness.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/raw_calls.hpp"
#include "connector/library.hpp"
#include "connector/notice.hpp"

namespace quarry::connector {
namespace {

// A forked child has the flags of its parent but a file of its own to write.
struct Said {
    pid_t process = 0;
    std::array<bool, 3> what{};
};
std::array<Said, kLibraries> said;

int slot_of(const Library& library) {
    return static_cast<int>(&library - &library_in_slot(0));
}

std::string line_for(const Library& library, Witnessed what) {
    if (what == Witnessed::ObjectLayer) return "object-layer\n";
    if (what == Witnessed::ByteLayer) return "byte-layer\n";
    const hdf5::Version version = hdf5::version_of(library.api);
    return "library " + library.api.path + " " + std::to_string(version.major) + "." +
           std::to_string(version.minor) + "." + std::to_string(version.release) + "\n";
}

void append(const std::string& path, const std::string& line) {
    const int file = raw_open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    const bool written =
        file >= 0 && raw_write(file, line.data(), line.size()) == static_cast<ssize_t>(line.size());
    if (!written) {
        give_notice(Notice::Witness, {"cannot write ", path, ": ", std::strerror(errno),
                                      "; does the directory that witness= names exist?"});
    }
    if (file >= 0) raw_close(file);
}

}  // namespace

void bear_witness(Library& library, const ConnectorConfig& config, Witnessed what) noexcept {
    if (config.witness.empty()) return;
    const int slot = slot_of(library);
    Said& mine = said[static_cast<size_t>(slot)];
    if (mine.process != getpid()) mine = {getpid(), {}};
    bool& done = mine.what[static_cast<size_t>(what)];
    if (done) return;
    done = true;
    if (what != Witnessed::Library) bear_witness(library, config, Witnessed::Library);
    try {
        append(config.witness + "/" + std::to_string(mine.process) + "-" + std::to_string(slot),
               line_for(library, what));
    } catch (const std::bad_alloc&) {
        give_notice(Notice::Memory, {"memory is short; no witness was left"});
    }
}

}  // namespace quarry::connector
