#include "base/subprocess.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <list>
#include <span>

namespace quarry {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::array kInterrupts{SIGINT, SIGTERM, SIGHUP};
volatile std::sig_atomic_t interrupted_by = 0;
int guards = 0;
std::array<struct sigaction, kInterrupts.size()> previous_actions;

void note_interrupt(int signal) {
    interrupted_by = signal;
}

struct Pipe {
    int read_end = -1;
    int write_end = -1;

    Pipe() {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC) == 0) {
            read_end = ends[0];
            write_end = ends[1];
        }
    }
    Pipe(const Pipe&) = delete;
    Pipe& operator=(const Pipe&) = delete;
    ~Pipe() {
        close_end(read_end);
        close_end(write_end);
    }
    static void close_end(int& end) {
        if (end >= 0) ::close(end);
        end = -1;
    }
};

// What the body throws ends the child here: what belongs to the parent is not to be taken away.
[[noreturn]] void be_child(const std::function<int()>& body, Pipe& output, Pipe& errors) noexcept {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setpgid(0, 0);  // so that a time limit ends its children too
    for (const int signal : kInterrupts) std::signal(signal, SIG_DFL);
    const int nothing = ::open("/dev/null", O_RDONLY);
    if (nothing >= 0) dup2(nothing, STDIN_FILENO);
    dup2(output.write_end, STDOUT_FILENO);
    dup2(errors.write_end, STDERR_FILENO);
    _exit(body());
}

// Reads what is there; closes the end when the other side has.
void drain(int& end, std::string& into) {
    char buffer[4096];
    const ssize_t count = ::read(end, buffer, sizeof buffer);
    if (count > 0)
        into.append(buffer, static_cast<size_t>(count));
    else if (count == 0 || errno != EINTR)
        Pipe::close_end(end);
}

Outcome::End collect(Pipe& output, Pipe& errors, Outcome& outcome, Clock::time_point deadline) {
    while (output.read_end >= 0 || errors.read_end >= 0) {
        const auto left =
            std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
        if (left.count() <= 0) return Outcome::End::TimedOut;
        if (interrupted_by) return Outcome::End::Interrupted;
        pollfd ends[] = {{output.read_end, POLLIN, 0}, {errors.read_end, POLLIN, 0}};
        // Short waits: a signal may come between the check above and the call.
        if (poll(ends, 2, static_cast<int>(std::min<long>(left.count(), 200))) <= 0) continue;
        if (ends[0].revents) drain(output.read_end, outcome.output);
        if (ends[1].revents) drain(errors.read_end, outcome.errors);
    }
    return Outcome::End::Exited;
}

// For a child that has said all, or is to be ended.
void await(pid_t child, Outcome& outcome) {
    if (outcome.end != Outcome::End::Exited) {
        kill(-child, SIGKILL);
        kill(child, SIGKILL);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (outcome.end == Outcome::End::Exited && WIFSIGNALED(status))
        outcome.end = Outcome::End::Signalled;
    outcome.code = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

std::string Outcome::describe() const {
    switch (end) {
        case End::Exited:
            return "exit code " + std::to_string(code);
        case End::Signalled:
            return "killed by signal " + std::to_string(code) + " (" + strsignal(code) + ")";
        case End::TimedOut:
            return "no answer in time";
        case End::Interrupted:
            return "interrupted";
        case End::NotStarted:
            break;
    }
    return std::string("not started: ") + std::strerror(code);
}

Outcome run_forked(const std::function<int()>& body, std::chrono::milliseconds limit) {
    Outcome outcome;
    const auto deadline = Clock::now() + limit;
    Pipe output;
    Pipe errors;
    if (interrupted_by) {
        outcome.end = Outcome::End::Interrupted;
        return outcome;
    }
    const pid_t child = output.read_end < 0 || errors.read_end < 0 ? -1 : fork();
    if (child < 0) {
        outcome.code = errno;
        return outcome;
    }
    if (child == 0) be_child(body, output, errors);
    Pipe::close_end(output.write_end);
    Pipe::close_end(errors.write_end);

    outcome.end = collect(output, errors, outcome, deadline);
    await(child, outcome);
    return outcome;
}

std::vector<Outcome> run_all_forked(
    const std::vector<std::function<int()>>& bodies, size_t at_once,
    const std::function<void(size_t child, const std::string& text)>& hear) {
    struct Running {
        size_t number;
        pid_t child;
        Pipe output;
        Pipe errors;
    };
    std::vector<Outcome> outcomes(bodies.size());
    std::list<Running> running;
    size_t next = 0;
    while (next < bodies.size() || !running.empty()) {
        while (next < bodies.size() && running.size() < at_once && !interrupted_by) {
            Running& one = running.emplace_back();
            one.number = next++;
            one.child = one.output.read_end < 0 || one.errors.read_end < 0 ? -1 : fork();
            if (one.child == 0) be_child(bodies[one.number], one.output, one.errors);
            Pipe::close_end(one.output.write_end);
            Pipe::close_end(one.errors.write_end);
            outcomes[one.number].end =
                one.child < 0 ? Outcome::End::NotStarted : Outcome::End::Exited;
            outcomes[one.number].code = errno;
            if (one.child < 0) running.pop_back();
        }
        if (interrupted_by) {
            for (Outcome& outcome : std::span(outcomes).subspan(next))
                outcome.end = Outcome::End::Interrupted;
            next = bodies.size();
        }
        std::vector<pollfd> ends;
        for (const Running& one : running) {
            ends.push_back({one.output.read_end, POLLIN, 0});
            ends.push_back({one.errors.read_end, POLLIN, 0});
        }
        poll(ends.data(), ends.size(), 200);
        size_t place = 0;
        for (auto one = running.begin(); one != running.end(); place += 2) {
            Outcome& outcome = outcomes[one->number];
            if (ends[place].revents != 0) drain(one->output.read_end, outcome.output);
            std::string text;
            if (ends[place + 1].revents != 0) drain(one->errors.read_end, text);
            if (!text.empty()) hear(one->number, text);
            if (interrupted_by) outcome.end = Outcome::End::Interrupted;
            const bool is_over = one->output.read_end < 0 && one->errors.read_end < 0;
            if (is_over || interrupted_by) {
                await(one->child, outcome);
                one = running.erase(one);
            } else {
                ++one;
            }
        }
    }
    return outcomes;
}

Outcome run_program(const std::vector<std::string>& arguments,
                    const std::vector<std::string>& environment, std::chrono::milliseconds limit) {
    const std::vector<char*> argv = exec_array(arguments);
    const std::vector<char*> envp = exec_array(environment);
    const auto body = [&]() -> int {
        execve(argv[0], argv.data(), envp.data());
        return errno == ENOENT ? 127 : 126;
    };
    return run_forked(body, limit);
}

InterruptGuard::InterruptGuard() {
    if (guards++ > 0) return;
    interrupted_by = 0;
    struct sigaction action{};
    action.sa_handler = note_interrupt;
    for (size_t i = 0; i < kInterrupts.size(); ++i) {
        sigaction(kInterrupts[i], &action, &previous_actions[i]);
        if (previous_actions[i].sa_handler == SIG_IGN)  // as under nohup
            sigaction(kInterrupts[i], &previous_actions[i], nullptr);
    }
}

InterruptGuard::~InterruptGuard() {
    if (--guards > 0) return;
    for (size_t i = 0; i < kInterrupts.size(); ++i)
        sigaction(kInterrupts[i], &previous_actions[i], nullptr);
}

int InterruptGuard::signal() {
    return interrupted_by;
}

std::vector<char*> exec_array(const std::vector<std::string>& strings) {
    std::vector<char*> array;
    array.reserve(strings.size() + 1);
    for (const std::string& string : strings) array.push_back(const_cast<char*>(string.c_str()));
    array.push_back(nullptr);
    return array;
}

}  // namespace quarry
