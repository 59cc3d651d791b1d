// Two files that are being compared, and what is known of them.
#pragma once

#include <functional>

#include "hdf5/compare_files.hpp"
#include "hdf5/compare_values.hpp"
#include "hdf5/differences.hpp"
#include "hdf5/dimension_scales.hpp"
#include "hdf5/relocated.hpp"

namespace quarry::hdf5 {

struct Compared {
    Compared(hid_t old_file, hid_t copy_file, FileComparison& found)
        : old(old_file),
          copy(copy_file),
          old_scales(old),
          copy_scales(copy),
          values(old, copy, pairs),
          differences(found),
          result(found) {}

    Side old;
    Side copy;
    Pairs pairs;
    DimensionScales old_scales;
    DimensionScales copy_scales;
    ValueComparison values;
    Differences differences;
    FileComparison& result;
    CopiedPlace place;
    std::set<std::string> left_out;  // datasets whose data in other files is
    Times times = Times::Compared;
    std::function<void(uint64_t bytes)> progress;
};

// An object of each file, and what it was made with.
struct TwoObjects {
    hid_t old;
    hid_t copy;
    hid_t old_list;
    hid_t copy_list;
};

// Their types: as such, and which named type they are.
void compare_types(Compared& files, const Where& where, hid_t old, hid_t copy);
void compare_spaces(Compared& files, const Where& where, hid_t old, hid_t copy);

template <typename Named>
std::vector<std::string> names_of(const std::vector<Named>& things) {
    std::vector<std::string> names;
    names.reserve(things.size());
    for (const Named& thing : things) names.push_back(thing.name);
    return names;
}

// What only one side has of things with names, and whether they are in another order. Answers the
// places of those that both have. `one` is what such a thing is called.
std::vector<std::pair<size_t, size_t>> matched(Compared& files, const Where& where,
                                               const std::string& one,
                                               const std::vector<std::string>& old,
                                               const std::vector<std::string>& copy);

// An object of each file: all that is not its data or its links.
void compare_objects(Compared& files, const Where& where, hid_t old, hid_t copy);

// What is in datasets only. Where data was left out of the copy, what `quarry carve` changes for
// that may differ.
void compare_datasets(Compared& files, const Where& where, const TwoObjects& datasets);

// Says which reads are refused by the copy, or get other values there.
void replay_in_both(Compared& files, const std::vector<Replay>& replays);

// A dataset of each file.
using TwoTokens = std::pair<Token, Token>;

// Reads all of those that have their data in other files, and are not hollow.
void compare_data_elsewhere(Compared& files, const std::vector<TwoTokens>& datasets);

}  // namespace quarry::hdf5
