// Whether a carved file is its original, but for the data that was left out of it.
#pragma once

#include <quarry/inputs.hpp>

namespace quarry {

struct FileDifference {
    std::string object;     // its path in the original; empty for the file itself
    std::string attribute;  // of the object; empty for the object itself
    std::string what;

    bool operator==(const FileDifference&) const = default;
};

// "/data, attribute units: it is missing".
std::string text_of(const FileDifference& difference);

struct FileComparison {
    std::vector<FileDifference> differences;  // the first of them
    uint64_t all_differences = 0;
    bool are_equal_bytes = false;  // and only data in other files has been looked at

    uint64_t objects = 0;
    uint64_t attributes = 0;
    uint64_t datasets = 0;
    uint64_t bytes = 0;  // of data that is in both

    uint64_t hollow = 0;  // datasets whose data was left out
    uint64_t partly = 0;  // and those that lack chunks
    uint64_t chunks_left_out = 0;
    uint64_t elsewhere = 0;  // datasets whose data in other files was left out with these
    uint64_t bytes_left_out = 0;

    uint64_t reads = 0;          // that were repeated
    uint64_t reads_skipped = 0;  // and those that the original does not allow any more

    // Datasets whose data HDF5 does not give from other files of the original, by their paths.
    std::vector<std::string> not_read;

    // What is not known is not the same.
    bool is_same() const { return all_differences == 0 && not_read.empty(); }
};

// `reads` are repeated in both. Files that HDF5 cannot take apart are the same if their bytes are.
Result<FileComparison> verify_carved(const std::string& original, const std::string& carved,
                                     const std::vector<RecordedRead>& reads,
                                     const Progress& progress);

// The same for two files that programs have made one after the other: times in them do not count.
Result<FileComparison> compare_results(const std::string& one, const std::string& other);

}  // namespace quarry
