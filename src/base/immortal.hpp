// A global that is made when the library is loaded, takes no memory for that, and is never
// destroyed: programs close files until the very end.
#pragma once

#include <cstddef>
#include <new>

namespace quarry {

template <typename Value>
class Immortal {
public:
    Immortal() noexcept { new (place_) Value; }

    Value& operator*() { return *std::launder(reinterpret_cast<Value*>(place_)); }
    Value* operator->() { return &**this; }

private:
    alignas(Value) std::byte place_[sizeof(Value)];
};

}  // namespace quarry
