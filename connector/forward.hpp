// Callbacks that only hand a call to the connector below, made from the callback's own type.
#pragma once

#include <type_traits>

#include "connector/object.hpp"

namespace quarry::connector {

// `Forward<&H5VL_class_t::group_cls, &H5VL_group_class_t::get>::call` is the `get` of our group
// class.
template <auto Group, auto Callback>
struct Forward;

template <typename Class, Class H5VL_class_t::* Group, typename Answer, typename... Arguments,
          Answer (*Class::*Callback)(void*, Arguments...)>
struct Forward<Group, Callback> {
    static Answer call(void* object, Arguments... arguments) noexcept {
        const auto [below_object, under] = as_object(object);
        const auto callback = under->callbacks->*Group.*Callback;
        if (callback == nullptr) return failure();
        const Answer answer = callback(below_object, arguments...);
        (wrap_if_request(under, arguments), ...);
        if constexpr (std::is_pointer_v<Answer>) {
            return wrap(under, answer);
        } else {
            return answer;
        }
    }

private:
    static Answer failure() {
        if constexpr (std::is_pointer_v<Answer>) {
            return nullptr;
        } else {
            return -1;
        }
    }

    // The only argument of this type, wherever there is one.
    static void wrap_if_request(const Under* under, void** request) {
        wrap_request(under, request);
    }
    template <typename Other>
    static void wrap_if_request(const Under*, Other) {}
};

// A close also ends our own object, once the one below is closed.
template <auto Group, auto Callback>
struct Close {
    static herr_t call(void* object, hid_t transfer, void** request) noexcept {
        const herr_t answer = Forward<Group, Callback>::call(object, transfer, request);
        if (answer >= 0) discard(&as_object(object));
        return answer;
    }
};

}  // namespace quarry::connector
