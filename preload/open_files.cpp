#include "preload/open_files.hpp"

#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "base/file_times.hpp"
#include "base/keep_errno.hpp"
#include "preload/recorder.hpp"
#include "trace/interest.hpp"
#include "trace/own_time.hpp"
#include "trace/process_record.hpp"

namespace quarry::preload {
namespace {

// Numbers beyond are not counted; no system allows so many by default.
constexpr size_t kFiles = size_t{1} << 18;

// What a number stands for, if it was found out in this process: a child asks anew, since its
// records lie in a file of its own.
struct Entry {
    std::atomic<trace::OtherUse*> use{nullptr};
    std::atomic<uint32_t> known_in{0};  // generation; 0: nobody has looked
};
// Instead of a generation: whoever has opened it, HDF5 or we, uses it in children as well.
constexpr uint32_t kNotThePrograms = ~uint32_t{0};
std::array<Entry, kFiles> entries;
std::atomic<uint32_t> generation{1};
std::atomic<pid_t> process{0};
std::atomic<bool> is_off{false};  // once it is known that nothing is to be recorded

void forked() {
    generation.fetch_add(1);
    process = static_cast<pid_t>(syscall(SYS_getpid));
}

__attribute__((constructor)) void watch_forks() {
    process = static_cast<pid_t>(syscall(SYS_getpid));
    pthread_atfork(nullptr, nullptr, forked);
    is_off = trace_directory().empty();
}

bool counts(int file) {
    return file >= 0 && static_cast<size_t>(file) < kFiles &&
           !is_off.load(std::memory_order_relaxed);
}

std::string_view path_of(int file, std::array<char, PATH_MAX>& path) {
    std::array<char, 32> link;
    std::snprintf(link.data(), link.size(), "/proc/self/fd/%d", file);
    const ssize_t size = readlink(link.data(), path.data(), path.size());
    return {path.data(), size > 0 ? static_cast<size_t>(size) : 0};
}

bool is_of_trace(std::string_view path) {
    const std::string_view trace = trace_directory();
    return path.starts_with(trace) && path.substr(trace.size()).starts_with('/');
}

// `flags` are those of open(2), or negative where the file was open before the program began.
trace::OtherUse* begin_use(int file, int flags) {
    struct statx status{};
    if (statx(file, "", AT_EMPTY_PATH, STATX_BASIC_STATS | STATX_BTIME, &status) != 0 ||
        !S_ISREG(status.stx_mode))
        return nullptr;
    std::array<char, PATH_MAX> buffer;
    const std::string_view path = path_of(file, buffer);
    if (is_of_trace(path) || !trace::is_data(path)) return nullptr;
    // Crash handlers write to the standard error stream, maybe from inside malloc: what needs
    // memory is not done there.
    trace::Writer* writer = file == STDERR_FILENO ? started_recorder() : recorder();
    if (writer == nullptr) return nullptr;
    if (flags >= 0) trace::watch_task(*writer);

    trace::OtherFile record{};
    record.time = trace::monotonic_now();
    record.number = writer->new_number();
    record.path = writer->put_text(path);
    record.device = makedev(status.stx_dev_major, status.stx_dev_minor);
    record.inode = status.stx_ino;
    record.born = (status.stx_mask & STATX_BTIME) != 0 ? nanoseconds(status.stx_btime) : 0;
    record.size = status.stx_size;
    record.modified = nanoseconds(status.stx_mtime);
    writer->append(record);

    trace::OtherUse use{};
    const int mode = flags >= 0 ? flags : fcntl(file, F_GETFL);
    const bool made = (flags >= 0 && (flags & O_CREAT) != 0 && status.stx_size == 0) ||
                      (flags >= 0 && (flags & O_TRUNC) != 0);
    use.prefix.flags = static_cast<uint8_t>(
        ((mode & O_ACCMODE) != O_WRONLY ? trace::kUseReads : 0) |
        ((mode & O_ACCMODE) != O_RDONLY ? trace::kUseWrites : 0) | (made ? trace::kUseCreated : 0) |
        (flags < 0 ? trace::kUseInherited : 0));
    use.number = record.number;
    use.flags = use.prefix.flags;
    use.opened = use.last = record.time;
    return writer->append_growing(use);
}

trace::OtherUse* look_at(int file, int flags) {
    const KeepErrno keep;
    const Ours ours;
    const trace::OwnTime own(started_recorder());
    Entry& entry = entries[static_cast<size_t>(file)];
    trace::OtherUse* use = trace_directory().empty() ? nullptr : begin_use(file, flags);
    entry.use.store(use, std::memory_order_relaxed);
    entry.known_in.store(generation, std::memory_order_release);
    return use;
}

// The position is asked for after the call: it has moved on by what was read.
bool begins_elsewhere(int file, ssize_t bytes, off64_t at) {
    const KeepErrno keep;
    return at == kAtPosition ? lseek64(file, 0, SEEK_CUR) != bytes : at != 0;
}

template <typename Number>
void add(Number& to, Number value) {
    std::atomic_ref(to).fetch_add(value, std::memory_order_relaxed);
}

}  // namespace

bool is_borrowing_memory() noexcept {
    return static_cast<pid_t>(syscall(SYS_getpid)) != process;
}

bool is_watched() noexcept {
    return !is_off.load(std::memory_order_relaxed) && !Ours::inside() && !is_borrowing_memory();
}

void opened(int file, int flags) noexcept {
    if (!counts(file) || is_borrowing_memory()) return;
    if (!Ours::inside()) {
        look_at(file, flags);
        return;
    }
    Entry& entry = entries[static_cast<size_t>(file)];
    entry.use.store(nullptr, std::memory_order_relaxed);
    entry.known_in.store(kNotThePrograms, std::memory_order_release);
}

void closed(int file) noexcept {
    if (!counts(file)) return;
    Entry& entry = entries[static_cast<size_t>(file)];
    if (entry.known_in.load(std::memory_order_relaxed) == 0) return;
    // We, too, look at files there: at the program that is to be run.
    if (is_borrowing_memory()) return;
    entry.known_in.store(0, std::memory_order_release);
}

void closed_range(unsigned first, unsigned last) noexcept {
    if (is_off || is_borrowing_memory()) return;
    for (size_t file = first; file <= last && file < kFiles; ++file)
        entries[file].known_in.store(0, std::memory_order_release);
}

trace::OtherUse* use_of(int file) noexcept {
    if (!counts(file) || Ours::inside()) return nullptr;
    const Entry& entry = entries[static_cast<size_t>(file)];
    const uint32_t known_in = entry.known_in.load(std::memory_order_acquire);
    if (known_in == generation || known_in == kNotThePrograms)
        return entry.use.load(std::memory_order_relaxed);
    return is_borrowing_memory() ? nullptr : look_at(file, -1);
}

void add_flag(trace::OtherUse& use, trace::UseFlag flag) noexcept {
    std::atomic_ref(use.flags).fetch_or(flag, std::memory_order_relaxed);
}

void take_flag(trace::OtherUse& use, trace::UseFlag flag) noexcept {
    std::atomic_ref(use.flags).fetch_and(~uint32_t{flag}, std::memory_order_relaxed);
}

void add_read(trace::OtherUse& use, uint64_t bytes, uint32_t calls) noexcept {
    const uint64_t now = trace::monotonic_now();
    const auto own = trace::OwnTime::sampled(started_recorder(), now);
    add(use.read, bytes);
    add(use.reads, calls);
    std::atomic_ref(use.last).store(now, std::memory_order_relaxed);
}

void add_written(trace::OtherUse& use, uint64_t bytes, uint32_t calls) noexcept {
    const uint64_t now = trace::monotonic_now();
    const auto own = trace::OwnTime::sampled(started_recorder(), now);
    add(use.written, bytes);
    add(use.writes, calls);
    std::atomic_ref(use.last).store(now, std::memory_order_relaxed);
}

void moved_in(int file, ssize_t bytes, off64_t at) noexcept {
    if (bytes < 0) return;
    trace::OtherUse* use = use_of(file);
    if (use == nullptr) return;
    const bool is_first = std::atomic_ref(use->reads).load(std::memory_order_relaxed) == 0;
    if (is_first && begins_elsewhere(file, bytes, at)) add_flag(*use, trace::kUseElsewhere);
    add_read(*use, static_cast<uint64_t>(bytes), 1);
}

void moved_out(int file, ssize_t bytes) noexcept {
    if (bytes < 0) return;
    if (trace::OtherUse* use = use_of(file)) add_written(*use, static_cast<uint64_t>(bytes), 1);
}

void mapped(int file, size_t bytes) noexcept {
    trace::OtherUse* use = use_of(file);
    if (use == nullptr) return;
    add_flag(*use, trace::kUseMapped);
    add_read(*use, bytes, 1);
}

}  // namespace quarry::preload
