// A directory that appears under its name only when everything in it is there, and then may take
// the place of the one before at once.
#pragma once

#include <functional>
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

    // Why a directory is not to be replaced, where it is found; empty if it may be.
    using WhyKept = std::function<std::string(const std::string& there)>;
    // That there is something already is an error, unless it may be replaced. That is asked once
    // more of what has been replaced: others may have put something into it meanwhile.
    Result<bool> put(const WhyKept& why_kept = nullptr);

private:
    Result<bool> replace(const WhyKept& why_kept);
    Workplace(std::string path, std::string place, std::vector<std::string> made);

    std::string path_;
    std::string place_;
    std::vector<std::string> made_;  // directories on the way there, the deepest one first
    int lock_;                       // held by whoever is at work in it
};

}  // namespace quarry
