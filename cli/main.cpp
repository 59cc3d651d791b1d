#include <clocale>

#include "command_line.hpp"

int main(int argc, char** argv) {
    // Before anybody asks whether a name matches a pattern.
    std::setlocale(LC_CTYPE, "");
    return quarry::cli::run_command_line({argv + 1, argv + argc});
}
