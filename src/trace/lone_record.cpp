#include "trace/lone_record.hpp"

#include <limits.h>
#include <unistd.h>

#include <span>

#include "base/raw_calls.hpp"
#include "trace/clock.hpp"
#include "trace/directory.hpp"
#include "trace/header.hpp"
#include "trace/slots.hpp"

namespace quarry::trace {
namespace {

constexpr size_t kMostSlots = kHeaderSlots + 2 + PATH_MAX / kMoreBytes + 1;
constexpr uint32_t kProgram = 1;

// A whole file, in memory.
struct LoneFile {
    alignas(Header) std::array<std::byte, kMostSlots * kSlotSize> bytes{};
    size_t slots = kHeaderSlots;

    Header& header() { return *reinterpret_cast<Header*>(bytes.data()); }
    size_t size() const { return slots * kSlotSize; }

    template <typename Record>
    void append(Record record, std::span<const std::byte> rest = {}) noexcept {
        record.prefix.kind = static_cast<uint8_t>(Record::kKind);
        store_record(bytes.data() + size(), reinterpret_cast<const std::byte*>(&record), rest, 0);
        slots += 1 + slots_for(rest);
    }
};

void fill(LoneFile& file, RecordLevel level, UnseenReason reason, std::string_view program) {
    Header& header = file.header();
    fill_header(header, "", level);

    program = program.substr(0, PATH_MAX);
    Text text{};
    text.number = kProgram;
    text.size = static_cast<uint32_t>(program.size());
    const size_t here = program.copy(text.bytes.data(), text.bytes.size());
    file.append(text, std::as_bytes(std::span(program).subspan(here)));

    Unseen unseen{};
    unseen.prefix.flags = static_cast<uint8_t>(reason);
    unseen.time = monotonic_now();
    unseen.program = kProgram;
    file.append(unseen);

    header.state = static_cast<uint32_t>(State::Ended);
    header.stopped_at = unseen.time;
    header.next_slot = file.slots;
    header.magic = kMagic;
}

}  // namespace

bool record_alone(const char* directory, RecordLevel level, UnseenReason reason,
                  std::string_view program) noexcept {
    LoneFile content;
    fill(content, level, reason, program);
    const Header& header = content.header();
    PathBuffer path;
    if (!make_trace_directory(directory)) return false;
    const int file = create_process_file(directory, header.realtime, header.host.data(), path);
    if (file < 0) return false;
    const ssize_t written = raw_write(file, content.bytes.data(), content.size());
    raw_close(file);
    return written == static_cast<ssize_t>(content.size());
}

}  // namespace quarry::trace
