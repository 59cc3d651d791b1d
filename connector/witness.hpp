// Proof that the connector was there: with `witness=DIR` every process leaves a file DIR/PID-N for
// each HDF5 library in it, saying what has been reached.
#pragma once

#include "model/connector_config.hpp"

namespace quarry::connector {

struct Library;

enum class Witnessed { Library, ObjectLayer, ByteLayer };

void bear_witness(Library& library, const ConnectorConfig& config, Witnessed what) noexcept;

}  // namespace quarry::connector
