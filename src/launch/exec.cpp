#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <optional>
#include <quarry/launch.hpp>

#include "base/subprocess.hpp"
#include "launch/command.hpp"
#include "trace/directory.hpp"
#include "trace/reader.hpp"

namespace quarry {
namespace {

ExecFailure failure_for(int why, const Command& command, const Environment& environment) {
    const std::string& name = command.front();
    const auto path = find_program(name, environment);
    if (!path && why == ENOENT)
        return {127, fmt::format("{}: command not found. Check the spelling and your PATH, or give "
                                 "the path of the program.",
                                 name)};
    if (why == ENOENT)
        return {126, fmt::format("{} cannot be executed: the interpreter or loader that it names "
                                 "in its first line or header does not exist.",
                                 path.value_or(name))};
    return {why == ENOTDIR ? 127 : 126,
            fmt::format("{} cannot be executed: {}.{}", path.value_or(name), std::strerror(why),
                        why == EACCES ? " If it is a program, `chmod +x` it; a script can be given "
                                        "to its interpreter instead."
                                      : "")};
}

// Those by which others ask a program to do something; the terminal's own reach it anyway.
constexpr std::array kPassedOn{SIGHUP, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM, SIGCONT, SIGWINCH};
constexpr std::array kFromTerminal{SIGINT, SIGQUIT};

std::atomic<pid_t> child{0};

void pass_on(int signal) {
    const int before = errno;
    if (child > 0) kill(child, signal);
    errno = before;
}

// What a key sends reaches the program by itself; what somebody sends to us does not.
void pass_on_if_sent(int signal, siginfo_t* origin, void*) {
    if (origin->si_code <= 0) pass_on(signal);
}

// While it lives, signals meant for the program go to it and do not end us.
class SignalsToChild {
public:
    SignalsToChild() {
        struct sigaction action{};
        action.sa_flags = SA_RESTART;
        action.sa_handler = pass_on;
        for (size_t i = 0; i < kPassedOn.size(); ++i) sigaction(kPassedOn[i], &action, &passed_[i]);
        action.sa_flags = SA_RESTART | SA_SIGINFO;
        action.sa_sigaction = pass_on_if_sent;
        for (size_t i = 0; i < kFromTerminal.size(); ++i)
            sigaction(kFromTerminal[i], &action, &terminal_[i]);
    }
    ~SignalsToChild() { restore(); }
    SignalsToChild(const SignalsToChild&) = delete;
    SignalsToChild& operator=(const SignalsToChild&) = delete;

    // Also in the child, which begins with what we were given.
    void restore() const {
        for (size_t i = 0; i < kPassedOn.size(); ++i) sigaction(kPassedOn[i], &passed_[i], nullptr);
        for (size_t i = 0; i < kFromTerminal.size(); ++i)
            sigaction(kFromTerminal[i], &terminal_[i], nullptr);
    }

private:
    std::array<struct sigaction, kPassedOn.size()> passed_{};
    std::array<struct sigaction, kFromTerminal.size()> terminal_{};
};

// While it lives, signals wait: one that comes before we know our child would be lost.
class SignalsWait {
public:
    SignalsWait() {
        sigset_t all;
        sigfillset(&all);
        sigprocmask(SIG_SETMASK, &all, &before_);
    }
    ~SignalsWait() { end(); }
    SignalsWait(const SignalsWait&) = delete;
    SignalsWait& operator=(const SignalsWait&) = delete;

    void end() const { sigprocmask(SIG_SETMASK, &before_, nullptr); }

private:
    sigset_t before_{};
};

// Looks where the program's own PATH leads, not ours. Returns only if that fails, with errno.
void execute(const std::vector<char*>& arguments, std::vector<char*> variables) {
    char** const own = environ;
    environ = variables.data();
    execvp(arguments[0], arguments.data());
    environ = own;
}

constexpr int kNotReady = 125;  // as `env` and `timeout` have it

// What a child that has not become the program says: an errno, and what else there is to say.
void tell(int pipe, int why, const std::string& message) {
    (void)!write(pipe, &why, sizeof why);
    (void)!write(pipe, message.data(), message.size());
}

// Nothing, if it has become the program.
std::optional<std::pair<int, std::string>> heard(int pipe) {
    int why = 0;
    if (read(pipe, &why, sizeof why) != sizeof why) return std::nullopt;
    std::string message;
    std::array<char, 512> part{};
    for (ssize_t got = 0; (got = read(pipe, part.data(), part.size())) > 0;)
        message.append(part.data(), static_cast<size_t>(got));
    return std::pair(why, message);
}

int wait_for(pid_t process) {
    int status = 0;
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) continue;
    return status;
}

}  // namespace

ExecFailure become(const Command& command, const Environment& environment) {
    const std::vector<char*> arguments = exec_array(command);
    const std::vector<std::string> entries = environment.entries();
    const std::vector<char*> variables = exec_array(entries);
    execute(arguments, variables);
    return failure_for(errno, command, environment);
}

ProgramEnd run_to_its_end(const Command& command, const Environment& environment,
                          const std::function<Result<bool>()>& before) {
    const std::vector<char*> arguments = exec_array(command);
    const std::vector<std::string> entries = environment.entries();
    const std::vector<char*> variables = exec_array(entries);
    std::array<int, 2> news{};
    if (pipe2(news.data(), O_CLOEXEC) != 0) return {0, 0, failure_for(errno, command, environment)};

    const SignalsToChild signals;
    const pid_t parent = getpid();
    std::optional<SignalsWait> waiting(std::in_place);
    const pid_t started = fork();
    if (started == 0) {
        signals.restore();
        waiting->end();
        const Result<bool> ready = before ? before() : true;
        // Whoever kills us means the program, which was we before there was anything to record.
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (getppid() != parent) _exit(1);
        if (!ready) {
            tell(news[1], 0, ready.error().message);
            _exit(kNotReady);
        }
        execute(arguments, variables);
        tell(news[1], errno, "");
        _exit(127);
    }
    const int fork_error = errno;
    if (started > 0) child = started;
    waiting.reset();
    close(news[1]);
    const auto failure =
        started < 0 ? std::optional(std::pair(fork_error, std::string())) : heard(news[0]);
    close(news[0]);
    ProgramEnd end;
    if (started > 0) {
        const int status = wait_for(started);
        child = 0;
        end.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
        end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    }
    if (failure && failure->first != 0)
        end.failure = failure_for(failure->first, command, environment);
    else if (failure)
        end.failure = {kNotReady, failure->second};
    return end;
}

void end_like(const ProgramEnd& end) {
    if (end.signal != 0) {
        // The core, if any, is the program's own.
        prctl(PR_SET_DUMPABLE, 0);
        signal(end.signal, SIG_DFL);
        raise(end.signal);
    }
    _exit(end.exit_code);
}

bool prepare_trace(const std::string& directory) {
    return trace::make_trace_directory(directory.c_str());
}

bool was_recorded_since(const std::string& trace, uint64_t moment) {
    const auto files = trace::files_of_trace(trace);
    if (!files) {
        rmdir(trace.c_str());
        return false;
    }
    // Their names begin with the time.
    const std::string earliest = fmt::format("{:016x}", moment);
    return std::any_of(files->rbegin(), files->rend(), [&](const std::string& path) {
        if (path.substr(path.rfind('/') + 1) < earliest) return false;
        const auto file = trace::ProcessFile::open(path);
        return file && file->holds(trace::Kind::FileOpened);
    });
}

}  // namespace quarry
