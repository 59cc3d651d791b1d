#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <quarry/carve.hpp>

#include "base/subprocess.hpp"
#include "carve/fate.hpp"
#include "carve/manifest.hpp"

namespace quarry {
namespace {

using namespace carve_files;
namespace fs = std::filesystem;

// Not even HDF5's mistakes in reading a damaged file are to end this program.
std::vector<Outcome> in_processes(const std::vector<FileFate>& fates, unsigned jobs,
                                  const std::function<int(size_t)>& work,
                                  const std::function<void(uint64_t)>& hear_bytes) {
    std::vector<std::function<int()>> bodies;
    for (size_t i = 0; i < fates.size(); ++i) bodies.push_back([&, i] { return work(i); });
    std::vector<std::string> unread(fates.size());
    return run_all_forked(bodies, std::max(jobs, 1u), [&](size_t child, const std::string& text) {
        // A number of bytes on each line, and whatever HDF5 itself says.
        std::string& line = unread[child];
        for (const char character : text) {
            if (character != '\n') {
                line += character;
                continue;
            }
            if (hear_bytes) hear_bytes(std::strtoull(line.c_str(), nullptr, 10));
            line.clear();
        }
    });
}

void tell(const FileFate& fate) {
    const std::string text = fate_as_text(fate);
    size_t done = 0;
    while (done < text.size()) {
        const ssize_t written = write(STDOUT_FILENO, text.data() + done, text.size() - done);
        if (written <= 0) return;
        done += static_cast<size_t>(written);
    }
}

// What the workers told, into the fates of the files.
Result<bool> take_in(const std::vector<Outcome>& outcomes, std::vector<FileFate>& fates) {
    for (size_t i = 0; i < fates.size(); ++i) {
        const Outcome& outcome = outcomes[i];
        if (outcome.end == Outcome::End::Interrupted)
            return Error{"Interrupted: nothing has been changed."};
        if (!outcome.succeeded() || !read_fate(outcome.output, fates[i]))
            fates[i].problem = "HDF5 did not get through it: " + outcome.describe();
    }
    return true;
}

std::vector<FileFate> fates_of(const std::vector<InputFile>& inputs) {
    std::vector<FileFate> fates;
    for (const InputFile& input : inputs) {
        FileFate& fate = fates.emplace_back();
        fate.input = input;
        fate.problem = why_not(input);
        fate.size_before = input.size;
        if (fate.problem.empty()) fate.copy = fs::path(input.path).relative_path();
    }
    return fates;
}

DatasetFate fate_of(const hdf5::CopiedDataset& dataset, const Judge::Judgement& judgement) {
    return {dataset.paths, dataset.stored, judgement.is_kept, judgement.why};
}

// What a worker does with its file, and tells of it.
int attempted(FileFate fate, const std::function<void(FileFate&)>& work) {
    try {
        if (fate.problem.empty()) work(fate);
    } catch (const Uncarvable& why) {
        fate.problem = why.what();
    }
    tell(fate);
    return 0;
}

void plan_one(FileFate& fate, const CarveOptions& options) {
    const auto datasets = hdf5::datasets_in(fate.input.path);
    if (!datasets) fate.why_whole = datasets.error().message;
    const Judge judge(fate.input, options);
    if (datasets)
        for (const auto& dataset : *datasets)
            fate.datasets.push_back(fate_of(dataset, judge.judge(dataset)));
}

bool is_synced(const std::string& path) {
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    const bool done = fsync(file) == 0;
    close(file);
    return done;
}

void carve_one(FileFate& fate, const std::string& place, const CarveOptions& options) {
    const std::string copy = place + "/" + fate.copy;
    std::error_code error;
    fs::create_directories(fs::path(copy).parent_path(), error);
    const Judge judge(fate.input, options);
    hdf5::CopyOrder order;
    order.is_wanted = [&](const hdf5::CopiedDataset& dataset) {
        return judge.judge(dataset).is_kept;
    };
    order.progress = [](uint64_t bytes) { dprintf(STDERR_FILENO, "%ju\n", uintmax_t{bytes}); };
    const auto copied = hdf5::copy_file(fate.input.path, copy, order);
    if (copied) {
        for (const auto& dataset : *copied) {
            Judge::Judgement judgement = judge.judge(dataset);
            if (!judgement.is_kept && !dataset.is_hollow) judgement = {true, dataset.remark};
            fate.datasets.push_back(fate_of(dataset, judgement));
        }
    } else {
        // What cannot be taken apart is the same at least when it is left whole.
        fate.why_whole = copied.error().message;
        fs::copy_file(fate.input.path, copy, error);
    }
    if (error || !is_synced(copy))
        fate.problem = "it cannot be copied: " + (error ? error.message() : std::strerror(errno));
    fate.size_after = fs::file_size(copy, error);
}

Result<bool> write_manifest(const std::string& place, const std::vector<FileFate>& fates) {
    const std::string path = place + "/" + kManifest;
    std::ofstream out(path, std::ios::binary);
    out << manifest_of(fates);
    out.close();
    if (!out || !is_synced(path) || !is_synced(place))
        return Error{path + " cannot be written: " + std::strerror(errno) + "."};
    return true;
}

// Puts the finished directory in its place; one that is there is exchanged for it.
Result<bool> put(const std::string& made, const std::string& place) {
    if (renameat2(AT_FDCWD, made.c_str(), AT_FDCWD, place.c_str(), RENAME_NOREPLACE) == 0)
        return true;
    if (errno == EEXIST &&
        renameat2(AT_FDCWD, made.c_str(), AT_FDCWD, place.c_str(), RENAME_EXCHANGE) == 0)
        return true;
    return Error{place + " cannot be put in its place: " + std::strerror(errno) + "."};
}

mode_t umask_now() {
    const mode_t now = umask(0);
    umask(now);
    return now;
}

constexpr const char* kUnfinished = ".quarry-carving-";

// The lock of an unfinished directory, held by whoever is at work in it.
class Workplace {
public:
    explicit Workplace(const std::string& path)
        : file_(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)),
          is_ours_(file_ >= 0 && flock(file_, LOCK_EX | LOCK_NB) == 0) {}
    ~Workplace() {
        if (file_ >= 0) close(file_);
    }
    Workplace(const Workplace&) = delete;
    Workplace& operator=(const Workplace&) = delete;

    bool is_ours() const { return is_ours_; }

private:
    int file_;
    bool is_ours_;
};

// What was left by those that were killed. One that was just made may not be locked yet.
void tidy_up(const fs::path& folder) {
    std::error_code error;
    const auto long_ago = fs::file_time_type::clock::now() - std::chrono::minutes(1);
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
        const std::string name = entry.path().filename();
        if (!name.starts_with(kUnfinished) || entry.last_write_time(error) > long_ago) continue;
        if (Workplace(entry.path()).is_ours()) fs::remove_all(entry.path(), error);
    }
}

// A directory that is there is replaced only if it is one of ours.
std::string why_not_replaced(const std::string& place) {
    std::error_code error;
    if (!fs::exists(place, error) || fs::is_empty(place, error)) return "";
    if (fs::exists(place + "/" + kManifest, error)) return "";
    return place + " is there and was not made by `quarry carve`: it is left alone.";
}

}  // namespace

Result<std::vector<FileFate>> plan_carving(const std::vector<InputFile>& inputs,
                                           const CarveOptions& options) {
    std::vector<FileFate> fates = fates_of(inputs);
    const auto outcomes = in_processes(
        fates, options.jobs,
        [&](size_t i) { return attempted(fates[i], [&](FileFate& f) { plan_one(f, options); }); },
        {});
    const auto taken = take_in(outcomes, fates);
    if (!taken) return taken.error();
    return fates;
}

Result<std::vector<FileFate>> carve(const std::vector<InputFile>& inputs,
                                    const CarveOptions& options, const Progress& progress) {
    const std::string place = fs::absolute(options.directory).lexically_normal();
    if (const std::string reason = why_not_replaced(place); !reason.empty()) return Error{reason};
    std::vector<FileFate> fates = fates_of(inputs);
    uint64_t all = 0, done = 0;
    for (const FileFate& fate : fates) all += fate.problem.empty() ? fate.size_before : 0;

    const InterruptGuard guard;
    const fs::path folder = fs::path(place).parent_path();
    std::string made = (folder / kUnfinished).string() + "XXXXXX";
    std::error_code error;
    fs::create_directories(folder, error);
    tidy_up(folder);
    if (mkdtemp(made.data()) == nullptr)
        return Error{"No directory can be made beside " + place + ": " + std::strerror(errno) +
                     "."};
    const Workplace workplace(made);
    const auto clean = [&](const Error& why) {
        fs::remove_all(made, error);
        return why;
    };
    const auto outcomes = in_processes(
        fates, options.jobs,
        [&](size_t i) {
            return attempted(fates[i], [&](FileFate& f) { carve_one(f, made, options); });
        },
        [&](uint64_t bytes) {
            done = std::min(done + bytes, all);
            if (progress) progress(done, all);
        });
    if (const auto taken = take_in(outcomes, fates); !taken) return clean(taken.error());
    // That a file was written to cannot be helped; anything else should be looked at first.
    const bool is_sound = std::all_of(fates.begin(), fates.end(), [](const FileFate& fate) {
        return fate.problem.empty() || fate.input.was_written;
    });
    if (!is_sound) {
        for (FileFate& fate : fates) fate.copy.clear();
        fs::remove_all(made, error);
        return fates;
    }
    if (const auto written = write_manifest(made, fates); !written) return clean(written.error());
    if (chmod(made.c_str(), 0777 & ~umask_now()) != 0)
        return clean(Error{made + " cannot be used."});
    if (const auto there = put(made, place); !there) return clean(there.error());
    // What was there before, if anything.
    fs::remove_all(made, error);
    return fates;
}

}  // namespace quarry
