// What the records of a trace say of inputs, process by process.
#pragma once

#include <map>
#include <quarry/inputs.hpp>
#include <set>
#include <string>

#include "analyze/trace_index.hpp"
#include "model/selection.hpp"

namespace quarry::analyze {

inline constexpr uint64_t kNever = ~uint64_t{0};

// What a trace says of a file that HDF5 has opened.
struct Opening {
    std::string path;
    std::string driver;
    uint64_t time = 0;  // in nanoseconds since 1970
    uint64_t device = 0;
    uint64_t inode = 0;
    uint64_t born = 0;
    uint64_t size = 0;
    uint64_t modified = 0;  // 0 if that is not known
    bool is_carved = false;
    bool is_writable = false;
};

struct Input {
    InputFile file;
    bool is_hdf5 = false;     // HDF5 could open it
    bool is_refused = false;  // it could not
    bool is_inside = false;   // HDF5 has read more of it than whether it is a file of HDF5
    // When it was first opened anew, and opened or read as it was, in nanoseconds since 1970.
    uint64_t first_made = kNever;
    uint64_t first_found = kNever;
    // Whether it has data of a dataset in another file, when that was read first, and states of it.
    bool is_raw = false;
    uint64_t raw_opened = kNever;
    std::set<uint64_t> raw_modified;
    std::set<std::string> tasks;
    struct Used {
        UsedDataset dataset;
        std::set<EncodedSelection> selections;  // those that have been looked at
    };
    std::map<uint32_t, Used> read;  // by object
};

// Bytes of a file that a process can read by what it has once opened, for whatever task: single
// reads leave no record that would tell for which.
struct Reach {
    uint32_t file = kNobody;
    uint64_t modified = 0;    // when the file was; 0 if that is not known, or may have changed
    bool is_whole = false;    // more than a look
    bool is_of_hdf5 = false;  // by its handle
    bool is_unseen = false;   // where reads are not seen, also those of children

    auto operator<=>(const Reach&) const = default;
};
using Reaches = std::map<const ProcessTables*, std::set<Reach>>;

// What a trace tells of inputs, by the number of the file or object.
struct Found {
    std::map<uint32_t, Input> inputs;
    std::map<uint32_t, std::array<uint8_t, 16>> tokens;
    std::map<uint32_t, Opening> openings;  // the last of each file, whatever task did it
    std::set<std::string> sought;  // names of sources that HDF5 has found in a way of its own
    Reaches reaches;               // where tasks are chosen
    // When any process has last written data to a file, whatever task it was for: while one only
    // reads a file that it has opened for writing, another may change it.
    std::map<uint32_t, uint64_t> changed;
    // From which state to which files have got with the same data, whatever task it was for.
    std::map<uint32_t, std::set<std::pair<uint64_t, uint64_t>>> touched;
};

// Adds what this process says. Those that it was forked from come before it.
void add_used(const TraceIndex& index, const ProcessTables& tables,
              const std::set<std::string>& tasks, Found& found);

}  // namespace quarry::analyze
