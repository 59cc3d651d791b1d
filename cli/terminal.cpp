#include "terminal.hpp"

#include <fmt/format.h>
#include <langinfo.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <clocale>
#include <cstdlib>

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

}  // namespace

void say(std::string_view message) {
    fmt::print(stderr, "quarry: {}\n", message);
}

std::string printable(std::string_view name) {
    std::string text;
    for (const char character : name) {
        const auto byte = static_cast<unsigned char>(character);
        if (byte < 0x20 || byte == 0x7f) {
            text += fmt::format("\\x{:02x}", byte);
        } else {
            text += character;
        }
    }
    return text;
}

Style Style::of_output() {
    std::setlocale(LC_CTYPE, "");
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

void ProgressLine::clear() {
    if (shown_) std::fwrite(kEraseLine.data(), 1, kEraseLine.size(), stderr);
    shown_ = false;
}

}  // namespace quarry::cli
