#include "trace/process_identity.hpp"

#include <fcntl.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/raw_calls.hpp"

namespace quarry::trace {
namespace {

// The beginning of a small file, as text; empty if it cannot be read.
template <size_t kSize>
void read_text(const char* path, std::array<char, kSize>& text) noexcept {
    text[0] = '\0';
    const int file = raw_open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    const ssize_t size = read(file, text.data(), kSize - 1);
    text[size > 0 ? static_cast<size_t>(size) : 0] = '\0';
    raw_close(file);
}

struct Status {
    uint32_t parent_pid = 0;
    uint64_t age = 0;
};

Status status_of(uint32_t pid) noexcept {
    std::array<char, 64> path;
    std::snprintf(path.data(), path.size(), "/proc/%u/stat", pid);
    std::array<char, 1024> text;
    read_text(path.data(), text);
    Status status;
    // The name stands in parentheses and may hold any character; the parent is field 4, the start
    // field 22.
    const char* at = std::strrchr(text.data(), ')');
    for (int field = 2; at != nullptr && field < 22; ++field) {
        at = std::strchr(at + 1, ' ');
        if (field == 3 && at != nullptr)
            status.parent_pid = static_cast<uint32_t>(std::strtoul(at + 1, nullptr, 10));
    }
    status.age = at != nullptr ? std::strtoull(at + 1, nullptr, 10) : 0;
    return status;
}

}  // namespace

uint64_t age_of_process(uint32_t pid) noexcept {
    return status_of(pid).age;
}

// Random bytes that a program is given when it is started, and its forks with it. They guard its
// stack, so they are not to be told.
uint64_t number_of_execution() noexcept {
    const auto* random = reinterpret_cast<const uint8_t*>(getauxval(AT_RANDOM));
    if (random == nullptr) return 0;
    uint64_t number = 0xcbf29ce484222325;
    for (size_t i = 0; i < 16; ++i) number = (number ^ random[i]) * 0x100000001b3;
    return number;
}

Ancestors ancestors_above(uint32_t parent_pid) noexcept {
    Ancestors found;
    Status status = status_of(parent_pid);
    for (size_t i = 0; i < found.pids.size() && status.parent_pid != 0; ++i) {
        found.pids[i] = status.parent_pid;
        status = status_of(status.parent_pid);
        found.ages[i] = status.age;
    }
    return found;
}

ProcessIdentity identity_of_process() noexcept {
    ProcessIdentity identity;
    identity.pid = static_cast<uint32_t>(getpid());
    identity.parent_pid = static_cast<uint32_t>(getppid());
    identity.age = age_of_process(identity.pid);
    identity.parent_age = age_of_process(identity.parent_pid);
    read_text("/proc/sys/kernel/random/boot_id", identity.boot);
    if (char* end = std::strchr(identity.boot.data(), '\n')) *end = '\0';
    gethostname(identity.host.data(), identity.host.size() - 1);
    for (char& character : identity.host) {
        const bool plain = std::isalnum(static_cast<unsigned char>(character)) != 0 ||
                           character == '.' || character == '-';
        if (character != '\0' && !plain) character = '-';
    }
    return identity;
}

}  // namespace quarry::trace
