// How tasks ask HDF5, and HDF5 the file, for bytes.
#include <fmt/format.h>

#include <quarry/units.hpp>

#include "analyze/evidence.hpp"
#include "base/text.hpp"

namespace quarry::analyze {
namespace {

double share(uint64_t part, uint64_t all) {
    return all > 0 ? static_cast<double>(part) / static_cast<double>(all) : 0;
}

struct Row {
    const UsageRow& usage;
    const Measure& measure;
    uint32_t object;
    std::string task;
    std::string name;

    uint64_t raw_ios() const { return measure.raw_reads + measure.raw_writes; }
};

Finding& add(const Evidence& evidence, const Row& row, const char* id, Findings& found) {
    Finding finding = about(evidence, row.object, {row.usage.task});
    finding.id = id;
    return found.emplace_back(std::move(finding));
}

std::string larger_parts(const Evidence& evidence, uint32_t object) {
    const DatasetDescription* dataset = evidence.dataset(object);
    if (dataset != nullptr && dataset->layout == "chunked")
        return "Read or write several chunks in one call, or make the chunks larger: " +
               chunk_command(evidence, object);
    return fmt::format(
        "Read or write more in one call: `data = f[{}][...]` once, then work on "
        "`data`.",
        evidence.quoted_path(object));
}

void small_requests(const Evidence& evidence, const Row& row, Findings& found) {
    const Thresholds& limit = evidence.limit;
    const uint64_t small = row.measure.small;
    if (static_cast<double>(small) <= limit.small_requests ||
        share(small, row.raw_ios()) <= limit.small_request_share)
        return;
    Finding& finding = add(evidence, row, "small-requests", found);
    const uint64_t bytes = row.measure.raw_bytes_read + row.measure.raw_bytes_written;
    finding.sentence =
        fmt::format("{} makes {} requests of less than {} to {}: {} of them all, {} on average.",
                    row.task, small, bytes_text(static_cast<uint64_t>(limit.small_request_bytes)),
                    row.name, share_text(small, row.raw_ios()), bytes_text(bytes / row.raw_ios()));
    finding.fix = larger_parts(evidence, row.object);
    const auto needed =
        static_cast<uint64_t>(static_cast<double>(bytes) / limit.small_request_bytes);
    finding.saving = evidence.saving(small - std::min(small, needed + 1), 0);
}

void random_access(const Evidence& evidence, const Row& row, Findings& found) {
    const uint64_t random = row.measure.random;
    if (static_cast<double>(random) <= evidence.limit.random_requests ||
        share(random, row.raw_ios()) <= evidence.limit.random_share)
        return;
    Finding& finding = add(evidence, row, "random-access", found);
    finding.sentence = fmt::format(
        "{} jumps about in {}: {} of {} requests neither follow the one before nor a stride.",
        row.task, row.name, random, row.raw_ios());
    finding.fix =
        "Sort the places before reading them, as in `data = d[sorted(places)]`, or read "
        "the part that holds them all once and pick from memory.";
    finding.saving = evidence.saving(random / 2, 0);
}

void misaligned_requests(const Evidence& evidence, const Row& row, Findings& found) {
    const uint64_t misaligned = row.measure.misaligned;
    if (static_cast<double>(misaligned) <= evidence.limit.misaligned_requests ||
        share(misaligned, row.raw_ios()) <= evidence.limit.misaligned_share)
        return;
    const auto alignment = static_cast<uint64_t>(evidence.limit.alignment_bytes);
    Finding& finding = add(evidence, row, "misaligned-requests", found);
    finding.sentence =
        fmt::format("{} of {} requests of {} to {} do not begin at a multiple of {} bytes.",
                    misaligned, row.raw_ios(), row.task, row.name, alignment);
    finding.fix = fmt::format(
        "Where the file is made, align what is large: "
        "`h5py.File(name, \"w\", alignment_threshold=65536, "
        "alignment_interval={0})`, in C `H5Pset_alignment(fapl, 65536, {0})`.",
        alignment);
    finding.saving = evidence.saving(0, misaligned * alignment / 2);
}

void redundant_reads(const Evidence& evidence, const Row& row, Findings& found) {
    const uint64_t read = row.measure.raw_bytes_read;
    const uint64_t unique = row.measure.unique_bytes_read;
    if (unique == 0 || static_cast<double>(read - unique) < evidence.limit.redundant_bytes ||
        static_cast<double>(read) / static_cast<double>(unique) <= evidence.limit.redundancy)
        return;
    Finding& finding = add(evidence, row, "redundant-reads", found);
    finding.sentence =
        fmt::format("{} reads {} of {} from the file, and only {} of it are different.", row.task,
                    bytes_text(read), row.name, bytes_text(unique));
    finding.fix = fmt::format(
        "Read it once and keep it, or let HDF5 keep its chunks: "
        "`h5py.File(name, rdcc_nbytes={})`.",
        unique);
    finding.saving = evidence.saving(
        row.measure.raw_reads - std::min(row.measure.raw_reads, row.measure.places_read),
        read - unique);
}

void amplification(const Evidence& evidence, const Row& row, bool writes, Findings& found) {
    const uint64_t moved = writes ? row.measure.raw_bytes_written : row.measure.raw_bytes_read;
    const uint64_t asked =
        writes ? row.usage.usage.selected_written : row.usage.usage.selected_read;
    if (asked == 0 || moved < asked ||
        static_cast<double>(moved - asked) < evidence.limit.amplified_bytes ||
        static_cast<double>(moved) / static_cast<double>(asked) <= evidence.limit.amplification)
        return;
    Finding& finding =
        add(evidence, row, writes ? "write-amplification" : "read-amplification", found);
    finding.sentence = fmt::format("{} {} {} of {}, and {} are moved for that: {}.", row.task,
                                   writes ? "writes" : "reads", bytes_text(asked), row.name,
                                   bytes_text(moved), ratio_text(moved, asked));
    finding.fix = larger_parts(evidence, row.object);
    finding.saving = evidence.saving(0, moved - asked);
}

void strided_contiguous(const Evidence& evidence, const Row& row, Findings& found) {
    const DatasetDescription* dataset = evidence.dataset(row.object);
    if (dataset == nullptr || dataset->layout != "contiguous" || row.measure.large_calls == 0)
        return;
    Finding& finding = add(evidence, row, "strided-contiguous", found);
    finding.sentence = fmt::format(
        "{} calls of {} to {} take more than {:.0f} requests each, up to {}: the dataset is "
        "contiguous, and they want pieces of it.",
        row.measure.large_calls, row.task, row.name, evidence.limit.ios_per_call,
        row.measure.most_ios_in_call);
    finding.fix =
        "Give it chunks of the shape that is asked for: " + chunk_command(evidence, row.object);
    finding.saving = evidence.saving(row.measure.ios_in_large_calls - row.measure.large_calls, 0);
}

void reopen_loops(const Evidence& evidence, Findings& found) {
    for (const UsageRow& row : evidence.flow.summary.rows) {
        const bool is_object = row.object != kNobody && row.task != kNobody;
        if (!is_object || static_cast<double>(row.usage.opens) <= evidence.limit.opens) continue;
        if (evidence.facts().objects[row.object].kind != ObjectKind::Dataset) continue;
        Finding finding = about(evidence, row.object, {row.task});
        finding.id = "reopen-loop";
        finding.sentence = fmt::format("{} opens {} {} times.", evidence.task(row.task),
                                       evidence.name(row.object), row.usage.opens);
        finding.fix = fmt::format("Open it once, before the loop: `d = f[{}]`, then use `d`.",
                                  evidence.quoted_path(row.object));
        finding.saving = evidence.saving(row.usage.opens - 1, 0);
        found.push_back(std::move(finding));
    }
}

void metadata_heavy(const Evidence& evidence, Findings& found) {
    struct Sum {
        uint64_t ios = 0;
        uint64_t metadata = 0;
        uint64_t bytes = 0;
    };
    std::map<std::pair<uint32_t, uint32_t>, Sum> sums;
    for (const UsageRow& row : evidence.flow.summary.rows) {
        if (row.task == kNobody || row.file == kNobody) continue;
        Sum& sum = sums[{row.task, row.file}];
        sum.ios += row.usage.ios;
        sum.metadata += row.usage.metadata_ios;
        sum.bytes += row.usage.metadata_bytes;
    }
    for (const auto& [key, sum] : sums) {
        const auto [task, file] = key;
        if (static_cast<double>(sum.metadata) <= evidence.limit.metadata_ios ||
            share(sum.metadata, sum.ios) <= evidence.limit.metadata_share)
            continue;
        Finding finding;
        finding.id = "metadata-heavy";
        finding.file = file;
        finding.tasks = {task};
        finding.sentence =
            fmt::format("{} of {} requests of {} to {} are for metadata.", sum.metadata, sum.ios,
                        evidence.task(task), base_name(evidence.path_of(file)));
        finding.fix = fmt::format(
            "Put the metadata together: `h5repack -S PAGE -G 65536 {0} {1}`, and open the new file "
            "with `h5py.File(name, page_buf_size=1048576)`. Fewer, larger datasets and "
            "`libver=\"latest\"` help, too.",
            shell_quoted(evidence.path_of(file)), shell_quoted(evidence.path_of(file) + ".paged"));
        finding.saving = evidence.saving(sum.metadata - sum.metadata / 10, 0);
        found.push_back(std::move(finding));
    }
}

}  // namespace

void find_in_requests(const Evidence& evidence, Findings& found) {
    for (const UsageRow& usage : evidence.flow.summary.rows) {
        if (usage.task == kNobody || usage.object == kNobody) continue;
        const Measure* measure = evidence.measured(usage.task, usage.object);
        if (measure == nullptr || measure->raw_reads + measure->raw_writes == 0) continue;
        const Row row{usage, *measure, usage.object, evidence.task(usage.task),
                      evidence.name(usage.object)};
        small_requests(evidence, row, found);
        random_access(evidence, row, found);
        misaligned_requests(evidence, row, found);
        redundant_reads(evidence, row, found);
        amplification(evidence, row, false, found);
        amplification(evidence, row, true, found);
        strided_contiguous(evidence, row, found);
    }
    reopen_loops(evidence, found);
    metadata_heavy(evidence, found);
}

}  // namespace quarry::analyze
