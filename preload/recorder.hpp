// Where this process's use of files is recorded: the same file of the trace that the connector,
// once it is loaded, writes to.
#pragma once

#include "trace/writer.hpp"

namespace quarry::preload {

// The variable that holds the connector's configuration, which holds for this library, too, and
// what its value begins with.
inline constexpr const char* kConnectorVariable = "HDF5_VOL_CONNECTOR";
inline constexpr std::string_view kConnector = "quarry ";

// Null where nothing is recorded. Begins with the first file that is worth it.
trace::Writer* recorder() noexcept;

// Null also where it has not begun.
trace::Writer* started_recorder() noexcept;

// Something could not be recorded for want of memory, which is said.
void stop_without_memory() noexcept;

// The directory of the trace; empty where nothing is to be recorded.
const std::string& trace_directory() noexcept;
// What this process was told.
const ConnectorConfig& configuration() noexcept;

// While one lives, calls of this thread into the C library are ours and not the program's.
class Ours {
public:
    // For whoever cannot have an object: the connector, while a driver opens or closes its file.
    static void enter() noexcept { ++depth_; }
    static void leave() noexcept { --depth_; }

    Ours() noexcept { enter(); }
    ~Ours() { leave(); }
    Ours(const Ours&) = delete;
    Ours& operator=(const Ours&) = delete;

    static bool inside() noexcept { return depth_ > 0; }

private:
    static thread_local int depth_ __attribute__((tls_model("initial-exec")));
};

}  // namespace quarry::preload
