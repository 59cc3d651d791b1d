// Carved files that are served in the place of their originals: what is missing in each, and where
// that can be read.
#pragma once

#include <sys/stat.h>

#include <atomic>
#include <compare>
#include <optional>
#include <set>
#include <string>

#include "base/mapped_file.hpp"
#include "connector/library.hpp"
#include "connector/object.hpp"
#include "model/connector_config.hpp"
#include "model/missing_data.hpp"
#include "model/original_file.hpp"
#include "model/selection.hpp"

namespace quarry::connector {

// H5F_ACC_RDONLY and H5F_ACC_RDWR; HDF5's own names for them call a function of the library.
inline constexpr unsigned kReadOnly = 0;
inline constexpr unsigned kWritable = 1;
inline constexpr unsigned kTruncate = 2;  // H5F_ACC_TRUNC

class CarvedFile {
public:
    CarvedFile(std::string path, MappedFile bytes, const MissingData& missing);

    const MissingData& missing() const { return missing_; }

    // Whether the file at a place has the bytes that were carved. Programs may be given copies to
    // write to.
    bool is_as_carved(const std::string& place);

    // Where the original can be read, if it is sure that it is the one; empty if it cannot. It may
    // be changed while the program runs.
    std::string place_of_original();

    // Changes when another file than before has proved to be the original: what was opened by its
    // place before is not that one.
    uint64_t proof();

    // Whether an open file is the one that was looked at last, and as it was then. By the place
    // where that was another one may be found by now.
    bool is_proved(int file);

    // Why the original was not opened, though it is the one; nothing if it was.
    void note_opening(const WhyNotOriginal& why);

    // By which datasets of its copy that are not whole are told from those of other files.
    uint64_t mark() const { return mark_; }

    // Tells `quarry run`, and the user on stderr, each time only once.
    void note_fetched(const MissingDataset& dataset, const Selection& selection);
    void note_refused(const MissingDataset& dataset);
    void note_unreadable(const MissingDataset& dataset);  // in the original, by HDF5
    void note_unusable(const std::string& path, const char* why);
    void note_sources(const std::string& path);        // of a virtual dataset that HDF5 cannot read
    void note_foreign(const MissingDataset& dataset);  // another copy is here

private:
    void find_original();
    WhyNotOriginal judge();
    bool is_new(const std::string& note);

    std::string path_;
    MappedFile bytes_;
    MissingData missing_;
    uint64_t mark_;
    struct stat found_equal_{};
    std::string name_;                   // of the original, for people: it may be read elsewhere
    std::string place_;                  // where that is
    std::optional<struct stat> judged_;  // what is there, as it was when it was looked at
    bool is_original_ = false;
    struct stat proved_{};  // the last that was
    uint64_t proof_ = 0;
    WhyNotOriginal problem_;  // with what it is about
    std::set<std::string> noted_;
};

// From the first file on that is opened with a configuration which says so.
void begin_serving(const ConnectorConfig& config) noexcept;

inline std::atomic<const ConnectorConfig*> served_config{nullptr};
inline bool is_serving() {
    return served_config.load(std::memory_order_relaxed) != nullptr;
}

// A file as HDF5 has it open, by its number: the name by which it was opened may lead elsewhere by
// now, or nowhere. Numbers begin anew with each life of a library.
struct OpenFile {
    const Library* library;
    int life;
    unsigned long serial;

    auto operator<=>(const OpenFile&) const = default;
};

struct MetFile {
    CarvedFile* carved = nullptr;        // null if nothing is missing in it
    const std::string* place = nullptr;  // where it is
    bool is_writable = false;            // as it is open
};

// Nothing if it has not been met, or long ago and nothing is missing in it.
std::optional<MetFile> met_file(const OpenFile& file);
// By the name that it is open by. Where it is not known whether it may be written to, it is if the
// system would allow that.
MetFile meet_file(const OpenFile& file, const std::string& name, std::optional<bool> is_writable);

// Whether what a program would open by this name is a copy that is not to be written to. Where it
// may write, it has a copy of its own. May throw std::bad_alloc.
bool is_shown_copy(const char* name);

// Whether somebody wants to write to what is only a copy, or to the original that one is served
// instead of.
bool is_kept_from_writers(const char* name, unsigned flags) noexcept;

// What lets programs write to a copy of their own.
const char* way_to_write() noexcept;

// Whether a program is to be refused that, where the system would let it. Says so.
bool is_refused(const char* name, unsigned flags) noexcept;

// The same of a program that makes a file anew, and would empty what is there.
bool is_refused_anew(const char* name, unsigned flags) noexcept;

// Says so of a file that a program could not make anew, if a copy is in its place.
void tell_if_kept(const char* name, unsigned flags) noexcept;

// Whether a program that opens a file by this name is likely to get a carved copy of it.
bool has_carved_copy(const char* name) noexcept;

// The copy whose bytes HDF5 is to be given where the original is; empty if there is none, or it
// already is what is found there. HDF5 itself must not know: by the name it looks for other files.
std::string copy_instead_of(const char* name, unsigned flags) noexcept;

}  // namespace quarry::connector
