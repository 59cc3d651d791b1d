#include "terminal.hpp"

#include <fmt/format.h>
#include <langinfo.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <clocale>
#include <cstdlib>
#include <quarry/units.hpp>

namespace quarry::cli {
namespace {

constexpr std::string_view kEraseLine = "\r\x1b[K";

bool is_capable_terminal(int fd) {
    const char* kind = std::getenv("TERM");
    return isatty(fd) && kind && std::string_view(kind) != "dumb";
}

size_t terminal_width() {
    winsize size{};
    const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return known ? size.ws_col : 80;
}

struct CharacterCode {
    uint32_t code;
    size_t size;  // in bytes; 0 if it is to be shown as it is
};

// What a terminal would obey, what breaks a line, and what turns the direction of writing about.
CharacterCode command_at(std::string_view text) {
    const auto byte = [&](size_t i) -> uint32_t {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
    };
    if (byte(0) < 0x20 || byte(0) == 0x7f) return {byte(0), 1};
    const bool has_two = (byte(0) & 0xe0) == 0xc0 && (byte(1) & 0xc0) == 0x80;
    const uint32_t two = (byte(0) & 0x1f) << 6 | (byte(1) & 0x3f);
    if (has_two && ((two >= 0x80 && two < 0xa0) || two == 0x61c)) return {two, 2};
    const bool has_three =
        (byte(0) & 0xf0) == 0xe0 && (byte(1) & 0xc0) == 0x80 && (byte(2) & 0xc0) == 0x80;
    const uint32_t three = (byte(0) & 0x0f) << 12 | (byte(1) & 0x3f) << 6 | (byte(2) & 0x3f);
    const bool turns = three == 0x200e || three == 0x200f || (three >= 0x2028 && three <= 0x202e) ||
                       (three >= 0x2066 && three <= 0x2069);
    if (has_three && turns) return {three, 3};
    return {0, 0};
}

}  // namespace

void say(std::string_view message) {
    const std::string line = fmt::format("quarry: {}\n", printable(message));
    // Where nobody can hear it, the exit code tells.
    std::fwrite(line.data(), 1, line.size(), stderr);
}

std::string printable(std::string_view name) {
    std::string text;
    for (size_t at = 0; at < name.size();) {
        const auto [code, size] = command_at(name.substr(at));
        if (size == 0) {
            text += name[at++];
        } else {
            text += code < 0x80 ? fmt::format("\\x{:02x}", code) : fmt::format("\\u{:04x}", code);
            at += size;
        }
    }
    return text;
}

Style Style::of_output() {
    const char* no_colour = std::getenv("NO_COLOR");
    Style style;
    style.colours = is_capable_terminal(STDOUT_FILENO) && !(no_colour && *no_colour);
    style.signs = std::string_view(nl_langinfo(CODESET)) == "UTF-8";
    return style;
}

std::string Style::paint(std::string_view text, std::string_view code) const {
    return colours ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
}

ProgressLine::ProgressLine() : active_(is_capable_terminal(STDERR_FILENO)) {}

void ProgressLine::show(std::string_view step) {
    if (!active_) return;
    fmt::print(stderr, "{}{} ...", kEraseLine, step.substr(0, terminal_width() - 5));
    std::fflush(stderr);
    shown_ = true;
}

Progress ProgressLine::showing(std::string step) {
    return [this, step = std::move(step)](uint64_t done, uint64_t all) {
        show(fmt::format("{}: {} of {}", step, bytes_text(done), bytes_text(all)));
    };
}

void ProgressLine::clear() {
    if (shown_) std::fwrite(kEraseLine.data(), 1, kEraseLine.size(), stderr);
    shown_ = false;
}

}  // namespace quarry::cli
