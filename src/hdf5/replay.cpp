#include <algorithm>
#include <filesystem>
#include <map>

#include "hdf5/compared.hpp"
#include "hdf5/data_parts.hpp"
#include "hdf5/failure.hpp"
#include "hdf5/other_files.hpp"
#include "hdf5/own_library.hpp"

namespace quarry::hdf5 {
namespace {

namespace fs = std::filesystem;
using Numbers = std::vector<hsize_t>;

bool select_steps(hid_t space, std::span<const Steps> steps) {
    Numbers start, stride, count, block;
    for (const Steps& step : steps) {
        start.push_back(step.start);
        stride.push_back(step.stride);
        count.push_back(step.count);
        block.push_back(step.block);
    }
    return H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), stride.data(), count.data(),
                               block.data()) >= 0;
}

bool select_blocks(hid_t space, const std::vector<uint64_t>& corners, size_t rank) {
    H5Sselect_none(space);
    for (size_t at = 0; at + 2 * rank <= corners.size(); at += 2 * rank) {
        Numbers start, count;
        for (size_t i = 0; i < rank; ++i) {
            start.push_back(corners[at + i]);
            count.push_back(corners[at + rank + i] - corners[at + i] + 1);
        }
        if (H5Sselect_hyperslab(space, H5S_SELECT_OR, start.data(), nullptr, count.data(),
                                nullptr) < 0)
            return false;
    }
    return true;
}

bool select_points(hid_t space, const std::vector<uint64_t>& corners, size_t rank) {
    const Numbers points(corners.begin(), corners.end());
    return H5Sselect_elements(space, H5S_SELECT_SET, points.size() / rank, points.data()) >= 0;
}

// Whether the selection could be made in the space as it is now.
bool select(hid_t space, const Selection& selection) {
    using Kind = Selection::Kind;
    if (selection.kind == Kind::All) return H5Sselect_all(space) >= 0;
    if (selection.kind == Kind::None) return H5Sselect_none(space) >= 0;
    const size_t rank = selection.rank;
    if (rank == 0 || H5Sget_simple_extent_ndims(space) != static_cast<int>(rank)) return false;
    const bool is_made = selection.kind == Kind::Regular ? select_steps(space, selection.steps)
                         : selection.kind == Kind::Blocks
                             ? select_blocks(space, selection.corners, rank)
                             : select_points(space, selection.corners, rank);
    return is_made && H5Sselect_valid(space) > 0;
}

class DatasetReplay {
public:
    DatasetReplay(Compared& files, const Where& where, const Token& old, const Token& copy)
        : files_(files),
          where_(where),
          old_(opened(files.old, old)),
          copy_(opened(files.copy, copy)),
          data_of_copy_(relocated(copy_, files.place)),
          old_type_(H5Dget_type(old_), H5Tclose),
          copy_type_(H5Dget_type(copy_), H5Tclose),
          shape_(shape_of(old_type_)) {}

    void run(const Selection& selection) {
        const Handle space(H5Dget_space(old_), H5Sclose);
        const Handle copy_space(H5Dget_space(copy_), H5Sclose);
        if (H5Sextent_equal(space, copy_space) <= 0 || !select(space, selection)) {
            ++skipped_;
            return;
        }
        const std::string problem = read_all(space, selection.kind);
        if (!problem.empty())
            files_.differences.add(where_, "a read of " + to_string(selection) + " " + problem);
    }

    uint64_t done() const { return done_; }
    uint64_t skipped() const { return skipped_; }

private:
    static Handle opened(const Side& side, const Token& token) {
        return {checked(H5Oopen_by_token(side.file, place_of(token)), "it cannot be opened"),
                H5Oclose};
    }

    // More than memory has room for is read in parts; scattered points are never that many.
    std::string read_all(hid_t space, Selection::Kind kind) {
        constexpr size_t kAtOnce = 64 << 20;
        const auto bytes = static_cast<size_t>(H5Sget_select_npoints(space)) * shape_.size;
        if (bytes <= kAtOnce || kind == Selection::Kind::Points) return read(space);
        std::string problem;
        each_part(space, shape_.size, [&](hid_t part) {
            const Handle both(kind == Selection::Kind::All
                                  ? H5Scopy(part)
                                  : H5Scombine_select(space, H5S_SELECT_AND, part),
                              H5Sclose);
            if (problem.empty()) problem = read(both);
        });
        return problem;
    }

    // Answers what went wrong in the copy that did not in the original.
    std::string read(hid_t space) {
        const auto count =
            static_cast<hsize_t>(std::max<hssize_t>(H5Sget_select_npoints(space), 0));
        if (count == 0) return "";
        const Handle memory(H5Screate_simple(1, &count, nullptr), H5Sclose);
        Values old_values(old_type_, memory, count);
        if (H5Dread(old_, old_type_, memory, space, H5P_DEFAULT, old_values.data()) < 0) {
            ++skipped_;
            return "";
        }
        old_values.are_filled();
        ++done_;
        Values copy_values(copy_type_, memory, count);
        if (H5Dread(data_of_copy_, copy_type_, memory, space, H5P_DEFAULT, copy_values.data()) < 0)
            return "is refused by the copy: " + last_complaint();
        copy_values.are_filled();
        return files_.values.first_difference(old_values.data(), copy_values.data(), count, shape_)
                   ? "gets other values from the copy"
                   : "";
    }

    Compared& files_;
    const Where& where_;
    Handle old_;
    Handle copy_;
    Handle data_of_copy_;
    Handle old_type_;
    Handle copy_type_;
    ValueShape shape_;
    uint64_t done_ = 0;  // reads, and those that cannot be made
    uint64_t skipped_ = 0;
};

bool has_data_elsewhere(const Side& side, const Token& token) {
    const Handle dataset(H5Oopen_by_token(side.file, place_of(token)), H5Oclose);
    const Handle creation(dataset >= 0 ? H5Dget_create_plist(dataset) : H5I_INVALID_HID, H5Pclose);
    return creation >= 0 &&
           (H5Pget_layout(creation) == H5D_VIRTUAL || H5Pget_external_count(creation) > 0);
}

// What it names is compared as a dataset of the file, whether or not it can be read.
bool lies_in_own_file(const Side& side, const Token& token, const std::string& file) {
    const Handle dataset(H5Oopen_by_token(side.file, place_of(token)), H5Oclose);
    const Handle creation(dataset >= 0 ? H5Dget_create_plist(dataset) : H5I_INVALID_HID, H5Pclose);
    if (creation < 0 || H5Pget_layout(creation) != H5D_VIRTUAL) return false;
    const auto mappings = mappings_of(creation);
    const fs::path folder = fs::path(file).parent_path();
    return std::all_of(mappings.begin(), mappings.end(), [&](const VirtualMapping& one) {
        std::error_code error;
        return one.file == "." || fs::equivalent(folder / one.file, file, error);
    });
}

// The dataset that was read: itself, or what is at its path now.
std::optional<Token> dataset_of(const Side& side, const Replay& replay) {
    const auto is_dataset = [&](const Token& token) {
        const OldObject* object = side.objects.find(token);
        return object != nullptr && object->type == H5O_TYPE_DATASET;
    };
    if (is_dataset(replay.token)) return replay.token;
    if (replay.path.empty()) return std::nullopt;
    const Handle object(H5Oopen(side.file, replay.path.c_str(), H5P_DEFAULT), H5Oclose);
    if (object < 0 || !is_dataset(token_of_object(object))) return std::nullopt;
    return token_of_object(object);
}

bool is_left_out(const Compared& files, const Token& old) {
    const std::vector<std::string>& paths = files.old.objects.at(old).paths;
    return std::any_of(paths.begin(), paths.end(),
                       [&](const std::string& path) { return files.left_out.contains(path); });
}

void count_left_out(Compared& files, const Token& old) {
    const Handle dataset(H5Oopen_by_token(files.old.file, place_of(old)), H5Oclose);
    ++files.result.elsewhere;
    files.result.bytes_left_out += H5Dget_storage_size(dataset);
}

}  // namespace

void replay_in_both(Compared& files, const std::vector<Replay>& replays) {
    std::map<std::pair<Token, Token>, std::vector<const Replay*>> by_dataset;
    for (const Replay& replay : replays) {
        const auto old = dataset_of(files.old, replay);
        const auto copy = old ? files.pairs.copy_of(*old) : std::nullopt;
        if (copy)
            by_dataset[{*old, *copy}].push_back(&replay);
        else
            ++files.result.reads_skipped;
    }
    for (const auto& [pair, all] : by_dataset) {
        const Where where{files.old.objects.at(pair.first).paths.front(), ""};
        try {
            DatasetReplay dataset(files, where, pair.first, pair.second);
            for (const Replay* replay : all) dataset.run(replay->selection);
            files.result.reads += dataset.done();
            files.result.reads_skipped += dataset.skipped();
        } catch (const Failure& failure) {
            files.differences.add(where, std::string("it cannot be read: ") + failure.what());
        }
    }
}

void compare_data_elsewhere(Compared& files, const std::vector<TwoTokens>& datasets) {
    for (const auto& [old, copy] : datasets) {
        if (!has_data_elsewhere(files.copy, copy) || !has_data_elsewhere(files.old, old)) continue;
        const Where where{files.old.objects.at(old).paths.front(), ""};
        if (is_left_out(files, old)) {
            count_left_out(files, old);
            continue;
        }
        try {
            DatasetReplay dataset(files, where, old, copy);
            dataset.run({});
            if (dataset.skipped() > 0 && !lies_in_own_file(files.old, old, files.place.original))
                files.result.not_read.push_back(where.object);
        } catch (const Failure& failure) {
            files.differences.add(where, std::string("it cannot be read: ") + failure.what());
        }
    }
}

}  // namespace quarry::hdf5
