// What the connector is told in `HDF5_VOL_CONNECTOR="quarry key=value;key=value"`.
//
// A value ends at the next `;` unless it stands in braces, which nest and are taken off:
// `under=pass_through;under_info={under_vol=0;under_info={}}`.
#pragma once

#include <cstdint>
#include <optional>
#include <quarry/result.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace quarry {

// What is recorded: objects only, also accesses to their data, also every I/O.
enum class RecordLevel : uint8_t { Objects = 1, Accesses = 2, Io = 3 };

std::optional<RecordLevel> record_level_named(std::string_view name);

struct ConnectorConfig {
    bool bytes = true;       // wrap the file driver, too
    std::string under;       // name of the connector to stand on; empty: the native one
    std::string under_info;  // that connector's own configuration string
    std::string witness;     // directory in which each process leaves proof of having loaded it
    std::string trace;       // directory to record into; empty: nothing is recorded
    RecordLevel level = RecordLevel::Io;
    uint64_t max_size = 0;  // of the whole trace, in bytes; 0: no limit
    std::string listener;   // under this name `quarry run` hears who cannot record; empty: nobody

    std::string carved;     // directory of carved files to be served; empty: none are
    std::string originals;  // below which the true files are, where others stand in their places
    std::string places;     // file with pairs of paths: where such a file is shown, and where its
                            // original was; each ends with a zero byte
    std::vector<std::string> moved;  // each "OLD=NEW": where originals are now
    std::string fetched;             // file to note in what was read from originals
    bool fetch = true;               // read from originals what is missing
    bool is_paranoid = false;        // only after looking at all bytes of an original

    bool operator==(const ConnectorConfig&) const = default;
};

Result<ConnectorConfig> parse_connector_config(std::string_view text);

// The text that parses back to `config`. Never empty: HDF5 hands a connector without configuration
// the same empty answer as one that it merely probes.
std::string to_string(const ConnectorConfig& config);

}  // namespace quarry
