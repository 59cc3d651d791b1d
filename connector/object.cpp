#include "connector/object.hpp"

#include <new>

#include "connector/flushed_chunks.hpp"
#include "connector/reserve.hpp"

namespace quarry::connector {
namespace {

// Not destroyed before the last file is closed: a Reserve has nothing to destroy.
Reserve<Object, 4096> memory;

}  // namespace

Object* wrap(const Under* under, void* object_below) noexcept {
    if (object_below == nullptr) return nullptr;
    void* place = memory.take();
    return place != nullptr ? new (place) Object{object_below, under} : nullptr;
}

void discard(Object* object) noexcept {
    if (object->listed_in != nullptr) unlist_dataset(*object);
    memory.give_back(object);
}

}  // namespace quarry::connector
