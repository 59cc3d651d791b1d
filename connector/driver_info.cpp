#include "connector/driver_info.hpp"

#include <cstdlib>
#include <new>
#include <optional>

#include "connector/reserve.hpp"

namespace quarry::connector {
namespace {

constexpr const char* kDriverProperty = "vfd_info";

Reserve<DriverInfo, 64> infos;

}  // namespace

bool get_choice(Library& library, hid_t access, DriverChoice& choice) noexcept {
    const hdf5::Api& api = library.api;
    if (!library.keeps_choice) {
        size_t size = 0;
        if (api.H5Pget_size(access, kDriverProperty, &size) < 0 || size != sizeof choice)
            return false;
        library.keeps_choice = true;
    }
    return api.H5Pget(access, kDriverProperty, &choice) >= 0;
}

bool set_choice(const hdf5::Api& api, hid_t access, const DriverChoice& choice) noexcept {
    return api.H5Pset(access, kDriverProperty, &choice) >= 0;
}

void free_choice(const Library& library, const DriverChoice& choice) noexcept {
    const H5FD_class_t* cls = library.api.H5FD_get_class(choice.driver);
    void* info = const_cast<void*>(choice.info);
    if (info != nullptr && cls != nullptr && cls->fapl_free != nullptr) {
        cls->fapl_free(info);
    } else {
        std::free(info);
    }
    std::free(const_cast<char*>(choice.configuration));
    library.api.H5I_dec_ref(choice.driver);
}

DriverInfo* make_driver_info(const WrappedDriver& driver, const DriverChoice& callers,
                             const Info* info) noexcept {
    void* place = infos.take();
    if (place == nullptr) {
        free_choice(*driver.library, callers);
        return nullptr;
    }
    if (info != nullptr) info_copy(info);
    return new (place) DriverInfo{1, &driver, callers, info};
}

void* retain_driver_info(const void* info) noexcept {
    auto* ours = static_cast<DriverInfo*>(const_cast<void*>(info));
    ours->references.fetch_add(1, std::memory_order_relaxed);
    return ours;
}

herr_t release_driver_info(void* info) noexcept {
    auto* ours = static_cast<DriverInfo*>(info);
    if (ours->references.fetch_sub(1, std::memory_order_acq_rel) > 1) return 0;
    free_choice(*ours->driver->library, ours->callers);
    if (ours->info != nullptr) info_free(const_cast<Info*>(ours->info));
    infos.give_back(ours);
    return 0;
}

DriverInfo* driver_info_on(const WrappedDriver& driver, hid_t access) noexcept {
    const hdf5::Api& api = driver.library->api;
    DriverChoice choice{};
    if (!get_choice(*driver.library, access, choice)) return nullptr;
    if (choice.info != nullptr) {
        void* ours = retain_driver_info(choice.info);
        free_choice(*driver.library, choice);   // our class: counts down, frees nothing
        return static_cast<DriverInfo*>(ours);  // NOLINT(clang-analyzer-unix.Malloc)
    }
    // The rest of the choice, a configuration string, was meant for the driver of that name.
    api.H5I_inc_ref(driver.inner, false);
    api.H5I_dec_ref(choice.driver);
    return make_driver_info(driver, {driver.inner, nullptr, choice.configuration}, nullptr);
}

bool looks_at_lists(const DriverInfo& info) noexcept {
    const H5FD_class_t& inner = *info.driver->inner_class;
    return info.callers.info != nullptr || info.callers.configuration != nullptr ||
           inner.fapl_size != 0 || inner.fapl_get != nullptr || inner.fapl_copy != nullptr;
}

void name_callers_driver(const DriverInfo& info, hid_t access) noexcept {
    set_choice(info.driver->library->api, access, info.callers);
}

void name_our_driver(const DriverInfo& info, hid_t access, Outcome outcome) noexcept {
    const hdf5::Api& api = info.driver->library->api;
    std::optional<KeepErrors> keep;
    if (outcome == Outcome::Failure) keep.emplace(api);
    set_choice(api, access, {info.driver->outer, &info, nullptr});
}

}  // namespace quarry::connector
