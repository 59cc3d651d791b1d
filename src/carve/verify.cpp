#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <quarry/verify.hpp>
#include <span>

#include "carve/manifest.hpp"
#include "carve/workers.hpp"
#include "hdf5/compare_files.hpp"

namespace quarry {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

// As the worker tells it, and back: every number has its place.
template <typename Comparison>
auto numbers_of(Comparison& found) {
    return std::array{&found.all_differences, &found.objects,         &found.attributes,
                      &found.datasets,        &found.bytes,           &found.hollow,
                      &found.partly,          &found.chunks_left_out, &found.bytes_left_out,
                      &found.elsewhere,       &found.reads,           &found.reads_skipped};
}

std::string as_text(const FileComparison& found) {
    Json json{{"equal_bytes", found.are_equal_bytes},
              {"numbers", Json::array()},
              {"not_read", found.not_read},
              {"differences", Json::array()}};
    for (const uint64_t* number : numbers_of(found)) json["numbers"].push_back(*number);
    for (const FileDifference& one : found.differences)
        json["differences"].push_back({one.object, one.attribute, one.what});
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool read_text(const std::string& text, FileComparison& found) {
    const Json json = Json::parse(text, nullptr, false);
    if (!json.is_object()) return false;
    found.are_equal_bytes = json["equal_bytes"];
    const auto numbers = numbers_of(found);
    for (size_t i = 0; i < numbers.size(); ++i) *numbers[i] = json["numbers"][i];
    json["not_read"].get_to(found.not_read);
    for (const Json& one : json["differences"])
        found.differences.push_back({one[0], one[1], one[2]});
    return true;
}

hdf5::CompareOrder order_for(const std::vector<RecordedRead>& reads) {
    hdf5::CompareOrder order;
    order.progress = carve_files::tell_bytes;
    for (const RecordedRead& read : reads)
        if (auto selection = decode_selection(std::as_bytes(std::span(read.selection))))
            order.replays.push_back({read.dataset.token, read.dataset.path, *selection});
    return order;
}

// Datasets of a carved file whose data was in other files, as the list beside it says.
std::set<std::string> left_out_elsewhere(const std::string& carved) {
    std::error_code error;
    const fs::path copy = fs::canonical(carved, error);
    fs::path directory = copy.parent_path();
    while (directory.has_relative_path() && !fs::exists(directory / carve_files::kManifest, error))
        directory = directory.parent_path();
    std::set<std::string> paths;
    const auto listed = carve_files::read_manifest(directory, carve_files::Detail::Datasets);
    for (const FileFate& file : listed ? listed->files : std::vector<FileFate>{})
        for (const DatasetFate& dataset : file.datasets)
            if (dataset.remains == Remains::Elsewhere && directory / file.copy == copy)
                paths.insert(dataset.paths.begin(), dataset.paths.end());
    return paths;
}

std::string why_not_readable(const std::string& path) {
    // A pipe would wait for somebody to write to it.
    const int file = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) return path + " cannot be read: " + std::strerror(errno) + ".";
    close(file);
    return fs::is_regular_file(path) ? "" : path + " is no ordinary file.";
}

Result<FileComparison> compared(const std::string& original, const std::string& carved,
                                const hdf5::CompareOrder& order, const Progress& progress) {
    for (const std::string& path : {original, carved})
        if (const std::string reason = why_not_readable(path); !reason.empty())
            return Error{reason};
    const InterruptGuard guard;
    const auto outcomes = carve_files::in_processes(
        1, 1, [&](size_t) { return as_text(hdf5::compare_files(original, carved, order)); },
        carve_files::summed_up(fs::file_size(carved), progress));
    const Outcome& outcome = outcomes.front();
    if (outcome.end == Outcome::End::Interrupted) return Error{"Interrupted."};
    FileComparison found;
    if (!outcome.succeeded() || !read_text(outcome.output, found)) {
        found = {};
        found.differences = {{"", "", "HDF5 did not get through both: " + outcome.describe()}};
        found.all_differences = 1;
    }
    return found;
}

}  // namespace

std::string text_of(const FileDifference& difference) {
    return (difference.object.empty() ? "the file" : difference.object) +
           (difference.attribute.empty() ? "" : ", attribute " + difference.attribute) + ": " +
           difference.what;
}

Result<FileComparison> verify_carved(const std::string& original, const std::string& carved,
                                     const std::vector<RecordedRead>& reads,
                                     const Progress& progress) {
    hdf5::CompareOrder order = order_for(reads);
    order.elsewhere = hdf5::DataElsewhere::Compared;
    order.left_out = left_out_elsewhere(carved);
    return compared(original, carved, order, progress);
}

Result<FileComparison> compare_results(const std::string& one, const std::string& other) {
    hdf5::CompareOrder order;
    order.times = hdf5::Times::Ignored;
    order.progress = carve_files::tell_bytes;
    return compared(one, other, order, {});
}

}  // namespace quarry
