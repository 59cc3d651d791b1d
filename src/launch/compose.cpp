#include "launch/compose.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "model/connector_config.hpp"

namespace quarry {
namespace {

constexpr const char* kName = "quarry";

bool contains(const std::vector<std::string>& items, const std::string& item) {
    return std::find(items.begin(), items.end(), item) != items.end();
}

Result<ConnectorConfig> merged_config(const Environment& environment,
                                      const LaunchOptions& options) {
    ConnectorConfig config = inherited_config(environment);
    if (options.bytes) config.bytes = *options.bytes;
    if (!options.witness.empty()) config.witness = options.witness;
    if (options.recording == LaunchOptions::Recording::Off) config.trace.clear();
    if (options.recording == LaunchOptions::Recording::On) {
        config.trace = options.trace;
        config.listener = options.listener;
    }
    if (!options.level.empty()) {
        const auto level = record_level_named(options.level);
        if (!level) return Error{"There is no level `" + options.level + "` of recording."};
        config.level = *level;
    }
    if (options.max_size != 0) config.max_size = options.max_size;
    if (!options.serving.carved.empty()) {
        config.carved = options.serving.carved;
        config.originals = options.serving.originals;
        config.places = options.serving.places;
        config.moved = options.serving.moved;
        config.fetched = options.serving.fetched;
        config.fetch = options.serving.fetch;
        config.is_paranoid = options.serving.is_paranoid;
    }
    if (!options.under.empty()) {
        const ConnectorChoice under = connector_choice(options.under);
        config.under = under.name == "native" ? "" : under.name;
        config.under_info = under.name == "native" ? "" : under.info;
    }
    const std::string text = to_string(config);
    const auto again = parse_connector_config(text);
    const bool one_line = text.find_first_of("\r\n") == std::string::npos;
    if (!again || *again != config || !one_line)
        return Error{
            "The connector cannot be told `" + text +
            "`: a name in it has braces that do not match, or a line break. Choose "
            "another directory for --trace, --witness or --missing, or other options for --under."};
    return config;
}

std::vector<EnvironmentChange> plugin_path_changes(const Environment& environment,
                                                   const std::string& plugin_directory) {
    const auto before = environment.get(kPluginPathVariable);
    const bool present = before && contains(split(*before, ":"), plugin_directory);
    std::string joined = before.value_or("");
    if (!present) joined += (joined.empty() ? "" : ":") + plugin_directory;

    std::vector<EnvironmentChange> changes{{kPluginPathVariable, joined}};
    if (!before) changes.push_back({kPathUnsetVariable, "1"});
    // Left by an outer Quarry, but the variable has been set anew since.
    const bool stale = before && !present && environment.get(kPathUnsetVariable);
    if (stale) changes.push_back({kPathUnsetVariable, std::nullopt});
    return changes;
}

// Our library is put behind the user's own, or taken out again.
std::optional<EnvironmentChange> preload_change(const Environment& environment,
                                                const std::string& library, bool wanted) {
    const auto before = environment.get(kPreloadedVariable);
    std::string after;
    for (const std::string& item : split(before.value_or(""), ": ")) {
        if (item != library) after += (after.empty() ? "" : ":") + item;
    }
    if (wanted) after += (after.empty() ? "" : ":") + library;
    if (after == before.value_or("")) return std::nullopt;
    return EnvironmentChange{kPreloadedVariable,
                             after.empty() ? std::nullopt : std::optional(after)};
}

}  // namespace

ConnectorChoice connector_choice(std::string_view variable) {
    const std::string_view text = trim(variable);
    const size_t space = std::min(text.find_first_of(" \t\r\n"), text.size());
    return {std::string(text.substr(0, space)), std::string(trim(text.substr(space)))};
}

ConnectorConfig inherited_config(const Environment& environment) {
    const ConnectorChoice choice =
        connector_choice(environment.get(kConnectorVariable).value_or(""));
    ConnectorConfig config;
    if (choice.name == kName) {
        if (auto outer = parse_connector_config(choice.info)) config = *outer;
    } else if (!choice.name.empty() && choice.name != "native") {
        config.under = choice.name;
        config.under_info = choice.info;
    }
    return config;
}

Result<std::vector<EnvironmentChange>> compose_connector(const Environment& environment,
                                                         const LaunchOptions& options,
                                                         const std::string& plugin_directory) {
    const auto config = merged_config(environment, options);
    if (!config) return config.error();
    if (plugin_directory.find(':') != std::string::npos)
        return Error{"Quarry is installed in " + plugin_directory +
                     ", but HDF5_PLUGIN_PATH cannot name a directory with a colon in it. Install "
                     "it somewhere else."};
    std::vector<EnvironmentChange> changes{
        {kConnectorVariable, std::string(kName) + " " + to_string(*config)}};
    const auto paths = plugin_path_changes(environment, plugin_directory);
    changes.insert(changes.end(), paths.begin(), paths.end());
    // Also where nothing is recorded: programs that set HDF5_PLUGIN_PATH anew need it.
    if (const auto preload =
            preload_change(environment, plugin_directory + "/" + kFilesLibrary, options.files))
        changes.push_back(*preload);
    return changes;
}

std::vector<EnvironmentChange> compose_aside(const Environment& environment) {
    const ConnectorChoice choice =
        connector_choice(environment.get(kConnectorVariable).value_or(""));
    if (choice.name != kName) return {};
    const ConnectorConfig outer = inherited_config(environment);
    if (outer.under.empty()) return {{kConnectorVariable, std::nullopt}};
    const std::string info = outer.under_info.empty() ? "" : " " + outer.under_info;
    return {{kConnectorVariable, outer.under + info}};
}

}  // namespace quarry
