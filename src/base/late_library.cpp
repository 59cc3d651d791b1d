#include "base/late_library.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include "base/say.hpp"

namespace quarry {
namespace {

constexpr int kCannotLoad = 127;  // what programs end with that cannot be loaded

[[noreturn]] void end_without(const char* file) {
    say({file, ", which Quarry is built with, cannot be used: ", dlerror(),
         ". Install the package that it is from."});
    _exit(kCannotLoad);
}

}  // namespace

void* LateLibrary::function(const char* name) {
    void* handle = handle_.load(std::memory_order_acquire);
    if (handle == nullptr) {
        handle = dlopen(file_, RTLD_NOW | RTLD_LOCAL);
        if (handle == nullptr) end_without(file_);
        handle_.store(handle, std::memory_order_release);
    }
    void* found = dlsym(handle, name);
    if (found == nullptr) end_without(file_);
    return found;
}

}  // namespace quarry
