#include "analyze/definitions.hpp"

#include <algorithm>
#include <cstring>

#include "analyze/credit.hpp"
#include "analyze/dataset_description.hpp"
#include "analyze/written_names.hpp"
#include "base/text.hpp"

namespace quarry::analyze {
namespace {

constexpr uint64_t kNowhere = ~uint64_t{0};

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

// Goes through the records of one process. Most of them only count.
class Definitions {
public:
    Definitions(Shared& shared, ProcessTables& tables) : shared_(shared), tables_(tables) {}

    template <typename Record>
    void operator()(const Record& record, const trace::Rest&) {
        ++facts().records;
        last_ = std::max(last_, end_of(record));
        if constexpr (requires { define(record); }) define(record);
    }
    void operator()(const trace::Text& record, const trace::Rest& rest) {
        ++facts().records;
        tables_.texts[record.number] = rest.after(record.bytes, record.size);
    }
    // Threads and libraries are not counted.
    void operator()(const trace::Thread&, const trace::Rest&) {}
    void operator()(const trace::Library& record, const trace::Rest&) {
        const auto number = [](uint32_t part) { return std::to_string(part); };
        facts().processes[tables_.process].libraries.push_back(
            {tables_.text(record.path),
             number(record.major) + "." + number(record.minor) + "." + number(record.release)});
    }

    uint64_t last() const { return last_; }

private:
    // When what a record tells of was over.
    template <typename Record>
    static uint64_t end_of(const Record& record) {
        if constexpr (requires { record.time; })
            return record.time;
        else if constexpr (requires { record.last; })
            return record.last;
        else
            return record.start + record.duration;
    }
    static uint64_t end_of(const trace::ObjectOpened& record) { return record.start; }
    static uint64_t end_of(const trace::Touch& record) { return record.start; }
    // These tell of nothing that happened.
    static uint64_t end_of(const trace::Process&) { return 0; }
    static uint64_t end_of(const trace::StorageBase&) { return 0; }

    void define(const trace::Process& record) {
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

    void define(const trace::Task& record) {
        const std::string name = tables_.text(record.name);
        const auto [known, is_new] =
            shared_.index.tasks.try_emplace(name, static_cast<uint32_t>(facts().tasks.size()));
        const uint64_t time = tables_.realtime(record.time);
        if (is_new) facts().tasks.push_back({name, time, time, {}});
        TaskFacts& task = facts().tasks[known->second];
        task.begin = std::min(task.begin, time);
        if (task.processes.empty() || task.processes.back() != tables_.process)
            task.processes.push_back(tables_.process);
    }

    void define(const trace::Storage& record) {
        const uint32_t file = identify(record);
        tables_.storages[record.number] = file;
        std::string& driver = facts().files[file].driver;
        if (driver.empty()) driver = tables_.text(record.driver);
    }

    void define(const trace::HeapUsed& record) {
        const uint32_t object = tables_.object_of(record.object);
        if (object == kNobody) return;
        const uint32_t file = facts().objects[object].file;
        shared_.index.addresses[file].claim_heap(record.address + base_of(file), object);
    }

    void define(const trace::ChunkFound& record) {
        const uint32_t object = tables_.object_of(record.object);
        if (object == kNobody) return;
        const uint32_t file = facts().objects[object].file;
        shared_.index.addresses[file].claim(record.address, record.size, object);
    }

    void define(const trace::Allocated& record) {
        shared_.rooms.push_back({&tables_, record});
        tables_.await_object_of(record.operation);
    }

    void define(const trace::Derived& record) {
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

    void define(const trace::OtherFile& record) {
        tables_.others[record.number] = identify(record);
    }

    void define(const trace::Unseen& record) {
        const std::string name = tables_.text(record.program);
        auto& all = facts().unseen;
        if (std::find(all.begin(), all.end(), name) == all.end()) all.push_back(name);
    }

    void define(const trace::StorageClosed& record) {
        const uint32_t file = tables_.file_of(record.number);
        if (file != kNobody && record.size > 0) facts().files[file].size = record.size;
    }

    void define(const trace::StorageBase& record) {
        shared_.bases[tables_.file_of(record.number)] = record.base;
    }

    void define(const trace::Object& record) {
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

    void define(const trace::ObjectOpened& record) { resolve(record.operation, record.number); }
    void define(const trace::Touch& record) { resolve(record.operation, record.object); }
    void define(const trace::Access& record) {
        resolve(record.operation, record.object);
        if (tables_.operations.contains(record.operation)) note_index(record);
    }
    void define(const trace::FileOpened& record) {
        const uint32_t file = tables_.file_of(record.storage);
        if (file == kNobody) return;
        shared_.openings.push_back({&tables_, record.operation, file});
        opened_[record.number] = file;
        // What was free then may be in use now.
        facts().files[file].free = 0;
    }
    void define(const trace::FileState& record) {
        const auto file = opened_.find(record.file);
        if (file == opened_.end()) return;
        FileFacts& about = facts().files[file->second];
        about.free = record.free;
        about.superblock = record.superblock + 1;
        about.page_size = record.page_size;
    }

    void define(const trace::Io& record) {
        const uint32_t object = tables_.object_of(record.object);
        const uint32_t file = tables_.file_of(record.storage);
        if (object == kNobody || facts().objects[object].file != file) {
            tables_.await_object_of(record.operation);
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

    void note_index(const trace::Access& record) {
        const uint32_t object = tables_.object_of(record.object);
        if (object == kNobody || !has_chunks(facts().objects[object])) return;
        std::vector<uint32_t>& all = tables_.indexed[record.operation];
        if (std::find(all.begin(), all.end(), object) == all.end()) all.push_back(object);
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
    uint64_t base_of(uint32_t file) const {
        const auto base = shared_.bases.find(file);
        return base != shared_.bases.end() ? base->second : 0;
    }
    void resolve(uint32_t operation, uint32_t object) {
        tables_.settle(operation, tables_.object_of(object));
    }

    Shared& shared_;
    std::unordered_map<uint32_t, uint32_t> opened_;  // numbers of FileOpened -> files
    ProcessTables& tables_;
    uint64_t last_ = 0;
};

}  // namespace

uint32_t Shared::object_at(uint32_t file, const std::string& path, ObjectKind kind) {
    std::vector<ObjectFacts>& all = index.facts.objects;
    const auto [known, is_new] =
        index.objects_by_path.try_emplace({file, path}, static_cast<uint32_t>(all.size()));
    if (is_new) {
        all.push_back({file, path, kind, ""});
        unmet.insert(known->second);
    }
    return known->second;
}

Defined read_definitions(Shared& shared, ProcessTables& tables, const trace::ProcessFile& file) {
    Definitions definitions(shared, tables);
    const trace::Damage damage = file.each(definitions);
    return {damage, definitions.last()};
}

}  // namespace quarry::analyze
