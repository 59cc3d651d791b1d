// What the connector is told in `HDF5_VOL_CONNECTOR="quarry key=value;key=value"`.
//
// A value ends at the next `;` unless it stands in braces, which nest and are taken off:
// `under=pass_through;under_info={under_vol=0;under_info={}}`.
#pragma once

#include <quarry/result.hpp>
#include <string>
#include <string_view>

namespace quarry {

struct ConnectorConfig {
    bool bytes = true;       // wrap the file driver, too
    std::string under;       // name of the connector to stand on; empty: the native one
    std::string under_info;  // that connector's own configuration string
    std::string witness;     // directory in which each process leaves proof of having loaded it

    bool operator==(const ConnectorConfig&) const = default;
};

Result<ConnectorConfig> parse_connector_config(std::string_view text);

// The text that parses back to `config`. Never empty: HDF5 hands a connector without configuration
// the same empty answer as one that it merely probes.
std::string to_string(const ConnectorConfig& config);

}  // namespace quarry
