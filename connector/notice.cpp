#include "connector/notice.hpp"

#include <unistd.h>

#include <array>
#include <atomic>

namespace quarry::connector {
namespace {

std::array<std::atomic<bool>, static_cast<size_t>(Notice::kCount)> given;

}  // namespace

void give_notice(Notice kind, const std::string& text) noexcept {
    if (given[static_cast<size_t>(kind)].exchange(true)) return;
    // One write, so that lines of several processes do not mix; stdio's buffers stay untouched.
    try {
        const std::string line = "quarry: " + text + "\n";
        if (write(STDERR_FILENO, line.data(), line.size()) < 0) return;
    } catch (const std::bad_alloc&) {
        constexpr char line[] = "quarry: out of memory\n";
        if (write(STDERR_FILENO, line, sizeof line - 1) < 0) return;
    }
}

}  // namespace quarry::connector
