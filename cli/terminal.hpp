// How to speak to the user: colours and signs where the terminal has them, plain text elsewhere.
#pragma once

#include <quarry/trace.hpp>
#include <string>
#include <string_view>

namespace quarry::cli {

// One line on stderr, marked as ours.
void say(std::string_view message);

// A name from a file, with what a terminal would obey or a line would break at made visible.
std::string printable(std::string_view name);

struct Style {
    bool colours = false;
    bool signs = false;  // the locale can show ✓ and ✗

    static Style of_output();

    std::string good(std::string_view text) const { return paint(text, "32"); }
    std::string bad(std::string_view text) const { return paint(text, "31"); }
    std::string faint(std::string_view text) const { return paint(text, "2"); }
    std::string strong(std::string_view text) const { return paint(text, "1"); }

private:
    std::string paint(std::string_view text, std::string_view code) const;
};

// A line on stderr that replaces itself; nothing unless stderr is a terminal.
class ProgressLine {
public:
    ProgressLine();
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;
    ~ProgressLine() { clear(); }

    void show(std::string_view step);
    // For work that tells how many bytes of it are done: "carving: 3.0 MB of 7.0 MB".
    Progress showing(std::string step);
    void clear();

private:
    bool active_;
    bool shown_ = false;
};

}  // namespace quarry::cli
