#include "trace/header.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "trace/clock.hpp"
#include "trace/process_identity.hpp"
#include "trace/shared_writer.hpp"

namespace quarry::trace {
namespace {

template <size_t kSize>
void copy_text(std::array<char, kSize>& to, std::string_view from) {
    const size_t size = std::min(from.size(), kSize - 1);
    std::memcpy(to.data(), from.data(), size);
    to[size] = '\0';
}

// By the clock that file systems go by, so that it tells what was made before.
const uint64_t first_loaded = nanoseconds_of(CLOCK_MONOTONIC_COARSE);

// They are if the library for that is loaded, which then is there before all others.
const bool are_files_recorded = dlsym(RTLD_DEFAULT, kSharedWriter) != nullptr;

}  // namespace

void fill_header(Header& header, const char* forked_from, RecordLevel level) noexcept {
    const ProcessIdentity process = identity_of_process();
    header.version = kVersion;
    header.byte_order = kByteOrder;
    header.slot_size = kSlotSize;
    header.segment_size = kSegmentSize;
    header.state = static_cast<uint32_t>(State::Running);
    header.next_slot = kHeaderSlots;
    header.monotonic = monotonic_now();
    header.realtime = realtime_now();
    header.process_age = process.age;
    header.parent_age = process.parent_age;
    header.pid = process.pid;
    header.parent_pid = process.parent_pid;
    const Ancestors above = ancestors_above(process.parent_pid);
    header.ancestor_ages = above.ages;
    header.ancestors = above.pids;
    header.execution = number_of_execution();
    header.loaded = first_loaded;
    header.level = static_cast<uint8_t>(level);
    header.files = static_cast<uint8_t>(are_files_recorded ? Files::Recorded : Files::NotRecorded);
    copy_text(header.boot, process.boot.data());
    copy_text(header.host, process.host.data());
    copy_text(header.forked_from, forked_from);
}

}  // namespace quarry::trace
