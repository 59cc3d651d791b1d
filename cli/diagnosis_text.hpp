// A diagnosis as text for people.
#pragma once

#include <quarry/doctor.hpp>
#include <string>

#include "terminal.hpp"

namespace quarry::cli {

std::string diagnosis_as_text(const Diagnosis& diagnosis, const Style& style);

}  // namespace quarry::cli
