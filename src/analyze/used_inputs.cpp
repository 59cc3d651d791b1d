#include "analyze/used_inputs.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "analyze/credit.hpp"
#include "analyze/dataset_description.hpp"
#include "analyze/recorded_selection.hpp"
#include "analyze/task_visitor.hpp"
#include "base/text.hpp"
#include "model/input_files.hpp"
#include "model/touched_chunks.hpp"

namespace quarry::analyze {
namespace {

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

constexpr const char* kReadAsBytes = "it was read without HDF5, too, as a file of bytes";

constexpr const char* kReadByDriver =
    "the driver of HDF5 that has read it may have made other bytes of those in the file: ";

// Those that hand over the bytes of the file at its path as they are. The driver "onion" does not:
// it puts revisions of them, which lie in a file beside, at their old addresses.
bool gives_bytes_of_file(const std::string& driver) {
    static const std::set<std::string> kPlain{"sec2", "stdio", "log",      "direct",
                                              "core", "mpio",  "splitter", "mirror"};
    return driver.empty() || kPlain.contains(driver);
}

void add(const Opening& opening, InputFile& file) {
    file.also_by.insert(opening.path);
    if (opening.modified != 0) file.modified.insert(opening.modified);
    if (opening.is_carved) file.was_carved = true;
    if (opening.is_writable) file.was_opened_for_writing = true;
    if (is_spread(opening.driver)) file.driver = opening.driver;
    if (!gives_bytes_of_file(opening.driver)) file.why_whole = kReadByDriver + opening.driver;
    if (file.opened != 0 && file.opened <= opening.time) return;
    file.opened = opening.time;
    file.device = opening.device;
    file.inode = opening.inode;
    file.born = opening.born;
    file.size = opening.size;
    if (!is_spread(file.driver)) file.driver = opening.driver;
}

class Using final : public TaskVisitor {
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
                   (record.prefix.flags & trace::kFileCarved) != 0,
                   (record.prefix.flags & trace::kFileWritable) != 0};
        if (opening.is_writable) writable_.insert(record.number);
        if (Input* input = input_of(file)) add(opening, input->file);
    }
    void operator()(const trace::StorageModified& record, const trace::Rest&) {
        const uint32_t file = tables_.file_of(record.number);
        if (file == kNobody) return;
        found_.openings[file].modified = record.modified;
        if (Input* input = input_of(file)) input->file.modified.insert(record.modified);
    }
    void operator()(const trace::StorageTouched& record, const trace::Rest&) {
        found_.touched[tables_.file_of(record.number)].insert({record.before, record.after});
    }
    void operator()(const trace::StorageHandle& record, const trace::Rest&) {
        // Who has it can write past HDF5, too.
        if (writable_.contains(record.number))
            found_.changed[tables_.file_of(record.number)] = kNever;
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
        if ((record.prefix.flags & trace::kAccessWrite) != 0) return;
        const uint32_t object = tables_.object_of(record.object);
        // What has failed is to fail for the same reason again.
        const bool has_failed = (record.prefix.flags & trace::kAccessFailed) != 0;
        used(object, record.start, has_failed ? std::nullopt : selection_in(record, rest));
        if (!has_failed) used_outside(object, record.start);
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
        used(index_.source_of(tables_, record), record.time,
             is_exact ? selection_in(record, rest) : std::nullopt);
    }
    void operator()(const trace::Io& record, const trace::Rest&) {
        const bool is_write = (record.prefix.flags & trace::kIoWrite) != 0;
        if ((record.prefix.flags & trace::kIoDiscarded) != 0) return;
        if (!is_write && record.memory == kSuperblock) return;
        if ((record.prefix.flags & trace::kIoSuperblock) != 0) return;
        const uint32_t file = tables_.file_of(record.storage);
        if (is_write) note_change(file, tables_.realtime(record.start + record.duration));
        Input* input = used_input(file);
        if (input == nullptr) return;
        (is_write ? input->file.was_written : input->is_inside) = true;
        if (!is_write) is_found(*input, record.start);
    }
    void operator()(const trace::OtherFile& record, const trace::Rest&) {
        others_[record.number] = record;
    }
    void operator()(const trace::OtherUse& record, const trace::Rest&) {
        note_making(record);
        note_writing(record);
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
    void task_begins() override {
        for (const Reach& reach : reaches_) use(reach);
    }

    void note_making(const trace::OtherUse& record) {
        if ((record.flags & trace::kUseCreated) == 0) return;
        if (Input* input = input_of(tables_.other_file_of(record.number)))
            input->first_made = std::min(input->first_made, tables_.realtime(record.opened));
    }

    // Past HDF5; what is written to a mapping is not seen.
    void note_writing(const trace::OtherUse& record) {
        constexpr uint32_t kMapping = trace::kUseMapped | trace::kUseWrites;
        const bool is_mapped = (record.flags & kMapping) == kMapping;
        if (record.written == 0 && !is_mapped) return;
        const uint32_t file = tables_.other_file_of(record.number);
        note_change(file, is_mapped ? kNever : tables_.realtime(record.last));
        if (Input* input = input_of(file)) input->file.was_written = true;
    }

    void note_change(uint32_t file, uint64_t time) {
        uint64_t& last = found_.changed[file];
        last = std::max(last, time);
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
        if (reach.modified == 0) return;
        input->raw_modified.insert(reach.modified);
        if (reach.is_whole) input->file.modified.insert(reach.modified);
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

    // Also where it has no opening of the program's own: by a link, or before the task began.
    void is_found(Input& input, uint64_t time) const {
        input.first_found = std::min(input.first_found, tables_.realtime(time));
    }

    // Without a selection, all of it.
    void used(uint32_t object, uint64_t time, const std::optional<Selection>& selection) {
        if (object == kNobody) return;
        const ObjectFacts& facts = index_.facts.objects[object];
        Input* input = used_input(facts.file);
        if (input == nullptr) return;
        input->is_hdf5 = true;
        is_found(*input, time);
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
    std::set<uint32_t> writable_;                  // storages, by number
    std::set<Reach>& reaches_;                     // of this process
};

}  // namespace

void add_used(const TraceIndex& index, const ProcessTables& tables,
              const std::set<std::string>& tasks, Found& found) {
    tables.file->each(Using(index, tables, tasks, found));
}

}  // namespace quarry::analyze
