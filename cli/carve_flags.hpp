// The options that `carve` and `pack` share: which data of which files is kept.
#pragma once

#include <CLI/CLI.hpp>
#include <quarry/carve.hpp>

#include "terminal.hpp"

namespace quarry::cli {

class CarveFlags {
public:
    void declare(CLI::App& app);

    // The files of these traces; an error if none is chosen.
    Result<std::vector<InputFile>> inputs(const std::vector<std::string>& traces,
                                          ProgressLine& line) const;
    CarveOptions options() const;
    // Patterns of --keep and --drop that match nothing.
    void say_what_is_idle(const std::vector<FileFate>& files) const;
    const std::vector<std::string>& tasks() const { return tasks_; }

private:
    bool is_chosen(const InputFile& input) const;

    std::vector<std::string> tasks_;
    std::vector<std::string> files_;
    std::string granularity_ = "object";
    CarveOptions options_;
};

}  // namespace quarry::cli
