#include "launch/wrappers.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "base/text.hpp"
#include "launch/compose.hpp"

namespace quarry {
namespace {

enum class Clears { Never, Always, If, Unless };

struct Wrapper {
    std::string_view name;
    std::string_view options_with_value;  // those whose value is a word of its own
    int operands;                         // words between its options and the program
    Clears clears;
    std::string_view words;  // for If and Unless: the options that decide
    std::string_view how;    // what it does with the environment
};

constexpr int kUnknown = -1;  // operands: the program cannot be told, or runs elsewhere

constexpr std::string_view kEmpties = "clears the environment";
constexpr std::string_view kElsewhere =
    "starts it on another machine, where the environment is another";
constexpr std::string_view kContainer =
    "starts it in a container, which has an environment of its own";

constexpr std::array kWrappers = {
    Wrapper{"nice", "-n --adjustment", 0, Clears::Never, "", ""},
    Wrapper{"nohup", "", 0, Clears::Never, "", ""},
    Wrapper{"setsid", "", 0, Clears::Never, "", ""},
    Wrapper{"time", "-f --format -o --output", 0, Clears::Never, "", ""},
    Wrapper{"timeout", "-k --kill-after -s --signal", 1, Clears::Never, "", ""},
    Wrapper{"stdbuf", "-i --input -o --output -e --error", 0, Clears::Never, "", ""},
    Wrapper{"ionice", "-c --class -n --classdata", 0, Clears::Never, "", ""},
    Wrapper{"taskset", "", 1, Clears::Never, "", ""},
    Wrapper{"numactl", "-N --cpunodebind -m --membind -C --physcpubind -i --interleave", 0,
            Clears::Never, "", ""},
    Wrapper{"strace", "-e -o -p -s -u -E", 0, Clears::Never, "", ""},
    Wrapper{"valgrind", "", 0, Clears::Never, "", ""},
    Wrapper{"mpirun", "-n -np -c -N -H --host -hostfile --hostfile -machinefile -x -wdir", 0,
            Clears::Never, "", ""},
    Wrapper{"mpiexec", "-n -np -c -N -H --host -hostfile --hostfile -machinefile -x -wdir", 0,
            Clears::Never, "", ""},
    Wrapper{
        "srun",
        "--export -n --ntasks -N --nodes -c --cpus-per-task -p --partition -t --time -A --account",
        0, Clears::If, "--export=NONE --export=NIL", kEmpties},
    Wrapper{"sbatch", "", kUnknown, Clears::If, "--export=NONE --export=NIL", kEmpties},
    Wrapper{"qsub", "", kUnknown, Clears::Unless, "-V", kEmpties},
    Wrapper{"sudo", "-u --user -g --group -h --host -p --prompt -C -D --chdir -R --chroot -T -U", 0,
            Clears::Unless, "-E --preserve-env", kEmpties},
    Wrapper{"doas", "-u -C", 0, Clears::Always, "", kEmpties},
    Wrapper{"pkexec", "--user", 0, Clears::Always, "", kEmpties},
    Wrapper{"su", "", kUnknown, Clears::If, "- -l --login", kEmpties},
    Wrapper{"runuser", "", kUnknown, Clears::If, "- -l --login", kEmpties},
    Wrapper{"ssh", "", kUnknown, Clears::Always, "", kElsewhere},
    Wrapper{"docker", "", kUnknown, Clears::Always, "", kContainer},
    Wrapper{"podman", "", kUnknown, Clears::Always, "", kContainer},
    Wrapper{"apptainer", "", kUnknown, Clears::If, "-e --cleanenv -C --containall", kContainer},
    Wrapper{"singularity", "", kUnknown, Clears::If, "-e --cleanenv -C --containall", kContainer},
    Wrapper{"bwrap", "", kUnknown, Clears::If, "--clearenv", kEmpties},
    Wrapper{"systemd-run", "", kUnknown, Clears::Unless, "--scope",
            "has the service manager start it, with an environment of its own"},
};

using Words = std::span<const std::string>;

bool is_one_of(std::string_view word, std::string_view list) {
    const auto items = split(list, " ");
    return std::find(items.begin(), items.end(), word) != items.end();
}

// The wrapper's own words: up to the program that it starts.
size_t own_words(Words words, const Wrapper& wrapper) {
    if (wrapper.operands == kUnknown) return words.size();
    size_t next = 1;
    while (next < words.size() && words[next].starts_with('-')) {
        const bool last = words[next] == "--";
        next += is_one_of(words[next], wrapper.options_with_value) ? 2 : 1;
        if (last) break;
    }
    return std::min(next + static_cast<size_t>(wrapper.operands), words.size());
}

bool clears(Words own, const Wrapper& wrapper) {
    // Slurm also takes `--export NONE` in two words.
    std::string joined;
    for (const std::string& word : own) joined += (word == "--export" ? word + "=" : word + " ");
    const auto items = split(joined, " ");
    const bool said = std::any_of(items.begin(), items.end(), [&](const std::string& item) {
        return is_one_of(item, wrapper.words) || item.starts_with("--preserve-env=HDF5_");
    });
    switch (wrapper.clears) {
        case Clears::Never:
            return false;
        case Clears::Always:
            return true;
        case Clears::If:
            return said;
        case Clears::Unless:
            return !said;
    }
    return false;
}

bool hides_connector(std::string_view variable) {
    return variable == kConnectorVariable || variable == kPluginPathVariable;
}

// `env [-i] [-u NAME] [NAME=value]… program`
Unwrapped unwrap_env(Words words) {
    Unwrapped result;
    size_t next = 1;
    for (; next < words.size(); ++next) {
        const std::string& word = words[next];
        if (is_one_of(word, "-i - --ignore-environment")) {
            result.cleared_by = "env " + word + " clears the environment";
        } else if (is_one_of(word, "-u --unset -C --chdir") && next + 1 < words.size()) {
            if (hides_connector(words[++next]))
                result.cleared_by = "env removes " + words[next] + " from the environment";
        } else if (const size_t equals = word.find('='); equals != word.npos && word[0] != '-') {
            if (hides_connector(word.substr(0, equals)))
                result.cleared_by = "env sets " + word.substr(0, equals) + " anew";
        } else if (is_one_of(word, "-S --split-string")) {
            continue;
        } else if (!word.starts_with('-')) {
            break;
        }
    }
    result.command.assign(words.begin() + static_cast<ptrdiff_t>(next), words.end());
    return result;
}

}  // namespace

Unwrapped unwrap(Command command) {
    Unwrapped result{std::move(command), {}};
    while (!result.command.empty()) {
        const std::string name = base_name(result.command.front());
        if (name == "env") {
            Unwrapped inner = unwrap_env(result.command);
            if (!inner.cleared_by.empty()) result.cleared_by = inner.cleared_by;
            result.command = std::move(inner.command);
            continue;
        }
        const auto wrapper = std::find_if(kWrappers.begin(), kWrappers.end(),
                                          [&](const Wrapper& w) { return w.name == name; });
        if (wrapper == kWrappers.end()) break;
        const size_t own = own_words(result.command, *wrapper);
        if (clears(Words(result.command).first(own), *wrapper))
            result.cleared_by = name + " " + std::string(wrapper->how);
        result.command.erase(result.command.begin(),
                             result.command.begin() + static_cast<ptrdiff_t>(own));
    }
    return result;
}

}  // namespace quarry
