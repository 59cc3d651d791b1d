// Files as a whole.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <quarry/units.hpp>

#include "analyze/evidence.hpp"
#include "base/text.hpp"

namespace quarry::analyze {
namespace {

Finding about_file(uint32_t file, const char* id, std::vector<uint32_t> tasks) {
    Finding finding;
    finding.id = id;
    finding.file = file;
    finding.tasks = std::move(tasks);
    return finding;
}

std::string repacked(const Evidence& evidence, uint32_t file, const std::string& options) {
    const std::string& path = evidence.path_of(file);
    return fmt::format("`h5repack {}{} {}`", options, shell_quoted(path),
                       shell_quoted(path + ".repacked"));
}

void free_space(const Evidence& evidence, Findings& found) {
    const auto& files = evidence.facts().files;
    for (uint32_t file = 0; file < files.size(); ++file) {
        const auto free = static_cast<double>(files[file].free);
        if (free < evidence.limit.free_bytes ||
            free <= evidence.limit.free_share * static_cast<double>(files[file].size))
            continue;
        Finding finding = about_file(file, "free-space", {});
        finding.sentence = fmt::format(
            "{} of {} were free when it was closed, of {} in all: HDF5 forgets such space and does "
            "not use it again.",
            bytes_text(files[file].free), base_name(files[file].path),
            bytes_text(files[file].size));
        finding.fix = "Write it anew: " + repacked(evidence, file, "") +
                      "; or let HDF5 remember: h5py `File(name, \"w\", fs_strategy=\"fsm\", "
                      "fs_persist=True)`, in C `H5Pset_file_space_strategy`.";
        finding.saving = {0, files[file].free, 0};
        found.push_back(std::move(finding));
    }
}

void not_cloud_ready(const Evidence& evidence, Findings& found) {
    struct Reads {
        uint64_t metadata = 0;
        std::vector<uint32_t> tasks;
    };
    std::map<uint32_t, Reads> all;
    for (const UsageRow& row : evidence.flow.summary.rows) {
        if (row.file == kNobody || row.task == kNobody) continue;
        Reads& reads = all[row.file];
        reads.metadata +=
            row.usage.metadata_ios - std::min(row.usage.metadata_ios, row.usage.write_ios);
        const bool is_known =
            std::find(reads.tasks.begin(), reads.tasks.end(), row.task) != reads.tasks.end();
        if (!is_known) reads.tasks.push_back(row.task);
    }
    for (auto& [file, reads] : all) {
        const FileFacts& facts = evidence.facts().files[file];
        if (facts.superblock == 0 || facts.page_size > 0 ||
            static_cast<double>(reads.metadata) <= evidence.limit.cloud_metadata_reads)
            continue;
        Finding finding = about_file(file, "not-cloud-ready", std::move(reads.tasks));
        finding.sentence = fmt::format(
            "{} was read with {} requests for metadata, which lie all over it: from an object "
            "store "
            "each takes a round trip.",
            base_name(facts.path), reads.metadata);
        finding.fix =
            "Put metadata together in pages: " + repacked(evidence, file, "-S PAGE -G 1048576 ") +
            ", and open it with h5py `File(name, page_buf_size=16777216)`, in C "
            "`H5Pset_page_buffer_size`.";
        finding.saving = evidence.saving(reads.metadata - reads.metadata / 10, 0);
        found.push_back(std::move(finding));
    }
}

struct Visit {
    uint64_t first;
    uint64_t last;
    uint32_t file;
    uint64_t bytes;
};

// Files that a task goes through, one after the other.
void rolling_input(const Evidence& evidence, Findings& found) {
    std::map<uint32_t, std::map<uint32_t, Visit>> tasks;
    for (const DataUse& use : evidence.flow.uses) {
        if (use.first_read == 0 || use.first_write > 0) continue;
        const uint32_t file = evidence.facts().objects[use.object].file;
        const auto [known, is_new] =
            tasks[use.task].try_emplace(file, Visit{use.first_read, use.last_read, file, 0});
        Visit& visit = known->second;
        visit.first = std::min(visit.first, use.first_read);
        visit.last = std::max(visit.last, use.last_read);
        visit.bytes += use.read;
    }
    for (const auto& [task, files] : tasks) {
        if (static_cast<double>(files.size()) < evidence.limit.rolling_files) continue;
        std::vector<Visit> order;
        for (const auto& [file, visit] : files) order.push_back(visit);
        std::sort(order.begin(), order.end(),
                  [](const Visit& left, const Visit& right) { return left.first < right.first; });
        bool in_turn = true;
        uint64_t bytes = 0;
        for (size_t i = 0; i < order.size(); ++i) {
            bytes += order[i].bytes;
            in_turn = in_turn && (i == 0 || order[i - 1].last <= order[i].first);
        }
        if (!in_turn || static_cast<double>(bytes) < evidence.limit.kept_bytes) continue;
        Finding finding = about_file(order.front().file, "rolling-input", {task});
        for (const DataUse& use : evidence.flow.uses)
            if (use.task == task && use.first_read > 0) finding.objects.push_back(use.object);
        finding.sentence =
            fmt::format("{} reads {} files one after the other, {} of them, each only for a while.",
                        evidence.task(task), order.size(), bytes_text(bytes));
        finding.fix = fmt::format(
            "Fetch the next while it works on one, and remove those that it is done with: `cat "
            "NEXT "
            "> /dev/null &` warms the cache, `rsync NEXT /dev/shm/ &` brings it from afar. At any "
            "time about {} are needed, not {}.",
            bytes_text(2 * bytes / order.size()), bytes_text(bytes));
        finding.saving = evidence.saving(0, bytes);
        found.push_back(std::move(finding));
    }
}

}  // namespace

void find_in_files(const Evidence& evidence, Findings& found) {
    free_space(evidence, found);
    not_cloud_ready(evidence, found);
    rolling_input(evidence, found);
}

}  // namespace quarry::analyze
