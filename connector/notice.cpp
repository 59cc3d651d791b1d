#include "connector/notice.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>

#include "base/raw_calls.hpp"

namespace quarry::connector {
namespace {

std::array<std::atomic<bool>, static_cast<size_t>(Notice::kCount)> given;

}  // namespace

void give_notice(Notice kind, std::initializer_list<std::string_view> pieces) noexcept {
    if (given[static_cast<size_t>(kind)].exchange(true)) return;
    std::array<char, 2048> line;
    char* const limit = line.data() + line.size() - 1;
    char* end = line.data();
    const auto append = [&](std::string_view piece) {
        const auto size = std::min(piece.size(), static_cast<size_t>(limit - end));
        end = std::copy_n(piece.data(), size, end);
    };
    append("quarry: ");
    for (const std::string_view piece : pieces) append(piece);
    *end++ = '\n';
    // One write, so that lines of several processes do not mix; stdio's buffers stay untouched.
    if (raw_write(STDERR_FILENO, line.data(), static_cast<size_t>(end - line.data())) < 0) return;
}

}  // namespace quarry::connector
