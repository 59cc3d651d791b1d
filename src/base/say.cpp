#include "base/say.hpp"

#include <unistd.h>

#include <array>

#include "base/raw_calls.hpp"

namespace quarry {

void say(std::initializer_list<std::string_view> pieces) noexcept {
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
