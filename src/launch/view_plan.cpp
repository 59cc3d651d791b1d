#include "launch/view_plan.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <set>

#include "launch/place.hpp"

namespace quarry {
namespace {

namespace fs = std::filesystem;
using Means = CarvedViewOptions::Means;

StandIn copy_of(const std::string& source, const std::string& path) {
    StandIn copy{StandIn::Kind::Copy, path, source};
    struct stat status{};
    if (stat(source.c_str(), &status) == 0) {
        copy.size = status.st_size;
        copy.modified = status.st_mtim;
    }
    return copy;
}

class Planner {
public:
    Planner(Means means, const StandIns& present) : means_(means), present_(present) {}

    Result<bool> add_folder(const ServedFile& folder);
    Result<bool> add_way(const CarvedWay& way);
    Result<bool> add(const ServedFile& file);
    ViewPlan take() { return std::move(plan_); }

private:
    Result<bool> add_present(const ServedFile& file, const Place& place);
    Result<bool> add_missing(const ServedFile& file, const Place& place);
    void make(const ServedFile& file, const Place& place);
    void make_directories(const fs::path& ancestor, const fs::path& last);
    bool is_in_folder(const std::string& place) const;
    bool is_behind_link(const std::string& place) const;

    Means means_;
    const StandIns& present_;
    ViewPlan plan_;
    std::set<std::string> known_;              // directories that are seen to
    std::vector<std::string> links_;           // that are to be made on the way to others
    std::map<std::string, ServedFile> shown_;  // by place
};

Result<bool> Planner::add_folder(const ServedFile& folder) {
    std::error_code failed;
    if (fs::is_directory(folder.original, failed)) {  // left behind
        plan_.folders.push_back({folder, fs::canonical(folder.original, failed)});
        return true;
    }
    const auto place = place_of(folder.original);
    if (!place) return place.error();
    plan_.folders.push_back({folder, place->path});
    if (access(place->ancestor.c_str(), W_OK | X_OK) == 0)
        make_directories(place->ancestor, place->path);
    else
        plan_.covers[place->ancestor].push_back({place->path + "/"});
    return true;
}

Result<bool> Planner::add_way(const CarvedWay& way) {
    std::error_code unknown;
    if (fs::exists(fs::symlink_status(way.path, unknown))) return true;
    const auto place = place_of(way.path);
    if (!place) return place.error();
    const bool is_link = !way.leads_to.empty();
    if (is_link) links_.push_back(place->path);
    if (access(place->ancestor.c_str(), W_OK | X_OK) != 0) {
        plan_.covers[place->ancestor].push_back(
            {is_link ? place->path : place->path + "/", way.leads_to});
        return true;
    }
    make_directories(place->ancestor,
                     is_link ? fs::path(place->path).parent_path() : fs::path(place->path));
    if (is_link) plan_.stand_ins.push_back({StandIn::Kind::Link, place->path, way.leads_to});
    return true;
}

// There, it is found by its own name.
bool Planner::is_behind_link(const std::string& place) const {
    return std::any_of(links_.begin(), links_.end(), [&](const std::string& link) {
        return place == link || place.starts_with(link + "/");
    });
}

bool Planner::is_in_folder(const std::string& place) const {
    return std::any_of(plan_.folders.begin(), plan_.folders.end(),
                       [&](const auto& folder) { return place.starts_with(folder.place + "/"); });
}

Result<bool> Planner::add(const ServedFile& file) {
    if (access(file.copy.c_str(), R_OK) != 0)
        return Error{fmt::format("{}, the carved file for {}, cannot be read: {}. Carve again.",
                                 file.copy, file.original, std::strerror(errno))};
    const auto place = place_of(file.original);
    if (!place) return place.error();
    const auto [known, is_new] = shown_.try_emplace(place->path, file);
    if (!is_new && known->second.copy != file.copy)
        return Error{fmt::format(
            "{} and {} lead to one file now, {}, and were two when they were carved. Put the "
            "links back, or carve again.",
            known->second.original, file.original, place->path)};
    // Different paths may lead to one file.
    if (!is_new) return true;
    if (place->path != file.original && has_changed(file))
        return Error{fmt::format(
            "{} leads to {} now, which is not the file that was carved. Put the link back or "
            "remove it, or carve again.",
            file.original, place->path)};
    const bool is_link = !file.first_name.empty() && !place->is_there;
    if (is_link && is_behind_link(place->path)) return true;
    if (is_link && !is_in_folder(place->path)) return add_missing(file, *place);
    plan_.showings.push_back({file, place->path});
    if (is_in_folder(place->path)) return true;
    return place->is_there ? add_present(file, *place) : add_missing(file, *place);
}

Result<bool> Planner::add_present(const ServedFile& file, const Place& place) {
    const bool is_ours = present_.holds(place.path);
    if (is_placeholder(place.path) && (!is_ours || means_ == Means::InPlace))
        return is_anothers(place.path);
    if (means_ == Means::InPlace && !is_ours) plan_.uncovered.push_back(file.original);
    return true;
}

Result<bool> Planner::add_missing(const ServedFile& file, const Place& place) {
    const bool can_be_made = access(place.ancestor.c_str(), W_OK | X_OK) == 0;
    if (!can_be_made && means_ == Means::InPlace)
        return Error{
            fmt::format("Nothing can be laid in the place of {}: you may not make files "
                        "in {}. Have the directory made, or leave out --in-place.",
                        file.original, place.ancestor)};
    if (can_be_made)
        make(file, place);
    else
        plan_.covers[place.ancestor].push_back({place.path, file.first_name});
    return true;
}

void Planner::make_directories(const fs::path& ancestor, const fs::path& last) {
    fs::path directory = ancestor;
    for (const fs::path& name : last.lexically_relative(ancestor)) {
        directory /= name;
        if (name != "." && known_.insert(directory).second)
            plan_.stand_ins.push_back({StandIn::Kind::Directory, directory});
    }
}

void Planner::make(const ServedFile& file, const Place& place) {
    make_directories(place.ancestor, fs::path(place.path).parent_path());
    if (!file.first_name.empty())
        plan_.stand_ins.push_back({StandIn::Kind::Link, place.path, file.first_name});
    else if (means_ == Means::InPlace)
        plan_.stand_ins.push_back(copy_of(file.copy, place.path));
    else
        plan_.stand_ins.push_back({StandIn::Kind::Placeholder, place.path});
}

}  // namespace

Result<ViewPlan> plan_view(const CarvedDirectory& carved, Means means, const StandIns& present) {
    Planner planner(means, present);
    for (const ServedFile& folder : carved.folders)
        if (const auto added = planner.add_folder(folder); !added) return added.error();
    for (const CarvedWay& way : carved.ways)
        if (const auto added = planner.add_way(way); !added) return added.error();
    for (const ServedFile& file : carved.files)
        if (const auto added = planner.add(file); !added) return added.error();
    return planner.take();
}

}  // namespace quarry
