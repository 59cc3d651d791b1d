#include "analyze/trace_index.hpp"

#include <algorithm>
#include <filesystem>
#include <ranges>
#include <set>
#include <tuple>

#include "analyze/credit.hpp"
#include "analyze/dataset_description.hpp"
#include "base/text.hpp"
#include "trace/process_identity.hpp"

namespace quarry::analyze {
namespace {

constexpr uint64_t kNowhere = ~uint64_t{0};
constexpr uint32_t kSeveral = kNobody - 1;

// Whether values of the dataset lie in the global heap, which datasets share and HDF5 calls raw
// data.
bool uses_heap(const ObjectFacts& dataset) {
    const std::string& text = dataset.description;
    if (text.find("reference") != std::string::npos) return true;
    if (text.find("\"virtual\"") != std::string::npos) return true;  // its mappings do
    return names_variable_length(text);
}

bool has_chunks(const ObjectFacts& dataset) {
    return dataset.description.find("\"chunks\"") != std::string::npos;
}

using FileKey = std::tuple<uint64_t, uint64_t, uint64_t, std::string>;

// What is the same although different processes have met it.
struct Shared {
    TraceIndex index;
    std::map<FileKey, uint32_t> files;
    std::map<std::pair<uint32_t, std::array<uint8_t, 16>>, uint32_t> objects;
    std::unordered_map<std::string, ProcessTables*> by_name;
    std::unordered_map<uint32_t, uint64_t> bases;  // of files that begin with a user block
    std::set<uint32_t> unmet_files;  // that hold data of datasets, and that no record is about yet
    std::set<uint32_t> unmet;  // objects that follow from others, and that nobody has opened yet

    // What can be told only when all objects are known.
    struct Opening {
        ProcessTables* process;
        uint32_t operation;
        uint32_t file;
    };
    struct Room {
        ProcessTables* process;
        trace::Allocated record;
    };
    std::vector<Opening> openings;
    std::vector<Room> rooms;

    uint32_t object_at(uint32_t file, const std::string& path, ObjectKind kind) {
        std::vector<ObjectFacts>& all = index.facts.objects;
        const auto [known, is_new] =
            index.objects_by_path.try_emplace({file, path}, static_cast<uint32_t>(all.size()));
        if (is_new) {
            all.push_back({file, path, kind, ""});
            unmet.insert(known->second);
        }
        return known->second;
    }
};

// Whose an operation was that had begun before its object was known.
void settle(ProcessTables& process, uint32_t operation, uint32_t object) {
    const auto pending = process.operations.find(operation);
    if (pending == process.operations.end()) return;
    // Of several objects only the address can tell.
    const bool first = pending->second == kNobody || pending->second == object;
    pending->second = first ? object : kSeveral;
}

std::string in_directory(const std::string& directory, const std::string& name) {
    return (std::filesystem::path(directory) / name).lexically_normal();
}

// Mappings may leave out the first slash.
std::string absolute_path(const std::string& path) {
    return path.starts_with('/') ? path : "/" + path;
}

// The records that define something, for one process.
class Definitions {
public:
    Definitions(Shared& shared, ProcessTables& tables) : shared_(shared), tables_(tables) {}

    void operator()(const trace::Text& record, const trace::Rest& rest) {
        count();
        tables_.texts[record.number] = rest.after(record.bytes, record.size);
    }

    void operator()(const trace::Process& record, const trace::Rest&) {
        count();
        ProcessFacts& process = facts().processes[tables_.process];
        process.rank = record.rank;
        process.directory = tables_.text(record.directory);
        process.program = tables_.text(record.program);
        const std::string command = tables_.text(record.command);
        for (size_t at = 0; at < command.size();) {
            process.command.emplace_back(command.c_str() + at);
            at += process.command.back().size() + 1;
        }
    }

    void operator()(const trace::Task& record, const trace::Rest&) {
        count();
        const std::string name = tables_.text(record.name);
        const auto [known, is_new] =
            shared_.index.tasks.try_emplace(name, static_cast<uint32_t>(facts().tasks.size()));
        const uint64_t time = realtime(record.time);
        if (is_new) facts().tasks.push_back({name, time, time, {}});
        TaskFacts& task = facts().tasks[known->second];
        task.begin = std::min(task.begin, time);
        if (task.processes.empty() || task.processes.back() != tables_.process)
            task.processes.push_back(tables_.process);
        seen(record.time);
    }

    void operator()(const trace::Library& record, const trace::Rest&) {
        const auto number = [](uint32_t part) { return std::to_string(part); };
        facts().processes[tables_.process].libraries.push_back(
            {tables_.text(record.path),
             number(record.major) + "." + number(record.minor) + "." + number(record.release)});
    }

    void operator()(const trace::Storage& record, const trace::Rest&) {
        count();
        seen(record.time);
        const uint32_t file = identify(record);
        tables_.storages[record.number] = file;
        std::string& driver = facts().files[file].driver;
        if (driver.empty()) driver = tables_.text(record.driver);
    }

    void operator()(const trace::HeapUsed& record, const trace::Rest&) {
        count();
        seen(record.time);
        const uint32_t object = tables_.object_of(record.object);
        if (object == kNobody) return;
        const uint32_t file = facts().objects[object].file;
        shared_.index.addresses[file].claim_heap(record.address + base_of(file), object);
    }

    void operator()(const trace::ChunkFound& record, const trace::Rest&) {
        count();
        seen(record.time);
        const uint32_t object = tables_.object_of(record.object);
        if (object == kNobody) return;
        const uint32_t file = facts().objects[object].file;
        shared_.index.addresses[file].claim(record.address, record.size, object);
    }

    void operator()(const trace::Allocated& record, const trace::Rest&) {
        count();
        seen(record.time);
        shared_.rooms.push_back({&tables_, record});
        await_object_of(record.operation);
    }

    void operator()(const trace::Derived& record, const trace::Rest&) {
        count();
        seen(record.time);
        const uint32_t object = tables_.object_of(record.object);
        if (object == kNobody) return;
        TraceIndex& index = shared_.index;
        const uint32_t file =
            index.file_named(tables_.text(record.file), facts().objects[object].file, tables_);
        if (file == kNobody) return;
        const uint32_t source = shared_.object_at(file, absolute_path(tables_.text(record.dataset)),
                                                  ObjectKind::Dataset);
        const auto [known, first] = tables_.sources.try_emplace({record.operation, file}, source);
        if (!first && known->second != source) known->second = kNobody;
    }

    void operator()(const trace::OtherFile& record, const trace::Rest&) {
        count();
        seen(record.time);
        tables_.others[record.number] = identify(record);
    }

    void operator()(const trace::OtherUse& record, const trace::Rest&) {
        count();
        seen(record.last);
    }

    void operator()(const trace::Unseen& record, const trace::Rest&) {
        count();
        seen(record.time);
        const std::string name = tables_.text(record.program);
        auto& all = facts().unseen;
        if (std::find(all.begin(), all.end(), name) == all.end()) all.push_back(name);
    }

    void operator()(const trace::StorageModified& record, const trace::Rest&) {
        count();
        seen(record.time);
    }

    void operator()(const trace::StorageHandle& record, const trace::Rest&) {
        count();
        seen(record.time);
    }

    void operator()(const trace::StorageClosed& record, const trace::Rest&) {
        count();
        seen(record.time);
        const uint32_t file = tables_.file_of(record.number);
        if (file != kNobody && record.size > 0) facts().files[file].size = record.size;
    }

    void operator()(const trace::StorageBase& record, const trace::Rest&) {
        count();
        shared_.bases[tables_.file_of(record.number)] = record.base;
    }

    void operator()(const trace::Object& record, const trace::Rest&) {
        count();
        seen(record.time);
        const uint32_t file = tables_.file_of(record.storage);
        if (file == kNobody) return;
        const std::string path = tables_.text(record.path);
        const auto known = shared_.objects.find({file, record.token});
        const uint32_t number =
            known != shared_.objects.end() ? known->second : new_object(file, path);
        shared_.objects[{file, record.token}] = number;
        tables_.objects[record.number] = number;
        ObjectFacts& object = facts().objects[number];
        if (!path.empty()) {
            object.path = path;
            shared_.index.objects_by_path.try_emplace({file, path}, number);
        }
        if (record.description != trace::kNone)
            object.description = tables_.text(record.description);
        if (record.prefix.flags <= static_cast<uint8_t>(ObjectKind::NamedType))
            object.kind = static_cast<ObjectKind>(record.prefix.flags);
        AddressMap& addresses = shared_.index.addresses[file];
        uint64_t header = 0;
        std::memcpy(&header, record.token.data(), sizeof header);
        addresses.claim_header(header + base_of(file), number);
        if (record.address != kNowhere) addresses.claim(record.address, record.stored, number);
        find_external_data(number);
    }

    void operator()(const trace::ObjectOpened& record, const trace::Rest&) {
        count();
        seen(record.start);
        resolve(record.operation, record.number);
    }
    void operator()(const trace::Touch& record, const trace::Rest&) {
        count();
        seen(record.start);
        resolve(record.operation, record.object);
    }
    void operator()(const trace::Access& record, const trace::Rest&) {
        count();
        seen(record.start + record.duration);
        resolve(record.operation, record.object);
        if (tables_.operations.contains(record.operation)) note_index(record);
    }
    void operator()(const trace::ObjectClosed& record, const trace::Rest&) {
        count();
        seen(record.start + record.duration);
    }
    void operator()(const trace::FileOpened& record, const trace::Rest&) {
        count();
        seen(record.start + record.duration);
        const uint32_t file = tables_.file_of(record.storage);
        if (file == kNobody) return;
        shared_.openings.push_back({&tables_, record.operation, file});
        opened_[record.number] = file;
        // What was free then may be in use now.
        facts().files[file].free = 0;
    }
    void operator()(const trace::FileState& record, const trace::Rest&) {
        count();
        seen(record.time);
        const auto file = opened_.find(record.file);
        if (file == opened_.end()) return;
        FileFacts& about = facts().files[file->second];
        about.free = record.free;
        about.superblock = record.superblock + 1;
        about.page_size = record.page_size;
    }

    // These tell nothing about who is who.
    void operator()(const trace::Content& record, const trace::Rest&) {
        count();
        seen(record.time);
    }
    void operator()(const trace::Lengths& record, const trace::Rest&) {
        count();
        seen(record.time);
    }

    void operator()(const trace::FileClosed& record, const trace::Rest&) {
        count();
        seen(record.start + record.duration);
    }

    void operator()(const trace::Io& record, const trace::Rest&) {
        count();
        seen(record.start + record.duration);
        const uint32_t object = tables_.object_of(record.object);
        const uint32_t file = tables_.file_of(record.storage);
        if (object == kNobody || facts().objects[object].file != file) {
            await_object_of(record.operation);
            return;
        }
        // A dataset's own calls tell where its chunks lie.
        const ObjectFacts& owner = facts().objects[object];
        AddressMap& addresses = shared_.index.addresses[file];
        if (record.memory != kRawData) {
            // What an object has HDF5 read of its index or heap is what HDF5 writes later.
            const bool reads = (record.prefix.flags & trace::kIoWrite) == 0;
            if (reads) addresses.claim_metadata(record.address, object);
            return;
        }
        if (owner.kind != ObjectKind::Dataset) return;
        if (uses_heap(owner)) {
            if (!addresses.heap_owner(record.address)) addresses.claim_heap(record.address, object);
        } else {
            addresses.claim(record.address, record.size, object);
        }
    }

    uint64_t last() const { return last_; }

private:
    void note_index(const trace::Access& record) {
        const uint32_t object = tables_.object_of(record.object);
        if (object == kNobody || !has_chunks(facts().objects[object])) return;
        std::vector<uint32_t>& all = tables_.indexed[record.operation];
        if (std::find(all.begin(), all.end(), object) == all.end()) all.push_back(object);
    }

    void await_object_of(uint32_t operation) {
        if (operation != trace::kNone) tables_.operations.try_emplace(operation, kNobody);
    }

    // One that is known only by its path, or a new one.
    uint32_t new_object(uint32_t file, const std::string& path) {
        const auto named = shared_.index.objects_by_path.find({file, path});
        const bool is_named = !path.empty() && named != shared_.index.objects_by_path.end() &&
                              shared_.unmet.erase(named->second) > 0;
        if (is_named) return named->second;
        facts().objects.emplace_back().file = file;
        return static_cast<uint32_t>(facts().objects.size() - 1);
    }

    void find_external_data(uint32_t object) {
        const ObjectFacts& owner = facts().objects[object];
        auto data = external_data_of(owner.description);
        if (!data) return;
        std::vector<uint32_t> files;
        for (const ExternalData::Part& part : data->parts) {
            uint32_t file = shared_.index.file_named(part.file, owner.file, tables_);
            if (file == kNobody) {
                file = new_file(in_directory(directory(), part.file), {}, 0);
                shared_.unmet_files.insert(file);
            }
            files.push_back(file);
        }
        shared_.index.externals[object] = {std::move(*data), std::move(files)};
    }

    const std::string& directory() { return facts().processes[tables_.process].directory; }

    uint32_t new_file(const std::string& path, std::pair<uint64_t, uint64_t> identity,
                      uint64_t size) {
        facts().files.push_back({path, identity.first, identity.second, size, "", 0, 0, 0, 0});
        shared_.index.addresses.emplace_back();
        const auto number = static_cast<uint32_t>(facts().files.size() - 1);
        shared_.index.files_by_path[path] = number;
        shared_.index.files_by_name[base_name(path)].insert(number);
        return number;
    }

    // The file that a record of either kind is about, which other processes may have met before.
    template <typename Record>
    uint32_t identify(const Record& record) {
        const std::string path = tables_.text(record.path);
        // Without the time of its birth a number may since belong to another file.
        const bool by_path = record.device == 0 || record.born == 0;
        const FileKey key{record.device, record.inode, record.born, by_path ? path : ""};
        const auto known = shared_.files.find(key);
        if (known != shared_.files.end()) return shared_.index.files_by_path[path] = known->second;
        const uint32_t number = file_met(path, {record.device, record.inode}, record.size);
        facts().files[number].born = record.born;
        return shared_.files[key] = number;
    }

    // One that is known only by its path, or a new one.
    uint32_t file_met(const std::string& path, std::pair<uint64_t, uint64_t> identity,
                      uint64_t size) {
        const auto named = shared_.index.files_by_path.find(path);
        const bool is_named = named != shared_.index.files_by_path.end() &&
                              shared_.unmet_files.erase(named->second) > 0;
        if (!is_named) return new_file(path, identity, size);
        FileFacts& file = facts().files[named->second];
        std::tie(file.device, file.inode) = identity;
        file.size = size;
        return named->second;
    }

    TraceFacts& facts() { return shared_.index.facts; }
    void count() { ++facts().records; }
    void seen(uint64_t time) { last_ = std::max(last_, time); }
    uint64_t realtime(uint64_t monotonic) const {
        return monotonic + static_cast<uint64_t>(tables_.to_realtime);
    }
    uint64_t base_of(uint32_t file) const {
        const auto base = shared_.bases.find(file);
        return base != shared_.bases.end() ? base->second : 0;
    }
    void resolve(uint32_t operation, uint32_t object) {
        settle(tables_, operation, tables_.object_of(object));
    }

    Shared& shared_;
    std::unordered_map<uint32_t, uint32_t> opened_;  // numbers of FileOpened -> files
    ProcessTables& tables_;
    uint64_t last_ = 0;
};

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

void report_damage(TraceFacts& facts, const std::string& path, const trace::Damage& damage) {
    if (damage.malformed > 0)
        facts.problems.push_back(path + " is damaged: " + std::to_string(damage.malformed) +
                                 " slots hold no record.");
    if (damage.missing > 0)
        facts.problems.push_back(path + " has been cut off: " + std::to_string(damage.missing) +
                                 " bytes are missing at its end.");
}

void add_process(Shared& shared, trace::ProcessFile&& file) {
    const trace::Header& header = file.header();
    TraceFacts& facts = shared.index.facts;
    auto& tables = *shared.index.processes.emplace_back(std::make_unique<ProcessTables>());
    tables.process = static_cast<uint32_t>(facts.processes.size());
    tables.to_realtime = static_cast<int64_t>(header.realtime - header.monotonic);
    const std::string name = std::filesystem::path(file.path()).filename();
    const std::string forked_from = header.forked_from.data();
    const auto parent = shared.by_name.find(forked_from);
    if (parent != shared.by_name.end())
        tables.parent = parent->second;
    else if (!forked_from.empty())
        facts.problems.push_back(file.path() + " cannot be understood without " + forked_from +
                                 ", the file of the process that it was forked from.");
    shared.by_name[name] = &tables;

    ProcessFacts process;
    process.host = header.host.data();
    process.pid = header.pid;
    process.parent_pid = header.parent_pid;
    process.begin = header.realtime;
    process.started = header.realtime - time_before(header);
    process.held_up = header.own_time;
    process.ended = header.state == static_cast<uint32_t>(trace::State::Ended);
    process.is_running = is_running(header);
    if (tables.parent != nullptr) {
        const ProcessFacts& before = facts.processes[tables.parent->process];
        process.command = before.command;
        process.directory = before.directory;
        process.program = before.program;
        process.rank = before.rank;
    }
    if (process.ended && header.stopped_at != 0)
        process.gone = header.stopped_at + static_cast<uint64_t>(tables.to_realtime);
    if (header.state == static_cast<uint32_t>(trace::State::Stopped))
        process.incomplete = stop_sentence(header);
    facts.processes.push_back(process);

    Definitions definitions(shared, tables);
    const trace::Damage damage = file.each(definitions);
    report_damage(facts, file.path(), damage);
    const uint64_t last = std::max(definitions.last(), header.monotonic);
    facts.processes[tables.process].end = last + static_cast<uint64_t>(tables.to_realtime);
    if (header.lost > 0)
        facts.problems.push_back(file.path() + " lacks at least " + std::to_string(header.lost) +
                                 " records.");
    facts.lost_records += header.lost;
    tables.file = std::make_unique<trace::ProcessFile>(std::move(file));
}

// Parents first: a clock may have been set back since they began.
void add_all(Shared& shared, const std::vector<std::string>& paths) {
    std::map<std::string, trace::ProcessFile> waiting;  // by name
    for (const std::string& path : paths) {
        auto file = trace::ProcessFile::open(path);
        if (file)
            waiting.emplace(std::filesystem::path(path).filename(), std::move(*file));
        else
            shared.index.facts.problems.push_back(file.error().message);
    }
    while (!waiting.empty()) {
        // A damaged file may name itself, or a child.
        std::vector<trace::ProcessFile> ancestors;
        for (auto next = waiting.begin(); next != waiting.end();) {
            ancestors.push_back(std::move(next->second));
            waiting.erase(next);
            next = waiting.find(ancestors.back().header().forked_from.data());
        }
        for (auto& file : std::views::reverse(ancestors)) add_process(shared, std::move(file));
    }
}

template <typename Value>
const Value* find_in(const std::unordered_map<uint32_t, Value>& map, uint32_t number) {
    const auto found = map.find(number);
    return found != map.end() ? &found->second : nullptr;
}

void credit_metadata(Shared& shared) {
    // HDF5 makes or opens the root group with the file.
    for (const auto& [process, operation, file] : shared.openings)
        settle(*process, operation, shared.object_at(file, "/", ObjectKind::Group));
    for (const auto& [process, record] : shared.rooms) {
        const uint32_t file = process->file_of(record.storage);
        const uint32_t object = record.object != trace::kNone
                                    ? process->object_of(record.object)
                                    : process->object_of_operation(record.operation);
        if (object != kNobody && shared.index.facts.objects[object].file == file)
            shared.index.addresses[file].claim_metadata(record.address, object);
    }
    for (uint32_t file = 0; file < shared.index.addresses.size(); ++file) {
        const auto base = shared.bases.find(file);
        const bool moved = base != shared.bases.end();
        shared.index.addresses[file].claim_superblock(moved ? base->second : 0);
    }
}

}  // namespace

std::string ProcessTables::text(uint32_t number) const {
    if (const std::string* own = find_in(texts, number)) return *own;
    return parent != nullptr ? parent->text(number) : "";
}

uint32_t ProcessTables::file_of(uint32_t storage) const {
    if (const uint32_t* own = find_in(storages, storage)) return *own;
    return parent != nullptr ? parent->file_of(storage) : kNobody;
}

uint32_t ProcessTables::other_file_of(uint32_t number) const {
    const uint32_t* own = find_in(others, number);
    return own != nullptr ? *own : kNobody;
}

bool ProcessTables::opens_as_hdf5(uint32_t number) const {
    const bool own = std::any_of(storages.begin(), storages.end(),
                                 [&](const auto& entry) { return entry.second == number; });
    return own || (parent != nullptr && parent->opens_as_hdf5(number));
}

uint32_t ProcessTables::object_of(uint32_t number) const {
    if (const uint32_t* own = find_in(objects, number)) return *own;
    return parent != nullptr ? parent->object_of(number) : kNobody;
}

uint32_t ProcessTables::source_of(uint32_t operation, uint32_t number) const {
    const auto found = sources.find({operation, number});
    return found != sources.end() ? found->second : kNobody;
}

uint32_t ProcessTables::object_of_operation(uint32_t operation) const {
    const uint32_t* own = find_in(operations, operation);
    return own != nullptr && *own != kSeveral ? *own : kNobody;
}

std::span<const uint32_t> ProcessTables::indexed_in(uint32_t operation) const {
    const std::vector<uint32_t>* own = find_in(indexed, operation);
    return own != nullptr ? std::span(*own) : std::span<const uint32_t>();
}

uint32_t TraceIndex::file_named(const std::string& name, uint32_t in_file,
                                const ProcessTables& process) const {
    if (name == ".") return in_file;
    const std::string beside = std::filesystem::path(facts.files[in_file].path).parent_path();
    for (const std::string& directory : {beside, facts.processes[process.process].directory}) {
        const auto found = files_by_path.find(in_directory(directory, name));
        if (found != files_by_path.end()) return found->second;
    }
    return kNobody;
}

uint32_t TraceIndex::source_of(const ProcessTables& process, const trace::Derived& record) const {
    const uint32_t object = process.object_of(record.object);
    if (object == kNobody) return kNobody;
    const uint32_t file =
        file_named(process.text(record.file), facts.objects[object].file, process);
    const auto found = objects_by_path.find({file, absolute_path(process.text(record.dataset))});
    return found != objects_by_path.end() ? found->second : kNobody;
}

bool TraceIndex::has_source_file(const ProcessTables& process, const trace::Derived& record) const {
    const uint32_t object = process.object_of(record.object);
    return object != kNobody &&
           file_named(process.text(record.file), facts.objects[object].file, process) != kNobody;
}

bool TraceIndex::is_only_one_named(const std::string& name) const {
    const auto found = files_by_name.find(base_name(name));
    return found != files_by_name.end() && found->second.size() == 1;
}

std::set<uint32_t> TraceIndex::files_meant_by(uint32_t file) const {
    std::set<uint32_t> used = files_by_name.at(base_name(facts.files[file].path));
    std::erase_if(used, [&](uint32_t one) { return facts.files[one].inode == 0; });
    return used.empty() ? std::set{file} : used;
}

uint32_t TraceIndex::root_of(uint32_t file) const {
    const auto found = objects_by_path.find({file, "/"});
    return found != objects_by_path.end() ? found->second : kNobody;
}

uint32_t TraceIndex::task_named(const std::string& name) const {
    const auto found = tasks.find(name);
    return found != tasks.end() ? found->second : kNobody;
}

uint32_t TraceIndex::first_task_of(const ProcessTables& process) const {
    for (const ProcessTables* one = &process; one != nullptr; one = one->parent) {
        for (uint32_t task = 0; task < facts.tasks.size(); ++task) {
            const auto& workers = facts.tasks[task].processes;
            if (std::find(workers.begin(), workers.end(), one->process) != workers.end())
                return task;
        }
    }
    return kNobody;
}

Result<TraceIndex> index_trace(const std::string& directory) {
    const auto paths = trace::files_of_trace(directory);
    if (!paths) return paths.error();
    Shared shared;
    shared.index.facts.directory = directory;
    add_all(shared, *paths);
    if (shared.index.processes.empty()) return Error{shared.index.facts.problems.front()};
    credit_metadata(shared);
    for (TaskFacts& task : shared.index.facts.tasks) {
        for (const uint32_t process : task.processes)
            task.end = std::max(task.end, shared.index.facts.processes[process].end);
    }
    return std::move(shared.index);
}

}  // namespace quarry::analyze
