#include "connector/library.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <mutex>
#include <string_view>

#include "base/fault.hpp"
#include "base/fork.hpp"
#include "base/immortal.hpp"
#include "connector/vol_class.hpp"

namespace quarry::connector {
namespace {

// HDF5 closes files from its own exit handler, after static destructors have run.
Immortal<std::array<Library, kLibraries>> slots;

Library& slot(int number) {
    return (*slots)[static_cast<size_t>(number)];
}

std::mutex slots_mutex;
[[maybe_unused]] const bool slots_mutex_is_free = keep_free_across_fork<slots_mutex>();
int slots_used = 0;

// As much of its name as needs no memory: only short ones are ever asked for.
std::string default_connector() {
    constexpr size_t kWithoutMemory = 15;
    const char* value = std::getenv("HDF5_VOL_CONNECTOR");
    std::string_view text(value != nullptr ? value : "");
    constexpr std::string_view spaces = " \t\n\r";
    text.remove_prefix(std::min(text.find_first_not_of(spaces), text.size()));
    const std::string_view first = text.substr(0, text.find_first_of(spaces));
    return first.empty() ? "native" : std::string(first.substr(0, kWithoutMemory));
}

}  // namespace

Library* library_of_caller(const void* caller) noexcept {
    const std::lock_guard guard(slots_mutex);
    const void* base = hdf5::library_base(caller);
    for (int i = 0; i < slots_used; ++i) {
        if (slot(i).base == base) return &slot(i);
    }
    if (slots_used == kLibraries) return nullptr;
    Library& library = slot(slots_used);
    library.base = base;
    hdf5::bind_to_library_at(caller, library.api);
    library.default_connector = default_connector();
    library.connector = connector_class_for_slot(slots_used);
    ++slots_used;
    return &library;
}

void begin_life(Library& library) noexcept {
    if (library.registered++ > 0) return;
    library.native = {};
    ++library.life;
}

void end_life(Library& library) noexcept {
    --library.registered;
}

Library& library_in_slot(int number) noexcept {
    return slot(number);
}

bool is_version_known(Library& library) noexcept {
    if (!library.version) library.version = hdf5::version_of(library.api);
    return hdf5::is_known(*library.version) && !fault::injected("version");
}

KeepErrors::KeepErrors(const hdf5::Api& api) noexcept
    : api_(api),
      stack_(api.H5Eget_current_stack != nullptr ? api.H5Eget_current_stack() : -1),
      errno_(errno) {}

KeepErrors::~KeepErrors() {
    if (stack_ >= 0 && api_.H5Eset_current_stack != nullptr) api_.H5Eset_current_stack(stack_);
    errno = errno_;
}

void KeepErrors::forget() noexcept {
    if (stack_ >= 0) api_.H5Idec_ref(stack_);
    stack_ = -1;
}

// A program that has set an old-style printer keeps it: there is no asking for it in the new style.
QuietErrors::QuietErrors(const hdf5::Api& api) noexcept : api_(api) {
    unsigned is_new_style = 0;
    if (!api.missing.empty() || api.H5Eauto_is_v2(H5E_DEFAULT, &is_new_style) < 0) return;
    if (is_new_style == 0) return;
    api.H5Eget_auto2(H5E_DEFAULT, &printer_, &printer_data_);
    if (printer_ != nullptr) api.H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

QuietErrors::~QuietErrors() {
    if (printer_ != nullptr) api_.H5Eset_auto2(H5E_DEFAULT, printer_, printer_data_);
}

}  // namespace quarry::connector
