#include "connector/driver.hpp"

#include <array>
#include <cstdlib>
#include <mutex>
#include <new>
#include <utility>

#include "base/fault.hpp"
#include "connector/notice.hpp"
#include "connector/reserve.hpp"
#include "connector/witness.hpp"

namespace quarry::connector {
namespace {

// How HDF5 keeps a driver on an access list: the value of this property. It is not in the public
// headers, but asking the property for its value is the only way to get a driver's info with its
// configuration string and without an error where there is none. Its size is checked first.
constexpr const char* kDriverProperty = "vfd_info";
struct DriverChoice {
    hid_t driver;
    const void* info;
    const char* configuration;
};

// A driver that we stand around. Entries are never moved: callbacks find theirs by number.
struct WrappedDriver {
    Library* library = nullptr;
    hid_t inner = -1;  // the caller's driver; ids are not reused, classes in memory are
    const H5FD_class_t* inner_class = nullptr;
    std::string name;
    hid_t outer = -1;  // ours around it
};
constexpr size_t kWrappedDrivers = 32;
std::array<WrappedDriver*, kWrappedDrivers> wrapped;
std::mutex wrapped_mutex;

// What the access list carries for our driver: the caller's choice, and which of our drivers this is.
struct DriverInfo {
    std::atomic<int> references;
    const WrappedDriver* driver;
    DriverChoice callers;
    const Info* info;  // the connector's configuration for this file, or null
};

struct DriverFile {
    H5FD_t outer;  // HDF5 fills it in; must be first
    H5FD_t* inner;
    DriverInfo* info;
};

Reserve<DriverInfo, 64> infos;
Reserve<DriverFile, 64> files;

DriverFile& as_file(H5FD_t* file) { return *reinterpret_cast<DriverFile*>(file); }
const DriverFile& as_file(const H5FD_t* file) { return *reinterpret_cast<const DriverFile*>(file); }

void free_choice(const WrappedDriver& driver, const DriverChoice& choice) {
    if (choice.info != nullptr) {
        void* info = const_cast<void*>(choice.info);
        const auto release = driver.inner_class->fapl_free;
        release != nullptr ? static_cast<void>(release(info)) : std::free(info);
    }
    std::free(const_cast<char*>(choice.configuration));
    const KeepErrors keep(driver.library->api);
    driver.library->api.H5Idec_ref(choice.driver);
}

// Takes over `callers`; null if memory is short.
DriverInfo* make_info(const WrappedDriver& driver, const DriverChoice& callers, const Info* info) {
    void* place = infos.take();
    if (place == nullptr) {
        free_choice(driver, callers);
        return nullptr;
    }
    if (info != nullptr) info_copy(info);
    return new (place) DriverInfo{1, &driver, callers, info};
}

void* retain_info(const void* info) noexcept {
    auto* ours = static_cast<DriverInfo*>(const_cast<void*>(info));
    ours->references.fetch_add(1, std::memory_order_relaxed);
    return ours;
}

herr_t release_info(void* info) noexcept {
    auto* ours = static_cast<DriverInfo*>(info);
    if (ours->references.fetch_sub(1, std::memory_order_acq_rel) > 1) return 0;
    free_choice(*ours->driver, ours->callers);
    if (ours->info != nullptr) info_free(const_cast<Info*>(ours->info));
    infos.give_back(ours);
    return 0;
}

bool set_choice(const hdf5::Api& api, hid_t access, const DriverChoice& choice) {
    return api.H5Pset(access, kDriverProperty, &choice) >= 0;
}

// For as long as it lives, an access list names the caller's driver, which reads its own info there.
class CallersDriverOnList {
public:
    CallersDriverOnList(const DriverInfo& info, hid_t access) noexcept : info_(info), access_(access) {
        set_choice(info.driver->library->api, access, info.callers);
    }
    ~CallersDriverOnList() {
        const hdf5::Api& api = info_.driver->library->api;
        const KeepErrors keep(api);
        set_choice(api, access_, {info_.driver->outer, &info_, nullptr});
    }
    CallersDriverOnList(const CallersDriverOnList&) = delete;
    CallersDriverOnList& operator=(const CallersDriverOnList&) = delete;

private:
    const DriverInfo& info_;
    hid_t access_;
};

// Our info on a list, with a share in it; a list that got our driver by its name alone has none.
DriverInfo* info_on_list(const WrappedDriver& driver, hid_t access) {
    DriverChoice choice{};
    const hdf5::Api& api = driver.library->api;
    if (api.H5Pget(access, kDriverProperty, &choice) < 0) return nullptr;
    std::free(const_cast<char*>(choice.configuration));
    api.H5Idec_ref(choice.driver);
    if (choice.info != nullptr) return static_cast<DriverInfo*>(const_cast<void*>(choice.info));
    api.H5Iinc_ref(driver.inner);
    return make_info(driver, {driver.inner, nullptr, nullptr}, nullptr);
}

// What HDF5 itself fills in for a driver that it opens.
void fill_in(const WrappedDriver& driver, H5FD_t& file, unsigned flags, haddr_t largest) {
    static std::atomic<unsigned long> serial{0};
    file.driver_id = driver.inner;
    file.cls = driver.inner_class;
    file.fileno = ++serial;
    file.access_flags = flags;
    file.maxaddr = largest;
    file.base_addr = 0;
    file.threshold = 1;
    file.alignment = 1;
    if (file.cls->query != nullptr) file.cls->query(&file, &file.feature_flags);
}

H5FD_t* open_inner(const WrappedDriver& driver, const DriverInfo& info, const char* name,
                   unsigned flags, hid_t access, haddr_t largest) {
    const CallersDriverOnList callers(info, access);
    H5FD_t* inner = driver.inner_class->open(name, flags, access, largest);
    if (inner != nullptr) fill_in(driver, *inner, flags, largest);
    return inner;
}

H5FD_t* open_file(const WrappedDriver& driver, const char* name, unsigned flags, hid_t access,
                  haddr_t largest) {
    DriverInfo* info = info_on_list(driver, access);
    if (info == nullptr) return nullptr;
    void* place = files.take();
    H5FD_t* inner =
        place != nullptr ? open_inner(driver, *info, name, flags, access, largest) : nullptr;
    if (inner == nullptr) {
        if (place != nullptr) files.give_back(place);
        release_info(info);
        return nullptr;
    }
    if (info->info != nullptr) {
        bear_witness(*driver.library, info->info->config, Witnessed::ByteLayer);
    }
    return &(new (place) DriverFile{{}, inner, info})->outer;
}

herr_t close_file(H5FD_t* file) noexcept {
    DriverFile& ours = as_file(file);
    DriverInfo* info = ours.info;
    const herr_t answer = ours.inner->cls->close(ours.inner);
    files.give_back(&ours);
    release_info(info);
    return answer;
}

int compare_files(const H5FD_t* left, const H5FD_t* right) noexcept {
    const H5FD_t* inner = as_file(left).inner;
    return inner->cls->cmp(inner, as_file(right).inner);
}

// What HDF5 puts on the access list of an open file, and so on that of files that it leads to.
void* info_of_file(H5FD_t* file) noexcept {
    const DriverFile& ours = as_file(file);
    const WrappedDriver& driver = *ours.info->driver;
    const auto current = driver.inner_class->fapl_get;
    if (current == nullptr && ours.info->callers.info == nullptr) return retain_info(ours.info);
    driver.library->api.H5Iinc_ref(driver.inner);
    return make_info(driver,
                     {driver.inner, current != nullptr ? current(ours.inner) : nullptr, nullptr},
                     ours.info->info);
}

herr_t delete_file(const WrappedDriver& driver, const char* name, hid_t access) {
    DriverInfo* info = info_on_list(driver, access);
    if (info == nullptr) return -1;
    herr_t answer = -1;
    {
        const CallersDriverOnList callers(*info, access);
        answer = driver.inner_class->del(name, access);
    }
    release_info(info);
    return answer;
}

// The inner driver's features; HDF5 also asks for them without a file.
herr_t query(const WrappedDriver& driver, const H5FD_t* file, unsigned long* flags) {
    const H5FD_t* inner = file != nullptr ? as_file(file).inner : nullptr;
    return driver.inner_class->query(inner, flags);
}

// Callbacks that only hand a call to the inner driver, made from the callback's own type. They call its
// class directly: HDF5's own H5FD functions open a new API context, in which what belongs to the
// running operation (MPI's collective types, for one) is lost.
template <auto Callback>
struct ToInner;

template <typename Answer, typename... Arguments, Answer (*H5FD_class_t::*Callback)(H5FD_t*, Arguments...)>
struct ToInner<Callback> {
    static Answer call(H5FD_t* file, Arguments... arguments) noexcept {
        H5FD_t* inner = as_file(file).inner;
        return (inner->cls->*Callback)(inner, arguments...);
    }
};

template <typename Answer, typename... Arguments,
          Answer (*H5FD_class_t::*Callback)(const H5FD_t*, Arguments...)>
struct ToInner<Callback> {
    static Answer call(const H5FD_t* file, Arguments... arguments) noexcept {
        const H5FD_t* inner = as_file(file).inner;
        return (inner->cls->*Callback)(inner, arguments...);
    }
};

// Where the inner driver lacks a callback ours must lack it, too: HDF5 takes a hole for "cannot" and
// does the thing itself. In particular, vector and selection callbacks that the inner driver does
// not have would switch HDF5 to another way of reading.
template <auto... Callbacks>
void hand_on(H5FD_class_t& outer) {
    ((outer.*Callbacks = outer.*Callbacks != nullptr ? &ToInner<Callbacks>::call : nullptr), ...);
}

template <size_t kNumber>
H5FD_class_t class_around(const H5FD_class_t& inner) {
    H5FD_class_t outer = inner;
    hand_on<&H5FD_class_t::sb_size, &H5FD_class_t::sb_encode, &H5FD_class_t::sb_decode,
            &H5FD_class_t::get_type_map, &H5FD_class_t::alloc, &H5FD_class_t::free,
            &H5FD_class_t::get_eoa, &H5FD_class_t::set_eoa, &H5FD_class_t::get_eof,
            &H5FD_class_t::get_handle, &H5FD_class_t::read, &H5FD_class_t::write,
            &H5FD_class_t::read_vector, &H5FD_class_t::write_vector, &H5FD_class_t::read_selection,
            &H5FD_class_t::write_selection, &H5FD_class_t::flush, &H5FD_class_t::truncate,
            &H5FD_class_t::lock, &H5FD_class_t::unlock, &H5FD_class_t::ctl>(outer);
    outer.value = 20818;  // not the inner driver's: HDF5 finds drivers by it
    outer.terminate = nullptr;
    outer.fapl_size = sizeof(DriverInfo);
    outer.fapl_get = info_of_file;
    outer.fapl_copy = retain_info;
    outer.fapl_free = release_info;
    outer.dxpl_size = 0;
    outer.dxpl_copy = nullptr;
    outer.dxpl_free = nullptr;
    outer.open = [](const char* name, unsigned flags, hid_t access, haddr_t largest) noexcept {
        return open_file(*wrapped[kNumber], name, flags, access, largest);
    };
    outer.close = close_file;
    if (inner.cmp != nullptr) outer.cmp = compare_files;
    if (inner.query != nullptr) {
        outer.query = [](const H5FD_t* file, unsigned long* flags) noexcept {
            return query(*wrapped[kNumber], file, flags);
        };
    }
    if (inner.del != nullptr) {
        outer.del = [](const char* name, hid_t access) noexcept {
            return delete_file(*wrapped[kNumber], name, access);
        };
    }
    return outer;
}

template <size_t... kNumbers>
H5FD_class_t numbered_class(size_t number, const H5FD_class_t& inner, std::index_sequence<kNumbers...>) {
    constexpr std::array makers{&class_around<kNumbers>...};
    return makers[number](inner);
}

bool is_gone(const WrappedDriver& driver, const Library& library) {
    return driver.library == &library && library.api.H5Iis_valid(driver.inner) <= 0;
}

// A free entry, or one whose driver has been unregistered since; null if there is none.
WrappedDriver* free_entry(const Library& library, size_t& number) {
    for (number = 0; number < kWrappedDrivers; ++number) {
        if (wrapped[number] == nullptr) return wrapped[number] = new (std::nothrow) WrappedDriver;
        if (is_gone(*wrapped[number], library)) {
            library.api.H5Idec_ref(wrapped[number]->outer);
            return wrapped[number];
        }
    }
    return nullptr;
}

bool register_around(Library& library, WrappedDriver& entry, size_t number, hid_t inner) {
    entry.library = &library;
    entry.inner = inner;
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

const WrappedDriver* driver_around(Library& library, hid_t inner) {
    const std::lock_guard guard(wrapped_mutex);
    for (const WrappedDriver* entry : wrapped) {
        if (entry != nullptr && entry->library == &library && entry->inner == inner) {
            return entry->outer >= 0 ? entry : nullptr;
        }
    }
    size_t number = 0;
    WrappedDriver* entry = free_entry(library, number);
    if (entry != nullptr && register_around(library, *entry, number, inner)) return entry;
    give_notice(Notice::Driver, "a file driver could not be wrapped; going on without Quarry's own "
                                "file driver around it");
    return nullptr;
}

const WrappedDriver* ours_by_id(const Library& library, hid_t outer) {
    const std::lock_guard guard(wrapped_mutex);
    for (const WrappedDriver* entry : wrapped) {
        if (entry != nullptr && entry->library == &library && entry->outer == outer) return entry;
    }
    return nullptr;
}

}  // namespace

bool byte_layer_works(Library& library) noexcept {
    if (!library.api.missing.empty()) {
        give_notice(Notice::Symbol, "the HDF5 in " + library.api.path + " lacks " +
                                        library.api.missing +
                                        "; going on without Quarry's file driver");
        return false;
    }
    static_assert(sizeof(DriverChoice) == 24);
    const hdf5::Version version = hdf5::version_of(library.api);
    const bool known = (version.major == 1 && version.minor >= 14) || version.major == 2;
    if (known && !fault::injected("version")) return true;
    give_notice(Notice::Version, "the HDF5 in " + library.api.path + " is version " +
                                     std::to_string(version.major) + "." +
                                     std::to_string(version.minor) +
                                     ", which this Quarry does not know; going on without its file "
                                     "driver");
    return false;
}

bool put_driver_around(Library& library, hid_t access, const Info* info) noexcept {
    const hdf5::Api& api = library.api;
    size_t size = 0;
    if (api.H5Pget_size(access, kDriverProperty, &size) < 0 || size != sizeof(DriverChoice)) return false;
    DriverChoice callers{};
    if (api.H5Pget(access, kDriverProperty, &callers) < 0) return false;
    if (ours_by_id(library, callers.driver) != nullptr) {
        if (callers.info != nullptr) release_info(const_cast<void*>(callers.info));
        api.H5Idec_ref(callers.driver);
        return true;
    }
    const WrappedDriver* driver = driver_around(library, callers.driver);
    if (driver == nullptr) {
        const WrappedDriver plain{&library, callers.driver, api.H5FD_get_class(callers.driver), {}, -1};
        free_choice(plain, callers);
        return false;
    }
    DriverInfo* ours = make_info(*driver, callers, info);
    if (ours == nullptr) return false;
    const bool done = set_choice(api, access, {driver->outer, ours, nullptr});
    release_info(ours);
    return done;
}

void give_back_callers_driver(Library& library, hid_t access) noexcept {
    if (!library.api.missing.empty()) return;
    DriverChoice choice{};
    if (library.api.H5Pget(access, kDriverProperty, &choice) < 0) return;
    const WrappedDriver* driver = ours_by_id(library, choice.driver);
    if (driver != nullptr && choice.info != nullptr) {
        auto* ours = static_cast<DriverInfo*>(const_cast<void*>(choice.info));
        set_choice(library.api, access, ours->callers);
        release_info(ours);
        library.api.H5Idec_ref(choice.driver);
    }
}

}  // namespace quarry::connector
