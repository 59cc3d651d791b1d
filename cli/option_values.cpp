#include "option_values.hpp"

#include <fmt/format.h>

namespace quarry::cli {

CLI::Validator as_size() {
    return {[](std::string& text) -> std::string {
                const std::string given = text;
                try {
                    if (!given.starts_with('-') && CLI::AsSizeValue(false)(text).empty()) return "";
                } catch (const CLI::ValidationError&) {
                    // It says what CLI11 has tried.
                }
                return fmt::format(
                    "`{}` is no size, which is a whole number of bytes, or of K, M, G or T", given);
            },
            ""};
}

CLI::Validator not_empty() {
    return {[](const std::string& text) { return text.empty() ? "it is empty" : ""; }, ""};
}

}  // namespace quarry::cli
