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
thread_local bool is_making_file = false;

std::mutex told_mutex;
[[maybe_unused]] const bool told_mutex_is_free = keep_free_across_fork<told_mutex>();
Immortal<std::set<std::string>> not_told;
Immortal<std::set<std::string>> told;

}  // namespace

// HDF5 looks whether a file is there before it makes it anew, which is the program's to do.
bool is_not_to_be_opened(const char* name, unsigned flags) noexcept {
    return !is_making_file && is_serving() && served_config.load()->originals.empty() &&
           is_kept_from_writers(name, flags);
}

void was_not_opened(const char* name, unsigned flags) noexcept {
    if (!is_kept_from_writers(name, flags)) return;
    ++refused;
    try {
        std::error_code error;
        const std::string path = std::filesystem::canonical(name, error);
        const std::lock_guard guard(told_mutex);
        if (!told->contains(path)) not_told->insert(path);
    } catch (const std::bad_alloc&) {
        // Then it is refused without a word.
    }
}

MakingFile::MakingFile() noexcept {
    is_making_file = true;
}

MakingFile::~MakingFile() {
    is_making_file = false;
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
                 "writing, too: ",
                 way_to_write(), " lets it."});
        told->merge(*not_told);
        not_told->clear();
    } catch (const std::bad_alloc&) {
        say({"memory is short; what carved copies were refused cannot be told"});
    }
    return true;
}

}  // namespace quarry::connector
