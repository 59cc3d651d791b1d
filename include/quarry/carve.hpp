// Copies of the input files of programs, with only the data in them that these used.
#pragma once

#include <optional>
#include <quarry/inputs.hpp>

namespace quarry {

struct CarveOptions {
    enum class Granularity : uint8_t { Object, Chunk };

    std::string directory;  // where the copies go, each under the path of its original
    Granularity granularity = Granularity::Object;
    std::vector<std::string> keep;   // patterns of paths in files: datasets to be kept whole
    std::vector<std::string> drop;   // and those to be left out, though they were read
    uint64_t keep_below = 64 << 10;  // bytes that a dataset must have to be left out
    unsigned jobs = 1;
    bool checksums = false;  // of all bytes of originals, for those who want to be sure later
    bool verifies = true;    // each copy is compared with its original before it is there
    Progress verifying{};    // hears how far that is
};

// What there is of a dataset in the carved file.
enum class Remains : uint8_t {
    Kept,
    Partly,     // some of its chunks; maybe none, where the original has none of those either
    Elsewhere,  // the names of other files, which had its data and were left out
    Hollow,     // all but its data
};

// "kept", "partly", "elsewhere", "hollow": in lists, and for people.
std::string_view word_for(Remains remains);

// What becomes, or became, of a dataset.
struct DatasetFate {
    std::vector<std::string> paths;
    uint64_t stored = 0;  // bytes of data in the original
    uint64_t kept = 0;    // and in the copy
    Remains remains = Remains::Kept;
    std::string why;
};

struct FileFate {
    InputFile input;
    std::string copy;  // below the directory; empty where there is none
    uint64_t size_before = 0;
    uint64_t size_after = 0;  // 0 as long as it is only planned
    uint64_t modified = 0;    // when the original was last written to, in nanoseconds since 1970
    uint64_t checksum = 0;    // of what tells it from other files; 0 if it could not be taken apart
    std::vector<DatasetFate> datasets;
    std::string problem;  // why there is no copy; empty if there is
    // Why the copy is one of all bytes; empty if it is carved, or no file of HDF5.
    std::string why_whole;
};

// What became of the files of a carved directory, as its manifest tells.
Result<std::vector<FileFate>> fates_in(const std::string& directory);

// Directories of inputs with files of the same kind that nobody read or `made`: there, a program
// that only counts or chooses among names finds fewer on carved data.
std::vector<std::string> listed_with_more(const std::vector<InputFile>& inputs,
                                          const std::set<std::string>& made);

// Those that no dataset matches: likely mistyped. None if files were not taken apart, which may
// have what they match.
std::vector<std::string> idle_patterns(const std::vector<FileFate>& files,
                                       const std::vector<std::string>& patterns);

// A dataset of which something was read from the original, because it had been left out.
struct FetchedDataset {
    std::string original;
    UsedDataset used;
};

// From what the connector has written down while a program ran on carved files.
std::vector<FetchedDataset> read_fetched(const std::string& log, const std::string& directory);

// Carves again from the originals, at the places where they are now: what is there already, what
// was fetched, and what is kept of any file, as its dimensions. Replaces the directory at once.
// Nothing where a program runs on it.
Result<std::optional<std::vector<FileFate>>> grow_carved(
    const std::string& directory, const std::vector<FetchedDataset>& fetched,
    const std::function<std::string(const std::string& original)>& place, unsigned jobs,
    const Progress& progress, const Progress& verifying);

// What carving would do, without doing it.
Result<std::vector<FileFate>> plan_carving(const std::vector<InputFile>& inputs,
                                           const CarveOptions& options);

// Does it. The directory is there, with all files and a manifest, only if everything went well, and
// then replaces at once what was there before. Otherwise no file has a copy. Files that the tasks
// have written to are left out, and those that have data in such a file.
Result<std::vector<FileFate>> carve(const std::vector<InputFile>& inputs,
                                    const CarveOptions& options, const Progress& progress);

}  // namespace quarry
