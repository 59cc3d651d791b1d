#include "option_values.hpp"

namespace quarry::cli {

CLI::Validator as_size() {
    const CLI::AsSizeValue read(false);
    return {[read](std::string& text) {
                return text.starts_with('-') ? text + " is no size" : read(text);
            },
            read.get_description()};
}

CLI::Validator not_empty() {
    return {[](const std::string& text) { return text.empty() ? "it is empty" : ""; }, ""};
}

}  // namespace quarry::cli
