// A library that is loaded when something of it is first called: whoever runs a program waits until
// the command is loaded, and few verbs need all that it can use.
#pragma once

#include <atomic>

namespace quarry {

class LateLibrary {
public:
    constexpr explicit LateLibrary(const char* file) : file_(file) {}

    // Ends the process where there is none, as the loader does for a library that is missing.
    void* function(const char* name);

private:
    const char* file_;
    std::atomic<void*> handle_{nullptr};
};

// The function of this name in a late library, to be called.
#define QUARRY_LATE(library, name) reinterpret_cast<decltype(&::name)>((library).function(#name))

}  // namespace quarry
