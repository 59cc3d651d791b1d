#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <quarry/advice.hpp>
#include <set>
#include <tuple>

#include "analyze/dataflow.hpp"
#include "analyze/evidence.hpp"
#include "base/text.hpp"
#include "model/family.hpp"

namespace quarry {
namespace {

using namespace analyze;

// By the part of everything that it would save.
Severity severity_of(const Saving& saving, const Dataflow& flow) {
    double ios = 0;
    double bytes = 0;
    double seconds = 0;
    for (const UsageRow& row : flow.summary.rows) {
        ios += static_cast<double>(row.usage.ios);
        bytes += static_cast<double>(row.usage.moved_read + row.usage.moved_written +
                                     row.usage.other_read + row.usage.other_written);
        seconds += static_cast<double>(row.usage.io_time) * 1e-9;
    }
    const auto part = [](double saved, double all) { return all > 0 ? saved / all : 0; };
    const double most =
        std::max({part(static_cast<double>(saving.operations), ios),
                  part(static_cast<double>(saving.bytes), bytes), part(saving.seconds, seconds)});
    constexpr double kMuch = 0.25;
    constexpr double kSome = 0.05;
    return most >= kMuch ? Severity::High : most >= kSome ? Severity::Medium : Severity::Low;
}

// What is said of many that differ only in their numbers is said once.
std::vector<Finding> joined_by_family(const Evidence& evidence, Findings&& all) {
    using Family = std::tuple<std::string, std::string, std::string, std::string>;
    std::map<Family, size_t> places;
    std::vector<Finding> joined;
    std::vector<size_t> others;
    for (Finding& finding : all) {
        const auto first = [](const std::vector<uint32_t>& list, auto name) {
            return list.empty() ? std::string() : family_of(name(list.front()));
        };
        const auto [known, is_new] = places.try_emplace(
            {finding.id, first(finding.tasks, [&](uint32_t task) { return evidence.task(task); }),
             finding.file != kNobody ? family_of(base_name(evidence.path_of(finding.file))) : "",
             first(finding.objects,
                   [&](uint32_t object) { return evidence.facts().objects[object].path; })},
            joined.size());
        if (is_new) {
            joined.push_back(std::move(finding));
            others.push_back(0);
            continue;
        }
        Finding& same = joined[known->second];
        ++others[known->second];
        same.saving.operations += finding.saving.operations;
        same.saving.bytes += finding.saving.bytes;
        same.saving.seconds += finding.saving.seconds;
        for (const auto& [to, from] :
             {std::pair{&same.objects, &finding.objects}, std::pair{&same.tasks, &finding.tasks}})
            to->insert(to->end(), from->begin(), from->end());
    }
    for (size_t i = 0; i < joined.size(); ++i) {
        for (auto* list : {&joined[i].objects, &joined[i].tasks}) {
            std::set<uint32_t> seen;
            std::erase_if(*list, [&](uint32_t one) { return !seen.insert(one).second; });
        }
        if (others[i] > 0)
            joined[i].sentence += fmt::format(" The same holds for {} more like it.", others[i]);
    }
    return joined;
}

}  // namespace

const char* name_of(Severity severity) {
    constexpr std::array names{"low", "medium", "high"};
    return names[static_cast<size_t>(severity)];
}

const std::vector<Rule>& all_rules() {
    static const std::vector<Rule> rules{
        {"small-requests", "many requests for few bytes each"},
        {"random-access", "requests that jump about in the file"},
        {"misaligned-requests", "requests that do not begin at a page"},
        {"redundant-reads", "the same bytes are read again and again"},
        {"read-amplification", "far more is read than was asked for"},
        {"write-amplification", "far more is written than was asked for"},
        {"strided-contiguous", "pieces of a contiguous dataset, one request each"},
        {"reopen-loop", "the same dataset is opened again and again"},
        {"metadata-heavy", "most requests are for metadata"},
        {"chunked-small", "a small dataset with chunks"},
        {"vlen-contiguous", "values of variable length in a contiguous dataset"},
        {"tiny-chunks", "very many very small chunks"},
        {"chunk-over-cache", "chunks that HDF5 does not keep, because they are too large"},
        {"chunk-decoded-again", "chunks that are read again and again"},
        {"chunk-shape", "chunks of another shape than what is read"},
        {"edge-chunk-rewritten", "a compressed chunk is rewritten at every extension"},
        {"needless-unlimited", "a dataset that may grow and never does"},
        {"dataset-scatter", "many very small datasets in one file"},
        {"attribute-store", "an object with very many attributes"},
        {"huge-group", "a group with very many members"},
        {"unused-dataset", "data that are written and that nobody reads"},
        {"partly-used", "a dataset of which only a part is read"},
        {"metadata-only-reader", "a task that reads no data, only what is said about them"},
        {"read-after-write", "a task reads what it has written itself"},
        {"write-after-read", "a task writes again what it has read"},
        {"reused-by-many", "a file that many tasks read"},
        {"stage-out", "a file that nobody needs for much of the run"},
        {"late-input", "an input that is needed only late in the run"},
        {"shared-across-hosts", "a file that is read on several machines"},
        {"no-dependency", "tasks that ran in turn and share no data"},
        {"fan-in", "a task that needs data of many others"},
        {"all-to-all", "tasks that all need each other's data"},
        {"one-to-one", "a task whose data only one other task needs"},
        {"rolling-input", "files that a task goes through one after the other"},
        {"copied-unchanged", "the same values are written once more"},
        {"vlen-constant", "strings of variable length that all have nearly the same"},
        {"free-space", "a file of which much is used by nothing"},
        {"not-cloud-ready", "a file whose metadata lie all over it"},
    };
    return rules;
}

Result<Advice> advise(const std::string& directory, const Thresholds& thresholds,
                      uint64_t region_size) {
    auto index = index_trace(directory);
    if (!index) return index.error();
    const auto measures = measure(*index, {static_cast<uint64_t>(thresholds.small_request_bytes),
                                           static_cast<uint64_t>(thresholds.alignment_bytes),
                                           static_cast<uint64_t>(thresholds.ios_per_call)});
    Advice advice;
    advice.flow = dataflow_of(std::move(*index), region_size);
    const Evidence evidence(advice.flow, measures, thresholds);
    find_in_requests(evidence, advice.findings);
    find_in_layouts(evidence, advice.findings);
    find_in_flows(evidence, advice.findings);
    find_in_files(evidence, advice.findings);
    find_in_contents(evidence, advice.findings);
    advice.findings = joined_by_family(evidence, std::move(advice.findings));
    for (Finding& finding : advice.findings)
        finding.severity = severity_of(finding.saving, advice.flow);
    std::stable_sort(advice.findings.begin(), advice.findings.end(),
                     [](const Finding& left, const Finding& right) {
                         if (left.severity != right.severity) return left.severity > right.severity;
                         if (left.saving.seconds != right.saving.seconds)
                             return left.saving.seconds > right.saving.seconds;
                         return left.saving.bytes > right.saving.bytes;
                     });
    return advice;
}

}  // namespace quarry
