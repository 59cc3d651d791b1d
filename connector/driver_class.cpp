#include "connector/driver_class.hpp"

#include <array>
#include <mutex>
#include <new>
#include <utility>

#include "base/fault.hpp"
#include "base/fork.hpp"
#include "connector/driver_file.hpp"
#include "connector/notice.hpp"

namespace quarry::connector {
namespace {

// Entries stay where they are: callbacks without a file find theirs by its number.
constexpr size_t kWrappedDrivers = 32;
std::array<WrappedDriver*, kWrappedDrivers> wrapped;
std::mutex wrapped_mutex;
[[maybe_unused]] const bool wrapped_mutex_is_free = keep_free_across_fork<wrapped_mutex>();

// Not that of the inner driver: HDF5 finds drivers by it.
constexpr H5FD_class_value_t kDriverValue = 20818;

template <size_t kNumber>
H5FD_class_t class_around(const H5FD_class_t& inner) {
    H5FD_class_t outer = driver_file_callbacks(inner);
    outer.value = kDriverValue;
    outer.terminate = nullptr;
    outer.fapl_size = sizeof(DriverInfo);
    outer.fapl_copy = retain_driver_info;
    outer.fapl_free = release_driver_info;
    outer.dxpl_size = 0;
    outer.dxpl_copy = nullptr;
    outer.dxpl_free = nullptr;
    outer.open = [](const char* name, unsigned flags, hid_t access, haddr_t largest) noexcept {
        return driver_open(*wrapped[kNumber], name, flags, access, largest);
    };
    if (inner.query != nullptr) {
        outer.query = [](const H5FD_t* file, unsigned long* flags) noexcept {
            return file != nullptr ? driver_query(file, flags)
                                   : wrapped[kNumber]->inner_class->query(nullptr, flags);
        };
    }
    if (inner.del != nullptr) {
        outer.del = [](const char* name, hid_t access) noexcept {
            return driver_delete(*wrapped[kNumber], name, access);
        };
    }
    return outer;
}

template <size_t... kNumbers>
H5FD_class_t numbered_class(size_t number, const H5FD_class_t& inner,
                            std::index_sequence<kNumbers...>) {
    constexpr std::array makers{&class_around<kNumbers>...};
    return makers[number](inner);
}

// Whether the ids of an entry still name what they did: a driver may have been unregistered since,
// and HDF5 may have been shut down and started anew.
bool outer_is_ours(const WrappedDriver& driver) {
    if (driver.outer < 0) return false;
    const H5FD_class_t* outer = driver.library->api.H5FD_get_class(driver.outer);
    return outer != nullptr && outer->name == driver.name.c_str();
}

bool is_current(const WrappedDriver& driver) {
    return outer_is_ours(driver) &&
           driver.library->api.H5FD_get_class(driver.inner) == driver.inner_class;
}

// A free entry, or a new one in place of one of this library that is no longer current; null if
// there is none. The old one stays in memory: files may be open through it until they close.
WrappedDriver* free_entry(const Library& library, size_t& number) {
    for (number = 0; number < kWrappedDrivers; ++number) {
        WrappedDriver*& entry = wrapped[number];
        if (entry == nullptr) return entry = new (std::nothrow) WrappedDriver;
        if (entry->library != &library || is_current(*entry)) continue;
        if (entry->outer < 0) return entry;  // was never registered
        if (outer_is_ours(*entry)) library.api.H5Idec_ref(entry->outer);
        auto* made = new (std::nothrow) WrappedDriver;
        if (made != nullptr) made->replaced = std::exchange(entry, made);
        return made;
    }
    return nullptr;
}

bool register_around(Library& library, WrappedDriver& entry, size_t number, hid_t inner) {
    entry.library = &library;
    entry.inner = inner;
    entry.outer = -1;
    entry.inner_class = library.api.H5FD_get_class(inner);
    if (entry.inner_class == nullptr || fault::injected("driver")) return false;
    // The same name: HDF5 tells the family and the multi driver by it when it reads a superblock.
    entry.name = entry.inner_class->name;
    H5FD_class_t outer =
        numbered_class(number, *entry.inner_class, std::make_index_sequence<kWrappedDrivers>());
    outer.name = entry.name.c_str();
    entry.outer = library.api.H5FDregister(&outer);
    return entry.outer >= 0;
}

template <auto Id>
const WrappedDriver* entry_by(const Library& library, hid_t id) {
    for (const WrappedDriver* entry : wrapped) {
        if (entry != nullptr && entry->library == &library && entry->*Id == id &&
            is_current(*entry)) {
            return entry;
        }
    }
    return nullptr;
}

}  // namespace

const WrappedDriver* driver_around(Library& library, hid_t inner) noexcept {
    const std::lock_guard guard(wrapped_mutex);
    if (const auto* known = entry_by<&WrappedDriver::inner>(library, inner)) return known;
    size_t number = 0;
    WrappedDriver* entry = free_entry(library, number);
    if (entry != nullptr && register_around(library, *entry, number, inner)) return entry;
    give_notice(Notice::Driver,
                {"a file driver could not be wrapped; going on without Quarry's own around it"});
    return nullptr;
}

const WrappedDriver* wrapped_driver_of(const Library& library, hid_t outer) noexcept {
    const std::lock_guard guard(wrapped_mutex);
    return entry_by<&WrappedDriver::outer>(library, outer);
}

}  // namespace quarry::connector
