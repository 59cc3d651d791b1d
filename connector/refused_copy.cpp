#include "connector/refused_copy.hpp"

#include <filesystem>
#include <mutex>
#include <new>
#include <set>
#include <string>

#include "base/fork.hpp"
#include "base/immortal.hpp"
#include "base/say.hpp"
#include "connector/carved_file.hpp"

namespace quarry::connector {
namespace {

thread_local unsigned refused = 0;

std::mutex told_mutex;
[[maybe_unused]] const bool told_mutex_is_free = keep_free_across_fork<told_mutex>();
Immortal<std::set<std::string>> not_told;
Immortal<std::set<std::string>> told;

}  // namespace

void was_not_opened(const char* name, unsigned flags) noexcept {
    if (!is_serving() || (flags & kWritable) == 0) return;
    try {
        if (!is_shown_copy(name)) return;
        ++refused;
        std::error_code error;
        const std::string path = std::filesystem::canonical(name, error);
        const std::lock_guard guard(told_mutex);
        if (!told->contains(path)) not_told->insert(path);
    } catch (const std::bad_alloc&) {
        ++refused;  // rather an error than wrong values
    }
}

RefusedCopies::RefusedCopies() noexcept : before_(is_serving() ? refused : 0) {}

bool RefusedCopies::are_there() const noexcept {
    if (!is_serving() || refused == before_) return false;
    try {
        const std::lock_guard guard(told_mutex);
        for (const std::string& path : *not_told)
            say({path,
                 " is a carved copy, which is not written to. A virtual dataset or an external "
                 "link leads there from a file that is open for writing, so HDF5 opens it for "
                 "writing, too: `quarry run --writes copy` lets it."});
        told->merge(*not_told);
        not_told->clear();
    } catch (const std::bad_alloc&) {
        say({"memory is short; what carved copies were refused cannot be told"});
    }
    return true;
}

}  // namespace quarry::connector
