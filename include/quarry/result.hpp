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

    T& operator*() & { return std::get<0>(state_); }
    const T& operator*() const& { return std::get<0>(state_); }
    T&& operator*() && { return std::get<0>(std::move(state_)); }
    T* operator->() { return &std::get<0>(state_); }
    const T* operator->() const { return &std::get<0>(state_); }

    const Error& error() const {
        assert(!*this);
        return std::get<1>(state_);
    }

private:
    std::variant<T, Error> state_;
};

}  // namespace quarry
