// What HDF5 holds for every file, group, dataset, attribute, type and request opened through
// Quarry: the object of the connector below, and which connector that is.
#pragma once

#include <cstdint>

#include "connector/under.hpp"

namespace quarry::connector {

struct KnownObject;
struct StorageRecord;
struct CarvedDataset;

// Whether HDF5 knows the path of an object. Where it does not, it looks through the whole file for
// one when it is asked.
enum class Path : uint8_t {
    Known,    // it was opened by its name
    Unknown,  // it was opened by a reference, or from such an object
    None,     // it was created without a link
};

inline constexpr uint64_t kOurMark = 0x7971'7261'7551'6a4f;

struct Object {
    void* below;
    const Under* under;
    uint64_t mark = kOurMark;         // by which it is told from anything else
    KnownObject* known = nullptr;     // what it is in the trace, once that has been asked
    CarvedDataset* carved = nullptr;  // where data of it was carved away, once that has been asked
    uint32_t label = 0;               // of an attribute its name, of a file its number in the trace
    Path path = Path::Known;
    bool was_made = false;  // rather than opened
    bool is_carving_known = false;
    // Among the datasets that a flush of their file may write; of no file if it is not.
    const StorageRecord* listed_in = nullptr;
    Object* next_listed = nullptr;
    Object* previous_listed = nullptr;
};

inline Object& as_object(void* object) {
    return *static_cast<Object*>(object);
}
inline const Object& as_object(const void* object) {
    return *static_cast<const Object*>(object);
}

// Null for null: some callbacks take an object that need not be there.
inline void* below(void* object) {
    return object != nullptr ? as_object(object).below : nullptr;
}

// Null for null, so that a failure below passes through.
Object* wrap(const Under* under, void* object_below) noexcept;
void discard(Object* object) noexcept;

// An asynchronous connector below answers a call with a request of its own.
inline void wrap_request(const Under* under, void** request) {
    if (request != nullptr && *request != nullptr) *request = wrap(under, *request);
}

}  // namespace quarry::connector
