#include "preload/streams.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <stdio_ext.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <mutex>
#include <new>
#include <unordered_map>

#include "base/fork.hpp"
#include "base/immortal.hpp"
#include "base/keep_errno.hpp"
#include "preload/open_files.hpp"
#include "preload/recorder.hpp"

namespace quarry::preload {
namespace {

std::mutex mutex;
[[maybe_unused]] const bool mutex_is_free = keep_free_across_fork<mutex>();

// Where it was when counting began, and what calls on its number had moved by then.
struct Stretch {
    off_t position = 0;
    uint64_t by_calls = 0;
    bool is_lost = false;  // others have moved it, too: the position tells nothing any more
    bool is_flagged = false;
};
using Stretches = std::unordered_map<std::FILE*, Stretch>;
Stretches& stretches() {
    static Immortal<Stretches> all;
    return *all;
}

uint64_t by_calls(const trace::OtherUse& use) {
    return use.read + use.written;
}

// Where the program is in the file, whatever the stream has read ahead or not written yet.
off_t position_of(std::FILE* stream) {
    struct stat status{};
    const off_t position = ftello(stream);
    // What is appended goes to the end, wherever the position is before.
    const bool appends = (fcntl(fileno(stream), F_GETFL) & O_APPEND) != 0;
    return appends && position == 0 && fstat(fileno(stream), &status) == 0 ? status.st_size
                                                                           : position;
}

void begin(std::FILE* stream) {
    trace::OtherUse* use = use_of(fileno(stream));
    if (use == nullptr) return;
    // Until it is closed: the program may end in a way that leaves no time to count.
    const bool reads = (use->flags & trace::kUseReads) != 0;
    if (reads) add_flag(*use, trace::kUseUncounted);
    const Ours ours;
    const std::lock_guard guard(mutex);
    stretches()[stream] = {position_of(stream), by_calls(*use), false, reads};
}

// Children have the same position where they were given the number, and so have all who append.
std::atomic<bool> has_children{false};

bool is_shared(std::FILE* stream) {
    return fileno(stream) <= STDERR_FILENO || (fcntl(fileno(stream), F_GETFL) & O_APPEND) != 0;
}

// It gets its buffer when it reads or seeks for the first time. C++ opens its streams as C's and
// then moves bytes by calls of its own, which are counted.
bool has_read(std::FILE* stream) {
    return __fwriting(stream) == 0 && __fbufsize(stream) > 0;
}

void count(std::FILE* stream, Stretch& stretch) {
    const off_t position = position_of(stream);
    if (stretch.is_lost || position <= stretch.position) return;
    trace::OtherUse* use = use_of(fileno(stream));
    if (use == nullptr) return;
    const auto passed = static_cast<uint64_t>(position - stretch.position);
    // By calls on its number; and a position that others move, too, tells nothing.
    const bool counted = by_calls(*use) != stretch.by_calls;
    const bool is_mine = !has_children || !is_shared(stream);
    if (counted || !is_mine) {
        stretch.is_lost = has_read(stream);
    } else if (__fwriting(stream) != 0) {
        add_written(*use, passed, 0);
    } else {
        if (stretch.position != 0) add_flag(*use, trace::kUseElsewhere);
        add_read(*use, passed, 0);
    }
    stretch.position = position;
    stretch.by_calls = by_calls(*use);
}

void count_last(std::FILE* stream, Stretch& stretch) {
    count(stream, stretch);
    const bool is_unknown = stretch.is_lost && has_read(stream);
    if (!is_unknown && !stretch.is_flagged) return;
    trace::OtherUse* use = use_of(fileno(stream));
    if (use == nullptr) return;
    is_unknown ? add_flag(*use, trace::kUseUncounted) : take_flag(*use, trace::kUseUncounted);
}

// Redirected, they are files that somebody else has opened; where that was not for this program
// alone, its position tells nothing.
__attribute__((constructor)) void watch_standard_streams() noexcept try {
    const KeepErrno keep;
    // What a child goes on with was counted by its parent, up to the fork.
    pthread_atfork(nullptr, child_started, [] { stretches().clear(); });
    for (std::FILE* stream : {stdin, stdout, stderr}) {
        struct stat status{};
        if (fstat(fileno(stream), &status) != 0 || !S_ISREG(status.st_mode)) continue;
        stretches()[stream].is_lost = lseek(fileno(stream), 0, SEEK_CUR) != 0;
    }
} catch (const std::bad_alloc&) {
    stop_without_memory();
}

// `then` gets the stretch of a stream that is counted.
template <typename Then>
void with_stretch(std::FILE* stream, Then then) {
    if (!is_watched()) return;
    const KeepErrno keep;
    // Before our own lock: the program may hold that of the stream for long.
    flockfile(stream);
    {
        const std::lock_guard guard(mutex);
        const auto found = stretches().find(stream);
        if (found != stretches().end()) then(found);
    }
    funlockfile(stream);
}

}  // namespace

void stream_opened(std::FILE* stream) noexcept {
    if (stream == nullptr || !is_watched()) return;
    const KeepErrno keep;
    try {
        begin(stream);
    } catch (const std::bad_alloc&) {
        stop_without_memory();
    }
}

void stream_leaves(std::FILE* stream) noexcept {
    with_stretch(stream, [&](auto found) { count(stream, found->second); });
}

void stream_arrived(std::FILE* stream) noexcept {
    with_stretch(stream, [&](auto found) { found->second.position = position_of(stream); });
}

void stream_closes(std::FILE* stream) noexcept {
    with_stretch(stream, [&](auto found) {
        count_last(stream, found->second);
        stretches().erase(found);
    });
    closed(fileno(stream));
}

void child_started() noexcept {
    has_children = true;
}

void position_set(int file) noexcept {
    if (!is_watched()) return;
    const std::unique_lock guard(mutex, std::try_to_lock);
    if (!guard.owns_lock()) return;
    // Not taken for a read: netCDF looks so for the size of each file, and then reads up to 4 MiB
    // of it to see of what kind it is.
    const bool was_any = std::erase_if(stretches(), [&](const auto& entry) {
                             return fileno(entry.first) == file;
                         }) > 0;
    trace::OtherUse* use = was_any ? use_of(file) : nullptr;
    if (use != nullptr) take_flag(*use, trace::kUseUncounted);
}

void all_streams_leave() noexcept {
    const KeepErrno keep;
    const std::lock_guard guard(mutex);
    for (auto& [stream, stretch] : stretches()) {
        // A thread may be waiting in it, for ever.
        if (ftrylockfile(stream) != 0) continue;
        count_last(stream, stretch);
        funlockfile(stream);
    }
}

}  // namespace quarry::preload
