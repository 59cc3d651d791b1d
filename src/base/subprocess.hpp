// Work in a child process: what crashes or hangs there is seen here as an outcome.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace quarry {

struct Outcome {
    enum class End { Exited, Signalled, TimedOut, Interrupted, NotStarted };

    End end = End::NotStarted;
    int code = 0;  // the exit code, the signal, or the errno of a failed start
    std::string output;
    std::string errors;

    bool succeeded() const { return end == End::Exited && code == 0; }
    // "exit code 3", "killed by signal 11 (Segmentation fault)", …
    std::string describe() const;
};

// Runs `body` in a forked copy of this process and exits with what it returns. Only for processes
// with one thread.
Outcome run_forked(const std::function<int()>& body, std::chrono::milliseconds limit);

// The same for many, so many at once. `hear` is told what a child says on stderr, as it says it; it
// becomes no part of the outcome.
std::vector<Outcome> run_all_forked(
    const std::vector<std::function<int()>>& bodies, size_t at_once,
    const std::function<void(size_t child, const std::string& text)>& hear);

// Runs a program (a path, not searched for) with these variables ("NAME=value").
Outcome run_program(const std::vector<std::string>& arguments,
                    const std::vector<std::string>& environment, std::chrono::milliseconds limit);

// While it lives, Ctrl-C and a termination request end the running child and make every outcome
// `Interrupted`, so that the caller unwinds and cleans up. There may be one within another.
class InterruptGuard {
public:
    InterruptGuard();
    InterruptGuard(const InterruptGuard&) = delete;
    InterruptGuard& operator=(const InterruptGuard&) = delete;
    ~InterruptGuard();

    // The signal that came, or 0.
    static int signal();
};

// The `char*` array that exec wants, valid as long as the strings are.
std::vector<char*> exec_array(const std::vector<std::string>& strings);

}  // namespace quarry
