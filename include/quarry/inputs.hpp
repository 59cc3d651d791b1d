// The files that programs found and read, and what of their data they used.
#pragma once

#include <array>
#include <map>
#include <quarry/trace.hpp>
#include <set>

namespace quarry {

struct UsedDataset {
    std::array<uint8_t, 16> token{};  // its identity in the file; zeros if only a path is known
    std::string path;                 // one of them; empty where no program has used one
    // The first elements of the chunks that were read; all of them, where that is not known.
    bool is_whole = true;
    std::set<std::vector<uint64_t>> chunks;
    std::string why = "it was read";
};

// A file, whatever its names are. Devices have other numbers on other hosts, and after a while:
// with the time when it was made, in nanoseconds since 1970, the file is known without.
struct FileNumber {
    FileNumber(uint64_t on_device, uint64_t its_inode, uint64_t its_birth)
        : device(its_birth != 0 ? 0 : on_device), inode(its_inode), born(its_birth) {}

    uint64_t device;
    uint64_t inode;
    uint64_t born;  // 0 if nobody knows

    auto operator<=>(const FileNumber&) const = default;
};

struct InputFile {
    std::string path;                  // by which it was opened first
    std::string now;                   // where it is now, if not there
    std::set<std::string> also_by;     // other paths by which it was opened
    std::set<std::string> gone_names;  // likewise, where nothing is any more
    uint64_t device = 0;
    uint64_t inode = 0;
    uint64_t born = 0;    // in nanoseconds since 1970; 0 if nobody knows
    uint64_t size = 0;    // when it was opened first
    uint64_t opened = 0;  // first, in nanoseconds since 1970
    // When it was last written to, at each opening; several are several states of the file.
    std::set<uint64_t> modified;
    // From which of these states to which it has got with the same data: who opens a file for
    // writing and only reads has HDF5 write the first block again.
    std::set<std::pair<uint64_t, uint64_t>> touched;
    bool was_opened_for_writing = false;
    bool was_written = false;
    bool was_carved = false;         // it may have been a carved copy that was opened
    bool is_raw = false;             // taken as it is: data of a dataset in another file
    bool is_inside = false;          // only HDF5 has read it, for a virtual dataset
    bool has_no_file = false;        // at its path: HDF5 had it by a driver that needs none
    std::string driver;              // of HDF5, by which it was opened
    bool is_chosen = true;           // or only to be carved if another one has data there
    std::string why_whole;           // why it is to be copied whole; empty if it is not
    std::vector<std::string> tasks;  // that used it
    std::vector<UsedDataset> read;   // datasets of which elements were read

    FileNumber number() const { return {device, inode, born}; }
    const std::string& place() const { return now.empty() ? path : now; }
};

struct MadeFile {
    std::string path;
    FileNumber number;
    uint64_t time = 0;  // when, in nanoseconds since 1970
};

struct TraceInputs {
    std::vector<InputFile> files;
    std::vector<MadeFile> made;  // files of the tasks' own
    // Files that these tasks have read as bytes, or written to, without HDF5 having read them.
    std::vector<InputFile> bytes;
    // When any process has last written data to a file, whatever task it was for.
    std::map<FileNumber, uint64_t> changed;
    std::vector<std::string> unseen;   // programs that may have read any file, unrecorded
    std::vector<std::string> running;  // processes that may read more
    std::set<std::string> tasks;       // all that there are
};

// Of the tasks with these names, as far as the trace has them, or of all where no names are given.
// Files that the tasks made themselves are no inputs.
Result<TraceInputs> inputs_of_trace(const std::string& directory,
                                    const std::vector<std::string>& tasks);

// Several traces add up: what any of them used is used.
void add_inputs(std::vector<InputFile>& all, std::vector<InputFile> more);

// The same file, maybe by another path.
void add_uses(InputFile& known, const InputFile& more);

// What calls have read of a dataset; equal ones are one.
struct RecordedRead {
    UsedDataset dataset;
    std::string selection;  // as src/model/selection encodes it
};

// From the file that is at this path now, whatever path it was opened by. An error if none of the
// traces knows it.
Result<std::vector<RecordedRead>> reads_of_traces(const std::vector<std::string>& directories,
                                                  const std::string& file);

}  // namespace quarry
