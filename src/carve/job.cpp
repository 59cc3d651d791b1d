#include "carve/job.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/file_copy.hpp"
#include "base/workplace.hpp"
#include "carve/judge.hpp"
#include "carve/workers.hpp"
#include "hdf5/compare_files.hpp"
#include "hdf5/copy_file.hpp"
#include "hdf5/find_dataset.hpp"
#include "hdf5/needed_data.hpp"
#include "model/original_file.hpp"

namespace quarry::carve_files {
namespace {

namespace fs = std::filesystem;

hdf5::CopyOrder order_of(const Judge& judge) {
    hdf5::CopyOrder order;
    order.is_chosen = [&](const auto& token, const auto& paths) {
        return judge.is_chosen(token, paths);
    };
    order.is_dropped = [&](const auto& paths) { return judge.is_dropped(paths); };
    order.wanted = [&](const hdf5::CopiedDataset& dataset) { return judge.judge(dataset).part; };
    order.wants_chunk = [&](const hdf5::CopiedDataset& dataset, std::span<const uint64_t> offset) {
        return judge.was_read(dataset, offset);
    };
    return order;
}

Remains remains_of(const hdf5::CopiedDataset& dataset) {
    if (dataset.is_elsewhere) return Remains::Elsewhere;
    switch (dataset.kept) {
        case hdf5::Part::Whole:
            return Remains::Kept;
        case hdf5::Part::Chunks:
            return Remains::Partly;
        case hdf5::Part::Nothing:
            break;
    }
    return Remains::Hollow;
}

void note_fates(const std::vector<hdf5::CopiedDataset>& datasets, const Judge& judge, Job& job) {
    for (const hdf5::CopiedDataset& dataset : datasets) {
        const std::string& why = dataset.remark.empty() ? judge.judge(dataset).why : dataset.remark;
        job.fate.datasets.push_back(
            {dataset.paths, dataset.stored, dataset.kept_bytes, remains_of(dataset), why});
        for (const hdf5::NeededData& needed : dataset.needs)
            job.needs.push_back({needed.file, needed.dataset});
    }
}

MissingDataset missing_part_of(const hdf5::CopiedDataset& dataset, const Judge& judge) {
    MissingDataset made{dataset.place,  dataset.token,    dataset.paths.front(),
                        dataset.stored, dataset.creation, {},
                        dataset.chunk};
    const bool in_chunks = dataset.kept == hdf5::Part::Chunks;
    for (const hdf5::StoredPiece& piece : dataset.pieces)
        made.pieces.push_back({piece.address, piece.size, piece.mask,
                               in_chunks && judge.was_read(dataset, piece.offset), piece.offset});
    return made;
}

// Makes the directories that lead to it.
bool write_file(const std::string& path, std::span<const std::byte> bytes) {
    std::error_code error;
    fs::create_directories(fs::path(path).parent_path(), error);
    std::ofstream out(path, std::ios::binary);
    out.write(reinterpret_cast<const char*>(bytes.data()),
              static_cast<std::streamsize>(bytes.size()));
    out.close();
    return out && is_synced(path);
}

// What is known of it before it has been read.
OriginalFile original_of(const FileFate& fate) {
    OriginalFile original;
    original.path = fate.input.path;
    original.size = fate.size_before;
    original.modified = fate.modified;
    return original;
}

bool write_missing(const hdf5::CopiedFile& copied, const Judge& judge, const FileFate& fate,
                   uint64_t whole_checksum, const std::string& place) {
    OriginalFile original = original_of(fate);
    original.checksum = copied.identity.checksum;
    original.whole_checksum = whole_checksum;
    original.headers = copied.identity.headers;
    std::vector<MissingDataset> missing;
    for (const hdf5::CopiedDataset& dataset : copied.datasets)
        if (dataset.kept != hdf5::Part::Whole) missing.push_back(missing_part_of(dataset, judge));
    return write_file(missing_data_path(place, fate.copy), encode_missing(original, missing));
}

// Those who may read the original may read the copy, and see the same age. Whether all of it is on
// the disk then.
bool finish_copy(const std::string& from, const std::string& to) {
    const int file = open(to.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    struct stat status{};
    if (stat(from.c_str(), &status) == 0) {
        const timespec times[2] = {status.st_atim, status.st_mtim};
        fchmod(file, status.st_mode & 0777);
        futimens(file, times);
    }
    const bool is_synced = fsync(file) == 0;
    close(file);
    return is_synced;
}

// Sources of virtual datasets are known by the paths that lead to them, maybe over links.
void follow_paths(Job& job) {
    InputFile& input = job.fate.input;
    std::vector<std::string> paths;
    for (const UsedDataset& used : input.read)
        if (used.token == hdf5::ObjectToken{}) paths.push_back(used.path);
    const auto found = hdf5::find_datasets(input.place(), paths);
    for (UsedDataset& used : input.read) {
        const auto at = found.find(used.path);
        if (used.token != hdf5::ObjectToken{} || at == found.end()) continue;
        if (at->second.file.empty())
            used.token = at->second.token;
        else
            job.needs.push_back({at->second.file, "",
                                 std::string(at->second.token.begin(), at->second.token.end())});
    }
}

// Nothing in a file that is copied whole is hollow: a virtual dataset without its sources would
// have fill values.
void need_all_sources(Job& job) {
    job.needs.clear();
    const hdf5::Sources sources = hdf5::sources_in(job.fate.input.place());
    for (const hdf5::NeededData& needed : sources.known)
        job.needs.push_back({needed.file, needed.dataset});
    if (!sources.unknown_of.empty() && job.fate.problem.empty())
        job.fate.problem = "the HDF5 that Quarry has cannot tell which files hold the data of " +
                           sources.unknown_of +
                           ", a virtual dataset that a newer one has written: without them it "
                           "would have fill values. Choose other files with --file";
}

// Nothing if it does not have so many bytes.
std::optional<uint64_t> checksum_of_all(const std::string& path, uint64_t size) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return std::nullopt;
    const ByteRange all{0, size};
    const auto made = checksum_of(file, std::span(&all, 1));
    close(file);
    return made;
}

std::string last_problem() {
    return std::string("it cannot be copied: ") + std::strerror(errno);
}

// Tells what went wrong.
std::string copy_whole(const FileFate& fate, const std::string& copy, bool verifies) {
    const std::string original = fate.input.place();
    if (!copy_to(original, copy, tell_bytes)) return last_problem();
    const uint64_t size = fate.size_before;
    if (!verifies) return "";
    const auto of_copy = checksum_of_all(copy, size);
    return of_copy && of_copy == checksum_of_all(original, size)
               ? ""
               : "its copy turned out to have other bytes";
}

bool has_changed(const FileFate& fate) {
    struct stat status{};
    return stat(fate.input.place().c_str(), &status) != 0 || !looks_like(status, original_of(fate));
}

// Why the file cannot be taken apart; empty if its carved copy is there, or if there is a problem.
// What cannot be taken apart is the same at least when it is left whole.
std::string take_apart(Job& job, const std::string& place, const CarveOptions& options) {
    FileFate& fate = job.fate;
    const std::string original = fate.input.place();
    const std::string copy = place + "/" + fate.copy;
    follow_paths(job);
    const Judge judge(fate.input, options);
    hdf5::CopyOrder order = order_of(judge);
    order.progress = tell_bytes;
    order.mark = mark_of(original_of(fate));
    const auto copied = hdf5::copy_file(original, copy, order);
    if (!copied) return copied.error().message;
    note_fates(copied->datasets, judge, job);
    fate.checksum = copied->identity.checksum;
    const uint64_t whole =
        options.checksums ? checksum_of_all(original, fate.size_before).value_or(0) : 0;
    if (!write_missing(*copied, judge, fate, whole, place)) fate.problem = last_problem();
    return "";
}

}  // namespace

void plan_one(Job& job, const CarveOptions& options) {
    FileFate& fate = job.fate;
    if (access(fate.input.place().c_str(), R_OK) != 0) {
        fate.problem = last_problem();
        return;
    }
    fate.why_whole = fate.input.why_whole;
    if (fate.input.is_raw) return;
    if (fate.why_whole.empty()) {
        follow_paths(job);
        const Judge judge(fate.input, options);
        const auto planned = hdf5::plan_copy(fate.input.place(), order_of(judge));
        if (planned)
            note_fates(*planned, judge, job);
        else
            fate.why_whole = planned.error().message;
    }
    if (!fate.why_whole.empty()) need_all_sources(job);
}

void carve_one(Job& job, const std::string& place, const CarveOptions& options) {
    FileFate& fate = job.fate;
    const std::string copy = place + "/" + fate.copy;
    std::error_code error;
    fs::create_directories(fs::path(copy).parent_path(), error);
    if (error) {
        fate.problem = "it cannot be copied: " + error.message();
        return;
    }
    // What an earlier round has made, which did not know of all needs.
    remove_copy(fate, place);
    fate.checksum = 0;
    fate.why_whole = fate.input.why_whole;
    if (!fate.input.is_raw && fate.why_whole.empty())
        fate.why_whole = take_apart(job, place, options);
    if (fate.input.is_raw || !fate.why_whole.empty())
        fate.problem = copy_whole(fate, copy, options.verifies);
    if (!fate.why_whole.empty()) need_all_sources(job);
    if (fate.problem.empty() && has_changed(fate))
        fate.problem = "it was changed while it was copied";
    if (!finish_copy(fate.input.place(), copy) && fate.problem.empty())
        fate.problem = last_problem();
    fate.size_after = fs::file_size(copy, error);
}

void remove_copy(const FileFate& fate, const std::string& place) {
    std::error_code error;
    fs::remove(place + "/" + fate.copy, error);
    fs::remove(missing_data_path(place, fate.copy), error);
}

std::string difference_of(const Job& job, const std::string& place) {
    hdf5::CompareOrder order;
    order.progress = tell_bytes;
    const FileComparison compared =
        hdf5::compare_files(job.fate.input.place(), place + "/" + job.fate.copy, order);
    if (compared.all_differences == 0) return "";
    return "its copy turned out to be another file: " + text_of(compared.differences.front());
}

}  // namespace quarry::carve_files
