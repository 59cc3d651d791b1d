// Which variables make HDF5 load the connector, given those that are set already.
#pragma once

#include <quarry/launch.hpp>
#include <string>
#include <vector>

#include "model/connector_config.hpp"

namespace quarry {

inline constexpr const char* kConnectorVariable = "HDF5_VOL_CONNECTOR";
inline constexpr const char* kPluginPathVariable = "HDF5_PLUGIN_PATH";
inline constexpr const char* kPreloadVariable = "HDF5_PLUGIN_PRELOAD";
// Tells the connector that HDF5_PLUGIN_PATH is ours alone: it then adds the directories in which
// HDF5 and Python packages look only while the variable is not set.
inline constexpr const char* kPathUnsetVariable = "QUARRY_PLUGIN_PATH_UNSET";

// Through which the dynamic loader loads the library that sees the use of other files.
inline constexpr const char* kPreloadedVariable = "LD_PRELOAD";
inline constexpr const char* kFilesLibrary = "preload/libquarry_files.so";

inline constexpr const char* kDefaultTrace = "quarry-trace";

// What HDF5_VOL_CONNECTOR says: the first word is the name, the rest that connector's own business.
struct ConnectorChoice {
    std::string name;
    std::string info;
};
ConnectorChoice connector_choice(std::string_view variable);

// What the environment already asks for: an outer Quarry's own options, or another connector, on
// which Quarry then stands.
ConnectorConfig inherited_config(const Environment& environment);

Result<std::vector<EnvironmentChange>> compose_connector(const Environment& environment,
                                                         const LaunchOptions& options,
                                                         const std::string& plugin_directory);

// Takes an outer Quarry out again, back to the connector that it stood on.
std::vector<EnvironmentChange> compose_aside(const Environment& environment);

}  // namespace quarry
