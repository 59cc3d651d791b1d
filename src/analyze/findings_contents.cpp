// What the values themselves tell.
#include <fmt/format.h>

#include <algorithm>
#include <quarry/units.hpp>

#include "analyze/evidence.hpp"

namespace quarry::analyze {
namespace {

// Strings of nearly one length need no heap.
void strings_of_one_length(const Evidence& evidence, Findings& found) {
    for (const auto& [key, measure] : evidence.measures) {
        const DatasetDescription* dataset = evidence.dataset(key.object);
        if (dataset == nullptr || !dataset->type.starts_with("string") ||
            static_cast<double>(measure.lengths) < evidence.limit.vlen_values)
            continue;
        const auto fixed = static_cast<double>(measure.longest * measure.lengths);
        if (fixed > evidence.limit.vlen_ratio * static_cast<double>(measure.total_length)) continue;
        Finding finding = about(evidence, key.object, {key.task});
        finding.id = "vlen-constant";
        finding.sentence = fmt::format(
            "{} strings of {}, of variable length, have nearly the same one: at most {} bytes, {} "
            "on average.",
            measure.lengths, evidence.name(key.object), measure.longest,
            measure.total_length / measure.lengths);
        finding.fix = fmt::format(
            "Give them a fixed length: h5py `dtype=\"S{0}\"`, in C `H5Tset_size(type, {0})`; they "
            "then lie in the dataset itself, and can be compressed.",
            measure.longest);
        // Of each a reference of 16 bytes in the dataset, and a head of as many in the heap.
        constexpr uint64_t kReference = 32;
        const uint64_t heap_reads = measure.raw_reads + measure.raw_writes;
        finding.saving = evidence.saving(heap_reads / 2, measure.lengths * kReference);
        found.push_back(std::move(finding));
    }
}

// Which pieces of what a task has written it had read from another dataset before.
void copied_unchanged(const Evidence& evidence, Findings& found) {
    std::map<std::pair<uint32_t, uint64_t>, uint32_t> sources;  // task and content -> object
    for (const auto& [key, measure] : evidence.measures)
        for (const auto& [content, bytes] : measure.contents_read)
            sources.try_emplace({key.task, content}, key.object);
    for (const auto& [key, measure] : evidence.measures) {
        uint64_t all = 0;
        std::map<uint32_t, uint64_t> copied;  // from which object
        for (const auto& [content, bytes] : measure.contents_written) {
            all += bytes;
            const auto source = sources.find({key.task, content});
            if (source != sources.end() && source->second != key.object)
                copied[source->second] += bytes;
        }
        for (const auto& [source, bytes] : copied) {
            const bool is_much = static_cast<double>(bytes) >= evidence.limit.kept_bytes;
            const bool is_most = static_cast<double>(bytes) >=
                                 evidence.limit.copied_share * static_cast<double>(all);
            if (!is_much || !is_most) continue;
            Finding finding = about(evidence, key.object, {key.task});
            finding.objects.push_back(source);
            finding.id = "copied-unchanged";
            finding.sentence = fmt::format(
                "{} writes {} to {} that look the same as what it has "
                "read from {}.",
                evidence.task(key.task), bytes_text(bytes), evidence.name(key.object),
                evidence.name(source));
            finding.fix = fmt::format(
                "Make sure with `h5diff {0} {1} {2} {3}`, then link instead of copying: h5py "
                "`file[{3}] = h5py.ExternalLink({0}, {2})`, in C `H5Lcreate_external`; a part of a "
                "dataset as a virtual one (`h5py.VirtualLayout`, `H5Pset_virtual`).",
                evidence.quoted_file(source), evidence.quoted_file(key.object),
                evidence.quoted_path(source), evidence.quoted_path(key.object));
            finding.saving = evidence.saving(measure.raw_writes, 2 * bytes);
            found.push_back(std::move(finding));
        }
    }
}

}  // namespace

void find_in_contents(const Evidence& evidence, Findings& found) {
    strings_of_one_length(evidence, found);
    copied_unchanged(evidence, found);
}

}  // namespace quarry::analyze
