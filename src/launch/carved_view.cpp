#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <quarry/carved.hpp>
#include <set>

#include "base/subprocess.hpp"
#include "base/temporary_directory.hpp"
#include "launch/file_copy.hpp"
#include "launch/mounts.hpp"
#include "launch/place.hpp"
#include "launch/stand_ins.hpp"

namespace quarry {

namespace fs = std::filesystem;

struct CarvedView::Parts {
    struct Binding {
        ServedFile file;
        std::string place;
        std::string own_copy;  // that may be written to
    };

    Parts(std::string directory, StandIns open)
        : carved(std::move(directory)), stand_ins(std::move(open)) {}

    Result<bool> plan(const std::vector<ServedFile>& files, CarvedViewOptions::Means means);
    Result<bool> plan_one(const ServedFile& file, CarvedViewOptions::Means means);
    Result<bool> plan_missing(const ServedFile& file, const Place& place,
                              CarvedViewOptions::Means means);
    void stand_in(const ServedFile& file, const Place& place, StandIn::Kind kind);
    Result<bool> find_mount_point();
    Result<bool> make_own_copies();

    std::string carved;
    StandIns stand_ins;
    std::vector<StandIn> wanted;
    std::set<std::string> taken;  // paths that are planned for
    std::vector<Binding> bindings;
    std::map<std::string, std::vector<std::string>> covers;  // by directory: what is missing there
    std::string mount_point;                                 // of the true files
    std::optional<TemporaryDirectory> own_mount_point;
    std::string originals;
    std::string own_copies;
    std::map<std::string, std::string> places;
    std::vector<std::string> uncovered;
};

namespace {

using Means = CarvedViewOptions::Means;

constexpr const char* kInPlaceInstead =
    " With --in-place the carved files are laid out where their originals were, as long as the "
    "program runs.";

bool can_make_files_in(const std::string& directory) {
    return access(directory.c_str(), W_OK | X_OK) == 0;
}

// Tries, in a process that ends then, what has to work later.
Result<bool> try_mounts(const std::string& mount_point) {
    const auto attempt = [&] {
        const auto own = own_mounts();
        const auto tree = own ? keep_tree(mount_point) : own.error();
        if (!tree) dprintf(STDOUT_FILENO, "%s", tree.error().message.c_str());
        return tree ? 0 : 1;
    };
    const Outcome outcome = run_forked(attempt, std::chrono::seconds(20));
    if (outcome.succeeded()) return true;
    return Error{"The carved files cannot be shown to this program alone. " +
                 (outcome.output.empty() ? "Trying it ended with " + outcome.describe() + "."
                                         : outcome.output) +
                 kInPlaceInstead};
}

Result<bool> make_own_copy(const std::string& source, const std::string& copy) {
    std::error_code failed;
    fs::create_directories(fs::path(copy).parent_path(), failed);
    const int file = open(copy.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    const bool done = file >= 0 && copy_into(source, file);
    const int why = errno;
    if (file >= 0) close(file);
    if (!done)
        return Error{fmt::format("{} cannot be copied to {}, for the program to write to: {}.",
                                 source, copy, std::strerror(why))};
    return true;
}

// With all directories above that are empty then.
void remove_own_copy(fs::path path, const std::string& top) {
    std::error_code failed;
    for (; !failed && path.native().size() >= top.size(); path = path.parent_path())
        fs::remove(path, failed);
}

}  // namespace

Result<bool> CarvedView::Parts::plan(const std::vector<ServedFile>& files, Means means) {
    for (const ServedFile& file : files)
        if (const auto planned = plan_one(file, means); !planned) return planned;
    return true;
}

Result<bool> CarvedView::Parts::plan_one(const ServedFile& file, Means means) {
    if (access(file.copy.c_str(), R_OK) != 0)
        return Error{fmt::format("{}, the carved file for {}, cannot be read: {}. Carve again.",
                                 file.copy, file.original, std::strerror(errno))};
    const auto place = place_of(file.original);
    if (!place) return place.error();
    places[file.original] = place->path;
    // Different paths may lead to one file.
    if (!taken.insert(place->path).second) return true;
    if (!place->is_there) return plan_missing(file, *place, means);
    const bool is_ours = stand_ins.holds(place->path);
    if (is_placeholder(place->path) && (!is_ours || means == Means::InPlace))
        return Error{fmt::format(
            "{} stands there for another `quarry run --carved`, which has not ended or was "
            "killed. Wait for it, or run something with its carved directory again; else remove "
            "the file, which is empty.",
            place->path)};
    if (means == Means::InPlace && !is_ours) uncovered.push_back(file.original);
    bindings.push_back({file, place->path, ""});
    return true;
}

Result<bool> CarvedView::Parts::plan_missing(const ServedFile& file, const Place& place,
                                             Means means) {
    const bool can_be_made = can_make_files_in(place.ancestor);
    if (means == Means::InPlace && !can_be_made)
        return Error{
            fmt::format("Nothing can be laid in the place of {}: you may not make files "
                        "in {}. Have the directory made, or ask for user namespaces.",
                        file.original, place.ancestor)};
    if (can_be_made)
        stand_in(file, place,
                 means == Means::InPlace ? StandIn::Kind::Copy : StandIn::Kind::Placeholder);
    else
        covers[place.ancestor].push_back(place.path);
    bindings.push_back({file, place.path, ""});
    return true;
}

void CarvedView::Parts::stand_in(const ServedFile& file, const Place& place, StandIn::Kind kind) {
    fs::path directory = place.ancestor;
    const fs::path below = fs::path(place.path).lexically_relative(directory);
    for (const fs::path& name : below.parent_path()) {
        directory /= name;
        if (taken.insert(directory).second) wanted.push_back({StandIn::Kind::Directory, directory});
    }
    StandIn one{kind, place.path};
    struct stat status{};
    if (kind == StandIn::Kind::Copy && stat(file.copy.c_str(), &status) == 0) {
        one.source = file.copy;
        one.size = status.st_size;
        one.modified = status.st_mtim;
    }
    wanted.push_back(one);
}

Result<bool> CarvedView::Parts::find_mount_point() {
    mount_point = carved + "/originals";
    if (mkdir(mount_point.c_str(), 0755) != 0 && errno != EEXIST) {
        auto own = TemporaryDirectory::create();
        if (!own) return own.error();
        mount_point = own->path();
        own_mount_point.emplace(std::move(*own));
    }
    originals = mount_point + "/tree";
    return true;
}

Result<bool> CarvedView::Parts::make_own_copies() {
    own_copies = carved + ".written-XXXXXX";
    if (mkdtemp(own_copies.data()) == nullptr)
        return Error{
            fmt::format("No directory can be made beside {} for what the program writes: "
                        "{}. Move the carved files to a directory of your own.",
                        carved, std::strerror(errno))};
    for (Binding& binding : bindings) {
        binding.own_copy = own_copies + binding.place;
        if (const auto made = make_own_copy(binding.file.copy, binding.own_copy); !made)
            return made;
    }
    return true;
}

Result<CarvedView> CarvedView::prepare(const CarvedDirectory& carved,
                                       const CarvedViewOptions& options) {
    auto stand_ins = StandIns::open(carved.path);
    if (!stand_ins) return stand_ins.error();
    CarvedView view(std::make_unique<Parts>(carved.path, std::move(*stand_ins)));
    Parts& parts = *view.parts_;
    Result<bool> done = parts.plan(carved.files, options.means);
    if (done && options.means == Means::Namespace) {
        done = parts.find_mount_point();
        if (done) done = try_mounts(parts.mount_point);
        if (done && options.writes == CarvedViewOptions::Writes::Copy)
            done = parts.make_own_copies();
    }
    if (done) done = parts.stand_ins.make(parts.wanted);
    if (done) return view;
    view.clean_up();
    return done.error();
}

CarvedView::CarvedView(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
CarvedView::CarvedView(CarvedView&&) noexcept = default;
CarvedView::~CarvedView() = default;

Result<bool> CarvedView::enter() const {
    if (parts_->mount_point.empty()) return true;
    std::error_code unknown;
    const fs::path here = fs::current_path(unknown);
    if (const auto own = own_mounts(); !own) return own;
    if (const auto kept = keep_tree(parts_->mount_point); !kept) return kept.error();
    for (const auto& [directory, files] : parts_->covers)
        if (const auto covered = cover(directory, files, parts_->carved); !covered) return covered;
    for (const auto& binding : parts_->bindings) {
        const bool is_own = !binding.own_copy.empty();
        const auto shown = show(is_own ? binding.own_copy : binding.file.copy, binding.place,
                                is_own ? Access::ReadWrite : Access::ReadOnly);
        if (!shown) return shown;
    }
    // The same directory may be another one now.
    if (!unknown) fs::current_path(here, unknown);
    return true;
}

std::map<std::string, std::string> CarvedView::clean_up() {
    std::map<std::string, std::string> changed;
    for (const Parts::Binding& binding : parts_->bindings) {
        if (binding.own_copy.empty()) continue;
        if (is_still_copy(binding.own_copy, binding.file.copy))
            remove_own_copy(binding.own_copy, parts_->own_copies);
        else
            changed[binding.file.original] = binding.own_copy;
    }
    for (const std::string& path : parts_->stand_ins.finish()) changed[path] = path;
    return changed;
}

const std::string& CarvedView::originals() const {
    return parts_->originals;
}

const std::map<std::string, std::string>& CarvedView::places() const {
    return parts_->places;
}

const std::vector<std::string>& CarvedView::uncovered() const {
    return parts_->uncovered;
}

}  // namespace quarry
