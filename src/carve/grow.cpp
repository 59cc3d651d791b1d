#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <map>
#include <optional>
#include <quarry/carve.hpp>
#include <set>
#include <sstream>
#include <thread>
#include <utility>

#include "base/directory_lock.hpp"
#include "base/file_times.hpp"
#include "base/mapped_file.hpp"
#include "base/text.hpp"
#include "carve/carve_alone.hpp"
#include "carve/manifest.hpp"
#include "model/original_file.hpp"
#include "model/selection.hpp"
#include "model/touched_chunks.hpp"

namespace quarry {
namespace {

using namespace carve_files;

// What is missing in a carved file; empty if that is not known any more.
class Table {
public:
    explicit Table(const std::string& path) {
        auto bytes = MappedFile::read(path);
        if (!bytes) return;
        const auto missing = MissingData::read(std::as_bytes(std::span(bytes->bytes())));
        if (missing) original_ = missing->original();
        for (size_t i = 0; missing && i < missing->count(); ++i) {
            MissingDataset dataset = missing->dataset(i);
            datasets_.emplace(bytes_in(dataset.token), std::move(dataset));
        }
    }

    // By the bytes of their tokens.
    const std::map<std::string, MissingDataset>& datasets() const { return datasets_; }
    // Nothing of a file that was copied whole.
    const std::optional<OriginalFile>& original() const { return original_; }

private:
    static std::string bytes_in(const std::array<uint8_t, 16>& token) {
        return {token.begin(), token.end()};
    }

    std::optional<OriginalFile> original_;
    std::map<std::string, MissingDataset> datasets_;
};

// The chunks that were asked for: those whose elements are selected, or all of them.
void add_chunks(const MissingDataset& dataset, const std::string& selection, UsedDataset& used) {
    const auto decoded = decode_selection(std::as_bytes(std::span(selection)));
    // Selections of programs lie within the dataset, whatever its shape.
    const std::vector<uint64_t> shape(dataset.chunk.size(), uint64_t{1} << 62);
    used.is_whole = used.is_whole || shape.empty() || !decoded ||
                    !each_touched_chunk(*decoded, shape, dataset.chunk,
                                        [&](const auto& offset) { used.chunks.insert(offset); });
}

WhyNotOriginal why_another(const FileFate& fate, const Table& table, const std::string& place) {
    const int file = open_original(place);
    if (file < 0) return not_there(errno);
    OriginalFile original;
    original.size = fate.size_before;
    original.modified = fate.modified;
    struct stat status{};
    const bool is_paranoid = table.original() && table.original()->whole_checksum != 0;
    WhyNotOriginal why;
    if (table.original())
        why = why_not_original(*table.original(), file, is_paranoid);
    else if (fstat(file, &status) != 0 || !looks_like(status, original))
        why = {"its size or time is not that of the file that was carved",
               "Put the original back as it was, or record and carve again."};
    close(file);
    return why;
}

std::set<std::string> carved_in_chunks(const FileFate& fate) {
    std::set<std::string> paths;
    for (const DatasetFate& dataset : fate.datasets)
        if (dataset.remains == Remains::Partly)
            paths.insert(dataset.paths.begin(), dataset.paths.end());
    return paths;
}

// What there is of a file in the carved directory, as if it had been read.
InputFile input_again(const FileFate& fate, const Table& table, const std::string& place) {
    InputFile input = fate.input;
    if (place != input.path) input.now = place;
    input.size = fate.size_before;
    // It has proved to be the original, also where its time is another.
    struct stat status{};
    if (stat(place.c_str(), &status) == 0) input.modified = {modified(status)};
    input.why_whole = fate.why_whole;
    for (const DatasetFate& dataset : fate.datasets)
        if (dataset.remains == Remains::Kept)
            input.read.push_back({{}, dataset.paths.front(), true, {}, dataset.why});
    const std::set<std::string> in_chunks = carved_in_chunks(fate);
    for (const auto& [token, dataset] : table.datasets()) {
        if (!in_chunks.contains(dataset.path)) continue;
        UsedDataset used{dataset.token, dataset.path, false, {}};
        for (const MissingPiece& piece : dataset.pieces)
            if (piece.is_kept) used.chunks.insert(piece.offset);
        input.read.push_back(std::move(used));
    }
    return input;
}

// Who carves into a directory comes to an end, who runs on it may not for days.
std::optional<DirectoryLock> lock_once_carved(const std::string& directory) {
    using Kind = DirectoryLock::Kind;
    while (true) {
        if (auto lock = DirectoryLock::try_to_take(directory, Kind::Alone)) return lock;
        if (DirectoryLock::try_to_take(directory, Kind::Shared)) return std::nullopt;
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
}

}  // namespace

Result<std::vector<FileFate>> fates_in(const std::string& directory) {
    auto manifest = read_manifest(directory, Detail::Datasets);
    if (!manifest) return manifest.error();
    return std::move(manifest->files);
}

std::vector<FetchedDataset> read_fetched(const std::string& log, const std::string& directory) {
    std::map<std::pair<std::string, std::string>, FetchedDataset> fetched;  // by file and token
    std::map<std::string, Table> tables;
    std::ifstream in(log);
    for (std::string line; std::getline(in, line);) {
        std::istringstream words(line);
        std::string file, token, selection;
        if (!(words >> file >> token)) continue;
        words >> selection;
        const std::string original = bytes_of_hex(file);
        if (!original.starts_with('/')) continue;
        const Table& table =
            tables.try_emplace(original, missing_data_path(directory, original.substr(1)))
                .first->second;
        const auto dataset = table.datasets().find(bytes_of_hex(token));
        if (dataset == table.datasets().end()) continue;
        const auto [one, is_new] = fetched.try_emplace({original, dataset->first});
        if (is_new)
            one->second = {original,
                           {dataset->second.token,
                            dataset->second.path,
                            false,
                            {},
                            "it was fetched from the original"}};
        add_chunks(dataset->second, bytes_of_hex(selection), one->second.used);
    }
    std::vector<FetchedDataset> all;
    for (auto& [key, one] : fetched) all.push_back(std::move(one));
    return all;
}

Result<std::optional<std::vector<FileFate>>> grow_carved(
    const std::string& directory, const std::vector<FetchedDataset>& fetched,
    const std::function<std::string(const std::string& original)>& place, unsigned jobs,
    const Progress& progress, const Progress& verifying) {
    std::optional<std::vector<FileFate>> grown;
    auto lock = lock_once_carved(directory);
    if (!lock) return grown;
    const auto manifest = read_manifest(directory, Detail::Datasets);
    if (!manifest) return manifest.error();
    const bool in_chunks = manifest->granularity == CarveOptions::Granularity::Chunk;
    std::vector<InputFile> inputs;
    CarveOptions options;
    for (const FileFate& fate : manifest->files) {
        const Table table(missing_data_path(directory, fate.copy));
        const std::string original = place(fate.input.path);
        if (const auto why = why_another(fate, table, original); !why.what.empty())
            return Error{original + ": " + why.what + ". " + why.advice};
        if (table.original() && table.original()->whole_checksum != 0) options.checksums = true;
        InputFile& input = inputs.emplace_back(input_again(fate, table, original));
        for (const FetchedDataset& one : fetched) {
            if (one.original != "/" + fate.copy) continue;
            input.read.push_back(one.used);
            if (!in_chunks) input.read.back().is_whole = true;
        }
    }
    options.directory = directory;
    options.granularity = manifest->granularity;
    options.keep_below = 0;  // what is kept is told by what there is
    options.jobs = jobs;
    options.verifying = verifying;
    auto carved = carve_alone(inputs, options, *lock, progress);
    if (!carved) return carved.error();
    grown = std::move(*carved);
    return grown;
}

}  // namespace quarry
