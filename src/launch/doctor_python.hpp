// The part of `quarry doctor` that looks at a Python and its packages, by running them.
#pragma once

#include <optional>
#include <quarry/doctor.hpp>
#include <string>
#include <vector>

#include "launch/examination.hpp"

namespace quarry {

struct PythonSurvey {
    std::string path;  // as found: what the user would type
    std::string version;
    std::string executable;  // what is behind it
    std::string prefix;      // two Pythons with the same one have the same packages
    std::vector<std::string> packages;
    std::string problem;  // it does not start

    bool same_as(const PythonSurvey& other) const {
        return prefix == other.prefix && version == other.version;
    }
};

// The check in which packages with different HDF5 libraries meet.
inline constexpr const char* kAllInOneProcess = "all in one process";

PythonSurvey survey_python(const Examination& examination, const std::string& path);

CheckGroup examine_python(Examination& examination, const PythonSurvey& python);

}  // namespace quarry
