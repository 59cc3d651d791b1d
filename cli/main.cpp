#include "command_line.hpp"

int main(int argc, char** argv) {
    return quarry::cli::run_command_line({argv + 1, argv + argc});
}
