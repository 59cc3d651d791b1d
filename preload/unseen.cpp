#include "preload/unseen.hpp"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>

#include "base/keep_errno.hpp"
#include "base/say.hpp"
#include "preload/open_files.hpp"
#include "preload/recorder.hpp"
#include "preload/streams.hpp"
#include "trace/lone_record.hpp"
#include "trace/loss.hpp"

namespace quarry::preload {
namespace {

using trace::UnseenReason;

// As getenv would find it there; empty if it is not set.
std::string_view value_in(char* const environment[], std::string_view name) {
    for (char* const* entry = environment; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        if (text.starts_with(name) && text.substr(name.size()).starts_with('='))
            return text.substr(name.size() + 1);
    }
    return {};
}

// Whether a program with these variables loads this library, and is told to record.
bool keeps_recording(char* const environment[]) {
    return value_in(environment, "LD_PRELOAD").find("libquarry_files") != std::string_view::npos &&
           value_in(environment, kConnectorVariable).starts_with(kConnector);
}

// Whether it is a program without a loader, which would read LD_PRELOAD.
bool is_static(int file) {
    ElfW(Ehdr) header;
    if (pread(file, &header, sizeof header, 0) != sizeof header ||
        std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_phentsize != sizeof(ElfW(Phdr)))
        return false;
    for (int i = 0; i < header.e_phnum; ++i) {
        ElfW(Phdr) part;
        const off_t at = static_cast<off_t>(header.e_phoff + static_cast<size_t>(i) * sizeof part);
        if (pread(file, &part, sizeof part, at) != sizeof part) return false;
        if (part.p_type == PT_INTERP) return false;
    }
    return true;
}

// Whether whoever starts it gets rights by that, with which nothing is preloaded.
bool gives_rights(int file) {
    struct stat status{};
    if (fstat(file, &status) != 0) return false;
    const bool as_owner = (status.st_mode & S_ISUID) != 0 && status.st_uid != getuid();
    const bool as_group = (status.st_mode & S_ISGID) != 0 && status.st_gid != getgid();
    return as_owner || as_group ||
           (getuid() != 0 && fgetxattr(file, "security.capability", nullptr, 0) > 0);
}

std::optional<UnseenReason> reason_of(const char* path, char* const environment[]) {
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) return std::nullopt;
    const bool privileged = gives_rights(file);
    const bool without_loader = is_static(file);
    close(file);
    if (without_loader) return UnseenReason::Static;
    if (privileged) return UnseenReason::Privileged;
    if (!keeps_recording(environment)) return UnseenReason::ClearedEnvironment;
    return std::nullopt;
}

void record_alone(UnseenReason reason, const char* path) {
    const ConnectorConfig& config = configuration();
    if (trace::record_alone(config.trace.c_str(), config.level, reason, path)) return;
    say({"cannot record into ", config.trace, " that ", path,
         " is started: ", std::strerror(errno)});
    trace::tell_of_loss(config.trace.c_str(), config.listener);
}

void record(UnseenReason reason, const char* path) {
    // Beginning takes memory, and a child may have only borrowed its parent's.
    const bool borrows = is_borrowing_memory();
    trace::Writer* writer = borrows ? started_recorder() : recorder();
    if (borrows && (writer == nullptr || !writer->is_running())) {
        record_alone(reason, path);
    } else if (writer != nullptr) {
        trace::Unseen record{};
        record.prefix.flags = static_cast<uint8_t>(reason);
        record.time = trace::monotonic_now();
        record.program = writer->put_text(path);
        writer->append(record);
    }
}

}  // namespace

void starts(const char* path, char* const environment[]) noexcept {
    if (Ours::inside() || path == nullptr || trace_directory().empty()) return;
    child_started();
    const KeepErrno keep;
    const Ours ours;
    if (const auto reason = reason_of(path, environment)) record(*reason, path);
}

void starts_by_name(const char* name, char* const environment[]) noexcept {
    if (name == nullptr || std::strchr(name, '/') != nullptr) return starts(name, environment);
    const char* path = std::getenv("PATH");
    std::string_view rest = path != nullptr ? path : "/bin:/usr/bin";
    while (!rest.empty()) {
        const std::string_view folder = rest.substr(0, rest.find(':'));
        rest.remove_prefix(std::min(folder.size() + 1, rest.size()));
        std::array<char, PATH_MAX> candidate;
        const int size = std::snprintf(candidate.data(), candidate.size(), "%.*s/%s",
                                       static_cast<int>(folder.size()), folder.data(), name);
        const bool fits = size > 0 && static_cast<size_t>(size) < candidate.size();
        if (fits && access(candidate.data(), X_OK) == 0)
            return starts(candidate.data(), environment);
    }
}

}  // namespace quarry::preload
