#include "preload/recorder.hpp"

#include <unistd.h>

#include <cstdlib>
#include <mutex>
#include <new>

#include "base/fork.hpp"
#include "base/raw_calls.hpp"
#include "model/connector_config.hpp"
#include "preload/streams.hpp"
#include "trace/process_record.hpp"
#include "trace/shared_writer.hpp"

namespace quarry::preload {
namespace {

constexpr std::string_view kConnector = "quarry ";

std::mutex starting;
[[maybe_unused]] const bool starting_is_free = keep_free_across_fork<starting>();

struct Recording {
    ConnectorConfig config;
    bool tried = false;
    std::atomic<trace::Writer*> writer{nullptr};
};

// Made when it is first needed and never destroyed: programs use files before and after everything.
Recording& recording() {
    static Recording& only = *[] {
        auto* made = new Recording;
        const char* variable = std::getenv("HDF5_VOL_CONNECTOR");
        const std::string_view text = variable != nullptr ? variable : "";
        if (text.starts_with(kConnector)) {
            auto config = parse_connector_config(text.substr(kConnector.size()));
            if (config) made->config = std::move(*config);
        }
        return made;
    }();
    return only;
}

void say(std::initializer_list<std::string_view> pieces) noexcept {
    // As one line; what does not fit is cut.
    std::array<char, 1024> line;
    size_t size = 0;
    const auto append = [&](std::string_view piece) {
        size += piece.copy(line.data() + size, line.size() - 1 - size);
    };
    append("quarry: ");
    for (const std::string_view piece : pieces) append(piece);
    line[size++] = '\n';
    if (raw_write(STDERR_FILENO, line.data(), size) < 0) return;
}

trace::Writer* start(Recording& state) {
    const std::lock_guard guard(starting);
    if (state.tried) return state.writer;
    state.tried = true;
    const ConnectorConfig& config = state.config;
    trace::Writer* writer =
        trace::Writer::create({config.trace, config.level, config.max_size, say});
    if (writer != nullptr) trace::record_process(*writer);
    state.writer.store(writer, std::memory_order_release);
    return writer;
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
    try {
        Recording& state = recording();
        if (trace::Writer* writer = state.writer.load(std::memory_order_acquire)) return writer;
        return state.config.trace.empty() ? nullptr : start(state);
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}

std::string_view trace_directory() noexcept {
    return recording().config.trace;
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
