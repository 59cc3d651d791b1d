#include "carved_run.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <quarry/path_map.hpp>
#include <set>
#include <thread>

#include "option_values.hpp"
#include "terminal.hpp"

namespace quarry::cli {
namespace {

namespace fs = std::filesystem;

std::string absolute(const std::string& directory) {
    std::error_code failed;  // where the working directory is gone: then nothing is found there
    const std::string path = std::filesystem::absolute(directory, failed).lexically_normal();
    return path.ends_with('/') ? path.substr(0, path.size() - 1) : path;
}

Result<std::string> new_log() {
    const char* folder = std::getenv("TMPDIR");
    // The program may work elsewhere.
    std::string path =
        absolute(folder != nullptr && *folder != 0 ? folder : "/tmp") + "/quarry-fetched-XXXXXX";
    const int file = mkstemp(path.data());
    if (file < 0)
        return Error{fmt::format("{} cannot be made: {}. Set TMPDIR to a directory of your own.",
                                 path, std::strerror(errno))};
    close(file);
    return path;
}

bool is_map(const std::string& missing) {
    return missing.find('=') != std::string::npos;
}

std::string why_no_way(const std::string& missing) {
    if (missing == "error" || missing == "original") return "";
    if (!is_map(missing)) return "must be `error`, `original`, or OLD=NEW, where originals are now";
    const size_t equals = equals_in_map(missing);
    if (equals > 0 && equals + 1 < missing.size()) return "";
    return fmt::format("`{}` lacks a directory: where originals were, or where they are now",
                       missing);
}

// As many as a reader takes in.
template <typename Names>
std::string first_of(const Names& names) {
    constexpr size_t kMost = 10;
    std::string text;
    size_t count = 0;
    for (const std::string& name : names)
        if (count++ < kMost) text += (text.empty() ? "" : ", ") + printable(name);
    return count > kMost ? text + fmt::format(" and {} more", count - kMost) : text;
}

// Who has mended an original since wants to know that it is not what the program reads.
void tell_of(const std::set<std::string>& changed) {
    if (!changed.empty())
        say(
            fmt::format("Originals have changed since they were carved; the program sees them as "
                        "they were then: {}. Carve again to have them as they are.",
                        first_of(changed)));
}

}  // namespace

void CarvedRun::declare(CLI::App& app) {
    app.add_option("--carved", directory_,
                   "show the carved files in this directory in the places of their originals")
        ->type_name("DIR")
        ->check(not_empty());
    app.add_option("--missing", missing_,
                   "what becomes of reading what was carved away: an error, or it is read from the "
                   "original, at its path or below NEW where it was below OLD (default: from the "
                   "original, if it is there)")
        ->type_name("error|original|OLD=NEW")
        ->allow_extra_args(false)
        ->check(CLI::Validator(why_no_way, ""))
        ->needs("--carved");
    app.add_flag("--paranoid", is_paranoid_, "look at all bytes of an original before it is used")
        ->needs("--carved");
    app.add_flag("--grow", grows_, "carve again afterwards, with what was read from originals")
        ->needs("--carved");
    app.add_option("--writes", writes_,
                   "what becomes of writing to carved files: refuse it (default), or let it go "
                   "to a copy, which is kept if it was changed")
        ->type_name("HOW")
        ->check(CLI::IsMember({"refuse", "copy"}))
        ->needs("--carved");
    app.add_flag("--in-place", in_place_,
                 "lay carved files out for everybody while the program runs, where originals "
                 "are missing; for machines without user namespaces")
        ->needs("--carved")
        ->excludes("--writes");
}

Result<ServingOptions> CarvedRun::prepare() {
    using Options = CarvedViewOptions;
    auto carved = open_carved(directory_, [&] {
        say(fmt::format("waiting: {} is being carved.", printable(directory_)));
    });
    if (!carved) return carved.error();
    in_use_ = carved->in_use;
    if (is_paranoid_ && !carved->without_checksum.empty())
        return Error{
            fmt::format("--paranoid cannot tell whether data in {} is what it was: no checksum of "
                        "it was taken. Carve again with --checksums, or leave out --paranoid.",
                        first_of(carved->without_checksum))};
    place_ = carved->path;
    if (std::count(place_.begin(), place_.end(), '{') !=
            std::count(place_.begin(), place_.end(), '}') ||
        place_.find_first_of("\r\n") != std::string::npos)
        return Error{printable(place_) +
                     " has a brace or a line break in its path, which HDF5 cannot be told. Move it "
                     "(--carved)."};
    learn_names(*carved);
    if (const auto meant = learn_maps(*carved); !meant) return meant.error();
    if (const auto there = look_for_originals(*carved); !there) return there.error();
    const std::set<std::string> changed = changed_originals(*carved);
    auto view = CarvedView::prepare(
        *carved, {in_place_ ? Options::Means::InPlace : Options::Means::Namespace,
                  writes_ == "copy" ? Options::Writes::Copy : Options::Writes::Refuse});
    if (!view) return view.error();
    view_.emplace(std::move(*view));
    for (const std::string& original : view_->uncovered())
        if (changed.contains(original))
            return Error{
                fmt::format("{} is not the file that was carved, and is in the way of its copy. "
                            "Carve again, or "
                            "move it away.",
                            printable(original))};
    tell_of(changed);
    for (const std::string& copies : left_behind_by_killed_runs(place_))
        say(
            fmt::format("A run was killed before it could tell what was written to carved files. "
                        "If anything was, it is in {}; remove that if nobody needs it.",
                        printable(copies)));
    if (!view_->uncovered().empty())
        say(fmt::format("Where originals are there, only HDF5 is given carved files instead: {}.",
                        first_of(view_->uncovered())));
    auto log = new_log();
    if (!log) return log.error();
    log_ = *log;
    ServingOptions options;
    options.carved = place_;
    options.originals = view_->originals();
    options.places = view_->places();
    options.moved = maps_;
    options.fetched = log_;
    options.fetch = missing_.empty() || missing_.front() != "error";
    options.is_paranoid = is_paranoid_;
    return options;
}

void CarvedRun::learn_names(const CarvedDirectory& carved) {
    std::map<std::string, std::string> originals;  // by copy
    for (const ServedFile& file : carved.files)
        if (file.first_name.empty()) originals[file.copy] = file.original;
    for (const ServedFile& file : carved.files)
        if (!file.first_name.empty()) names_[originals[file.copy]].push_back(file.original);
}

// The program may work elsewhere, and originals are known by their whole paths, without links. A
// directory that is named by a link is the one in which the link led to originals.
std::string CarvedRun::map_of_originals(const std::string& map) const {
    const size_t equals = equals_in_map(map);
    std::string old = absolute(map.substr(0, equals));
    for (const auto& [original, names] : names_) {
        if (original.starts_with(old + "/")) break;
        for (const std::string& name : names) {
            const std::string rest = name.starts_with(old + "/") ? name.substr(old.size()) : "";
            if (!rest.empty() && original.ends_with(rest))
                old = original.substr(0, original.size() - rest.size());
        }
    }
    return old + "=" + absolute(map.substr(equals + 1));
}

// What is mistyped would be found out when the program has run for hours.
Result<bool> CarvedRun::learn_maps(const CarvedDirectory& carved) {
    std::set<std::string> olds;
    for (const std::string& way : missing_) {
        if (!is_map(way) && missing_.size() == 1) return true;
        if (!is_map(way))
            return Error{
                fmt::format("--missing {0} cannot be given beside another --missing: only "
                            "OLD=NEW can be given more than once. Leave out one of them.",
                            way)};
        const std::string map = map_of_originals(way);
        if (const auto meant = check_map(map, carved); !meant) return meant.error();
        const std::string old = map.substr(0, equals_in_map(map));
        if (!olds.insert(old).second)
            return Error{
                fmt::format("--missing names two places for what was below {}. Name the "
                            "directories in it that are elsewhere, each by itself.",
                            printable(old))};
        maps_.push_back(map);
    }
    return true;
}

Result<bool> CarvedRun::check_map(const std::string& map, const CarvedDirectory& carved) const {
    const std::string old = map.substr(0, equals_in_map(map));
    const bool is_meant = std::any_of(
        carved.files.begin(), carved.files.end(),
        [&](const ServedFile& file) { return (file.original + "/").starts_with(old + "/"); });
    if (is_meant) return true;
    return Error{
        fmt::format("No file in {} was carved from below {}, which --missing names. "
                    "`quarry explain {}` lists the originals.",
                    printable(directory_), printable(old), printable(directory_))};
}

// By any of its names: links may lead elsewhere by now, or be gone.
std::string CarvedRun::place_of(const std::string& original) const {
    std::string place = mapped_path(original, maps_);
    const auto names = names_.find(original);
    if (names == names_.end() || access(place.c_str(), F_OK) == 0) return place;
    for (const std::string& name : names->second)
        if (const std::string other = mapped_path(name, maps_); access(other.c_str(), F_OK) == 0)
            return other;
    return place;
}

// Where somebody counts on them, they must be there.
Result<bool> CarvedRun::look_for_originals(const CarvedDirectory& carved) const {
    if (missing_.empty() || missing_.front() == "error") return true;
    for (const ServedFile& file : carved.files) {
        const std::string place = place_of(file.original);
        if (!file.first_name.empty()) continue;
        if (access(place.c_str(), R_OK) == 0) continue;
        return Error{fmt::format(
            "{} cannot be read: {}. Leave out --missing to run without, or name the place of the "
            "originals with --missing OLD=NEW.",
            place, std::strerror(errno))};
    }
    return true;
}

CarvedRun::~CarvedRun() {
    try {
        clean_up();
    } catch (const std::exception& problem) {
        say(problem.what());
    }
}

// Also when the program could not be started.
void CarvedRun::clean_up() {
    if (!view_) return;
    for (const auto& [original, copy] : view_->clean_up())
        say(original == copy ? fmt::format("what was written to {} stays there.", original)
                             : fmt::format("what was written to {} is in {}.", original, copy));
    view_.reset();
    in_use_.reset();
    unlink(log_.c_str());
}

bool CarvedRun::finish() {
    const auto fetched = read_fetched(log_, place_);
    clean_up();
    return tell(fetched);
}

bool CarvedRun::tell(const std::vector<FetchedDataset>& fetched) const {
    if (fetched.empty()) return true;
    std::map<std::string, std::set<std::string>> datasets;
    for (const FetchedDataset& one : fetched) datasets[one.original].insert(one.used.path);
    for (const auto& [original, paths] : datasets)
        say(fmt::format("What had been carved away of {} was read from {}.", first_of(paths),
                        printable(place_of(original))));
    if (grows_) return grow(fetched);
    say("`quarry run --grow` adds it to the carved files.");
    return true;
}

bool CarvedRun::grow(const std::vector<FetchedDataset>& fetched) const {
    ProgressLine line;
    const auto grown = grow_carved(
        place_, fetched, [&](const std::string& original) { return place_of(original); },
        std::max(1u, std::thread::hardware_concurrency()), line.showing("carving again"),
        line.showing("verifying"));
    line.clear();
    if (grown && !*grown) {
        say(fmt::format(
            "What was read from originals was not added to {0}: another program runs "
            "on it. `quarry run --carved {0} --grow -- COMMAND` adds it when none does.",
            printable(place_)));
        return true;
    }
    std::string problem = grown ? "" : grown.error().message;
    for (const FileFate& file : grown ? **grown : std::vector<FileFate>{})
        if (!file.problem.empty()) problem = file.input.path + ": " + file.problem + ".";
    say(problem.empty() ? fmt::format("{} holds it now.", place_)
                        : fmt::format("{} stays as it was: {}", place_, problem));
    return problem.empty();
}

}  // namespace quarry::cli
