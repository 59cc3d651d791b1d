#include <fmt/format.h>

#include <quarry/what_if.hpp>

#include "analyze/dataset_description.hpp"
#include "analyze/measure.hpp"
#include "analyze/recorded_selection.hpp"
#include "analyze/storage_model.hpp"
#include "hdf5/sampled_compression.hpp"

namespace quarry {
namespace {

using namespace analyze;

// Hands what a process did with one dataset to models of how it may be stored.
class Replaying {
public:
    Replaying(const ProcessTables& tables, uint32_t object,
              const std::vector<StorageModel*>& models, std::vector<uint64_t>& shape)
        : tables_(tables), object_(object), models_(models), shape_(shape) {}

    void operator()(const trace::Object& record, const trace::Rest&) {
        if (!is_it(record.number) || record.description == trace::kNone) return;
        if (const auto dataset = describe_dataset(tables_.text(record.description)))
            shape_ = dataset->shape;
    }
    void operator()(const trace::ObjectOpened& record, const trace::Rest&) {
        if (is_it(record.number)) ++handles_;
    }
    void operator()(const trace::ObjectClosed& record, const trace::Rest&) {
        if (!is_it(record.number) || handles_ == 0) return;
        --handles_;
        if (handles_ == 0) close();
    }
    void operator()(const trace::Access& record, const trace::Rest& rest) {
        constexpr auto kLeftOut = trace::kAccessFailed | trace::kAccessChunk;
        if (!is_it(record.object) || (record.prefix.flags & kLeftOut) != 0) return;
        const auto selection = selection_in(record, rest);
        if (!selection) return;
        const bool writes = (record.prefix.flags & trace::kAccessWrite) != 0;
        for (StorageModel* model : models_) model->access(*selection, shape_, writes);
    }

    void close() {
        for (StorageModel* model : models_) model->close();
    }

private:
    bool is_it(uint32_t number) const { return tables_.object_of(number) == object_; }

    const ProcessTables& tables_;
    uint32_t object_;
    const std::vector<StorageModel*>& models_;
    std::vector<uint64_t>& shape_;
    uint64_t handles_ = 0;
};

// What only the process that created the dataset records: that it was created, and whether it was
// filled.
struct Making {
    const ProcessTables& tables;
    uint32_t object;
    bool& is_created;
    bool& is_filled;
    void operator()(const trace::ObjectOpened& record, const trace::Rest&) const {
        const bool created = (record.prefix.flags & trace::kObjectCreated) != 0;
        if (created && tables.object_of(record.number) == object) is_created = true;
    }
    void operator()(const trace::Object& record, const trace::Rest&) const {
        if (record.description == trace::kNone || tables.object_of(record.number) != object) return;
        const auto dataset = describe_dataset(tables.text(record.description));
        if (dataset && dataset->filled) is_filled = true;
    }
};

Result<uint32_t> find_object(const TraceFacts& facts, const std::string& file,
                             const std::string& path) {
    uint32_t found = kNobody;
    for (uint32_t i = 0; i < facts.objects.size(); ++i) {
        const ObjectFacts& object = facts.objects[i];
        if (object.path != path || !facts.files[object.file].path.ends_with(file)) continue;
        if (found != kNobody)
            return Error{fmt::format("{} is in {} and in {}: say which with --file.", path,
                                     facts.files[facts.objects[found].file].path,
                                     facts.files[object.file].path)};
        found = i;
    }
    if (found == kNobody)
        return Error{
            fmt::format("There is no {}{} in the trace {}. `quarry ls` lists what there is.", path,
                        file.empty() ? "" : " in " + file, facts.directory)};
    return found;
}

void scale(RawTraffic& traffic_of, double by) {
    for (uint64_t* bytes : {&traffic_of.bytes_read, &traffic_of.bytes_written})
        *bytes = static_cast<uint64_t>(static_cast<double>(*bytes) * by);
}

// How well the dataset compresses in other chunks: tried on the file itself, if it is there still.
double compression_in(const std::vector<uint64_t>& chunks, double as_it_was,
                      Prediction& prediction) {
    const auto tried = hdf5::compressed_share(prediction.file, prediction.object, chunks);
    if (tried) return *tried;
    prediction.caution = fmt::format(
        "How well it would compress could not be tried ({}): it is taken to compress as well as it "
        "did.",
        tried.error().message);
    return as_it_was;
}

std::string layout_text(const std::vector<uint64_t>& chunks, uint64_t cache) {
    if (chunks.empty()) return "contiguous";
    return fmt::format("chunks of {}, of which HDF5 keeps {} bytes", fmt::join(chunks, " x "),
                       cache);
}

// A dataset of which it can be foreseen what would be moved, if it were stored otherwise.
Result<DatasetDescription> foreseeable(const ObjectFacts& object, const OtherLayout& other) {
    const std::string& path = object.path;
    const auto dataset = describe_dataset(object.description);
    if (!dataset || (dataset->layout != "chunked" && dataset->layout != "contiguous"))
        return Error{
            fmt::format("{} is no dataset that is stored contiguously or in chunks.", path)};
    if (dataset->has_variable_length())
        return Error{
            fmt::format("{} holds values of variable length, whose place in the file cannot "
                        "be foreseen.",
                        path)};
    if (!other.chunks.empty() && other.chunks.size() != dataset->shape.size())
        return Error{fmt::format("{} has {} dimensions, and {} sizes of chunks were given.", path,
                                 dataset->shape.size(), other.chunks.size())};
    return *dataset;
}

struct Measured {
    RawTraffic traffic;
    uint64_t cache = 1 << 20;  // of chunks, the largest that a process had
};

Measured measured(const TraceIndex& index, uint32_t object) {
    Measured all;
    for (const auto& [key, measure] : measure(index, {1, 0, 0})) {
        if (key.object != object) continue;
        all.traffic.reads += measure.raw_reads;
        all.traffic.writes += measure.raw_writes;
        all.traffic.bytes_read += measure.raw_bytes_read;
        all.traffic.bytes_written += measure.raw_bytes_written;
        all.cache = std::max(all.cache, measure.chunk_cache);
    }
    return all;
}

Storage storage_as_it_was(const TraceIndex& index, uint32_t object,
                          const DatasetDescription& dataset, uint64_t cache) {
    bool created = false;
    bool filled = false;
    for (const auto& tables : index.processes)
        tables->file->each(Making{*tables, object, created, filled});
    constexpr uint64_t kNewCache = 8 << 20;
    Storage storage;
    storage.chunks = dataset.chunks;
    storage.element_size = dataset.element_size;
    storage.has_filters = !dataset.filters.empty();
    storage.exists = !created;
    storage.filled = filled;
    storage.cache.bytes = cache;
    storage.cache.slots = cache >= kNewCache ? 8191 : 521;
    return storage;
}

Storage changed(Storage storage, const OtherLayout& other) {
    if (!other.chunks.empty()) storage.chunks = other.chunks;
    if (other.contiguous) storage.chunks.clear();
    if (other.cache_bytes > 0) storage.cache.bytes = other.cache_bytes;
    return storage;
}

void replay(const TraceIndex& index, uint32_t object, std::vector<uint64_t> shape,
            const std::vector<StorageModel*>& models) {
    for (const auto& tables : index.processes) {
        Replaying replaying(*tables, object, models, shape);
        tables->file->each(replaying);
        replaying.close();
    }
}

// Models know nothing of compression: what they moved of compressed data is scaled.
void scale_by_compression(Prediction& prediction, const Storage& as_it_would_be,
                          const OtherLayout& other) {
    const uint64_t plain = prediction.replayed.bytes_read + prediction.replayed.bytes_written;
    if (!as_it_would_be.has_filters || plain == 0) return;
    const uint64_t stored = prediction.measured.bytes_read + prediction.measured.bytes_written;
    const double compression = static_cast<double>(stored) / static_cast<double>(plain);
    scale(prediction.replayed, compression);
    if (!other.contiguous)
        scale(prediction.predicted, compression_in(as_it_would_be.chunks, compression, prediction));
}

}  // namespace

Result<Prediction> what_if(const std::string& directory, const std::string& file,
                           const std::string& path, const OtherLayout& other) {
    const auto index = index_trace(directory);
    if (!index) return index.error();
    const auto object = find_object(index->facts, file, path);
    if (!object) return object.error();
    const ObjectFacts& facts = index->facts.objects[*object];
    const auto dataset = foreseeable(facts, other);
    if (!dataset) return dataset.error();

    const Measured before = measured(*index, *object);
    const Storage as_it_was = storage_as_it_was(*index, *object, *dataset, before.cache);
    const Storage as_it_would_be = changed(as_it_was, other);
    const auto replayed = model_of(as_it_was);
    const auto predicted = model_of(as_it_would_be);
    replay(*index, *object, dataset->shape, {replayed.get(), predicted.get()});

    Prediction prediction;
    prediction.file = index->facts.files[facts.file].path;
    prediction.object = path;
    prediction.layout = layout_text(as_it_was.chunks, as_it_was.cache.bytes);
    prediction.other_layout = layout_text(as_it_would_be.chunks, as_it_would_be.cache.bytes);
    prediction.measured = before.traffic;
    prediction.replayed = replayed->moved();
    prediction.predicted = predicted->moved();
    scale_by_compression(prediction, as_it_would_be, other);
    return prediction;
}

}  // namespace quarry
