// What of the datasets of a file is kept, and why.
#pragma once

#include <map>
#include <quarry/carve.hpp>

#include "hdf5/copy_file.hpp"

namespace quarry::carve_files {

class Judge {
public:
    Judge(const InputFile& input, const CarveOptions& options);

    struct Judgement {
        hdf5::Part part;
        std::string why;
    };
    Judgement judge(const hdf5::CopiedDataset& dataset) const;

    // Read, or to be kept, and not just small.
    bool is_chosen(const hdf5::ObjectToken& token, const std::vector<std::string>& paths) const;
    bool is_dropped(const std::vector<std::string>& paths) const;
    bool was_read(const hdf5::CopiedDataset& dataset, std::span<const uint64_t> chunk) const;

private:
    std::vector<const UsedDataset*> uses_of(const hdf5::ObjectToken& token,
                                            const std::vector<std::string>& paths) const;

    // One for each token and path, though a program has come back to it a thousand times.
    std::map<std::pair<hdf5::ObjectToken, std::string>, UsedDataset> uses_;
    std::multimap<hdf5::ObjectToken, const UsedDataset*> by_token_;
    std::multimap<std::string, const UsedDataset*> by_path_;
    const CarveOptions& options_;
};

// Why a file cannot be carved as it was when it was used; empty if it can be.
std::string why_not(const InputFile& input);

}  // namespace quarry::carve_files
