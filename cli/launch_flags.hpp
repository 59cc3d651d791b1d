// The options that `run` and `env` share.
#pragma once

#include <CLI/CLI.hpp>
#include <quarry/launch.hpp>
#include <string>

namespace quarry::cli {

class LaunchFlags {
public:
    void declare(CLI::App& app);

    LaunchOptions options() const;
    bool require() const { return require_; }
    bool quiet() const { return quiet_; }

private:
    std::string under_;
    std::string witness_;
    std::string trace_;
    std::string task_;
    std::string level_;
    uint64_t max_size_ = 0;
    bool no_files_ = false;
    bool no_trace_ = false;
    bool no_bytes_ = false;
    bool require_ = false;
    bool quiet_ = false;
};

}  // namespace quarry::cli
