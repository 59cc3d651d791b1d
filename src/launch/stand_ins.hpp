// Files and directories that are made where there is nothing, for as long as programs run that need
// them. What is made is listed before, so that it is taken away again even if this process is
// killed; a lock tells whether anybody still needs it. Nobody takes away what others have made.
#pragma once

#include <sys/types.h>

#include <ctime>
#include <map>
#include <quarry/result.hpp>
#include <string>
#include <vector>

namespace quarry {

struct StandIn {
    enum class Kind : char {
        Directory = 'd',
        Placeholder = 'p',  // an empty file that nobody may open: something is mounted over it
        Copy = 'c',         // a file that nobody may write to
        Link = 'l',         // another name of a file
    };

    Kind kind = Kind::Placeholder;
    std::string path;
    std::string source{};  // of a copy; where a link leads
    off_t size = 0;        // of a file, which is known by them
    timespec modified{};
    // What has taken its place since is somebody's.
    dev_t device = 0;
    ino_t inode = 0;
};

class StandIns {
public:
    // Those that the list in `directory` names, or one in the user's own state directory where that
    // cannot be written to. Takes away what those have left who were killed.
    static Result<StandIns> open(const std::string& directory);

    StandIns(StandIns&& other) noexcept;
    StandIns& operator=(StandIns&&) = delete;
    ~StandIns();

    // Whether another run has made it, and it stays until the last one ends.
    bool holds(const std::string& path) const;

    // To be called once, also if there are none.
    Result<bool> make(std::vector<StandIn> wanted);

    // Takes all away, if nobody else needs them; answers copies that were changed, and stay.
    std::vector<std::string> finish();

private:
    StandIns(int file, std::string list) : file_(file), list_(std::move(list)) {}
    std::vector<std::string> remove_all();
    bool take_away(const StandIn& one) const;

    int file_;
    std::string list_;
    std::vector<StandIn> listed_;
    std::map<std::string, std::string> sources_;  // of copies, by their paths
};

// Whether a file is the placeholder of somebody.
bool is_placeholder(const std::string& path);

// Of one that is not ours: when it goes, so does what is mounted over it.
Error is_anothers(const std::string& placeholder);

}  // namespace quarry
