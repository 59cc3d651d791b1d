#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <quarry/carved.hpp>

#include "base/subprocess.hpp"
#include "base/temporary_directory.hpp"
#include "launch/mounts.hpp"
#include "launch/own_copies.hpp"
#include "launch/stand_ins.hpp"
#include "launch/view_plan.hpp"

namespace quarry {

namespace fs = std::filesystem;

struct CarvedView::Parts {
    explicit Parts(StandIns open) : stand_ins(std::move(open)) {}

    Result<bool> find_mount_point(const std::string& carved);
    Result<bool> make_own_copies(const std::string& carved);
    Result<bool> note_places(const std::string& carved);
    Result<bool> cover_all() const;
    Result<bool> mount_all() const;

    StandIns stand_ins;
    ViewPlan plan;
    std::optional<OwnCopies> own_copies;  // where the program may write
    std::string mount_point;              // for the true files; empty without a namespace
    std::optional<TemporaryDirectory> own_mount_point;
    std::string originals;
    std::optional<TemporaryDirectory> notes;
    std::string places;
};

namespace {

Error cannot_be_shown(const std::string& why) {
    return {"The carved files cannot be shown to this program alone. " + why +
            " With --in-place they are laid out where their originals were, as long as the program "
            "runs."};
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
    return cannot_be_shown(outcome.output.empty()
                               ? "Trying it ended with " + outcome.describe() + "."
                               : outcome.output);
}

}  // namespace

Result<bool> CarvedView::Parts::find_mount_point(const std::string& carved) {
    mount_point = carved + "/" + kOriginals;
    if (mkdir(mount_point.c_str(), 0755) != 0 && errno != EEXIST) {
        auto own = TemporaryDirectory::create();
        if (!own) return own.error();
        mount_point = own->path();
        own_mount_point.emplace(std::move(*own));
    }
    originals = tree_below(mount_point);
    return true;
}

Result<bool> CarvedView::Parts::make_own_copies(const std::string& carved) {
    auto made = OwnCopies::make(carved, plan.showings);
    if (!made) return made.error();
    own_copies = std::move(*made);
    return true;
}

Result<bool> CarvedView::Parts::note_places(const std::string& carved) {
    std::string pairs;
    for (const auto& [file, place] : plan.showings) {
        if (file.copy == carved + place || !file.copy.starts_with(carved + "/")) continue;
        (pairs += place) += '\0';
        (pairs += file.copy.substr(carved.size())) += '\0';
    }
    if (pairs.empty()) return true;
    auto made = TemporaryDirectory::create();
    if (!made) return made.error();
    notes.emplace(std::move(*made));
    places = notes->path() + "/places";
    std::ofstream out(places, std::ios::binary);
    if (!(out << pairs).flush())
        return Error{places + " cannot be written: " + std::strerror(errno) +
                     ". Set TMPDIR to another directory."};
    return true;
}

Result<bool> CarvedView::Parts::cover_all() const {
    std::error_code unknown, failed;
    const fs::path here = fs::current_path(unknown);
    for (const auto& [directory, files] : plan.covers)
        if (const auto covered = cover(directory, files, mount_point); !covered) return covered;
    // The same directory may be another one now.
    if (!plan.covers.empty() && !unknown) fs::current_path(here, failed);
    if (failed)
        return Error{here.string() + ", the working directory, cannot be entered again: " +
                     failed.message() + ". Start from another one."};
    return true;
}

Result<bool> CarvedView::Parts::mount_all() const {
    if (const auto own = own_mounts(); !own) return own;
    if (const auto kept = keep_tree(mount_point); !kept) return kept;
    if (const auto covered = cover_all(); !covered) return covered;
    for (const auto& [folder, place] : plan.folders)
        if (const auto shown = show(folder.copy, place, Access::ReadWrite); !shown) return shown;
    for (const auto& [file, place] : plan.showings) {
        const auto shown = own_copies ? show(own_copies->at(place), place, Access::ReadWrite)
                                      : show(file.copy, place, Access::ReadOnly);
        if (!shown) return shown;
    }
    return true;
}

Result<CarvedView> CarvedView::prepare(const CarvedDirectory& carved,
                                       const CarvedViewOptions& options) {
    auto stand_ins = StandIns::open(carved.path);
    if (!stand_ins) return stand_ins.error();
    CarvedView view(std::make_unique<Parts>(std::move(*stand_ins)));
    Parts& parts = *view.parts_;
    auto plan = plan_view(carved, options.means, parts.stand_ins);
    Result<bool> done = plan ? Result<bool>(true) : plan.error();
    if (plan) parts.plan = std::move(*plan);
    if (done) done = parts.note_places(carved.path);
    if (done && options.means == CarvedViewOptions::Means::Namespace) {
        done = parts.find_mount_point(carved.path);
        if (done) done = try_mounts(parts.mount_point);
        if (done && options.writes == CarvedViewOptions::Writes::Copy)
            done = parts.make_own_copies(carved.path);
    }
    if (done) done = parts.stand_ins.make(parts.plan.stand_ins);
    if (done) return view;
    view.clean_up();
    return done.error();
}

CarvedView::CarvedView(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
CarvedView::CarvedView(CarvedView&&) noexcept = default;
CarvedView::~CarvedView() = default;

Result<bool> CarvedView::enter() const {
    if (parts_->mount_point.empty()) return true;
    const auto mounted = parts_->mount_all();
    return mounted ? mounted : cannot_be_shown(mounted.error().message);
}

std::map<std::string, std::string> CarvedView::clean_up() {
    std::map<std::string, std::string> changed;
    if (parts_->own_copies) changed = parts_->own_copies->keep_changed(parts_->plan.showings);
    for (const std::string& path : parts_->stand_ins.finish()) changed[path] = path;
    parts_->own_mount_point.reset();
    parts_->notes.reset();
    return changed;
}

const std::string& CarvedView::originals() const {
    return parts_->originals;
}

const std::string& CarvedView::places() const {
    return parts_->places;
}

const std::vector<std::string>& CarvedView::uncovered() const {
    return parts_->plan.uncovered;
}

}  // namespace quarry
