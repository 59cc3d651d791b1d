#include "trace/process_identity.hpp"

#include <fcntl.h>
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

}  // namespace

uint64_t age_of_process(uint32_t pid) noexcept {
    std::array<char, 64> path;
    std::snprintf(path.data(), path.size(), "/proc/%u/stat", pid);
    std::array<char, 1024> text;
    read_text(path.data(), text);
    // The name stands in parentheses and may hold any character; the start is field 22.
    const char* at = std::strrchr(text.data(), ')');
    for (int field = 2; at != nullptr && field < 22; ++field) {
        at = std::strchr(at + 1, ' ');
    }
    return at != nullptr ? std::strtoull(at + 1, nullptr, 10) : 0;
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
