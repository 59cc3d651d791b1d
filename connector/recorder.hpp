// Where this process's accesses are recorded, if anywhere.
#pragma once

#include <atomic>

#include "connector/library.hpp"
#include "model/connector_config.hpp"
#include "trace/writer.hpp"

namespace quarry::connector {

namespace detail {
extern std::atomic<trace::Writer*> recorder;
}

// Null while nothing is recorded.
inline trace::Writer* recorder() noexcept {
    return detail::recorder.load(std::memory_order_acquire);
}

// Begins, if the configuration asks for it and nobody has yet. Called whenever a file is opened.
void start_recording(Library& library, const ConnectorConfig& config) noexcept;

// Something could not be recorded for want of memory.
inline void stop_recording_without_memory() noexcept {
    if (trace::Writer* writer = recorder()) writer->stop_without_memory();
}

// While one lives, files that this thread opens and closes are a driver's: they are not recorded as
// others.
class DriverWorks {
public:
    DriverWorks() noexcept;
    ~DriverWorks();
    DriverWorks(const DriverWorks&) = delete;
    DriverWorks& operator=(const DriverWorks&) = delete;

private:
    void (*tell_)(bool now);  // the preloaded library, if it is there
};

// The library's own number in the trace.
uint32_t number_of(Library& library, trace::Writer& writer) noexcept;

}  // namespace quarry::connector
