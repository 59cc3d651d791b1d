#include <quarry/units.hpp>

#include <fmt/format.h>

#include <array>

namespace quarry {
namespace {

template <size_t kCount>
std::string scaled(double value, double step, const std::array<const char*, kCount>& units) {
    size_t unit = 0;
    while (value >= step && unit + 1 < kCount) {
        value /= step;
        ++unit;
    }
    const bool small = unit > 0 && value < 10;
    return small ? fmt::format("{:.1f} {}", value, units[unit])
                 : fmt::format("{:.0f} {}", value, units[unit]);
}

}  // namespace

std::string bytes_text(uint64_t bytes) {
    return scaled(static_cast<double>(bytes), 1000, std::array{"B", "kB", "MB", "GB", "TB", "PB"});
}

std::string time_text(uint64_t nanoseconds) {
    return scaled(static_cast<double>(nanoseconds), 1000, std::array{"ns", "us", "ms", "s"});
}

std::string share_text(uint64_t part, uint64_t all) {
    if (all == 0) return "-";
    return fmt::format("{:.0f} %", 100.0 * static_cast<double>(part) / static_cast<double>(all));
}

std::string ratio_text(uint64_t part, uint64_t all) {
    if (all == 0) return "-";
    return fmt::format("{:.1f}x", static_cast<double>(part) / static_cast<double>(all));
}

}  // namespace quarry
