#include "connector/vol_wrap.hpp"

#include <new>

#include "connector/object.hpp"
#include "connector/reserve.hpp"

namespace quarry::connector {
namespace {

Reserve<WrapContext, 64> contexts;

// When HDF5 2.0 ends with files open, it also asks about those that it has closed and freed, and
// gives whatever lies in their place by then: nothing, or the next piece of memory that is free.
void* get_object(const void* object) noexcept {
    if (object == nullptr || as_object(object).mark != kOurMark) return nullptr;
    const Under* under = as_object(object).under;
    void* below_object = as_object(object).below;
    const auto callback = under->callbacks->wrap_cls.get_object;
    return callback != nullptr ? callback(below_object) : below_object;
}

// HDF5 asks for a context at nearly every call, so where the connector below has none (the native
// one) ours is a pointer to what is there anyway.
herr_t get_wrap_context(const void* object, void** context) noexcept {
    const Under* under = as_object(object).under;
    void* below_object = as_object(object).below;
    const auto callback = under->callbacks->wrap_cls.get_wrap_ctx;
    if (callback == nullptr) {
        *context = const_cast<WrapContext*>(&under->context);
        return 0;
    }
    void* place = contexts.take();
    if (place == nullptr) return -1;
    auto* made = new (place) WrapContext{under, nullptr, true};
    *context = made;
    return callback(below_object, &made->under_context);
}

herr_t free_wrap_context(void* context) noexcept {
    auto* ours = static_cast<WrapContext*>(context);
    if (!ours->owned) return 0;
    herr_t answer = 0;
    const auto callback = ours->under->callbacks->wrap_cls.free_wrap_ctx;
    if (callback != nullptr && ours->under_context != nullptr)
        answer = callback(ours->under_context);
    contexts.give_back(ours);
    return answer;
}

void* wrap_object(void* object, H5I_type_t type, void* context) noexcept {
    const auto* ours = static_cast<WrapContext*>(context);
    const auto callback = ours->under->callbacks->wrap_cls.wrap_object;
    if (callback != nullptr) object = callback(object, type, ours->under_context);
    return wrap(ours->under, object);
}

void* unwrap_object(void* object) noexcept {
    const Under* under = as_object(object).under;
    void* below_object = as_object(object).below;
    const auto callback = under->callbacks->wrap_cls.unwrap_object;
    void* unwrapped = callback != nullptr ? callback(below_object) : below_object;
    if (unwrapped != nullptr) discard(&as_object(object));
    return unwrapped;
}

}  // namespace

H5VL_wrap_class_t wrap_callbacks() noexcept {
    H5VL_wrap_class_t cls{};
    cls.get_object = get_object;
    cls.get_wrap_ctx = get_wrap_context;
    cls.wrap_object = wrap_object;
    cls.unwrap_object = unwrap_object;
    cls.free_wrap_ctx = free_wrap_context;
    return cls;
}

}  // namespace quarry::connector
