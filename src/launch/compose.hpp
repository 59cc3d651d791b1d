// Which variables make HDF5 load the connector, given those that are set already.
#pragma once

#include <quarry/launch.hpp>
#include <string>
#include <vector>

namespace quarry {

inline constexpr const char* kConnectorVariable = "HDF5_VOL_CONNECTOR";
inline constexpr const char* kPluginPathVariable = "HDF5_PLUGIN_PATH";
inline constexpr const char* kPreloadVariable = "HDF5_PLUGIN_PRELOAD";
// Tells the connector that HDF5_PLUGIN_PATH is ours alone, so that it can add what packages add
// only when they find the variable unset.
inline constexpr const char* kPathUnsetVariable = "QUARRY_PLUGIN_PATH_UNSET";

// What HDF5_VOL_CONNECTOR says: the first word is the name, the rest that connector's own business.
struct ConnectorChoice {
    std::string name;
    std::string info;
};
ConnectorChoice connector_choice(std::string_view variable);

// `default_paths`: where the HDF5 libraries concerned look when HDF5_PLUGIN_PATH is not set.
// Setting the variable hides those places, so they go in front.
Result<std::vector<EnvironmentChange>> compose_connector(
    const Environment& environment, const LaunchOptions& options,
    const std::string& plugin_directory, const std::vector<std::string>& default_paths);

// Takes an outer Quarry out again, back to the connector that it stood on.
std::vector<EnvironmentChange> compose_aside(const Environment& environment);

}  // namespace quarry
