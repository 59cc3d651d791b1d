#include "connector/recorder.hpp"

#include <dlfcn.h>

#include <array>
#include <mutex>

#include "base/fork.hpp"
#include "connector/notice.hpp"
#include "trace/process_record.hpp"
#include "trace/shared_writer.hpp"

namespace quarry::connector {
namespace {

std::mutex starting;
[[maybe_unused]] const bool starting_is_free = keep_free_across_fork<starting>();
bool tried = false;

std::array<std::atomic<uint32_t>, kLibraries> numbers;

void say_of_trace(std::initializer_list<std::string_view> pieces) noexcept {
    give_notice(Notice::Trace, pieces);
}

std::atomic<trace::FilesAreHdf5*> files_are_hdf5{nullptr};

// That of the preloaded library, which records other files into the same trace.
trace::Writer* shared_writer(const ConnectorConfig& config) {
    files_are_hdf5 =
        reinterpret_cast<trace::FilesAreHdf5*>(dlsym(RTLD_DEFAULT, trace::kFilesAreHdf5));
    const auto shared =
        reinterpret_cast<trace::SharedWriter*>(dlsym(RTLD_DEFAULT, trace::kSharedWriter));
    return shared != nullptr ? shared(trace::kWriterLayout, config.trace.c_str()) : nullptr;
}

// Runs after HDF5's own exit handler: that one was registered later than the loader's, which calls
// this.
__attribute__((destructor)) void end_recording() {
    if (trace::Writer* writer = recorder()) writer->end();
}

}  // namespace

std::atomic<trace::Writer*> detail::recorder{nullptr};

void start_recording(Library& library, const ConnectorConfig& config) noexcept {
    if (config.trace.empty()) return;
    hdf5::Api& api = library.api;
    if (api.has_shortcuts && !api.takes_shortcuts) api.takes_shortcuts = is_version_known(library);
    if (recorder() != nullptr) return;
    const std::lock_guard guard(starting);
    if (tried) return;
    tried = true;
    if (!library.api.missing_for_recording.empty()) {
        give_notice(Notice::Trace, {"the HDF5 in ", library.api.path, " lacks ",
                                    library.api.missing_for_recording, "; nothing is recorded"});
        return;
    }
    trace::Writer* writer = shared_writer(config);
    if (writer == nullptr) {
        writer = trace::Writer::create(
            {config.trace, config.level, config.max_size, config.listener, say_of_trace});
        if (writer == nullptr) return;
        trace::record_process(*writer);
    }
    detail::recorder.store(writer, std::memory_order_release);
}

DriverWorks::DriverWorks() noexcept : tell_(files_are_hdf5) {
    if (tell_ != nullptr) tell_(true);
}

DriverWorks::~DriverWorks() {
    if (tell_ != nullptr) tell_(false);
}

uint32_t number_of(Library& library, trace::Writer& writer) noexcept {
    const auto slot = static_cast<size_t>(&library - &library_in_slot(0));
    if (const uint32_t known = numbers[slot]) return known;
    const hdf5::Version version = hdf5::version_of(library.api);
    trace::Library record{};
    record.time = trace::monotonic_now();
    record.number = writer.new_number();
    record.path = writer.text(library.api.path);
    record.major = version.major;
    record.minor = version.minor;
    record.release = version.release;
    writer.append(record);
    numbers[slot] = record.number;
    return record.number;
}

}  // namespace quarry::connector
