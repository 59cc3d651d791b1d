#include "launch/own_copies.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/file_copy.hpp"

namespace quarry {
namespace {

namespace fs = std::filesystem;

// What the names of such directories have behind that of the carved files, but for six letters.
constexpr std::string_view kWritten = ".written-";
// In such a directory as long as it is in use: then it is locked, too, unless the run was killed.
constexpr const char* kUnfinished = ".unfinished";

bool is_left_behind(const std::string& directory) {
    const std::string mark = directory + "/" + kUnfinished;
    return access(mark.c_str(), F_OK) == 0 &&
           DirectoryLock::try_to_take(directory, DirectoryLock::Kind::Alone) &&
           unlink(mark.c_str()) == 0;
}

void make_directory_of(const std::string& file) {
    std::error_code ignored;
    fs::create_directories(fs::path(file).parent_path(), ignored);
}

bool make_link(const std::string& source, const std::string& name) {
    make_directory_of(name);
    return link(source.c_str(), name.c_str()) == 0;
}

bool make_copy(const std::string& source, const std::string& copy) {
    make_directory_of(copy);
    return copy_to(source, copy);
}

}  // namespace

Result<OwnCopies> OwnCopies::make(const std::string& carved,
                                  const std::vector<ViewPlan::Showing>& showings) {
    std::string directory = carved + std::string(kWritten) + "XXXXXX";
    if (mkdtemp(directory.data()) == nullptr)
        return Error{
            fmt::format("No directory can be made beside {} for what the program writes: "
                        "{}. Move the carved files to a directory of your own.",
                        carved, std::strerror(errno))};
    OwnCopies copies(directory);
    if (auto lock = DirectoryLock::try_to_take(directory, DirectoryLock::Kind::Alone))
        copies.in_use_ = std::make_shared<DirectoryLock>(std::move(*lock));
    std::ofstream(directory + "/" + kUnfinished).flush();
    std::map<std::string, std::string> made;  // one for all places where a program finds the file
    for (const auto& [file, place] : showings) {
        const auto [first, is_new] = made.try_emplace(file.copy, copies.at(place));
        if (is_new ? make_copy(file.copy, first->second)
                   : make_link(first->second, copies.at(place)))
            continue;
        const Error why{fmt::format("{} cannot be copied to {}, for the program to write to: {}.",
                                    file.copy, copies.at(place), std::strerror(errno))};
        copies.remove_all();
        return why;
    }
    for (const auto& [file, place] : showings)
        copies.touched_[place] = last_touched(copies.at(place));
    return copies;
}

std::map<std::string, std::string> OwnCopies::keep_changed(
    const std::vector<ViewPlan::Showing>& showings) const {
    std::map<std::string, std::string> changed;
    std::vector<std::string> unchanged;
    for (const auto& [file, place] : showings) {
        if (is_still_copy(at(place), file.copy, touched_.at(place)))
            unchanged.push_back(place);
        else
            changed[file.original] = at(place);
    }
    // Only now: to remove one name of a file is to touch it.
    for (const std::string& place : unchanged) remove(place);
    unlink((directory_ + "/" + kUnfinished).c_str());
    rmdir(directory_.c_str());
    return changed;
}

// With the directories above that are empty then.
void OwnCopies::remove(const std::string& place) const {
    std::error_code failed;
    for (fs::path path = place; !failed && path != "/"; path = path.parent_path())
        fs::remove(at(path), failed);
}

void OwnCopies::remove_all() const {
    std::error_code ignored;
    fs::remove_all(directory_, ignored);
}

std::vector<std::string> left_behind_by_killed_runs(const std::string& carved) {
    std::vector<std::string> found;
    const std::string beginning = carved + std::string(kWritten);
    std::error_code error;
    for (fs::directory_iterator at(fs::path(carved).parent_path(), error), end; !error && at != end;
         at.increment(error))
        if (at->path().string().starts_with(beginning) && is_left_behind(at->path()))
            found.push_back(at->path());
    return found;
}

}  // namespace quarry
