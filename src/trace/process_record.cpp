#include "trace/process_record.hpp"

#include <limits.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <new>
#include <string_view>

#include "base/secrets.hpp"

namespace quarry::trace {
namespace {

struct Variable {
    const char* name;
    const char* value;
};

Variable first_set(std::span<const char* const> names) {
    for (const char* name : names) {
        const char* value = std::getenv(name);
        if (value != nullptr && *value != '\0') return {name, value};
    }
    return {nullptr, nullptr};
}

// Set by Open MPI, MPICH and its kin, MVAPICH2, Slurm.
int32_t number_in(std::span<const char* const> names) {
    const Variable found = first_set(names);
    int32_t number = -1;
    if (found.value != nullptr) {
        const std::string_view digits = found.value;
        std::from_chars(digits.data(), digits.data() + digits.size(), number);
    }
    return number;
}

std::vector<std::string> command_line() {
    std::ifstream file("/proc/self/cmdline", std::ios::binary);
    const std::string all((std::istreambuf_iterator<char>(file)), {});
    std::vector<std::string> arguments;
    for (size_t at = 0; at < all.size();) {
        arguments.emplace_back(all.c_str() + at);
        at += arguments.back().size() + 1;
    }
    return arguments;
}

std::string joined(const std::vector<std::string>& arguments, char separator) {
    std::string text;
    for (const std::string& argument : arguments) text += argument + separator;
    return text;
}

std::string link_target(const char* link) {
    std::array<char, PATH_MAX> path;
    const ssize_t size = readlink(link, path.data(), path.size());
    return {path.data(), size > 0 ? static_cast<size_t>(size) : 0};
}

bool is_same_file(const std::string& left, const std::string& right) {
    struct stat one{}, other{};
    return stat(left.c_str(), &one) == 0 && stat(right.c_str(), &other) == 0 &&
           one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

// As it was started: a Python belongs to the environment in which its link lies. Where a script
// was, its first line tells the program, which is the first of the words then.
std::string program_path(const std::vector<std::string>& command, std::string_view directory) {
    const std::string program = link_target("/proc/self/exe");
    const auto* started = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
    std::vector<std::string> names;
    if (started != nullptr) names.emplace_back(started);
    if (!command.empty()) names.push_back(command.front());
    for (const std::string& name : names) {
        if (name.find('/') == std::string::npos || name.starts_with("/proc/") ||
            name.starts_with("/dev/"))
            continue;
        const std::string path = name.starts_with('/') ? name : std::string(directory) + "/" + name;
        if (is_same_file(path, program)) return path;
    }
    return program;
}

// Whether a variable is one that the program was started with. The kernel puts those between these
// two, and who writes over them, as programs do that change their title, has moved them before.
bool is_from_start(const char* entry) {
    const auto address = reinterpret_cast<uintptr_t>(entry);
    return address > getauxval(AT_RANDOM) && address < getauxval(AT_EXECFN);
}

// Tells without searching it whether the task's variable may have changed: programs set one by
// another entry in its place, by one more at the end, or by writing over a value of their own.
class TaskVariable {
public:
    bool is_unchanged() const {
        if (environ != all_ || all_ == nullptr || all_[count_] != nullptr) return false;
        if (count_ > 0 && all_[count_ - 1] != last_) return false;
        if (entry_ == nullptr) return true;
        return all_[place_] == entry_ && (is_fixed_ || std::strcmp(entry_, text_.data()) == 0);
    }

    void look(const char* value) {
        all_ = environ;
        entry_ = last_ = nullptr;
        for (count_ = 0; all_ != nullptr && all_[count_] != nullptr; ++count_) {
            last_ = all_[count_];
            if (value != last_ + kBefore) continue;
            place_ = count_;
            entry_ = last_;
        }
        if (entry_ == nullptr) return;
        // By default a task is called like its command, which may name many files: reading that
        // before every access would take longer than to record it.
        is_fixed_ = is_from_start(entry_);
        if (is_fixed_) return;
        // Too long to be kept, it is looked for each time.
        const size_t size = std::strlen(entry_) + 1;
        if (size > text_.size()) {
            all_ = nullptr;
        } else {
            std::memcpy(text_.data(), entry_, size);
        }
    }

private:
    static constexpr size_t kBefore = std::char_traits<char>::length(kTaskVariable) + 1;

    char** all_ = nullptr;
    size_t count_ = 0;
    const char* last_ = nullptr;
    size_t place_ = 0;
    const char* entry_ = nullptr;
    bool is_fixed_ = false;
    std::array<char, 1024> text_{};
};
thread_local TaskVariable task_variable;

// Where the process was when this was loaded, with `quarry run` before the program began: it may
// have gone elsewhere by the time that something is recorded.
struct FirstDirectory {
    FirstDirectory() noexcept {
        const ssize_t size = readlink("/proc/self/cwd", text.data(), text.size());
        if (size > 0) length = static_cast<size_t>(size);
    }

    std::array<char, PATH_MAX> text;
    size_t length = 0;
};
const FirstDirectory& first_directory() noexcept {
    static const FirstDirectory found;
    return found;
}
[[maybe_unused]] const FirstDirectory& found_when_loaded = first_directory();

void record_task(Writer& writer, TaskSource source, std::string_view name, const char* variable) {
    Task record{};
    record.prefix.flags = static_cast<uint8_t>(source);
    record.time = monotonic_now();
    record.name = writer.text(name);
    record.variable = variable != nullptr ? writer.text(variable) : kNone;
    writer.task_state().running = record;
    writer.append(record);
}

void record_first_task(Writer& writer, const std::vector<std::string>& command) {
    const Variable told = first_set(std::array{kTaskVariable});
    const Variable job = first_set(kWorkflowVariables);
    TaskState& state = writer.task_state();
    state.own = job.value != nullptr ? job.value : joined(command, ' ');
    if (job.value == nullptr && !state.own.empty()) state.own.pop_back();
    if (told.value != nullptr) {
        state.variable = told.value;
        record_task(writer, TaskSource::Option, told.value, told.name);
    } else if (job.value != nullptr) {
        record_task(writer, TaskSource::Environment, state.own, job.name);
    } else {
        record_task(writer, TaskSource::Command, state.own, nullptr);
    }
}

}  // namespace

void record_process(Writer& writer) noexcept {
    try {
        const std::vector<std::string> command = without_secrets(command_line());
        Process record{};
        record.time = monotonic_now();
        record.command = writer.text(joined(command, '\0'));
        const auto& [directory, length] = first_directory();
        record.directory = writer.text({directory.data(), length});
        record.program = writer.text(program_path(command, {directory.data(), length}));
        record.user_id = getuid();
        record.rank = number_in(std::array{"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK",
                                           "MV2_COMM_WORLD_RANK", "SLURM_PROCID"});
        record.ranks = number_in(
            std::array{"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE", "SLURM_NTASKS"});
        const Variable job =
            first_set(std::array{"SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "JOB_ID"});
        record.job = job.value != nullptr ? writer.text(job.value) : kNone;
        writer.append(record);
        record_first_task(writer, command);
    } catch (const std::bad_alloc&) {
        writer.stop_without_memory();
    }
}

void watch_task(Writer& writer) noexcept {
    TaskVariable& variable = task_variable;
    if (variable.is_unchanged()) return;
    const char* value = std::getenv(kTaskVariable);
    variable.look(value);
    const std::string_view now = value != nullptr ? value : "";
    try {
        // Who holds it is recording the same, or was interrupted at that by a signal handler.
        TaskState& state = writer.task_state();
        const std::unique_lock guard(state.mutex, std::try_to_lock);
        if (!guard.owns_lock() || state.variable == now) return;
        state.variable = now;
        record_task(writer, TaskSource::Step, now.empty() ? state.own : state.variable,
                    kTaskVariable);
    } catch (const std::bad_alloc&) {
        writer.stop_without_memory();
    }
}

}  // namespace quarry::trace
