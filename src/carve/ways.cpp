#include "carve/ways.hpp"

namespace quarry::carve_files {
namespace {

namespace fs = std::filesystem;

fs::path below(const fs::path& root, const fs::path& path) {
    return root / path.relative_path();
}

}  // namespace

void Ways::add(const fs::path& root, const fs::path& directory, const fs::path& name,
               const fs::path& copy) {
    std::error_code error;
    if (!fs::exists(below(root, directory) / name, error)) return;
    fs::path here = "/";
    for (const fs::path& part : directory / name) step(root, part, here);
    // A file of several names has one copy.
    if (here != copy) links_[here] = copy.lexically_relative(here.parent_path());
}

// Each link leads to its end at once, so that `here` never is below one.
void Ways::step(const fs::path& root, const fs::path& part, fs::path& here) {
    std::error_code error;
    if (part == "..") {
        here = here.parent_path();
    } else if (!part.empty() && part != "." && part != "/") {
        const fs::path next = here / part;
        const fs::path end = fs::canonical(below(root, next), error).lexically_relative(root);
        const bool is_link = fs::is_symlink(below(root, next), error);
        if (is_link) links_[next] = ("/" / end).lexically_relative(here);
        here = is_link ? "/" / end : next;
    }
    if (fs::is_directory(below(root, here), error)) directories_.insert(here);
}

Result<bool> Ways::lay_out(const std::string& place) const {
    std::error_code error;
    const auto failed = [&](const fs::path& path) {
        return Error{below(place, path).string() + " cannot be made: " + error.message() + "."};
    };
    for (const fs::path& directory : directories_)
        if (fs::create_directories(below(place, directory), error); error) return failed(directory);
    for (const auto& [path, target] : links_) {
        const fs::path link = below(place, path);
        if (fs::exists(fs::symlink_status(link, error))) continue;
        fs::create_directories(link.parent_path(), error);
        if (fs::create_symlink(target, link, error); error) return failed(path);
    }
    return true;
}

bool leads_within(const fs::path& link, const fs::path& place) {
    std::error_code error;
    const fs::path target = fs::read_symlink(link, error);
    if (error || target.is_absolute()) return false;
    const fs::path end = fs::weakly_canonical(link.parent_path() / target, error);
    const fs::path way = end.lexically_relative(fs::canonical(place, error));
    return !error && !way.empty() && *way.begin() != "..";
}

}  // namespace quarry::carve_files
