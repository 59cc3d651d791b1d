// Whether a file is a copy of another, but for data that was left out of it.
#pragma once

#include <functional>
#include <quarry/verify.hpp>
#include <set>
#include <string>

#include "model/selection.hpp"

namespace quarry::hdf5 {

// A read that was made of the original.
struct Replay {
    std::array<uint8_t, 16> token{};  // of the dataset
    std::string path;                 // one of them; may be empty
    Selection selection;
};

enum class Times { Compared, Ignored };

// What datasets have in other files: raw data outside of HDF5, sources of virtual ones.
enum class DataElsewhere { Ignored, Compared };

struct CompareOrder {
    std::vector<Replay> replays;  // to be repeated in both
    Times times = Times::Compared;
    // By values, of what lies about each of both files in the same places.
    DataElsewhere elsewhere = DataElsewhere::Ignored;
    // Paths of datasets whose data in other files was not copied with them.
    std::set<std::string> left_out;
    // Told of the bytes of data that have been gone through.
    std::function<void(uint64_t bytes)> progress;
};

// Files that cannot be taken apart are the same if their bytes are. Needs no filter but for values
// of variable length, references and replays.
FileComparison compare_files(const std::string& original, const std::string& copy,
                             const CompareOrder& order);

}  // namespace quarry::hdf5
