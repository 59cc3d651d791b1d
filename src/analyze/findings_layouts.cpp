// How datasets are stored, against how they are used.
#include <fmt/format.h>

#include <algorithm>
#include <quarry/units.hpp>

#include "analyze/evidence.hpp"
#include "base/text.hpp"
#include "model/shape.hpp"

namespace quarry::analyze {
namespace {

uint64_t chunk_bytes(const DatasetDescription& dataset) {
    return elements_in(dataset.chunks) * dataset.element_size;
}

uint64_t chunk_count(const DatasetDescription& dataset) {
    uint64_t count = 1;
    for (size_t i = 0; i < dataset.chunks.size() && i < dataset.shape.size(); ++i)
        count *= dataset.chunks[i] > 0
                     ? (dataset.shape[i] + dataset.chunks[i] - 1) / dataset.chunks[i]
                     : 1;
    return count;
}

// What all tasks did with an object.
struct Together {
    uint64_t ios = 0;
    uint64_t metadata_ios = 0;
    uint64_t metadata_bytes = 0;
    uint64_t extensions = 0;
    uint64_t raw_writes = 0;
    uint64_t attributes = 0;
    uint64_t writes = 0;
    std::vector<uint32_t> tasks;
};

std::map<uint32_t, Together> by_object(const Evidence& evidence) {
    std::map<uint32_t, Together> all;
    for (const UsageRow& row : evidence.flow.summary.rows) {
        if (row.object == kNobody || row.task == kNobody) continue;
        Together& sum = all[row.object];
        sum.ios += row.usage.ios;
        sum.metadata_ios += row.usage.metadata_ios;
        sum.metadata_bytes += row.usage.metadata_bytes;
        sum.writes += row.usage.writes;
        sum.tasks.push_back(row.task);
        if (const Measure* measure = evidence.measured(row.task, row.object)) {
            sum.extensions += measure->extensions;
            sum.raw_writes += measure->raw_writes;
            sum.attributes = std::max(sum.attributes, measure->attributes);
        }
    }
    return all;
}

std::string repack(const Evidence& evidence, uint32_t object, const std::string& layout) {
    const ObjectFacts& facts = evidence.facts().objects[object];
    return fmt::format("`h5repack -l {} {} {}`", shell_quoted(facts.path + ":" + layout),
                       evidence.quoted_file(object),
                       shell_quoted(evidence.path_of(facts.file) + ".repacked"));
}

// A shape for chunks that suits what was read most often: as large as that, within what reads well.
std::vector<uint64_t> better_chunks(const Evidence& evidence, uint32_t object) {
    constexpr uint64_t kLeast = 64 << 10;
    constexpr uint64_t kMost = 4 << 20;
    const DatasetDescription& dataset = *evidence.dataset(object);
    std::map<std::vector<uint64_t>, uint64_t> votes;
    for (const auto& [key, measure] : evidence.measures) {
        if (key.object != object) continue;
        for (const auto& [shape, count] : measure.shapes_read) votes[shape] += count;
    }
    std::vector<uint64_t> chunks = dataset.shape;
    uint64_t most = 0;
    for (const auto& [shape, count] : votes) {
        if (count <= most || shape.size() != dataset.shape.size()) continue;
        most = count;
        chunks = shape;
    }
    for (size_t i = 0; i < chunks.size(); ++i)
        chunks[i] = std::clamp<uint64_t>(chunks[i], 1, std::max<uint64_t>(dataset.shape[i], 1));
    const auto bytes = [&] {
        return elements_in(chunks) * std::max<uint64_t>(dataset.element_size, 1);
    };
    while (bytes() > kMost) {
        auto largest = std::max_element(chunks.begin(), chunks.end());
        if (*largest == 1) break;
        *largest = (*largest + 1) / 2;
    }
    // Along the last dimensions first: those lie together.
    for (size_t i = chunks.size(); i-- > 0;)
        while (bytes() < kLeast && chunks[i] < dataset.shape[i])
            chunks[i] = std::min(2 * chunks[i], dataset.shape[i]);
    return chunks;
}

void chunked_small(const Evidence& evidence, uint32_t object, const Together& sum,
                   const DatasetDescription& dataset, Findings& found) {
    const uint64_t raw = sum.ios - sum.metadata_ios;
    if (static_cast<double>(dataset.bytes()) >= evidence.limit.small_dataset_bytes ||
        sum.metadata_ios <= raw)
        return;
    Finding finding = about(evidence, object, sum.tasks);
    finding.id = "chunked-small";
    finding.sentence =
        fmt::format("{} has only {}, and chunks: {} of {} requests go to its metadata.",
                    evidence.name(object), bytes_text(dataset.bytes()), sum.metadata_ios, sum.ios);
    finding.fix = "Store it contiguously: " + repack(evidence, object, "CONTI") +
                  "; in h5py leave out `chunks`, `maxshape` and filters.";
    finding.saving = evidence.saving(sum.metadata_ios - sum.metadata_ios / 4, 0);
    found.push_back(std::move(finding));
}

void variable_length(const Evidence& evidence, uint32_t object, const Together& sum,
                     const DatasetDescription& dataset, Findings& found) {
    if (dataset.layout != "contiguous" || !dataset.has_variable_length() || dataset.elements() < 2)
        return;
    Finding finding = about(evidence, object, sum.tasks);
    finding.id = "vlen-contiguous";
    finding.sentence = fmt::format(
        "{} holds values of variable length and is contiguous: {} "
        "requests to reach {} values.",
        evidence.name(object), sum.ios, dataset.elements());
    std::vector<uint64_t> chunks = dataset.shape;
    constexpr uint64_t kRows = 1024;
    for (uint64_t& size : chunks) size = std::max<uint64_t>(1, std::min(size, kRows));
    finding.fix = "Give it chunks: " +
                  repack(evidence, object, fmt::format("CHUNK={}", fmt::join(chunks, "x"))) + ".";
    finding.saving = evidence.saving(sum.ios / 4, 0);
    found.push_back(std::move(finding));
}

void tiny_chunks(const Evidence& evidence, uint32_t object, const Together& sum,
                 const DatasetDescription& dataset, Findings& found) {
    const uint64_t bytes = chunk_bytes(dataset);
    const uint64_t count = chunk_count(dataset);
    if (static_cast<double>(bytes) >= evidence.limit.tiny_chunk_bytes ||
        static_cast<double>(count) <= evidence.limit.tiny_chunks)
        return;
    Finding finding = about(evidence, object, sum.tasks);
    finding.id = "tiny-chunks";
    finding.sentence = fmt::format("{} is cut into {} chunks of {}.", evidence.name(object), count,
                                   bytes_text(bytes));
    finding.fix = "Make them larger: " + chunk_command(evidence, object) + ".";
    const uint64_t better =
        elements_in(better_chunks(evidence, object)) * std::max<uint64_t>(dataset.element_size, 1);
    finding.saving = evidence.saving(sum.ios - std::min(sum.ios, sum.ios * bytes / better), 0);
    found.push_back(std::move(finding));
}

void edge_chunks(const Evidence& evidence, uint32_t object, const Together& sum,
                 const DatasetDescription& dataset, Findings& found) {
    const uint64_t count = chunk_count(dataset);
    if (dataset.filters.empty() || sum.extensions < 2 ||
        static_cast<double>(sum.raw_writes) <=
            evidence.limit.chunk_rewrites * static_cast<double>(count))
        return;
    Finding finding = about(evidence, object, sum.tasks);
    finding.id = "edge-chunk-rewritten";
    finding.sentence = fmt::format(
        "{} was extended {} times, and its {} chunks were compressed and written {} times.",
        evidence.name(object), sum.extensions, count, sum.raw_writes);
    finding.fix = fmt::format(
        "Extend by whole chunks ({} at a time), or collect that much before "
        "writing.",
        fmt::join(dataset.chunks, " x "));
    finding.saving = evidence.saving(sum.raw_writes - count,
                                     (sum.raw_writes - count) * chunk_bytes(dataset) / 2);
    found.push_back(std::move(finding));
}

void needless_unlimited(const Evidence& evidence, uint32_t object, const Together& sum,
                        const DatasetDescription& dataset, Findings& found) {
    const auto& most = dataset.largest_shape;
    const bool may_grow =
        std::find(most.begin(), most.end(), DatasetDescription::kUnlimited) != most.end();
    if (!may_grow || sum.extensions > 0 || sum.writes == 0) return;
    Finding finding = about(evidence, object, sum.tasks);
    finding.id = "needless-unlimited";
    finding.sentence = fmt::format(
        "{} may grow without limit and was never extended; so it must "
        "have chunks and an index for them.",
        evidence.name(object));
    finding.fix =
        "Leave out `maxshape` (in C: the largest sizes of `H5Screate_simple`; in netCDF: "
        "give the dimension its size).";
    finding.saving = evidence.saving(sum.metadata_ios / 2, sum.metadata_bytes / 2);
    found.push_back(std::move(finding));
}

void chunk_use(const Evidence& evidence, const UsageRow& row, const DatasetDescription& dataset,
               Findings& found) {
    const Measure* measure = evidence.measured(row.task, row.object);
    if (measure == nullptr || measure->raw_reads == 0) return;
    const uint64_t bytes = chunk_bytes(dataset);
    const uint64_t again = measure->raw_reads - std::min(measure->raw_reads, measure->places_read);
    const bool over_cache = bytes > measure->chunk_cache;
    const auto start = [&](const char* id) {
        Finding finding = about(evidence, row.object, {row.task});
        finding.id = id;
        return finding;
    };
    if (over_cache && row.usage.reads > 1) {
        Finding finding = start("chunk-over-cache");
        finding.sentence = fmt::format(
            "Chunks of {} have {}, and HDF5 keeps only {} of a dataset: each of {} reads by {} "
            "gets "
            "them anew.",
            evidence.name(row.object), bytes_text(bytes), bytes_text(measure->chunk_cache),
            row.usage.reads, evidence.task(row.task));
        finding.fix = fmt::format(
            "Let it keep more: `h5py.File(name, rdcc_nbytes={0})`, in C "
            "`H5Pset_chunk_cache(dapl, 12421, {0}, 0.75)`.",
            4 * bytes);
        finding.saving = evidence.saving(again, again * bytes);
        found.push_back(std::move(finding));
    } else if (static_cast<double>(measure->raw_reads) >=
                   evidence.limit.chunk_decodes * static_cast<double>(measure->places_read) &&
               again > 0) {
        Finding finding = start("chunk-decoded-again");
        finding.sentence =
            fmt::format("{} reads {} chunks of {} from the file {} times.", evidence.task(row.task),
                        measure->places_read, evidence.name(row.object), measure->raw_reads);
        finding.fix = fmt::format(
            "Keep the dataset open, and let HDF5 keep its chunks: "
            "`h5py.File(name, rdcc_nbytes={})`.",
            std::max(measure->places_read * bytes, measure->chunk_cache));
        finding.saving = evidence.saving(
            again, again * (measure->raw_bytes_read / std::max<uint64_t>(measure->raw_reads, 1)));
        found.push_back(std::move(finding));
    }
    uint64_t asked = 0;
    for (const DataUse& use : evidence.uses_of(row.object))
        if (use.task == row.task) asked = use.read;
    const uint64_t touched = measure->places_read * bytes;
    // Of what is asked for with gaps no chunks could spare the gaps.
    const double gaps = measure->elements_read > 0
                            ? static_cast<double>(measure->boxed_elements_read) /
                                  static_cast<double>(measure->elements_read)
                            : 1;
    const double needed = static_cast<double>(asked) * std::max(gaps, 1.0);
    if (asked == 0 || touched < asked ||
        static_cast<double>(touched) - needed < evidence.limit.amplified_bytes ||
        static_cast<double>(touched) <= evidence.limit.chunk_shape_ratio * needed)
        return;
    Finding finding = start("chunk-shape");
    finding.sentence =
        fmt::format("{} wants {} of {}, and the chunks that hold it have {}: {}.",
                    evidence.task(row.task), bytes_text(asked), evidence.name(row.object),
                    bytes_text(touched), ratio_text(touched, asked));
    finding.fix =
        "Give the chunks the shape that is asked for: " + chunk_command(evidence, row.object) + ".";
    finding.saving = evidence.saving(0, touched - asked);
    found.push_back(std::move(finding));
}

void scattered(const Evidence& evidence, const std::map<uint32_t, Together>& all, Findings& found) {
    struct Small {
        std::vector<uint32_t> objects;
        uint64_t ios = 0;
        uint64_t bytes = 0;
    };
    std::map<uint32_t, Small> files;
    for (const auto& [object, sum] : all) {
        const DatasetDescription* dataset = evidence.dataset(object);
        if (dataset == nullptr ||
            static_cast<double>(dataset->bytes()) >= evidence.limit.scattered_bytes)
            continue;
        Small& small = files[evidence.facts().objects[object].file];
        small.objects.push_back(object);
        small.ios += sum.ios;
        small.bytes += dataset->bytes();
    }
    for (const auto& [file, small] : files) {
        if (static_cast<double>(small.objects.size()) < evidence.limit.scattered_datasets) continue;
        Finding finding;
        finding.id = "dataset-scatter";
        finding.file = file;
        finding.objects = small.objects;
        finding.sentence = fmt::format(
            "{} holds {} datasets of less than {:.0f} bytes, {} together: {} requests for them.",
            base_name(evidence.path_of(file)), small.objects.size(), evidence.limit.scattered_bytes,
            bytes_text(small.bytes), small.ios);
        finding.fix =
            "Put them into one dataset, a row or a member of a compound type for each, or "
            "into attributes: `f.create_dataset(\"all\", data=np.stack(values))`.";
        finding.saving = evidence.saving(small.ios - std::min<uint64_t>(small.ios, 2), 0);
        found.push_back(std::move(finding));
    }
}

void large_stores(const Evidence& evidence, const std::map<uint32_t, Together>& all,
                  Findings& found) {
    for (const auto& [object, sum] : all) {
        if (static_cast<double>(sum.attributes) <= evidence.limit.attributes) continue;
        Finding finding = about(evidence, object, sum.tasks);
        finding.id = "attribute-store";
        finding.sentence =
            fmt::format("{} carries {} attributes.", evidence.name(object), sum.attributes);
        finding.fix = "Put them into a dataset with a compound type, and read it at once.";
        finding.saving = evidence.saving(sum.metadata_ios / 2, 0);
        found.push_back(std::move(finding));
    }
    std::map<std::pair<uint32_t, std::string>, uint64_t> links;
    for (const ObjectFacts& object : evidence.facts().objects) {
        if (object.path.size() > 1)
            ++links[{object.file, object.path.substr(0, object.path.rfind('/'))}];
    }
    for (const auto& [group, count] : links) {
        if (static_cast<double>(count) <= evidence.limit.links) continue;
        Finding finding;
        finding.id = "huge-group";
        finding.file = group.first;
        finding.sentence = fmt::format("{} objects were used in one group, {}/ of {}.", count,
                                       group.second, base_name(evidence.path_of(group.first)));
        finding.fix =
            "Spread them over groups, or make them rows of one dataset; "
            "`h5py.File(name, \"w\", libver=\"latest\")` stores many links better.";
        finding.saving = evidence.saving(count, 0);
        found.push_back(std::move(finding));
    }
}

}  // namespace

std::string chunk_command(const Evidence& evidence, uint32_t object) {
    return repack(evidence, object,
                  fmt::format("CHUNK={}", fmt::join(better_chunks(evidence, object), "x")));
}

void find_in_layouts(const Evidence& evidence, Findings& found) {
    const auto all = by_object(evidence);
    for (const auto& [object, sum] : all) {
        const DatasetDescription* dataset = evidence.dataset(object);
        if (dataset == nullptr) continue;
        variable_length(evidence, object, sum, *dataset, found);
        if (dataset->layout != "chunked" || dataset->chunks.size() != dataset->shape.size())
            continue;
        chunked_small(evidence, object, sum, *dataset, found);
        tiny_chunks(evidence, object, sum, *dataset, found);
        edge_chunks(evidence, object, sum, *dataset, found);
        needless_unlimited(evidence, object, sum, *dataset, found);
    }
    for (const UsageRow& row : evidence.flow.summary.rows) {
        if (row.task == kNobody || row.object == kNobody) continue;
        const DatasetDescription* dataset = evidence.dataset(row.object);
        if (dataset != nullptr && dataset->layout == "chunked")
            chunk_use(evidence, row, *dataset, found);
    }
    scattered(evidence, all, found);
    large_stores(evidence, all, found);
}

}  // namespace quarry::analyze
