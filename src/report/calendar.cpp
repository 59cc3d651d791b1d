#include "report/calendar.hpp"

#include <fmt/format.h>

#include <ctime>

namespace quarry::report {

std::string calendar_text(uint64_t nanoseconds) {
    constexpr uint64_t kSecond = 1'000'000'000;
    const auto seconds = static_cast<std::time_t>(nanoseconds / kSecond);
    std::tm parts{};
    gmtime_r(&seconds, &parts);
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}Z", parts.tm_year + 1900,
                       parts.tm_mon + 1, parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                       nanoseconds % kSecond / 1000);
}

}  // namespace quarry::report
