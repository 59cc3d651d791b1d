#include "trace/segment_file.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/keep_errno.hpp"
#include "base/raw_calls.hpp"
#include "trace/clock.hpp"
#include "trace/header.hpp"
#include "trace/process_identity.hpp"

namespace quarry::trace {
namespace {

// MADV_POPULATE_WRITE, which the headers of older C libraries lack.
constexpr int kPopulateWrite = 23;

// Mapping is rare and takes a lock for which a signal handler could wait on its own thread: there
// it is not given.
class Mapping {
public:
    explicit Mapping(std::atomic<pthread_t>& holder) noexcept : holder_(holder) {
        const pthread_t self = pthread_self();
        for (pthread_t before = 0;
             !holder_.compare_exchange_weak(before, self, std::memory_order_acquire); before = 0) {
            if (before == self) return;
            sched_yield();
        }
        held_ = true;
    }
    ~Mapping() {
        if (held_) holder_.store(0, std::memory_order_release);
    }
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;

    bool held() const { return held_; }

private:
    std::atomic<pthread_t>& holder_;
    bool held_ = false;
};

std::atomic<std::byte*>* new_table(size_t size) {
    return static_cast<std::atomic<std::byte*>*>(
        std::calloc(size, sizeof(std::atomic<std::byte*>)));
}

// Real blocks, not a hole: storing into a mapped hole on a full disk would kill the program. So
// would growing beyond a limit on the size of files.
int reserve_space(int file, size_t offset, size_t size) {
    rlimit largest{};
    if (getrlimit(RLIMIT_FSIZE, &largest) == 0 && offset + size > largest.rlim_cur) return EFBIG;
    int failure = 0;
    do {
        failure = posix_fallocate(file, static_cast<off_t>(offset), static_cast<off_t>(size));
    } while (failure == EINTR);
    return failure;
}

}  // namespace

bool SegmentFile::create(const char* directory, const char* forked_from, RecordLevel level,
                         Obstacle& obstacle) noexcept {
    if (segments_ == nullptr) segments_.reset(new_table(kSegments));
    if (segments_ == nullptr) {
        obstacle = {StopReason::NoMemory, ENOMEM};
        return false;
    }
    const ProcessIdentity process = identity_of_process();
    directory_size_ = std::strlen(directory);
    if (!make_trace_directory(directory)) {
        obstacle = {StopReason::NoSpace, errno};
        return false;
    }
    for (const auto name : {UnlistedFile::Name::None, UnlistedFile::Name::OfAnotherKind}) {
        UnlistedFile file(directory, realtime_now(), process.host.data(), name);
        if (begin(file, forked_from, level, obstacle)) return true;
    }
    return false;
}

bool SegmentFile::begin(const UnlistedFile& file, const char* forked_from, RecordLevel level,
                        Obstacle& obstacle) noexcept {
    if (file.get() < 0) {
        obstacle = {StopReason::NoSpace, errno};
        return false;
    }
    std::byte* first = map_segment_of(file.get(), 0, obstacle);
    if (first == nullptr) return false;
    header_ = reinterpret_cast<Header*>(first);
    fill_header(*header_, forked_from, level);
    header_->magic = kMagic;
    struct stat status{};
    // By its name: not every file system knows a file without one by the same number.
    if (!file.list(path_) || stat(path_.data(), &status) != 0) {
        obstacle = {StopReason::NoSpace, errno};
        let_go(leave());
        return false;
    }
    device_ = status.st_dev;
    inode_ = status.st_ino;
    return true;
}

bool SegmentFile::exceeds(uint64_t limit) const noexcept {
    if (limit == 0) return false;
    PathBuffer directory;
    std::memcpy(directory.data(), path_.data(), directory_size_);
    directory[directory_size_] = '\0';
    return size_of_trace(directory.data()) + kSegmentSize > limit;
}

// -1 with errno: ENOENT if it is no longer there, or another one has its name.
int SegmentFile::open_again() const noexcept {
    const int file = raw_open(path_.data(), O_RDWR | O_CLOEXEC);
    struct stat status{};
    if (file >= 0 && fstat(file, &status) == 0 && status.st_dev == device_ &&
        status.st_ino == inode_) {
        return file;
    }
    if (file < 0) return -1;
    raw_close(file);
    errno = ENOENT;
    return -1;
}

std::byte* SegmentFile::map_segment(size_t number, uint64_t limit, Obstacle& obstacle) noexcept {
    const Mapping mapping(mapping_);
    if (!mapping.held()) return nullptr;
    if (std::byte* mapped_meanwhile = segments_[number].load()) return mapped_meanwhile;
    if (exceeds(limit)) {
        obstacle = {StopReason::SizeLimit, 0};
        return nullptr;
    }
    const int file = open_again();
    if (file < 0) {
        obstacle = {errno == ENOENT ? StopReason::Vanished : StopReason::NoSpace, errno};
        return nullptr;
    }
    std::byte* start = map_segment_of(file, number, obstacle);
    raw_close(file);
    // What was written long ago need not count as the program's memory any more; a thread that
    // still writes there gets its page back.
    if (number >= 3) madvise(segments_[number - 2].load(), kSegmentSize, MADV_DONTNEED);
    return start;
}

std::byte* SegmentFile::map_segment_of(int file, size_t number, Obstacle& obstacle) noexcept {
    const size_t offset = number * kSegmentSize;
    if (const int failure = reserve_space(file, offset, kSegmentSize); failure != 0) {
        obstacle = {StopReason::NoSpace, failure};
        return nullptr;
    }
    void* start = raw_map(file, offset, kSegmentSize);
    if (start == MAP_FAILED) {
        obstacle = {StopReason::NoMemory, errno};
        return nullptr;
    }
    // Who has filled a segment will fill another: one call for all of its pages takes a third of
    // what a fault for each does. Older kernels do not know it.
    if (number > 0) {
        const KeepErrno keep;
        (void)madvise(start, kSegmentSize, kPopulateWrite);
    }
    highest_ = std::max(highest_, number);
    segments_[number].store(static_cast<std::byte*>(start), std::memory_order_release);
    return static_cast<std::byte*>(start);
}

bool SegmentFile::trim() noexcept {
    const int file = open_again();
    // A program may end without descriptors left, or without its rights: then the space stays
    // taken.
    if (file < 0) return errno != ENOENT;
    const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    // Records may come even now: they find the segment full and reserve another one, instead of
    // being stored into what is given back.
    const std::atomic_ref<uint64_t> next(header_->next_slot);
    uint64_t slots = next.load();
    uint64_t full = 0;
    do {
        full = (slots + kSegmentSlots - 1) / kSegmentSlots * kSegmentSlots;
    } while (!next.compare_exchange_weak(slots, full));
    const size_t first_free = (slots * kSlotSize + page - 1) / page * page;
    const size_t end = full * kSlotSize;
    // Where the file system cannot do this the space stays taken; nothing else is lost.
    if (first_free < end) {
        (void)fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                        static_cast<off_t>(first_free), static_cast<off_t>(end - first_free));
    }
    raw_close(file);
    return true;
}

Header* SegmentFile::leave() noexcept {
    mapping_ = 0;
    for (size_t number = 0; number <= highest_; ++number) {
        std::byte* start = segments_[number].exchange(nullptr);
        if (start != nullptr && number > 0) munmap(start, kSegmentSize);
    }
    highest_ = 0;
    return std::exchange(header_, nullptr);
}

void SegmentFile::let_go(Header* header) noexcept {
    munmap(header, kSegmentSize);
}

const char* SegmentFile::name() const {
    return path_.data() + directory_size_ + 1;
}

}  // namespace quarry::trace
