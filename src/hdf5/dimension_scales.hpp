// Dimension scales, which name the axes of other datasets, and whether they and those datasets
// agree on it. netCDF-4 keeps its dimensions so.
#pragma once

#include <hdf5.h>

#include <map>
#include <set>
#include <tuple>

#include "hdf5/side.hpp"

namespace quarry::hdf5 {

bool is_scale(hid_t dataset);

class DimensionScales {
public:
    explicit DimensionScales(const Side& side) : side_(side) {}

    // At an object that has attributes of these names.
    void look_at(hid_t object, const std::vector<std::string>& attributes);

    // Where they do not agree: the path of an object, and what is wrong with it.
    std::set<std::pair<std::string, std::string>> problems() const;

private:
    // A dataset, one of its axes, and the scale of that.
    using Use = std::tuple<Token, int, Token>;

    void read_dimension_list(hid_t variable, const Token& token);
    void read_reference_list(hid_t scale, const Token& token);
    std::string path_of(const Token& token) const;

    const Side& side_;
    std::set<Token> scales_;
    std::set<Use> named_;   // by the dataset
    std::set<Use> listed_;  // by the scale
    std::map<Token, int> numbers_;
    std::map<Token, std::vector<int>> coordinates_;
};

// Those that the copy has and its original has not.
std::vector<std::pair<std::string, std::string>> new_problems(const DimensionScales& old,
                                                              const DimensionScales& copy);

}  // namespace quarry::hdf5
