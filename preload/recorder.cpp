#include "preload/recorder.hpp"

#include <cstdlib>
#include <mutex>
#include <new>

#include "base/fork.hpp"
#include "base/immortal.hpp"
#include "base/say.hpp"
#include "model/connector_config.hpp"
#include "preload/streams.hpp"
#include "trace/process_record.hpp"
#include "trace/shared_writer.hpp"

namespace quarry::preload {
namespace {

constexpr std::string_view kWithoutMemory =
    "memory is short; not all files other than HDF5 are recorded";

std::mutex starting;
[[maybe_unused]] const bool starting_is_free = keep_free_across_fork<starting>();

struct Recording {
    ConnectorConfig config;
    bool tried = false;
    std::atomic<trace::Writer*> writer{nullptr};
};

void read_config(ConnectorConfig& config) noexcept try {
    const char* variable = std::getenv(kConnectorVariable);
    const std::string_view text = variable != nullptr ? variable : "";
    if (!text.starts_with(kConnector)) return;
    if (auto found = parse_connector_config(text.substr(kConnector.size())))
        config = std::move(*found);
} catch (const std::bad_alloc&) {
    say({kWithoutMemory});
}

// Made when it is first needed: programs use files before everything.
Recording& recording() noexcept {
    static Immortal<Recording> only;
    static const bool configured = (read_config(only->config), true);
    (void)configured;
    return *only;
}

trace::Writer* start(Recording& state) noexcept try {
    const std::lock_guard guard(starting);
    if (state.tried) return state.writer;
    state.tried = true;
    const ConnectorConfig& config = state.config;
    trace::Writer* writer =
        trace::Writer::create({config.trace, config.level, config.max_size, config.listener, say});
    if (writer != nullptr) trace::record_process(*writer);
    state.writer.store(writer, std::memory_order_release);
    return writer;
} catch (const std::bad_alloc&) {
    say({kWithoutMemory});
    return nullptr;
}

__attribute__((destructor)) void end_recording() {
    all_streams_leave();
    const Ours ours;
    if (trace::Writer* writer = recording().writer) writer->end();
}

}  // namespace

thread_local int Ours::depth_ = 0;

trace::Writer* started_recorder() noexcept {
    return recording().writer.load(std::memory_order_acquire);
}

trace::Writer* recorder() noexcept {
    Recording& state = recording();
    if (trace::Writer* writer = state.writer.load(std::memory_order_acquire)) return writer;
    return state.config.trace.empty() ? nullptr : start(state);
}

void stop_without_memory() noexcept {
    if (trace::Writer* writer = started_recorder())
        writer->stop_without_memory();
    else
        say({kWithoutMemory});
}

const std::string& trace_directory() noexcept {
    return recording().config.trace;
}

const ConnectorConfig& configuration() noexcept {
    return recording().config;
}

}  // namespace quarry::preload

extern "C" quarry::trace::Writer* quarry_shared_writer(uint64_t layout, const char* directory) {
    using namespace quarry;
    if (layout != trace::kWriterLayout || preload::trace_directory() != directory) return nullptr;
    const preload::Ours ours;
    return preload::recorder();
}

extern "C" void quarry_files_are_hdf5(bool now) {
    now ? quarry::preload::Ours::enter() : quarry::preload::Ours::leave();
}
