// Running programs on carved files: each is seen in the place of its original, whether that is
// there or not.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <quarry/result.hpp>
#include <set>
#include <string>
#include <vector>

namespace quarry {

struct ServedFile {
    std::string original;  // the path that programs use
    std::string copy;      // what they get; both are absolute; files with several paths share one
    // Of the original, when it was carved; zeros if nobody knows.
    uint64_t size = 0;
    uint64_t modified = 0;  // nanoseconds since 1970
    // The first of the paths, if this is another one.
    std::string first_name{};
};

// In a carved directory: what had to be made at the places of originals, for as long as programs
// run.
inline constexpr const char* kPlaceholders = ".placeholders";
// Where the program that runs on it sees the true files.
inline constexpr const char* kOriginals = "originals";

// A symbolic link, or a directory without files, over which the names of other files lead.
struct CarvedWay {
    std::string path;        // where it was
    std::string leads_to{};  // of a link
};

// What `quarry carve` has left.
struct CarvedDirectory {
    std::string path;
    std::vector<ServedFile> files;
    std::vector<CarvedWay> ways{};
    // Directories that are missing, and those that programs see and may write to in their places.
    // They hold an empty file for each file of the above that belongs there.
    std::vector<ServedFile> folders{};
    // Originals of which data was left out, while no checksum tells whether it is still the same.
    std::vector<std::string> without_checksum{};
    // As long as it lives, nobody replaces the directory.
    std::shared_ptr<const void> in_use{};
};

// Calls `waiting` once if it has to wait for the end of carving.
Result<CarvedDirectory> open_carved(
    const std::string& directory, const std::function<void()>& waiting = [] {});

// Whether what is found at the path of an original is another file than the one that was carved.
bool has_changed(const ServedFile& file);
std::set<std::string> changed_originals(const CarvedDirectory& carved);

// Whether a directory was made for a run that was killed, in the place of one that was missing, and
// nobody has put anything into it since.
bool is_left_by_killed_run(const std::string& directory);

// Directories beside that of the carved files in which are copies that programs may have written
// to, but nobody has looked whether they did. Each is named only once.
std::vector<std::string> left_behind_by_killed_runs(const std::string& carved);

struct CarvedViewOptions {
    enum class Means {
        Namespace,  // only the program and its children see the files there
        InPlace,    // everybody does, while the program runs, and only where nothing else is
    };
    enum class Writes {
        Refuse,
        Copy,  // go to copies of the carved files; those that were changed are kept
    };

    Means means = Means::Namespace;
    Writes writes = Writes::Refuse;
};

class CarvedView {
public:
    // Makes what must really be there for a time, and finds out whether the rest can be done.
    static Result<CarvedView> prepare(const CarvedDirectory& carved,
                                      const CarvedViewOptions& options);

    CarvedView(CarvedView&&) noexcept;
    ~CarvedView();

    // For the process that becomes the program, which sees the files from then on.
    Result<bool> enter() const;

    // When the program has ended: takes away what nobody else uses. What was changed stays, and is
    // named: originals, with the files that were written to instead.
    std::map<std::string, std::string> clean_up();

    // Where the program sees the true files, each below it under its place; empty if in their own
    // places.
    const std::string& originals() const;

    // A file for the connector: which carved files are shown elsewhere than where their originals
    // were, as links to them are others now. Empty if none are.
    const std::string& places() const;

    // Originals that are there, so that nothing could be laid in their place.
    const std::vector<std::string>& uncovered() const;

private:
    struct Parts;
    explicit CarvedView(std::unique_ptr<Parts> parts);

    std::unique_ptr<Parts> parts_;
};

}  // namespace quarry
