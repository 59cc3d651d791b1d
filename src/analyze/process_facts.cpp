#include "analyze/process_facts.hpp"

#include "trace/process_identity.hpp"

namespace quarry::analyze {
namespace {

// How long the process had lived when its file of the trace was begun. Machines that slept since
// they were started count differently: then nothing is said.
uint64_t time_before(const trace::Header& header) {
    constexpr uint64_t kTick = 10'000'000;  // of Linux, towards programs
    const bool is_sensible = header.process_age <= header.monotonic / kTick;
    return is_sensible ? header.monotonic - header.process_age * kTick : 0;
}

bool is_running(const trace::Header& header) {
    static const trace::ProcessIdentity here = trace::identity_of_process();
    return header.state == static_cast<uint32_t>(trace::State::Running) &&
           header.process_age != 0 && std::string_view(header.boot.data()) == here.boot.data() &&
           trace::age_of_process(header.pid) == header.process_age;
}

std::string stop_sentence(const trace::Header& header) {
    switch (static_cast<trace::StopReason>(header.stop_reason)) {
        case trace::StopReason::SizeLimit:
            return "its size limit was reached";
        case trace::StopReason::Vanished:
            return "its directory was removed";
        case trace::StopReason::NoMemory:
            return "memory was short";
        default:
            return "it could not be written any more, as on a full disk";
    }
}

}  // namespace

ProcessFacts facts_in(const trace::Header& header, const ProcessFacts* parent) {
    ProcessFacts process;
    process.host = header.host.data();
    process.pid = header.pid;
    process.parent_pid = header.parent_pid;
    process.begin = header.realtime;
    process.started = header.realtime - time_before(header);
    process.number = {header.pid, header.process_age};
    for (size_t i = 0; i < header.ancestors.size() && header.ancestor_ages[i] != 0; ++i)
        process.ancestors.push_back({header.ancestors[i], header.ancestor_ages[i]});
    process.execution = header.execution;
    if (header.loaded != 0) process.loaded = header.loaded + (header.realtime - header.monotonic);
    process.held_up = header.own_time;
    process.ended = header.state == static_cast<uint32_t>(trace::State::Ended);
    process.is_running = is_running(header);
    if (parent != nullptr) {
        process.command = parent->command;
        process.directory = parent->directory;
        process.program = parent->program;
        process.rank = parent->rank;
    }
    if (process.ended && header.stopped_at != 0)
        process.gone = header.stopped_at + (header.realtime - header.monotonic);
    if (header.state == static_cast<uint32_t>(trace::State::Stopped))
        process.incomplete = stop_sentence(header);
    return process;
}

void report_losses(TraceFacts& facts, const trace::ProcessFile& file, const trace::Damage& damage) {
    const std::string& path = file.path();
    if (damage.malformed > 0)
        facts.problems.push_back(path + " is damaged: " + std::to_string(damage.malformed) +
                                 " slots hold no record.");
    if (damage.missing > 0)
        facts.problems.push_back(path + " has been cut off: " + std::to_string(damage.missing) +
                                 " bytes are missing at its end.");
    const uint64_t lost = file.header().lost;
    if (lost > 0)
        facts.problems.push_back(path + " lacks at least " + std::to_string(lost) + " records.");
    facts.lost_records += lost;
}

}  // namespace quarry::analyze
