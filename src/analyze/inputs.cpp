#include <algorithm>
#include <map>
#include <optional>
#include <quarry/inputs.hpp>
#include <set>

#include "analyze/completeness.hpp"
#include "analyze/credit.hpp"
#include "analyze/dataset_description.hpp"
#include "analyze/real_names.hpp"
#include "analyze/recorded_selection.hpp"
#include "analyze/superblock.hpp"
#include "analyze/task_visitor.hpp"
#include "base/text.hpp"
#include "model/input_files.hpp"
#include "model/touched_chunks.hpp"
#include "trace/interest.hpp"

namespace quarry {
namespace {

using namespace analyze;
using Token = std::array<uint8_t, 16>;

// Libraries and programs look at the first bytes to see what kind of file it is. They read them in
// one call; no buffer that does it for them is larger than this. Who begins elsewhere
// wants data.
constexpr uint64_t kLargestLook = 128 << 10;
// C's streams may have handed over in many calls what they have read, which are not seen; what a
// stream gets from the system at once is no more than this.
constexpr uint64_t kLargestLookOfStream = 4096;

bool is_only_a_look(const trace::OtherUse& use, uint64_t size) {
    constexpr uint32_t kNoLook = trace::kUseMapped | trace::kUseElsewhere | trace::kUseUncounted;
    const uint64_t largest = use.reads == 0 ? kLargestLookOfStream : kLargestLook;
    return (use.flags & kNoLook) == 0 && use.reads <= 1 && use.read <= largest && use.read < size;
}

constexpr const char* kIsNoData =
    "whether it was read without HDF5, too, is not recorded of files in such a place or with such "
    "a name";
constexpr const char* kReadAsBytes = "it was read without HDF5, too, as a file of bytes";

constexpr const char* kMayBeSource =
    "a virtual dataset may have it for a source, which HDF5 has found in a way of its own";

constexpr const char* kReadByDriver =
    "the driver of HDF5 that has read it may have made other bytes of those in the file: ";

// Those that hand over the bytes of the file at its path as they are. The driver "onion" does not:
// it puts revisions of them, which lie in a file beside, at their old addresses.
bool gives_bytes_of_file(const std::string& driver) {
    static const std::set<std::string> kPlain{"sec2", "stdio", "log",      "direct",
                                              "core", "mpio",  "splitter", "mirror"};
    return driver.empty() || kPlain.contains(driver);
}

constexpr uint64_t kNever = ~uint64_t{0};

// What a trace says of a file that HDF5 has opened.
struct Opening {
    std::string path;
    std::string driver;
    uint64_t time = 0;  // in nanoseconds since 1970
    uint64_t device = 0;
    uint64_t inode = 0;
    uint64_t born = 0;
    uint64_t size = 0;
    uint64_t modified = 0;  // 0 if that is not known
    bool is_carved = false;
};

void add(const Opening& opening, InputFile& file) {
    file.also_by.insert(opening.path);
    if (opening.modified != 0) file.modified.insert(opening.modified);
    if (opening.is_carved) file.was_carved = true;
    if (!gives_bytes_of_file(opening.driver)) file.why_whole = kReadByDriver + opening.driver;
    if (file.opened != 0 && file.opened <= opening.time) return;
    file.opened = opening.time;
    file.device = opening.device;
    file.inode = opening.inode;
    file.born = opening.born;
    file.size = opening.size;
    file.driver = opening.driver;
}

struct Input {
    InputFile file;
    bool is_hdf5 = false;     // HDF5 could open it
    bool is_refused = false;  // it could not
    bool is_inside = false;   // HDF5 has read more of it than whether it is a file of HDF5
    // When it was first opened, anew and as it was, in nanoseconds since 1970.
    uint64_t first_made = kNever;
    uint64_t first_found = kNever;
    // Whether it has data of a dataset in another file, when that was read first, and states of it.
    bool is_raw = false;
    uint64_t raw_opened = kNever;
    std::set<uint64_t> raw_modified;
    std::set<std::string> tasks;
    struct Used {
        UsedDataset dataset;
        std::set<EncodedSelection> selections;  // those that have been looked at
    };
    std::map<uint32_t, Used> read;  // by object
};

// Bytes of a file that a process can read by what it has once opened, for whatever task: single
// reads leave no record that would tell for which.
struct Reach {
    uint32_t file = kNobody;
    uint64_t modified = 0;    // when the file was; 0 if that is not known, or may have changed
    bool is_whole = false;    // more than a look
    bool is_of_hdf5 = false;  // by its handle
    bool is_unseen = false;   // where reads are not seen, also those of children

    auto operator<=>(const Reach&) const = default;
};
using Reaches = std::map<const ProcessTables*, std::set<Reach>>;

// What a trace tells of inputs, by the number of the file or object.
struct Found {
    std::map<uint32_t, Input> inputs;
    std::map<uint32_t, Token> tokens;
    std::map<uint32_t, Opening> openings;  // the last of each file, whatever task did it
    std::set<std::string> sought;  // names of sources that HDF5 has found in a way of its own
    Reaches reaches;               // where tasks are chosen
    // To which any process has written more than the first block, whatever task it was for: while
    // one only reads a file that it has opened for writing, another may change it.
    std::set<uint32_t> changed;
};

class Using : public TaskVisitor {
public:
    using TaskVisitor::operator();

    Using(const TraceIndex& index, const ProcessTables& tables, const std::set<std::string>& tasks,
          Found& found)
        : TaskVisitor(index, tables),
          tasks_(tasks),
          found_(found),
          reaches_(found.reaches[&tables]) {
        if (tables.parent != nullptr) inherit(found.reaches[tables.parent]);
    }

    void operator()(const trace::Task& record, const trace::Rest& rest) {
        TaskVisitor::operator()(record, rest);
        for (const Reach& reach : reaches_) use(reach);
    }
    void operator()(const trace::Storage& record, const trace::Rest&) {
        const uint32_t file = tables_.file_of(record.number);
        if (file == kNobody) return;
        Opening& opening = found_.openings[file];
        opening = {tables_.text(record.path),
                   tables_.text(record.driver),
                   tables_.realtime(record.time),
                   record.device,
                   record.inode,
                   record.born,
                   record.size,
                   0,
                   (record.prefix.flags & trace::kFileCarved) != 0};
        if (Input* input = input_of(file)) add(opening, input->file);
    }
    void operator()(const trace::StorageModified& record, const trace::Rest&) {
        const uint32_t file = tables_.file_of(record.number);
        if (file == kNobody) return;
        found_.openings[file].modified = record.modified;
        sessions_[record.number].found = record.modified;
        if (Input* input = input_of(file)) input->file.modified.insert(record.modified);
    }
    void operator()(const trace::StorageClosed& record, const trace::Rest&) {
        const Session session = sessions_[record.number];
        sessions_.erase(record.number);
        const bool is_younger = record.modified > session.found && session.found != 0;
        if (!is_younger || session.written != Written::Superblock) return;
        if (Input* input = input_of(tables_.file_of(record.number)))
            input->file.rewritten[session.found] = record.modified;
    }
    void operator()(const trace::StorageHandle& record, const trace::Rest&) {
        note_reach({.file = tables_.file_of(record.number),
                    .is_whole = true,
                    .is_of_hdf5 = true,
                    .is_unseen = true});
    }
    void operator()(const trace::FileOpened& record, const trace::Rest&) {
        Input* input = input_of(tables_.file_of(record.storage));
        if (input == nullptr) return;
        const bool has_failed = (record.prefix.flags & trace::kFileFailed) != 0;
        (has_failed ? input->is_refused : input->is_hdf5) = true;
        if (has_failed) return;
        const bool is_made = (record.prefix.flags & trace::kFileCreated) != 0;
        uint64_t& first = is_made ? input->first_made : input->first_found;
        first = std::min(first, tables_.realtime(record.start));
    }
    void operator()(const trace::Object& record, const trace::Rest&) {
        const uint32_t object = tables_.object_of(record.number);
        if (object != kNobody) found_.tokens[object] = record.token;
        // Links and virtual datasets open files, too.
        if (Input* input = input_of(tables_.file_of(record.storage))) input->is_hdf5 = true;
    }
    void operator()(const trace::Access& record, const trace::Rest& rest) {
        constexpr uint8_t kNoRead = trace::kAccessFailed | trace::kAccessWrite;
        if ((record.prefix.flags & kNoRead) != 0) return;
        const uint32_t object = tables_.object_of(record.object);
        used(object, selection_in(record, rest));
        used_outside(object, record.start);
    }
    void operator()(const trace::Derived& record, const trace::Rest& rest) {
        constexpr uint8_t kNoRead = trace::kDerivedFailed | trace::kDerivedWrite;
        constexpr uint8_t kInexact = trace::kDerivedLinear | trace::kDerivedAtMost;
        if ((record.prefix.flags & kNoRead) != 0) return;
        const std::string file = tables_.text(record.file);
        if (file != "." &&
            (!index_.has_source_file(tables_, record) || !index_.is_only_one_named(file)))
            found_.sought.insert(base_name(file));
        const bool is_exact = (record.prefix.flags & kInexact) == 0;
        used(index_.source_of(tables_, record),
             is_exact ? selection_in(record, rest) : std::nullopt);
    }
    void operator()(const trace::Io& record, const trace::Rest&) {
        const bool is_write = (record.prefix.flags & trace::kIoWrite) != 0;
        if ((record.prefix.flags & trace::kIoDiscarded) != 0) return;
        if (!is_write && record.memory == kSuperblock) return;
        if (is_write) {
            const bool is_data = !is_of_superblock(record, tables_, index_);
            Written& written = sessions_[record.storage].written;
            written = std::max(written, is_data ? Written::Data : Written::Superblock);
            if (!is_data) return;
            found_.changed.insert(tables_.file_of(record.storage));
        }
        if (Input* input = used_input(tables_.file_of(record.storage)))
            (is_write ? input->file.was_written : input->is_inside) = true;
    }
    void operator()(const trace::OtherFile& record, const trace::Rest&) {
        others_[record.number] = record;
    }
    void operator()(const trace::OtherUse& record, const trace::Rest&) {
        note_making(record);
        if (record.read == 0 && (record.flags & trace::kUseUncounted) == 0) return;
        constexpr uint32_t kUnseen = trace::kUseMapped | trace::kUseUncounted;
        const trace::OtherFile& file = others_[record.number];
        const bool is_only_read = (record.flags & trace::kUseWrites) == 0;
        note_reach({.file = tables_.other_file_of(record.number),
                    .modified = is_only_read ? file.modified : 0,
                    .is_whole = !is_only_a_look(record, file.size),
                    .is_unseen = (record.flags & kUnseen) != 0});
    }

private:
    void note_making(const trace::OtherUse& record) {
        if ((record.flags & trace::kUseCreated) == 0) return;
        if (Input* input = input_of(tables_.other_file_of(record.number)))
            input->first_made = std::min(input->first_made, tables_.realtime(record.opened));
    }

    void note_reach(const Reach& reach) {
        if (!tasks_.empty() && reach.file != kNobody) reaches_.insert(reach);
        use(reach);
    }

    // What a child reads by a number that its parent has opened has a record of its own.
    void inherit(const std::set<Reach>& of_parent) {
        for (const Reach& one : of_parent)
            if (one.is_unseen) note_reach(one);
    }

    void use(const Reach& reach) {
        Input* input = reach.is_of_hdf5 ? used_input(reach.file) : input_of(reach.file);
        if (input == nullptr) return;
        if (reach.is_of_hdf5) input->is_hdf5 = true;
        if (reach.is_whole) input->file.why_whole = kReadAsBytes;
        if (reach.modified != 0) input->raw_modified.insert(reach.modified);
    }

    // It may have been opened before the task began.
    Input* used_input(uint32_t file) {
        Input* input = input_of(file);
        if (input == nullptr || input->file.opened != 0) return input;
        const auto opening = found_.openings.find(file);
        if (opening != found_.openings.end()) add(opening->second, input->file);
        return input;
    }

    Input* input_of(uint32_t file) {
        if (file == kNobody || task_ == kNobody) return nullptr;
        const std::string& task = index_.facts.tasks[task_].name;
        if (!tasks_.empty() && !tasks_.contains(task)) return nullptr;
        Input& input = found_.inputs[file];
        input.tasks.insert(task);
        return &input;
    }

    // Without a selection, all of it.
    void used(uint32_t object, const std::optional<Selection>& selection) {
        if (object == kNobody) return;
        const ObjectFacts& facts = index_.facts.objects[object];
        Input* input = used_input(facts.file);
        if (input == nullptr) return;
        input->is_hdf5 = true;
        const auto [found, is_new] = input->read.try_emplace(object);
        auto& [dataset, selections] = found->second;
        if (is_new) dataset.is_whole = false;
        dataset.path = facts.path;
        if (dataset.is_whole || (selection && !selections.insert(encode(*selection)).second))
            return;
        const auto described = describe_dataset(facts.description);
        dataset.is_whole =
            !selection || !described ||
            !each_touched_chunk(*selection, described->shape, described->chunks,
                                [&](const auto& offset) { dataset.chunks.insert(offset); });
        if (dataset.is_whole) dataset.chunks.clear();
    }

    // The files that have the data of a dataset, where its own does not.
    void used_outside(uint32_t object, uint64_t time) {
        const auto external = index_.externals.find(object);
        if (external == index_.externals.end()) return;
        for (const uint32_t named : external->second.files) {
            for (const uint32_t file : index_.files_meant_by(named)) {
                Input* input = input_of(file);
                if (input == nullptr) continue;
                input->is_raw = true;
                input->raw_opened = std::min(input->raw_opened, tables_.realtime(time));
            }
        }
    }

    const std::set<std::string>& tasks_;
    Found& found_;
    std::map<uint32_t, trace::OtherFile> others_;  // by number
    // What HDF5 has written since a file was opened, as far as that is recorded.
    enum class Written : uint8_t { Unknown, Superblock, Data };
    struct Session {
        uint64_t found = 0;  // when the file was last written to before; 0 if nobody knows
        Written written = Written::Unknown;
    };
    std::map<uint32_t, Session> sessions_;  // by number of the storage
    std::set<Reach>& reaches_;              // of this process
};

std::vector<std::string> still_running(const TraceFacts& facts) {
    std::vector<std::string> found;
    for (const TaskFacts& task : facts.tasks)
        for (const uint32_t number : task.processes)
            if (const ProcessFacts& process = facts.processes[number]; process.is_running)
                found.push_back(task.name + " (process " + std::to_string(process.pid) + ")");
    return found;
}

}  // namespace

Result<TraceInputs> inputs_of_trace(const std::string& directory,
                                    const std::vector<std::string>& tasks) {
    const auto index = index_trace(directory);
    if (!index) return index.error();
    if (const auto error = why_reads_are_unknown(*index)) return *error;
    const std::set<std::string> wanted(tasks.begin(), tasks.end());
    Found all;
    for (const auto& tables : index->processes)
        tables->file->each(Using(*index, *tables, wanted, all));
    TraceInputs found{{}, {}, index->facts.unseen, still_running(index->facts), {}};
    for (const auto& [name, number] : index->tasks) found.tasks.insert(name);
    for (auto& [number, input] : all.inputs) {
        InputFile& file = input.file;
        if (all.changed.contains(number)) file.rewritten.clear();
        file.is_raw = input.is_raw && !input.is_hdf5;
        if (file.is_raw) {
            file.modified = input.raw_modified;
            file.opened = input.raw_opened;
            file.why_whole.clear();  // HDF5 reads it as a file of bytes, too
        } else if (input.is_raw) {
            file.why_whole = kIsRawToo;
        }
        file.is_inside = input.is_inside && !input.is_hdf5 && !input.is_refused && !file.is_raw;
        const bool is_used = input.is_hdf5 || file.is_raw || file.is_inside;
        const bool is_own = input.first_made < input.first_found;
        // What was made in memory is at no path.
        if (is_own && index->facts.files[number].inode != 0)
            found.made.emplace(index->facts.files[number].path, input.first_made);
        if (!is_used || is_own || file.opened == 0) continue;
        if (input.first_made != kNever) file.was_written = true;
        file.path = index->facts.files[number].path;
        if (input.is_hdf5 && all.sought.contains(base_name(file.path)))
            file.why_whole = kMayBeSource;
        if (!file.is_raw && !trace::is_data(file.path)) file.why_whole = kIsNoData;
        use_real_names(file);
        file.has_no_file = file.inode == 0 && !file.is_raw;
        file.tasks.assign(input.tasks.begin(), input.tasks.end());
        for (auto& [object, used] : input.read) {
            used.dataset.token = all.tokens[object];
            file.read.push_back(std::move(used.dataset));
        }
        found.files.push_back(std::move(file));
    }
    return found;
}

}  // namespace quarry
