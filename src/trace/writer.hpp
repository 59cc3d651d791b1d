// Appends records to this process's file of a trace: from any thread, also from a signal handler,
// in some tens of nanoseconds. What was appended is there even if the process is killed the next
// moment.
#pragma once

#include <pthread.h>

#include <atomic>
#include <initializer_list>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "trace/clock.hpp"
#include "trace/records.hpp"
#include "trace/segment_file.hpp"

namespace quarry::trace {

struct WriterOptions {
    std::string directory;  // absolute: programs change theirs
    RecordLevel level = RecordLevel::Io;
    uint64_t max_size = 0;  // of the whole trace, in bytes; 0 for no limit
    std::string listener;   // see ConnectorConfig
    // Says in one line why nothing more is recorded. Must need no memory.
    void (*say)(std::initializer_list<std::string_view>) noexcept = nullptr;
};

// Which task the process works for now; kept here because a process has one writer, but may have
// several libraries that use it.
struct TaskState {
    std::mutex mutex;
    std::string variable;  // the value that was last seen
    std::string own;       // the task where the variable is not set
    Task running{};        // what was recorded last
};

// Never destroyed: programs close HDF5 files until the very end.
class Writer {
public:
    // Makes the directory, if need be, and this process's file in it. Null if that cannot be done,
    // which has been said then. One per process.
    static Writer* create(const WriterOptions& options) noexcept;

    // That a fork is noticed; done when the library is loaded.
    static bool watch_forks() noexcept;

    RecordLevel level() const { return options_.level; }

    // What does not fit into the record itself follows it.
    template <typename Record>
    void append(Record record, std::span<const std::byte> rest = {}) noexcept {
        static_assert(sizeof(Record) == kSlotSize && std::is_trivially_copyable_v<Record>);
        record.prefix.kind = static_cast<uint8_t>(Record::kKind);
        put(reinterpret_cast<const std::byte*>(&record), rest);
    }

    // The record as it lies in the trace, for counts that grow in place until the next fork. Null
    // if nothing is recorded any more.
    template <typename Record>
    Record* append_growing(Record record) noexcept {
        static_assert(sizeof(Record) == kSlotSize && std::is_trivially_copyable_v<Record>);
        record.prefix.kind = static_cast<uint8_t>(Record::kKind);
        return reinterpret_cast<Record*>(put(reinterpret_cast<const std::byte*>(&record), {}));
    }

    // The number of a text, which is written if it is new. Takes memory: not for signal handlers.
    uint32_t text(std::string_view text) noexcept;
    // The same without memory: written each time.
    uint32_t put_text(std::string_view text) noexcept;

    const std::string& directory() const { return options_.directory; }
    TaskState& task_state() { return task_state_; }

    // False also in a child that has not begun a file of its own.
    bool is_running() const { return condition_.load() == Condition::Running; }

    // Before something is done that is recorded only when it has been done: a child that is killed
    // meanwhile would have done it unseen.
    void begin_if_forked() noexcept {
        if (condition_.load(std::memory_order_acquire) == Condition::Forked) begin_in_child();
    }

    // For texts, files, objects, operations: unique in this process and those it was forked from.
    uint32_t new_number() noexcept { return numbers_.fetch_add(1, std::memory_order_relaxed) + 1; }

    // Recording itself has taken so long, in nanoseconds.
    void add_own_time(uint64_t time) noexcept {
        if (is_running())
            std::atomic_ref(file_.header().own_time).fetch_add(time, std::memory_order_relaxed);
    }

    // Something could not be recorded for want of memory: a record is complete or says that it is
    // not.
    void stop_without_memory() noexcept;

    // The process ends in order. Records may come even later.
    void end() noexcept;

private:
    // A program may meet any number of names; those beyond are written as often as they are met.
    static constexpr size_t kInterned = 65536;

    enum class Condition { Running, Stopped, Forked, Beginning };

    explicit Writer(const WriterOptions& options) : options_(options) {}

    std::byte* put(const std::byte* record, std::span<const std::byte> rest) noexcept;
    void stop(const Obstacle& obstacle) noexcept;
    bool begin(const char* forked_from) noexcept;
    bool begin_in_child() noexcept;
    bool begin_own_file() noexcept;
    void go_on_with_task() noexcept;
    uint16_t thread_number() noexcept;
    uint16_t number_thread(uint32_t generation) noexcept;
    static void after_fork() noexcept;

    WriterOptions options_;
    SegmentFile file_;
    std::atomic<Condition> condition_{Condition::Stopped};
    std::atomic<uint32_t> numbers_{0};
    std::atomic<uint32_t> generation_{1};
    std::atomic<uint16_t> threads_{0};
    pthread_key_t thread_key_{};
    TaskState task_state_;
    std::mutex interned_mutex_;
    struct TextHash {
        using is_transparent = void;
        size_t operator()(std::string_view text) const {
            return std::hash<std::string_view>()(text);
        }
    };
    struct Texts {
        std::unordered_map<std::string, uint32_t, TextHash, std::equal_to<>> numbers;
        Texts* parents = nullptr;
    };
    Texts* interned_ = nullptr;       // made when it is needed
    Texts* parents_texts_ = nullptr;  // may have been changing when this process was forked
};

}  // namespace quarry::trace
