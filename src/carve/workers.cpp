#include "carve/workers.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace quarry::carve_files {
namespace {

int tell(const std::string& text) {
    size_t done = 0;
    while (done < text.size()) {
        const ssize_t written = write(STDOUT_FILENO, text.data() + done, text.size() - done);
        if (written <= 0) return 1;
        done += static_cast<size_t>(written);
    }
    return 0;
}

uint64_t untold = 0;  // bytes

void tell_the_rest() {
    if (untold > 0) dprintf(STDERR_FILENO, "%ju\n", uintmax_t{untold});
    untold = 0;
}

}  // namespace

HearBytes summed_up(uint64_t all, const Progress& progress) {
    return [all, progress, done = uint64_t{0}](uint64_t bytes) mutable {
        done = std::min(done + bytes, all);
        if (progress) progress(done, all);
    };
}

std::vector<Outcome> in_processes(size_t count, unsigned jobs,
                                  const std::function<std::string(size_t)>& work,
                                  const HearBytes& hear_bytes) {
    std::vector<std::function<int()>> bodies;
    for (size_t i = 0; i < count; ++i)
        bodies.push_back([&, i] {
            const std::string answer = work(i);
            tell_the_rest();
            return tell(answer);
        });
    std::vector<std::string> unread(count);
    return run_all_forked(bodies, std::max(jobs, 1u), [&](size_t child, const std::string& text) {
        // A number of bytes on each line, and whatever HDF5 itself says.
        std::string& line = unread[child];
        for (const char character : text) {
            if (character != '\n') {
                line += character;
                continue;
            }
            if (hear_bytes) hear_bytes(std::strtoull(line.c_str(), nullptr, 10));
            line.clear();
        }
    });
}

void tell_bytes(uint64_t bytes) {
    // Nobody looks more often, and being woken for each small object took longer than copying it.
    constexpr auto kNowAndThen = std::chrono::milliseconds(50);
    static std::chrono::steady_clock::time_point last;
    untold += bytes;
    const auto now = std::chrono::steady_clock::now();
    if (now - last < kNowAndThen) return;
    tell_the_rest();
    last = now;
}

}  // namespace quarry::carve_files
