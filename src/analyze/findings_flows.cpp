// Who needs whose data, and when.
#include <fmt/format.h>

#include <algorithm>
#include <quarry/units.hpp>
#include <set>

#include "analyze/evidence.hpp"
#include "base/text.hpp"

namespace quarry::analyze {
namespace {

uint64_t run_begin(const TraceFacts& facts) {
    uint64_t begin = ~uint64_t{0};
    for (const TaskFacts& task : facts.tasks) begin = std::min(begin, task.begin);
    return begin;
}

uint64_t run_end(const TraceFacts& facts) {
    uint64_t end = 0;
    for (const TaskFacts& task : facts.tasks) end = std::max(end, task.end);
    return end;
}

std::vector<std::string> names_of(const Evidence& evidence, const std::vector<uint32_t>& tasks) {
    std::vector<std::string> names;
    for (const uint32_t task : tasks) names.push_back(evidence.task(task));
    return names;
}

// "a, b and 10 others"
std::string list(const Evidence& evidence, const std::vector<uint32_t>& tasks) {
    constexpr size_t kShown = 3;
    std::vector<std::string> names = names_of(evidence, tasks);
    if (names.size() > kShown + 1) {
        const size_t left = names.size() - kShown;
        names.resize(kShown);
        names.push_back(std::to_string(left) + " others");
    }
    return enumerate(names);
}

void unused_datasets(const Evidence& evidence, Findings& found) {
    const TraceFacts& facts = evidence.facts();
    for (uint32_t object = 0; object < facts.objects.size(); ++object) {
        const Dataflow::Total& total = evidence.flow.totals[object];
        if (total.written == 0 || total.read > 0) continue;
        std::vector<uint32_t> writers;
        uint64_t last = 0;
        for (const DataUse& use : evidence.uses_of(object)) {
            if (use.written == 0) continue;
            writers.push_back(use.task);
            last = std::max(last, use.last_write);
        }
        // Somebody must have been there who could have read it.
        const bool has_successor =
            std::any_of(facts.tasks.begin(), facts.tasks.end(),
                        [&](const TaskFacts& task) { return task.begin > last; });
        if (!has_successor) continue;
        Finding finding = about(evidence, object, writers);
        finding.id = "unused-dataset";
        finding.sentence =
            fmt::format("{} writes {} to {}, and no task reads any of it.", list(evidence, writers),
                        bytes_text(total.written), evidence.name(object));
        finding.fix = fmt::format(
            "Do not write it. In a file that is there: `python3 -c \"import h5py,sys; del "
            "h5py.File(sys.argv[1], 'a')[sys.argv[2]]\" {} {}`, then `h5repack` gives the space "
            "back.",
            evidence.quoted_file(object), evidence.quoted_path(object));
        uint64_t ios = 0;
        for (const uint32_t task : writers)
            if (const Measure* measure = evidence.measured(task, object))
                ios += measure->raw_writes;
        finding.saving = evidence.saving(ios, total.written);
        found.push_back(std::move(finding));
    }
}

void partly_used(const Evidence& evidence, Findings& found) {
    for (uint32_t object = 0; object < evidence.facts().objects.size(); ++object) {
        const DatasetDescription* dataset = evidence.dataset(object);
        const Dataflow::Total& total = evidence.flow.totals[object];
        if (dataset == nullptr || total.read == 0) continue;
        const uint64_t all = dataset->bytes();
        if (static_cast<double>(all) < evidence.limit.partly_used_bytes ||
            static_cast<double>(total.read) >=
                evidence.limit.partly_used_share * static_cast<double>(all))
            continue;
        std::vector<uint32_t> readers;
        for (const DataUse& use : evidence.uses_of(object))
            if (use.read > 0) readers.push_back(use.task);
        Finding finding = about(evidence, object, readers);
        finding.id = "partly-used";
        finding.sentence =
            fmt::format("Only {} of {}, {} of it, was read by anybody.", bytes_text(total.read),
                        evidence.name(object), share_text(total.read, all));
        finding.fix = fmt::format(
            "Write, copy or send only that part; where the file is moved "
            "between machines, take out what is needed with `h5copy -i {} -o "
            "part.h5 -s {} -d /part` or a slice in h5py.",
            evidence.quoted_file(object), evidence.quoted_path(object));
        finding.saving =
            evidence.saving(0, total.written > total.read ? total.written - total.read : 0);
        found.push_back(std::move(finding));
    }
}

void metadata_only(const Evidence& evidence, Findings& found) {
    struct Looks {
        std::vector<uint32_t> objects;
        uint64_t ios = 0;
        uint64_t bytes = 0;
    };
    std::map<std::pair<uint32_t, uint32_t>, Looks> all;  // by task and file
    std::set<std::pair<uint32_t, uint32_t>> users;       // tasks that use data of a file
    for (const UsageRow& row : evidence.flow.summary.rows) {
        if (row.task == kNobody || row.object == kNobody) continue;
        if (row.usage.reads + row.usage.writes > 0) users.insert({row.task, row.file});
        const bool is_dataset = evidence.dataset(row.object) != nullptr;
        if (!is_dataset || row.usage.reads + row.usage.writes > 0 ||
            row.usage.opens + row.usage.touches == 0)
            continue;
        Looks& looks = all[{row.task, row.file}];
        looks.objects.push_back(row.object);
        looks.ios += row.usage.ios;
        looks.bytes += row.usage.metadata_bytes;
    }
    for (const auto& [key, looks] : all) {
        const auto [task, file] = key;
        if (users.contains(key)) continue;
        Finding finding;
        finding.id = "metadata-only-reader";
        finding.file = file;
        finding.objects = looks.objects;
        finding.tasks = {task};
        finding.sentence = fmt::format(
            "{} opens {} of {} and reads no data of the file, only what is said about it.",
            evidence.task(task),
            looks.objects.size() == 1 ? "a dataset"
                                      : std::to_string(looks.objects.size()) + " datasets",
            base_name(evidence.path_of(file)));
        finding.fix =
            "It does not depend on the data: it can run as soon as the file is made, and "
            "needs no copy of the data near it.";
        finding.saving = evidence.saving(0, evidence.facts().files[file].size);
        found.push_back(std::move(finding));
    }
}

void kept_in_memory(const Evidence& evidence, Findings& found) {
    for (const DataFlow& flow : evidence.flow.flows) {
        if (flow.kind != FlowKind::Data || flow.producer != flow.consumer ||
            static_cast<double>(flow.bytes) < evidence.limit.kept_bytes)
            continue;
        Finding finding = about(evidence, flow.object, {flow.consumer});
        finding.id = "read-after-write";
        finding.sentence = fmt::format("{} reads {} of {} that it has written itself.",
                                       evidence.task(flow.consumer), bytes_text(flow.bytes),
                                       evidence.name(flow.object));
        finding.fix = "Keep the array instead of reading it back.";
        finding.saving = evidence.saving(0, flow.bytes);
        found.push_back(std::move(finding));
    }
    for (const DataUse& use : evidence.flow.uses) {
        if (static_cast<double>(use.overwritten) < evidence.limit.kept_bytes) continue;
        Finding finding = about(evidence, use.object, {use.task});
        finding.id = "write-after-read";
        finding.sentence =
            fmt::format("{} reads {} of {} and writes them again.", evidence.task(use.task),
                        bytes_text(use.overwritten), evidence.name(use.object));
        finding.fix = "Collect the changes in memory and write them once, at the end.";
        finding.saving = evidence.saving(0, use.overwritten);
        found.push_back(std::move(finding));
    }
}

// How a file was used over the run, by HDF5 or without it.
struct FileUse {
    std::set<uint32_t> readers;
    std::set<uint32_t> writers;
    uint64_t read = 0;
    uint64_t first = ~uint64_t{0};
    uint64_t last = 0;
    uint32_t last_task = kNobody;
};

std::map<uint32_t, FileUse> files_over_time(const Evidence& evidence) {
    std::map<uint32_t, FileUse> files;
    const TraceFacts& facts = evidence.facts();
    for (const UsageRow& row : evidence.flow.summary.rows) {
        if (row.task == kNobody || row.file == kNobody) continue;
        FileUse& use = files[row.file];
        const Usage& usage = row.usage;
        if (usage.reads + usage.other_read > 0) use.readers.insert(row.task);
        if (usage.writes + usage.other_written > 0) use.writers.insert(row.task);
        use.read += usage.selected_read + usage.other_read;
    }
    for (const DataUse& use : evidence.flow.uses) {
        FileUse& file = files[facts.objects[use.object].file];
        for (const uint64_t time : {use.first_read, use.first_write})
            if (time > 0) file.first = std::min(file.first, time);
        const uint64_t last = std::max(use.last_read, use.last_write);
        if (last > file.last) {
            file.last = last;
            file.last_task = use.task;
        }
    }
    return files;
}

void placement(const Evidence& evidence, Findings& found) {
    const TraceFacts& facts = evidence.facts();
    const uint64_t begin = run_begin(facts);
    const uint64_t end = run_end(facts);
    for (const auto& [file, use] : files_over_time(evidence)) {
        const std::vector<uint32_t> readers(use.readers.begin(), use.readers.end());
        const std::string name = base_name(evidence.path_of(file));
        const auto start = [&](const char* id) {
            Finding finding;
            finding.id = id;
            finding.file = file;
            finding.tasks = readers;
            return finding;
        };
        if (static_cast<double>(readers.size()) > evidence.limit.consumers) {
            Finding finding = start("reused-by-many");
            finding.sentence = fmt::format("{} is read by {} tasks: {}.", name, readers.size(),
                                           list(evidence, readers));
            finding.fix = fmt::format(
                "Keep it close to them: `cp {} /dev/shm/` where they run, and "
                "run them on the same machine.",
                shell_quoted(evidence.path_of(file)));
            finding.saving = evidence.saving(0, use.read - use.read / readers.size());
            found.push_back(std::move(finding));
        }
        const bool lasts = end > begin && use.last_task != kNobody;
        const double left = lasts ? static_cast<double>(end - std::min(end, use.last)) /
                                        static_cast<double>(end - begin)
                                  : 0;
        if (left > 0.5 && facts.tasks.size() > 1) {
            Finding finding = start("stage-out");
            finding.tasks = {use.last_task};
            finding.sentence = fmt::format("Nobody uses {} after {}, for the last {} of the run.",
                                           name, evidence.task(use.last_task),
                                           share_text(static_cast<uint64_t>(left * 100), 100));
            finding.fix = fmt::format(
                "After that task move it away or remove it: its {} are free "
                "for others.",
                bytes_text(facts.files[file].size));
            finding.saving = {0, facts.files[file].size, 0};
            found.push_back(std::move(finding));
        }
        const bool is_input = use.writers.empty() && use.first != ~uint64_t{0} && end > begin;
        const double waited = is_input
                                  ? static_cast<double>(use.first - std::min(use.first, begin)) /
                                        static_cast<double>(end - begin)
                                  : 0;
        if (waited > evidence.limit.late_share) {
            Finding finding = start("late-input");
            finding.sentence = fmt::format("{} is first used when {} of the run are over.", name,
                                           share_text(static_cast<uint64_t>(waited * 100), 100));
            finding.fix =
                "It need not be fetched before the run: fetch it while the first tasks "
                "work.";
            finding.saving = {0, facts.files[file].size, 0};
            found.push_back(std::move(finding));
        }
    }
}

void shared_across_hosts(const Evidence& evidence, Findings& found) {
    const TraceFacts& facts = evidence.facts();
    for (const auto& [file, use] : files_over_time(evidence)) {
        std::set<std::string> hosts;
        for (const uint32_t task : use.readers)
            for (const uint32_t process : facts.tasks[task].processes)
                hosts.insert(facts.processes[process].host);
        if (hosts.size() < 2) continue;
        Finding finding;
        finding.id = "shared-across-hosts";
        finding.file = file;
        finding.tasks = {use.readers.begin(), use.readers.end()};
        finding.sentence = fmt::format("{} is read on {} machines.",
                                       base_name(evidence.path_of(file)), hosts.size());
        finding.fix = "Copy it to each of them once, before they begin, or run its readers on one.";
        finding.saving = evidence.saving(0, use.read - use.read / hosts.size());
        found.push_back(std::move(finding));
    }
}

void independent_tasks(const Evidence& evidence, Findings& found) {
    const TraceFacts& facts = evidence.facts();
    std::map<uint32_t, std::vector<uint32_t>> stages;
    for (uint32_t task = 0; task < facts.tasks.size(); ++task)
        stages[evidence.flow.stages[task]].push_back(task);
    for (auto& [stage, tasks] : stages) {
        std::sort(tasks.begin(), tasks.end(), [&](uint32_t left, uint32_t right) {
            return facts.tasks[left].begin < facts.tasks[right].begin;
        });
        std::vector<uint32_t> in_turn;
        uint64_t together = 0;
        uint64_t longest = 0;
        uint64_t reached = 0;
        for (const uint32_t task : tasks) {
            const TaskFacts& one = facts.tasks[task];
            if (one.begin < reached) continue;
            reached = one.end;
            in_turn.push_back(task);
            together += one.end - one.begin;
            longest = std::max(longest, one.end - one.begin);
        }
        if (in_turn.size() < 2) continue;
        Finding finding;
        finding.id = "no-dependency";
        finding.tasks = in_turn;
        finding.sentence =
            fmt::format("{} ran one after the other and share no data.", list(evidence, in_turn));
        finding.fix =
            "Run them side by side: in a shell `first & second & wait`, in Snakemake "
            "`--jobs 2` or more, in Slurm without a dependency between them.";
        finding.saving = {0, 0, static_cast<double>(together - longest) * 1e-9};
        found.push_back(std::move(finding));
    }
}

void patterns(const Evidence& evidence, Findings& found) {
    std::map<uint32_t, std::set<uint32_t>> producers;
    std::map<uint32_t, std::set<uint32_t>> consumers;
    std::map<std::pair<uint32_t, uint32_t>, uint64_t> bytes;
    for (const DataFlow& flow : evidence.flow.flows) {
        if (flow.producer == flow.consumer || flow.kind == FlowKind::Metadata) continue;
        producers[flow.consumer].insert(flow.producer);
        consumers[flow.producer].insert(flow.consumer);
        bytes[{flow.producer, flow.consumer}] += flow.bytes;
    }
    const auto add = [&](const char* id, std::vector<uint32_t> tasks, std::string sentence,
                         std::string fix, uint64_t moved) {
        Finding finding;
        finding.id = id;
        finding.tasks = std::move(tasks);
        finding.sentence = std::move(sentence);
        finding.fix = std::move(fix);
        finding.saving = evidence.saving(0, moved);
        found.push_back(std::move(finding));
    };
    std::set<std::vector<uint32_t>> meshes;
    for (const auto& [consumer, from] : producers) {
        const std::vector<uint32_t> all(from.begin(), from.end());
        uint64_t moved = 0;
        for (const uint32_t producer : all) moved += bytes[{producer, consumer}];
        std::set<uint32_t> peers;
        for (const auto& [other, its] : producers)
            if (its == from) peers.insert(other);
        if (all.size() > 1 && peers.size() > 1) {
            std::vector<uint32_t> mesh = all;
            mesh.insert(mesh.end(), peers.begin(), peers.end());
            if (!meshes.insert(mesh).second) continue;
            add("all-to-all", mesh,
                fmt::format("Each of {} needs data of each of {}.",
                            list(evidence, {peers.begin(), peers.end()}), list(evidence, all)),
                "Run them on one machine, or keep what is exchanged on storage that all share.",
                moved);
        } else if (static_cast<double>(all.size()) > evidence.limit.consumers) {
            add("fan-in", all,
                fmt::format("{} needs data of {} tasks: {}.", evidence.task(consumer), all.size(),
                            list(evidence, all)),
                "Run it where most of them ran, or let them write into one file that it reads.",
                moved);
        } else if (all.size() == 1 && consumers[all.front()].size() == 1) {
            add("one-to-one", {all.front(), consumer},
                fmt::format("Only {} needs what {} makes, {} of it.", evidence.task(consumer),
                            evidence.task(all.front()), bytes_text(moved)),
                "Run both on the same machine, with the data between them on its own disk or in "
                "/dev/shm.",
                moved);
        }
    }
}

}  // namespace

void find_in_flows(const Evidence& evidence, Findings& found) {
    unused_datasets(evidence, found);
    partly_used(evidence, found);
    metadata_only(evidence, found);
    kept_in_memory(evidence, found);
    placement(evidence, found);
    shared_across_hosts(evidence, found);
    independent_tasks(evidence, found);
    patterns(evidence, found);
}

}  // namespace quarry::analyze
