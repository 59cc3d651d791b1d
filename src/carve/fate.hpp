// Which datasets of a file are kept, and why.
#pragma once

#include <quarry/carve.hpp>
#include <set>
#include <stdexcept>

#include "hdf5/copy_file.hpp"

namespace quarry::carve_files {

// A file that must not be carved, since what is left out of it would not be noticed.
class Uncarvable : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

class Judge {
public:
    Judge(const InputFile& input, const CarveOptions& options);

    // Whether it is kept, and why. Throws Uncarvable.
    struct Judgement {
        bool is_kept;
        std::string why;
    };
    Judgement judge(const hdf5::CopiedDataset& dataset) const;

private:
    std::set<std::array<uint8_t, 16>> tokens_;  // of those that were read
    std::set<std::string> paths_;
    const CarveOptions& options_;
};

// Why a file cannot be carved as it was when it was used; empty if it can be.
std::string why_not(const InputFile& input);

}  // namespace quarry::carve_files
