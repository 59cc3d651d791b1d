// A diagnosis as JSON for programs.
#pragma once

#include <quarry/doctor.hpp>
#include <string>

namespace quarry::cli {

std::string diagnosis_as_json(const Diagnosis& diagnosis);

}  // namespace quarry::cli
