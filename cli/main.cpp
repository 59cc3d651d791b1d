#include <cerrno>
#include <clocale>
#include <cstdio>
#include <cstring>
#include <system_error>

#include "command_line.hpp"
#include "verb.hpp"

namespace {

using namespace quarry;

// Whoever reads the output must be able to trust that it is all there.
int not_written(int error) {
    return cli::failed(
        Error{std::string("The output cannot be written: ") + std::strerror(error) + "."});
}

}  // namespace

int main(int argc, char** argv) try {
    // Before anybody asks whether a name matches a pattern.
    std::setlocale(LC_CTYPE, "");
    const int code = cli::run_command_line({argv + 1, argv + argc});
    errno = EIO;  // if it was an earlier one that failed
    return std::fflush(stdout) == 0 && std::ferror(stdout) == 0 ? code : not_written(errno);
} catch (const std::system_error& error) {
    if (std::ferror(stdout) == 0) throw;
    return not_written(error.code().value());
}
