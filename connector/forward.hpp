// Callbacks that only hand a call to the connector below, made from the callback's own type.
#pragma once

#include <tuple>
#include <type_traits>

#include "connector/notes.hpp"
#include "connector/object.hpp"

namespace quarry::connector {

// `Forward<&H5VL_class_t::group_cls, &H5VL_group_class_t::get>::call` is the `get` of our group
// class.
template <auto Group, auto Callback>
struct Forward;

// Not calls of the program by themselves, but part of one: the contents of variable-length data are
// read while their dataset is.
template <typename Class>
constexpr bool kIsService =
    std::is_same_v<Class, H5VL_blob_class_t> || std::is_same_v<Class, H5VL_request_class_t> ||
    std::is_same_v<Class, H5VL_token_class_t>;

template <typename Class, Class H5VL_class_t::* Group, typename Answer, typename... Arguments,
          Answer (*Class::*Callback)(void*, Arguments...)>
struct Forward<Group, Callback> {
    static Answer call(void* object, Arguments... arguments) noexcept {
        Object& ours = as_object(object);
        const Under* under = ours.under;
        const auto callback = under->callbacks->*Group.*Callback;
        if (callback == nullptr) return failure();
        if constexpr (kIsService<Class>) {
            return finish(under, callback(ours.below, arguments...), arguments...);
        } else if constexpr (!IsNoted<Callback, Finished, Arguments...>) {
            const Operation operation(ours.known, transfer_list(arguments...),
                                      Operation::Clock::Unread);
            return finish(under, callback(ours.below, arguments...), arguments...);
        } else {
            const Operation operation(ours.known, transfer_list(arguments...));
            const auto answer = finish(under, callback(ours.below, arguments...), arguments...);
            if (operation) {
                const trace::OwnTime own = own_time_of(operation);
                note(Call<Callback>(), operation, ours, answer, arguments...);
            }
            return answer;
        }
    }

private:
    using Finished = std::conditional_t<std::is_pointer_v<Answer>, Object*, Answer>;

    // What comes up from below, as HDF5 is given it.
    static auto finish(const Under* under, Answer answer, Arguments... arguments) {
        (wrap_if_request(under, arguments), ...);
        if constexpr (std::is_pointer_v<Answer>) {
            return wrap(under, answer);
        } else {
            return answer;
        }
    }

    // Every call ends with the list and the request.
    static hid_t transfer_list(Arguments... arguments) {
        return std::get<sizeof...(Arguments) - 2>(std::tie(arguments...));
    }

    // An object that is opened for the first time is asked what it is.
    static trace::OwnTime own_time_of(const Operation& operation) {
        if constexpr (std::is_pointer_v<Answer> && !std::is_same_v<Class, H5VL_attr_class_t>) {
            return trace::OwnTime(&operation.writer());
        } else {
            return operation.own_time();
        }
    }

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
