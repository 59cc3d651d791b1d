// A directory that appears under its name only when everything in it is there, and then may take
// the place of the one before at once.
#pragma once

#include <quarry/result.hpp>
#include <string>
#include <vector>

namespace quarry {

bool is_synced(const std::string& path);

class Workplace {
public:
    // Beside the place where it is to be. Tidies up what was left by those that were killed.
    static Result<Workplace> beside(const std::string& place);

    // Whether that can be expected to go well.
    static Result<bool> can_be_beside(const std::string& place);

    Workplace(Workplace&& other) noexcept;
    Workplace& operator=(Workplace&&) = delete;
    ~Workplace();  // with all that is in it, and what was made for it, unless it was put

    const std::string& path() const { return path_; }

    enum class Present {
        Replaced,
        Kept
    };  // what is there already; if it is kept, that is an error
    Result<bool> put(Present present = Present::Replaced);

private:
    Workplace(std::string path, std::string place, std::vector<std::string> made);

    std::string path_;
    std::string place_;
    std::vector<std::string> made_;  // directories on the way there, the deepest one first
    int lock_;                       // held by whoever is at work in it
};

}  // namespace quarry
