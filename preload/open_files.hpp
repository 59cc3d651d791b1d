// The files that are open in this process, by their numbers, and what is moved through each.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>

#include "trace/records.hpp"

namespace quarry::preload {

// A file was opened, with these flags of open(2).
void opened(int file, int flags) noexcept;

// The number stands for nothing any more, or for something else.
void closed(int file) noexcept;
void closed_range(unsigned first, unsigned last) noexcept;

// Where a call reads that is not told where.
constexpr off64_t kAtPosition = -1;

// Bytes that a call has moved; a negative number if it failed.
void moved_in(int file, ssize_t bytes, off64_t at = kAtPosition) noexcept;
void moved_out(int file, ssize_t bytes) noexcept;
void mapped(int file, size_t bytes) noexcept;

// The record of an open file, made if it is a file worth one; null otherwise.
trace::OtherUse* use_of(int file) noexcept;

// Changes a record, from any thread.
void add_flag(trace::OtherUse& use, trace::UseFlag flag) noexcept;
void take_flag(trace::OtherUse& use, trace::UseFlag flag) noexcept;
void add_read(trace::OtherUse& use, uint64_t bytes, uint32_t calls) noexcept;
void add_written(trace::OtherUse& use, uint64_t bytes, uint32_t calls) noexcept;

// Between vfork and exec a child works in its parent's memory: what it does to its files must not
// be taken for the parent's doing.
bool is_borrowing_memory() noexcept;

// Whether anything is recorded of what this thread is doing.
bool is_watched() noexcept;

}  // namespace quarry::preload
