// What is not the same in two files, in words.
#pragma once

#include <quarry/verify.hpp>

#include "hdf5/properties.hpp"

namespace quarry::hdf5 {

struct Where {
    std::string object;
    std::string attribute;
};

class Differences {
public:
    explicit Differences(FileComparison& found) : found_(found) {}

    void add(const Where& where, const std::string& what);
    // Says which of the properties are not the same.
    void compare(const Where& where, const Properties& old, const Properties& copy);

private:
    FileComparison& found_;
};

}  // namespace quarry::hdf5
