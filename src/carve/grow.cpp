#include <filesystem>
#include <fstream>
#include <map>
#include <quarry/carve.hpp>
#include <sstream>

#include "base/mapped_file.hpp"
#include "base/text.hpp"
#include "carve/manifest.hpp"
#include "model/missing_data.hpp"
#include "model/selection.hpp"
#include "model/touched_chunks.hpp"

namespace quarry {
namespace {

using namespace carve_files;

// What is missing in a carved file; empty if that is not known any more.
class Table {
public:
    explicit Table(const std::string& path) {
        auto bytes = MappedFile::open(path);
        if (!bytes) return;
        const auto missing = MissingData::read(std::as_bytes(std::span(bytes->bytes())));
        for (size_t i = 0; missing && i < missing->count(); ++i)
            datasets_.push_back(missing->dataset(i));
    }

    const std::vector<MissingDataset>& datasets() const { return datasets_; }

private:
    std::vector<MissingDataset> datasets_;
};

std::string table_of(const std::string& directory, const std::string& copy) {
    return (std::filesystem::path(directory) / kMissingData / copy).string();
}

// The chunks that were asked for: those whose elements are selected, or all of them.
void add_chunks(const MissingDataset& dataset, const std::string& selection, UsedDataset& used) {
    const auto decoded = decode_selection(std::as_bytes(std::span(selection)));
    // Selections of programs lie within the dataset, whatever its shape.
    const std::vector<uint64_t> shape(dataset.chunk.size(), uint64_t{1} << 62);
    used.is_whole = shape.empty() || !decoded ||
                    !each_touched_chunk(*decoded, shape, dataset.chunk,
                                        [&](const auto& offset) { used.chunks.insert(offset); });
}

// What there is of a file in the carved directory, as if it had been read.
InputFile input_again(const FileFate& fate, const std::string& directory,
                      const std::string& place) {
    InputFile input = fate.input;
    if (place != input.path) input.now = place;
    input.size = fate.size_before;
    input.opened = fate.modified;
    for (const DatasetFate& dataset : fate.datasets)
        if (dataset.is_whole)
            input.read.push_back({{}, dataset.paths.front(), true, {}, dataset.why});
    const Table table(table_of(directory, fate.copy));
    for (const MissingDataset& dataset : table.datasets()) {
        UsedDataset used{dataset.token, dataset.path, false, {}, {}};
        for (const MissingPiece& piece : dataset.pieces)
            if (piece.is_kept) used.chunks.insert(piece.offset);
        if (!used.chunks.empty()) input.read.push_back(std::move(used));
    }
    return input;
}

}  // namespace

Result<std::vector<FileFate>> fates_in(const std::string& directory) {
    auto manifest = read_manifest(directory, Detail::Datasets);
    if (!manifest) return manifest.error();
    return std::move(manifest->files);
}

std::vector<FetchedDataset> read_fetched(const std::string& log, const std::string& directory) {
    std::vector<FetchedDataset> fetched;
    std::map<std::string, Table> tables;
    std::ifstream in(log);
    for (std::string line; std::getline(in, line);) {
        std::istringstream words(line);
        std::string file, token, selection;
        if (!(words >> file >> token)) continue;
        words >> selection;
        const std::string original = bytes_of_hex(file);
        const auto table = tables.try_emplace(original, table_of(directory, original.substr(1)));
        for (const MissingDataset& dataset : table.first->second.datasets()) {
            const std::string bytes = bytes_of_hex(token);
            if (!std::equal(dataset.token.begin(), dataset.token.end(),
                            reinterpret_cast<const uint8_t*>(bytes.data()),
                            reinterpret_cast<const uint8_t*>(bytes.data() + bytes.size())))
                continue;
            FetchedDataset& one = fetched.emplace_back();
            one.original = original;
            one.used = {dataset.token, dataset.path, false, {}, "it was fetched from the original"};
            add_chunks(dataset, bytes_of_hex(selection), one.used);
        }
    }
    return fetched;
}

Result<std::vector<FileFate>> grow_carved(
    const std::string& directory, const std::vector<FetchedDataset>& fetched,
    const std::function<std::string(const std::string& original)>& place, unsigned jobs,
    const Progress& progress) {
    const auto manifest = read_manifest(directory, Detail::Datasets);
    if (!manifest) return manifest.error();
    const bool in_chunks = manifest->granularity == CarveOptions::Granularity::Chunk;
    std::vector<InputFile> inputs;
    for (const FileFate& fate : manifest->files) {
        InputFile& input =
            inputs.emplace_back(input_again(fate, directory, place(fate.input.path)));
        for (const FetchedDataset& one : fetched) {
            if (one.original != "/" + fate.copy) continue;
            input.read.push_back(one.used);
            if (!in_chunks) input.read.back().is_whole = true;
        }
    }
    CarveOptions options;
    options.directory = directory;
    options.granularity = manifest->granularity;
    options.keep_below = 0;  // what is kept is told by what there is
    options.jobs = jobs;
    return carve(inputs, options, progress);
}

}  // namespace quarry
