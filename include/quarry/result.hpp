// The one way a fallible call answers: a value, or an error that says what to do.
#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>

namespace quarry {

// `message` is a whole sentence for the user: what happened, to which file or object, what to do.
struct Error {
    std::string message;
};

template <typename T>
class [[nodiscard]] Result {
public:
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

    explicit operator bool() const { return state_.index() == 0; }

    // Only where there is a value, as with a pointer.
    T& operator*() & { return *operator->(); }
    const T& operator*() const& { return *operator->(); }
    T&& operator*() && { return std::move(*operator->()); }
    T* operator->() {
        assert(*this);
        return std::get_if<0>(&state_);
    }
    const T* operator->() const {
        assert(*this);
        return std::get_if<0>(&state_);
    }

    const Error& error() const {
        assert(!*this);
        return *std::get_if<1>(&state_);
    }

private:
    std::variant<T, Error> state_;
};

}  // namespace quarry
