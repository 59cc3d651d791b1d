// What is remembered of the values that a call has moved, so that a copy of them can be told.
#pragma once

#include "connector/known_object.hpp"
#include "connector/operation.hpp"

namespace quarry::connector {

inline constexpr uint64_t kLeastContent = 64 << 10;  // in bytes, as it is stored

// Only of large pieces of plain numbers that lie together in memory.
void record_content(const Operation& operation, const Object& dataset, uint64_t elements,
                    hid_t memory_type, hid_t memory_space, hid_t file_space, const void* values,
                    bool writes) noexcept;

// How long the values of variable length were that the call has put into the heap.
void record_lengths(const Operation& operation, const Object& dataset) noexcept;

}  // namespace quarry::connector
