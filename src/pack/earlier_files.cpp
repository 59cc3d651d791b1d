#include "pack/earlier_files.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace quarry::pack_files {
namespace {

namespace fs = std::filesystem;

Error cannot_be_moved(const std::string& path) {
    return {path + " is there, and cannot be moved aside for as long as the run is repeated: " +
            std::strerror(errno) + ". Move it away."};
}

}  // namespace

EarlierFiles::~EarlierFiles() {
    settle();
}

Result<bool> EarlierFiles::move_away(const std::string& path) {
    std::error_code failed;
    const fs::path real = fs::canonical(path, failed);
    if (failed || !fs::is_regular_file(real, failed)) return true;
    std::string beside = real.parent_path() / ".quarry-earlier-XXXXXX";
    if (mkdtemp(beside.data()) == nullptr) return cannot_be_moved(path);
    const std::string now = fs::path(beside) / real.filename();
    if (rename(real.c_str(), now.c_str()) != 0) {
        const Error error = cannot_be_moved(path);
        rmdir(beside.c_str());
        return error;
    }
    away_[real] = now;
    return true;
}

void EarlierFiles::settle() {
    for (const auto& [real, now] : away_) {
        struct stat status{};
        const bool is_replaced = lstat(real.c_str(), &status) == 0;
        const bool is_settled =
            is_replaced ? unlink(now.c_str()) == 0 : rename(now.c_str(), real.c_str()) == 0;
        if (!is_replaced) back_.insert(real);
        if (is_settled) rmdir(fs::path(now).parent_path().c_str());
    }
    away_.clear();
}

bool EarlierFiles::are_back_at(const std::string& path) const {
    std::error_code failed;
    const fs::path real = fs::canonical(path, failed);
    return !failed && back_.contains(real);
}

}  // namespace quarry::pack_files
