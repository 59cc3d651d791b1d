// Starting a program under the connector: what `quarry run` and `quarry env` do.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <quarry/result.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace quarry {

// A program and its arguments, as typed.
using Command = std::vector<std::string>;

// The variables of a process, as a value.
class Environment {
public:
    static Environment of_process();
    static Environment of(std::map<std::string, std::string> variables) {
        Environment environment;
        environment.variables_ = std::move(variables);
        return environment;
    }

    std::optional<std::string> get(const std::string& name) const;
    void set(const std::string& name, std::string value) { variables_[name] = std::move(value); }
    void unset(const std::string& name) { variables_.erase(name); }

    // "NAME=value", as exec wants them.
    std::vector<std::string> entries() const;

private:
    std::map<std::string, std::string> variables_;
};

// One variable to set or, without a value, to remove.
struct EnvironmentChange {
    std::string name;
    std::optional<std::string> value;

    bool operator==(const EnvironmentChange&) const = default;
};

Environment with_changes(Environment environment, const std::vector<EnvironmentChange>& changes);

// How the connector serves carved files.
struct ServingOptions {
    std::string carved;     // their directory; empty: none are served
    std::string originals;  // below which the true files are, where others stand in their places
    std::string places;     // file that tells which of them are shown elsewhere
    std::vector<std::string> moved;  // each "OLD=NEW": where originals are now
    std::string fetched;             // file to note in what was read from originals
    bool fetch = true;               // read from originals what is missing
    bool is_paranoid = false;        // only after looking at all bytes of an original
};

// What is not said here stays as an outer `quarry run` has set it.
struct LaunchOptions {
    std::optional<bool> bytes;  // the byte layer (file driver); on unless said otherwise
    std::string under;          // another connector to stand on: "NAME" or "NAME its options"
    std::string witness;        // directory in which each process leaves proof of the connector

    enum class Recording { AsBefore, Off, On };
    Recording recording = Recording::AsBefore;
    std::string trace;      // directory to record into; empty: an outer one, or ./quarry-trace
    std::string level;      // objects, accesses or io, which is the default
    uint64_t max_size = 0;  // of the whole trace, in bytes; 0 for no limit
    std::string listener;   // of a LossListener
    bool files = true;      // files other than HDF5 are recorded, too
    std::string task;       // name of this step; empty: a workflow manager's, or the command
    ServingOptions serving;
};

struct Plugin {
    std::string path;     // where it is, or where it should be
    std::string problem;  // why it cannot be used; empty if it can

    bool usable() const { return problem.empty(); }
    std::string directory() const { return path.substr(0, path.rfind('/')); }
};

// Beside the running program, in ../lib/quarry; loaded once, in a child, to see that it loads.
Plugin find_plugin();

struct LaunchPlan {
    enum class Route {
        Connector,  // the program runs under the connector
        Aside,  // it would not work, or see nothing: the program runs as if Quarry were not there
    };

    Route route = Route::Connector;
    std::vector<EnvironmentChange> changes;
    std::string trace;  // where it is recorded, as an absolute path; empty: nowhere
    // Why Quarry sees nothing, or not everything, of this program: whole sentences.
    std::vector<std::string> reasons;
};

// Looks at the program, without running it, and decides. Takes milliseconds.
Result<LaunchPlan> plan_launch(const Command& command, const Environment& environment,
                               const LaunchOptions& options, const Plugin& plugin);

// The same for whatever a batch script starts later.
Result<LaunchPlan> plan_environment(const Environment& environment, const LaunchOptions& options,
                                    const Plugin& plugin);

struct ExecFailure {
    int exit_code = 0;  // 127 not found, 126 cannot be executed, as shells have it; 125: our fault
    std::string message;
};

// Becomes the program: same process, terminal and signals. Returns only on failure.
ExecFailure become(const Command& command, const Environment& environment);

struct ProgramEnd {
    int exit_code = 0;
    int signal = 0;                      // that ended it; 0 if it ended by itself
    std::optional<ExecFailure> failure;  // it was not started at all
};

// Runs the program as a child that gets all signals meant for us, and waits for its end. `before`
// is done in the child, which does not become the program if that fails.
ProgramEnd run_to_its_end(const Command& command, const Environment& environment,
                          const std::function<Result<bool>()>& before = {});

// Hears of processes that can record nothing, and leave no word of that in the trace: those of
// other users, who may not write there.
class LossListener {
public:
    LossListener();
    ~LossListener();
    LossListener(const LossListener&) = delete;
    LossListener& operator=(const LossListener&) = delete;

    // What the processes are to be told; empty if it cannot hear.
    const std::string& name() const { return name_; }
    bool has_heard() const;

private:
    int socket_ = -1;
    std::string name_;
};

// That the trace lacks something is from now on to be seen in it.
void mark_loss(const std::string& trace);

// Ends this process in the way the program has ended.
[[noreturn]] void end_like(const ProgramEnd& end);

// Makes the directory of a trace, if need be: where it is missing later, it has been removed.
bool prepare_trace(const std::string& directory);

// Whether any process has opened an HDF5 file in the trace since `moment`, in nanoseconds since
// 1970. A directory that has stayed empty is removed.
bool was_recorded_since(const std::string& trace, uint64_t moment);

enum class Shell { Posix, C, Fish };

// Commands that make `changes` in a shell, safe to `eval` whatever the values hold.
std::string shell_commands(const std::vector<EnvironmentChange>& changes, Shell shell);

}  // namespace quarry
