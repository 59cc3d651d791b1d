#include "carve/rounds.hpp"

#include <algorithm>

#include "carve/job_message.hpp"
#include "carve/needs.hpp"

namespace quarry::carve_files {
namespace {

// What HDF5 crashes on can still be copied as it is.
void note_end(const Outcome& outcome, Job& job) {
    InputFile& input = job.fate.input;
    const std::string why = "HDF5 did not get through it: " + outcome.describe();
    const bool is_taken_apart = !input.is_raw && input.why_whole.empty();
    if (outcome.end == Outcome::End::Signalled && is_taken_apart) {
        input.why_whole = why;
        job.is_done = false;
    } else {
        job.fate.problem = why;
    }
}

// Does what is not done yet, each in a process of its own.
Result<bool> do_round(std::vector<Job>& jobs, const std::vector<size_t>& undone, unsigned at_once,
                      const Work& work, const HearBytes& hear) {
    const auto outcomes = in_processes(
        undone.size(), at_once,
        [&](size_t number) {
            Job& job = jobs[undone[number]];
            job.fate.datasets.clear();
            job.needs.clear();
            work(job);
            return message_of(job);
        },
        hear);
    for (size_t i = 0; i < undone.size(); ++i) {
        Job& job = jobs[undone[i]];
        if (outcomes[i].end == Outcome::End::Interrupted)
            return Error{"Interrupted: nothing has been changed."};
        job.is_done = true;
        if (!outcomes[i].succeeded() || !read_message(outcomes[i].output, job))
            note_end(outcomes[i], job);
        job.is_verified = false;
    }
    return true;
}

// Without the files that have some of its data, a virtual dataset would have fill values, and not a
// word would be said.
void give_up_what_lacks_data(std::vector<Job>& jobs) {
    bool is_new = true;
    while (is_new) {
        is_new = false;
        for (Job& job : jobs) {
            const auto lacking =
                std::find_if(job.needed.begin(), job.needed.end(),
                             [&](size_t number) { return !jobs[number].fate.problem.empty(); });
            if (!job.fate.problem.empty() || lacking == job.needed.end()) continue;
            const Job& other = jobs[*lacking];
            job.fate.problem = "a dataset in it has data in " + other.fate.input.path +
                               ", which cannot be carved. --drop leaves such a dataset out";
            job.cannot_be_helped = other.cannot_be_helped;
            is_new = true;
        }
    }
}

// Files that HDF5 has read by itself, and nobody knows for which dataset: it may have looked for
// them in a way that only the program knew.
std::vector<size_t> taken_as_they_are(std::vector<Job>& jobs) {
    std::vector<size_t> taken;
    for (size_t i = 0; i < jobs.size(); ++i) {
        InputFile& input = jobs[i].fate.input;
        if (!is_open(jobs[i]) || !input.is_inside) continue;
        input.is_inside = false;
        input.why_whole = "HDF5 has read it by itself, and it is not known for which dataset";
        taken.push_back(i);
    }
    return taken;
}

bool is_to_be_verified(const Job& job) {
    return job.fate.input.is_chosen && !job.is_verified && job.fate.problem.empty() &&
           job.fate.why_whole.empty() && !job.fate.input.is_raw;
}

}  // namespace

bool is_open(const Job& job) {
    return job.fate.input.is_chosen && !job.is_done && job.fate.problem.empty();
}

Result<bool> do_all(std::vector<Job>& jobs, unsigned at_once, const Work& work,
                    const HearBytes& hear) {
    Needs all_needs(jobs);
    while (true) {
        std::vector<size_t> undone;
        for (size_t i = 0; i < jobs.size(); ++i)
            if (is_open(jobs[i]) && !jobs[i].fate.input.is_inside) undone.push_back(i);
        if (undone.empty()) undone = taken_as_they_are(jobs);
        if (undone.empty()) {
            give_up_what_lacks_data(jobs);
            return true;
        }
        for (const size_t number : undone) jobs[number].needed.clear();
        if (auto done = do_round(jobs, undone, at_once, work, hear); !done) return done;
        for (const size_t number : undone) {
            const std::vector<Need> needs = jobs[number].needs;
            for (const Need& need : needs) all_needs.add(number, need);
        }
    }
}

Result<bool> lay_out_ways(const std::vector<Job>& jobs, const std::string& place) {
    for (const Job& job : jobs) {
        if (!job.fate.problem.empty()) continue;
        if (auto laid = job.ways.lay_out(place); !laid) return laid;
    }
    return true;
}

Result<bool> verify_all(std::vector<Job>& jobs, unsigned at_once, const std::string& place,
                        const Progress& progress) {
    std::vector<Job*> carved;
    uint64_t all = 0;
    for (Job& job : jobs) {
        if (!is_to_be_verified(job)) continue;
        carved.push_back(&job);
        all += job.fate.size_after;
    }
    const HearBytes hear = summed_up(all, progress);
    hear(0);  // it is not carved any more
    const auto outcomes = in_processes(
        carved.size(), at_once,
        [&](size_t number) { return difference_of(*carved[number], place); }, hear);
    bool are_right = true;
    for (size_t i = 0; i < carved.size(); ++i) {
        if (outcomes[i].end == Outcome::End::Interrupted)
            return Error{"Interrupted: nothing has been changed."};
        carved[i]->is_verified = true;
        const std::string why = outcomes[i].succeeded() ? outcomes[i].output
                                                        : "HDF5 did not get through its copy: " +
                                                              outcomes[i].describe();
        if (why.empty()) continue;
        carved[i]->fate.input.why_whole = why;
        carved[i]->is_done = are_right = false;
    }
    return are_right;
}

}  // namespace quarry::carve_files
