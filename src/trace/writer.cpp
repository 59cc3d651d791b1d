#include "trace/writer.hpp"

#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "base/keep_errno.hpp"
#include "trace/loss.hpp"
#include "trace/slots.hpp"

namespace quarry::trace {
namespace {

// The one that a fork must tell.
Writer* of_process = nullptr;

std::string_view sentence(const Obstacle& obstacle) {
    switch (obstacle.reason) {
        case StopReason::SizeLimit:
            return "it has reached its size limit (--max-size)";
        case StopReason::Vanished:
            return "it has been removed";
        default:
            return std::strerror(obstacle.error);
    }
}

}  // namespace

bool Writer::watch_forks() noexcept {
    static bool watched = false;
    if (!watched) watched = pthread_atfork(nullptr, nullptr, after_fork) == 0;
    return watched;
}

namespace {

// When the library is loaded, before anything of ours can be locked: C libraries before 2.36 hold a
// lock of their own while they register, and while they fork.
__attribute__((constructor(101))) void watch_forks_from_the_beginning() {
    Writer::watch_forks();
}

}  // namespace

Writer* Writer::create(const WriterOptions& options) noexcept {
    const KeepErrno keep;
    try {
        std::unique_ptr<Writer> writer(new Writer(options));
        if (pthread_key_create(&writer->thread_key_, nullptr) == 0 && watch_forks())
            return writer->begin("") ? of_process = writer.release() : nullptr;
    } catch (const std::bad_alloc&) {
    }
    options.say({"memory is short; nothing is recorded"});
    tell_of_loss(options.directory.c_str(), options.listener);
    return nullptr;
}

bool Writer::begin(const char* forked_from) noexcept {
    Obstacle obstacle;
    const uint64_t start = monotonic_now();
    if (file_.create(options_.directory.c_str(), forked_from, options_.level, obstacle)) {
        file_.header().own_time = monotonic_now() - start;
        condition_.store(Condition::Running, std::memory_order_release);
        return true;
    }
    options_.say({"cannot record into ", options_.directory, ": ", sentence(obstacle),
                  "; the program goes on and nothing of it is recorded"});
    tell_of_loss(options_.directory.c_str(), options_.listener);
    condition_ = Condition::Stopped;
    return false;
}

void Writer::after_fork() noexcept {
    if (of_process == nullptr) return;
    Writer& writer = *of_process;
    // Another thread of the parent may have been changing them; it will never finish here.
    new (&writer.interned_mutex_) std::mutex;
    new (&writer.task_state_.mutex) std::mutex;
    if (Texts* texts = std::exchange(writer.interned_, nullptr)) {
        texts->parents = writer.parents_texts_;
        writer.parents_texts_ = texts;
    }
    if (writer.condition_ != Condition::Stopped) writer.condition_ = Condition::Forked;
}

// A child gets a file when it has something to say; most only start another program. Numbers go on
// from the parent's, whose records still tell what they mean.
bool Writer::begin_in_child() noexcept {
    // One thread begins; those that come meanwhile wait for it, but not a signal handler for the
    // thread that it has interrupted.
    static thread_local bool is_beginning = false;
    Condition before = Condition::Forked;
    if (!condition_.compare_exchange_strong(before, Condition::Beginning)) {
        while (before == Condition::Beginning && !is_beginning) {
            sched_yield();
            before = condition_.load(std::memory_order_acquire);
        }
        return before == Condition::Running;
    }
    is_beginning = true;
    const bool begun = begin_own_file();
    is_beginning = false;
    return begun;
}

bool Writer::begin_own_file() noexcept {
    const KeepErrno keep;
    char parent[sizeof(Header::forked_from)];
    std::snprintf(parent, sizeof parent, "%s", file_.name());
    Header* parents = file_.leave();
    threads_ = 0;
    generation_ += 1;
    const bool begun = begin(parent);
    // Whatever this process may do by now, what it still shares with its parent it can change.
    if (!begun) std::atomic_ref(parents->lost).fetch_add(1, std::memory_order_relaxed);
    SegmentFile::let_go(parents);
    if (begun) go_on_with_task();
    return begun;
}

// Its name is in the parent's file.
void Writer::go_on_with_task() noexcept {
    // Who holds it is recording another one.
    const std::unique_lock guard(task_state_.mutex, std::try_to_lock);
    if (!guard.owns_lock() || task_state_.running.name == kNone) return;
    Task task = task_state_.running;
    task.time = monotonic_now();
    append(task);
}

uint16_t Writer::thread_number() noexcept {
    // The generation and the number. Not a thread_local variable: of that, every library that uses
    // this writer would have one of its own.
    const auto known = reinterpret_cast<uintptr_t>(pthread_getspecific(thread_key_));
    const uint32_t generation = generation_.load(std::memory_order_relaxed);
    return known >> 16 == generation ? static_cast<uint16_t>(known) : number_thread(generation);
}

uint16_t Writer::number_thread(uint32_t generation) noexcept {
    const auto number = static_cast<uint16_t>(threads_.fetch_add(1) + 1);
    pthread_setspecific(thread_key_, reinterpret_cast<void*>(uintptr_t{generation} << 16 | number));
    Thread record{};
    record.time = monotonic_now();
    record.system_number = static_cast<uint64_t>(syscall(SYS_gettid));
    append(record);
    return number;
}

std::byte* Writer::put(const std::byte* record, std::span<const std::byte> rest) noexcept {
    const Condition condition = condition_.load(std::memory_order_acquire);
    if (condition != Condition::Running && !begin_in_child()) return nullptr;

    const uint16_t thread = thread_number();
    Obstacle obstacle;
    std::byte* place = file_.reserve(1 + slots_for(rest), options_.max_size, obstacle);
    if (place == nullptr) {
        stop(obstacle);
        return nullptr;
    }
    store_record(place, record, rest, thread);
    return place;
}

void Writer::stop(const Obstacle& obstacle) noexcept {
    const KeepErrno keep;
    Header& header = file_.header();
    std::atomic_ref(header.lost).fetch_add(1, std::memory_order_relaxed);
    // A signal handler had to do without, that is all.
    if (obstacle.reason == StopReason::None) return;
    if (condition_.exchange(Condition::Stopped) == Condition::Stopped) return;
    header.stop_reason = static_cast<uint32_t>(obstacle.reason);
    header.stopped_at = monotonic_now();
    header.state = static_cast<uint32_t>(State::Stopped);
    options_.say({"the trace in ", options_.directory, " is incomplete from here: ",
                  sentence(obstacle), "; the program goes on and is not recorded any more"});
}

uint32_t Writer::put_text(std::string_view text) noexcept {
    Text record{};
    record.number = new_number();
    text = text.substr(0, kMaxMore * kMoreBytes);
    record.size = static_cast<uint32_t>(text.size());
    const size_t here = std::min(text.size(), record.bytes.size());
    std::memcpy(record.bytes.data(), text.data(), here);
    append(record, std::as_bytes(std::span(text).subspan(here)));
    return record.number;
}

uint32_t Writer::text(std::string_view text) noexcept {
    if (text.empty()) return kNone;
    try {
        // A signal handler may have interrupted its own thread here.
        const std::unique_lock guard(interned_mutex_, std::try_to_lock);
        if (!guard.owns_lock()) return put_text(text);
        if (interned_ == nullptr) interned_ = new Texts;
        auto& numbers = interned_->numbers;
        const auto known = numbers.find(text);
        if (known != numbers.end()) return known->second;
        const uint32_t number = put_text(text);
        if (numbers.size() < kInterned) numbers.emplace(text, number);
        return number;
    } catch (const std::bad_alloc&) {
        return put_text(text);
    }
}

void Writer::stop_without_memory() noexcept {
    if (is_running()) stop({StopReason::NoMemory, ENOMEM});
}

void Writer::end() noexcept {
    if (condition_ != Condition::Running) return;
    const KeepErrno keep;
    file_.header().stopped_at = monotonic_now();
    file_.header().state = static_cast<uint32_t>(State::Ended);
    // No mark: where the file is gone nobody reads it, and after a change of root it is only not
    // seen.
    if (!file_.trim())
        options_.say({"the trace in ", options_.directory,
                      " is not found any more. If it has been removed, what was recorded is lost"});
}

}  // namespace quarry::trace
