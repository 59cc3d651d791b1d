#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <quarry/carved.hpp>
#include <quarry/launch.hpp>
#include <quarry/pack.hpp>
#include <quarry/verify.hpp>
#include <set>

#include "base/sha256.hpp"
#include "base/subprocess.hpp"
#include "base/whole_path.hpp"
#include "pack/commands.hpp"
#include "pack/earlier_files.hpp"
#include "pack/manifest.hpp"

namespace quarry {
namespace {

using namespace pack_files;
namespace fs = std::filesystem;
using Verdict = RepeatedOutput::Verdict;

bool is_there(const std::string& path) {
    std::error_code failed;
    return fs::exists(path, failed);
}

bool is_below(const std::string& path, const std::string& folder) {
    return path.starts_with(folder + "/");
}

// Directories that a run needs and that this machine does not have: some in the unpacked one stand
// in for them, so that what is made in them stays.
class Folders {
public:
    explicit Folders(const std::string& directory) : directory_(directory + "/" + kMadeAgain) {}

    // Those that are not here either, or lead nowhere.
    void add_links(const std::vector<PackedLink>& links) {
        for (const PackedLink& link : links)
            if (!is_there(link.path)) links_.push_back(link);
    }

    // In the order of their paths: what is in another one comes after it.
    void add_all(const std::vector<std::string>& folders) {
        std::set<std::string> followed;
        for (const std::string& folder : folders) followed.insert(behind_links(folder));
        for (const std::string& folder : followed) add(folder);
    }

    // As the run is to see them; some are in directories.
    std::vector<CarvedWay> links_elsewhere() const {
        std::vector<CarvedWay> ways;
        for (const PackedLink& link : links_)
            if (const std::string place = place_of(link); source_at(place) == place)
                ways.push_back({place, link.leads_to});
        return ways;
    }

    // Where a file is, as seen from outside.
    std::string source_of(const std::string& path) const { return source_at(behind_links(path)); }

    Result<bool> make(const std::vector<std::string>& wanted,
                      const std::vector<ServedFile>& files) {
        for (const std::string& folder : wanted)
            if (const auto source = source_of(folder + "/"); source != folder + "/")
                if (auto made = make_directory(source); !made) return made;
        for (const PackedLink& link : links_)
            if (auto made = make_link(link); !made) return made;
        for (const ServedFile& file : files)
            if (auto made = make_placeholder(file.original); !made) return made;
        return true;
    }

    // What files were mounted over.
    void tidy_up() const {
        for (const std::string& path : placeholders_) unlink(path.c_str());
    }

    const std::vector<ServedFile>& all() const { return all_; }

private:
    void add(const std::string& folder) {
        if ((!is_there(folder) || is_left_by_killed_run(folder)) &&
            source_at(folder + "/") == folder + "/")
            all_.push_back({folder, directory_ + folder});
    }

    std::string source_at(const std::string& path) const {
        for (const ServedFile& folder : all_)
            if (is_below(path, folder.original)) return directory_ + path;
        return path;
    }

    // Links may lead to others, though not for ever.
    std::string behind_links(std::string path) const {
        for (size_t left = links_.size(); left > 0; --left)
            for (const PackedLink& link : links_)
                if (path == link.path || is_below(path, link.path))
                    path = link.leads_to + path.substr(link.path.size());
        return path;
    }

    std::string place_of(const PackedLink& link) const {
        const fs::path path(link.path);
        return fs::path(behind_links(path.parent_path())) / path.filename();
    }

    Result<bool> make_link(const PackedLink& link) const {
        const std::string place = place_of(link), source = source_at(place);
        if (source == place) return true;
        if (auto made = make_directory(fs::path(source).parent_path()); !made) return made;
        if (symlink(link.leads_to.c_str(), source.c_str()) != 0 && errno != EEXIST)
            return cannot_make(source, std::strerror(errno));
        return true;
    }

    Result<bool> make_placeholder(const std::string& original) {
        const std::string source = source_of(original);
        if (source == original) return true;
        if (auto made = make_directory(fs::path(source).parent_path()); !made) return made;
        const bool is_made = mknod(source.c_str(), S_IFREG | 0444, 0) == 0;
        if (!is_made && errno != EEXIST) return cannot_make(source, std::strerror(errno));
        if (is_made) placeholders_.push_back(source);
        return true;
    }

    static Error cannot_make(const std::string& path, const std::string& why) {
        return {path + " cannot be made: " + why + "."};
    }
    static Result<bool> make_directory(const std::string& path) {
        std::error_code failed;
        fs::create_directories(path, failed);
        if (failed) return cannot_make(path, failed.message());
        return true;
    }

    std::string directory_;
    std::vector<PackedLink> links_;
    std::vector<ServedFile> all_;
    std::vector<std::string> placeholders_;
};

// Somebody may have wanted all of it to end. Shells tell by numbers above 128 of signals that ended
// what they had started.
bool was_stopped(const ProgramEnd& end) {
    return end.failure || end.signal != 0 || end.exit_code > 128;
}

std::string complaint_about(const ProgramEnd& end) {
    if (end.failure) return " did not run. " + end.failure->message;
    if (end.signal != 0) return fmt::format(" was ended by signal {}.", end.signal);
    if (end.exit_code == 0) return "";
    return fmt::format(
        " ended with exit code {}. Whether it did so when it was recorded is not known.",
        end.exit_code);
}

void put_in_front(std::vector<std::string> places, const std::string& variable,
                  Environment& environment) {
    if (places.empty()) return;
    const std::string own = environment.get(variable).value_or("");
    if (!own.empty()) places.push_back(own);
    environment.set(variable, fmt::format("{}", fmt::join(places, ":")));
}

Environment environment_for(const PackedCommand& command, const Pack& pack) {
    Environment environment = Environment::of_process();
    put_in_front(pack.python_path, "PYTHONPATH", environment);
    put_in_front(program_folders(command, pack), "PATH", environment);
    return environment;
}

Result<bool> enter(const CarvedView& view, const std::string& directory) {
    if (auto entered = view.enter(); !entered) return entered;
    if (chdir(directory.c_str()) != 0)
        return Error{directory + " cannot be entered: " + std::strerror(errno) + "."};
    return true;
}

RepeatedOutput compared(const PackedOutput& output, const std::string& now,
                        const EarlierFiles& earlier, const std::string& directory) {
    if (!output.problem.empty()) return {now, Verdict::NotCompared, output.problem};
    if (!is_there(now)) return {now, Verdict::Missing, "it was not made"};
    if (earlier.are_back_at(now))
        return {now, Verdict::Missing, "it was not made: it is the file that was there before"};
    const auto sum = sha256_of_file(now);
    if (!sum) return {now, Verdict::Differs, sum.error().message};
    if (*sum == output.sha256) return {now, Verdict::Same, ""};
    if (output.copy.empty()) return {now, Verdict::Differs, "its bytes are others"};
    const auto found = compare_results(directory + "/" + output.copy, now);
    if (!found) return {now, Verdict::Differs, found.error().message};
    if (found->all_differences == 0 && found->hollow + found->partly == 0)
        return {now, Verdict::SameButTimes, "all that HDF5 finds in it is the same but times"};
    if (found->differences.empty()) return {now, Verdict::Differs, "data is missing in it"};
    const std::string more =
        found->all_differences == 1 ? "" : fmt::format(", and {} more", found->all_differences - 1);
    return {now, Verdict::Differs, text_of(found->differences.front()) + more};
}

class Repeating {
public:
    Repeating(const Pack& pack, const RepeatOptions& options, const std::string& directory)
        : pack_(pack), options_(options), directory_(directory), folders_(directory) {}

    Result<Repetition> run() {
        folders_.add_links(pack_.links);
        folders_.add_all(pack_.folders);
        if (const std::string reason = why_not(); !reason.empty()) return Error{reason};
        auto carved = carved_files();
        if (!carved) return carved.error();
        if (auto made = folders_.make(pack_.folders, carved->files); !made) return made.error();
        const InterruptGuard guard;  // while earlier results are not where they were
        EarlierFiles earlier;
        if (auto moved = move_away(earlier); !moved) return moved.error();
        CarvedViewOptions viewing;
        if (pack_.opens_for_writing) viewing.writes = CarvedViewOptions::Writes::Copy;
        auto view = CarvedView::prepare(*carved, viewing);
        if (!view) return view.error();
        Repetition result;
        result.problem = run_all(*view, carved->path);
        view->clean_up();
        folders_.tidy_up();
        earlier.settle();
        if (InterruptGuard::signal() != 0)
            return Error{"Interrupted. Results that were there are there again."};
        for (const PackedOutput& output : pack_.outputs)
            result.outputs.push_back(
                compared(output, folders_.source_of(output.path), earlier, directory_));
        return result;
    }

private:
    std::string why_not() const {
        if (const std::string reason = missing_origin(pack_); !reason.empty()) return reason;
        if (!pack_.commands.empty() &&
            std::none_of(pack_.commands.begin(), pack_.commands.end(),
                         [](const PackedCommand& command) { return command.is_top_level; }))
            return "Which of its commands has started the others is not recorded. Record the run "
                   "again, and pack that.";
        for (const PackedCommand& command : pack_.commands) {
            if (!command.is_top_level) continue;
            if (lacks_secret(command))
                return "A secret on its command line was not recorded, so it cannot be run "
                       "again: " +
                       text_of(command);
            if (command.rank > 0)
                return "It was one of several processes of MPI, which must be started by hand: " +
                       text_of(command);
        }
        for (const PackedOutput& output : pack_.outputs)
            if (!options_.overwrites && is_there(output.path))
                return output.path +
                       " is there, and would be written over. Move it away, or say --overwrite.";
        return "";
    }

    // What the run has found there is not moved: it begins with that.
    Result<bool> move_away(EarlierFiles& earlier) const {
        for (const PackedOutput& output : pack_.outputs)
            if (output.problem.empty())
                if (auto moved = earlier.move_away(output.path); !moved) return moved;
        return true;
    }

    Result<CarvedDirectory> carved_files() const {
        auto carved = open_carved(directory_ + "/" + kCarved);
        if (!carved) return carved;
        for (const PackedProgram& program : pack_.programs)
            carved->files.push_back({program.original, directory_ + "/" + program.copy});
        carved->folders = folders_.all();
        for (CarvedWay& way : folders_.links_elsewhere()) carved->ways.push_back(std::move(way));
        return carved;
    }

    // What went wrong; empty if nothing did.
    std::string run_all(const CarvedView& view, const std::string& carved) const {
        const Plugin plugin = find_plugin();
        LaunchOptions launch;
        launch.recording = LaunchOptions::Recording::Off;
        launch.serving.carved = carved;
        launch.serving.originals = view.originals();
        launch.serving.places = view.places();
        // What is not in the archive is not to come from elsewhere.
        launch.serving.fetch = false;
        std::vector<std::string> complaints;
        for (const PackedCommand& command : pack_.commands) {
            if (!command.is_top_level) continue;
            if (InterruptGuard::signal() != 0) break;
            if (options_.announce) options_.announce(command);
            const Environment environment = environment_for(command, pack_);
            const auto plan = plan_launch(command.command, environment, launch, plugin);
            if (!plan) return plan.error().message;
            const ProgramEnd end =
                run_to_its_end(command.command, with_changes(environment, plan->changes), [&] {
                    if (options_.prints_to_errors) dup2(STDERR_FILENO, STDOUT_FILENO);
                    return enter(view, command.directory);
                });
            const std::string complaint = complaint_about(end);
            if (complaint.empty()) continue;
            complaints.push_back(text_of(command) + complaint);
            if (was_stopped(end)) break;
        }
        return fmt::format("{}", fmt::join(complaints, " "));
    }

    const Pack& pack_;
    const RepeatOptions& options_;
    std::string directory_;
    Folders folders_;
};

}  // namespace

bool Repetition::compares_nothing() const {
    return !outputs.empty() &&
           std::all_of(outputs.begin(), outputs.end(), [](const RepeatedOutput& output) {
               return output.verdict == Verdict::NotCompared;
           });
}

bool Repetition::is_same() const {
    return problem.empty() && !compares_nothing() &&
           std::none_of(outputs.begin(), outputs.end(), [](const RepeatedOutput& output) {
               return output.verdict == Verdict::Differs || output.verdict == Verdict::Missing;
           });
}

Result<Repetition> repeat(const Pack& pack, const RepeatOptions& options) {
    const auto directory = whole_path(options.directory);
    if (!directory) return directory.error();
    return Repeating(pack, options, *directory).run();
}

}  // namespace quarry
