#include "connector/driver_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <mutex>
#include <new>
#include <string>
#include <type_traits>

#include "base/fork.hpp"
#include "connector/carved_file.hpp"
#include "connector/io_record.hpp"
#include "connector/refused_copy.hpp"
#include "connector/reserve.hpp"
#include "connector/same_data.hpp"
#include "connector/witness.hpp"
#include "hdf5/superblock.hpp"

namespace quarry::connector {
namespace {

struct DriverFile {
    H5FD_t outer;  // HDF5 fills it in; must be first
    // HDF5 reads an MPI driver's handle at this offset, without asking the driver.
    void* mpi_file;
    H5FD_t* inner;
    DriverInfo* info;
    StorageRecord* storage;  // null while nothing is recorded
    int original;            // where a copy is open instead of it, by a link; else -1
    DriverFile* next;        // among those that are open
};

Reserve<DriverFile, 64> files;
std::mutex open_files_mutex;
[[maybe_unused]] const bool open_files_mutex_is_free = keep_free_across_fork<open_files_mutex>();
DriverFile* open_files = nullptr;

void list(DriverFile& file) {
    const std::lock_guard guard(open_files_mutex);
    file.next = open_files;
    open_files = &file;
}

void unlist(const DriverFile& file) {
    const std::lock_guard guard(open_files_mutex);
    DriverFile** link = &open_files;
    while (*link != &file) link = &(*link)->next;
    *link = file.next;
}

DriverFile& as_file(H5FD_t* file) {
    return *reinterpret_cast<DriverFile*>(file);
}
const DriverFile& as_file(const H5FD_t* file) {
    return *reinterpret_cast<const DriverFile*>(file);
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

H5FD_t* open_inner(const DriverInfo& info, const char* name, unsigned flags, hid_t access,
                   haddr_t largest) {
    const WrappedDriver& driver = *info.driver;
    const bool is_seen = looks_at_lists(info);
    if (is_seen) name_callers_driver(info, access);
    H5FD_t* inner = nullptr;
    {
        const DriverWorks works;
        inner = driver.inner_class->open(name, flags, access, largest);
    }
    if (is_seen)
        name_our_driver(info, access, inner != nullptr ? Outcome::Success : Outcome::Failure);
    if (inner != nullptr) fill_in(driver, *inner, flags, largest);
    return inner;
}

// The handle that H5Fset_mpi_atomicity and its opposite look for.
void* mpi_file_of(const H5FD_t* inner) {
    void* handle = nullptr;
    if ((inner->feature_flags & H5FD_FEAT_HAS_MPI) != 0)
        std::memcpy(&handle, inner + 1, sizeof handle);
    return handle;
}

herr_t close_file(H5FD_t* file) noexcept {
    DriverFile& ours = as_file(file);
    DriverInfo* info = ours.info;
    StorageRecord* storage = ours.storage;
    herr_t answer = -1;
    {
        const SameData same(storage, *ours.inner, SameData::Then::Closed);
        const DriverWorks works;
        answer = ours.inner->cls->close(ours.inner);
    }
    if (storage != nullptr) close_storage(storage);
    if (ours.original >= 0) close(ours.original);
    unlist(ours);
    files.give_back(&ours);
    release_driver_info(info);
    return answer;
}

int compare_files(const H5FD_t* left, const H5FD_t* right) noexcept {
    const H5FD_t* inner = as_file(left).inner;
    return inner->cls->cmp(inner, as_file(right).inner);
}

// What HDF5 puts on the access list of an open file, and on that of files that it leads to.
void* info_of_file(H5FD_t* file) noexcept {
    const DriverFile& ours = as_file(file);
    const WrappedDriver& driver = *ours.info->driver;
    const auto current = driver.inner_class->fapl_get;
    if (current == nullptr && ours.info->callers.info == nullptr) {
        return retain_driver_info(ours.info);
    }
    driver.library->api.H5I_inc_ref(driver.inner, false);
    const void* info = current != nullptr ? current(ours.inner) : nullptr;
    return make_driver_info(driver, {driver.inner, info, nullptr}, ours.info->info);
}

// A callback that only hands the call to the inner driver, made from the callback's own type. It
// calls that driver's class: HDF5's own H5FD functions open a new API context, in which what
// belongs to the running operation (MPI's collective types, for one) is lost.
template <auto Callback>
struct ToInner;

template <typename Answer, typename... Arguments,
          Answer (*H5FD_class_t::*Callback)(H5FD_t*, Arguments...)>
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

// Reads and writes, as the inner driver does them, with a record of each.
template <auto Callback>
struct Moving;

template <typename Buffer,
          herr_t (*H5FD_class_t::*Callback)(H5FD_t*, H5FD_mem_t, hid_t, haddr_t, size_t, Buffer*)>
struct Moving<Callback> {
    static herr_t call(H5FD_t* file, H5FD_mem_t type, hid_t transfer, haddr_t address, size_t size,
                       Buffer* buffer) noexcept {
        DriverFile& ours = as_file(file);
        const auto move = [&] {
            return (ours.inner->cls->*Callback)(ours.inner, type, transfer, address, size, buffer);
        };
        if (ours.storage == nullptr) return move();
        const IoRecord record(*ours.storage, *file);
        constexpr bool kWrites = std::is_const_v<Buffer>;
        const bool is_superblock =
            kWrites && address == file->base_addr && type != H5FD_MEM_DRAW &&
            hdf5::is_only_superblock({static_cast<const std::byte*>(buffer), size});
        const SameData same(is_superblock ? ours.storage : nullptr, *ours.inner);
        const herr_t answer = move();
        record.write({type, address, size, kWrites, answer < 0, is_superblock});
        return answer;
    }
};

template <typename Buffer, herr_t (*H5FD_class_t::*Callback)(H5FD_t*, hid_t, uint32_t, H5FD_mem_t[],
                                                             haddr_t[], size_t[], Buffer*[])>
struct Moving<Callback> {
    static herr_t call(H5FD_t* file, hid_t transfer, uint32_t count, H5FD_mem_t types[],
                       haddr_t addresses[], size_t sizes[], Buffer* buffers[]) noexcept {
        DriverFile& ours = as_file(file);
        const auto move = [&] {
            return (ours.inner->cls->*Callback)(ours.inner, transfer, count, types, addresses,
                                                sizes, buffers);
        };
        if (ours.storage == nullptr) return move();
        const IoRecord record(*ours.storage, *file);
        const herr_t answer = move();
        // A type of "no list", or a size of zero, stands for the one before, to the end.
        uint32_t type = 0;
        uint32_t size = 0;
        for (uint32_t i = 0; i < count; ++i) {
            if (type + 1 == i && types[i] != H5FD_MEM_NOLIST) type = i;
            if (size + 1 == i && sizes[i] != 0) size = i;
            record.write(
                {types[type], addresses[i], sizes[size], std::is_const_v<Buffer>, answer < 0});
        }
        return answer;
    }
};

// Whole selections, as only the MPI driver takes them: one record for each run of bytes.
template <typename Buffer,
          herr_t (*H5FD_class_t::*Callback)(H5FD_t*, H5FD_mem_t, hid_t, size_t, hid_t[], hid_t[],
                                            haddr_t[], size_t[], Buffer*[])>
struct Moving<Callback> {
    static herr_t call(H5FD_t* file, H5FD_mem_t type, hid_t transfer, size_t count,
                       hid_t memory_spaces[], hid_t file_spaces[], haddr_t offsets[],
                       size_t element_sizes[], Buffer* buffers[]) noexcept {
        DriverFile& ours = as_file(file);
        const auto move = [&] {
            return (ours.inner->cls->*Callback)(ours.inner, type, transfer, count, memory_spaces,
                                                file_spaces, offsets, element_sizes, buffers);
        };
        if (ours.storage == nullptr) return move();
        const IoRecord record(*ours.storage, *file);
        const herr_t answer = move();
        constexpr bool kWrites = std::is_const_v<Buffer>;
        // After a failure HDF5 holds its reasons, and asking it for a selection would erase them.
        if (answer < 0) {
            for (size_t i = 0; i < count; ++i) record.write({type, offsets[i], 0, kWrites, true});
            return answer;
        }
        // A size of zero stands for the one before, to the end, and the list may end there.
        size_t size = 0;
        for (size_t i = 0; i < count; ++i) {
            if (size + 1 == i && element_sizes[i] != 0) size = i;
            record.write_selected({type, offsets[i], element_sizes[size], kWrites, false},
                                  file_spaces[i]);
        }
        return answer;
    }
};

herr_t flush_file(H5FD_t* file, hid_t transfer, hbool_t is_closing) noexcept {
    DriverFile& ours = as_file(file);
    const SameData same(ours.storage, *ours.inner);
    return ours.inner->cls->flush(ours.inner, transfer, is_closing);
}

// HDF5 compares with what a link leads to before it looks for other files there.
herr_t get_handle(H5FD_t* file, hid_t access, void** handle) noexcept {
    DriverFile& ours = as_file(file);
    if (ours.original < 0) return ours.inner->cls->get_handle(ours.inner, access, handle);
    *handle = &ours.original;
    return 0;
}

int original_behind(const char* name, const std::string& copy) {
    struct stat status{};
    if (copy.empty() || lstat(name, &status) != 0 || !S_ISLNK(status.st_mode)) return -1;
    return open(name, O_RDONLY | O_CLOEXEC);
}

// What lies behind the end is room that HDF5 has just taken.
herr_t set_end(H5FD_t* file, H5FD_mem_t type, haddr_t end) noexcept {
    DriverFile& ours = as_file(file);
    const H5FD_class_t& inner = *ours.inner->cls;
    if (ours.storage != nullptr && type != H5FD_MEM_DRAW)
        record_allocation(*ours.storage, inner.get_eoa(ours.inner, type), end);
    return inner.set_eoa(ours.inner, type, end);
}

// Where the inner driver lacks a callback, ours lacks it, too: HDF5 takes a hole for "cannot" and
// does the thing itself. Vector and selection callbacks that the inner driver does not have would
// even switch HDF5 to another way of reading, a thousand times slower.
template <auto... Callbacks>
void hand_on(H5FD_class_t& outer) {
    ((outer.*Callbacks = outer.*Callbacks != nullptr ? &ToInner<Callbacks>::call : nullptr), ...);
}

template <auto... Callbacks>
void record_moving(H5FD_class_t& outer) {
    ((outer.*Callbacks = outer.*Callbacks != nullptr ? &Moving<Callbacks>::call : nullptr), ...);
}

}  // namespace

H5FD_class_t driver_file_callbacks(const H5FD_class_t& inner) noexcept {
    H5FD_class_t outer = inner;
    hand_on<&H5FD_class_t::sb_size, &H5FD_class_t::sb_encode, &H5FD_class_t::sb_decode,
            &H5FD_class_t::get_type_map, &H5FD_class_t::alloc, &H5FD_class_t::free,
            &H5FD_class_t::get_eoa, &H5FD_class_t::get_eof, &H5FD_class_t::truncate,
            &H5FD_class_t::lock, &H5FD_class_t::unlock, &H5FD_class_t::ctl>(outer);
    record_moving<&H5FD_class_t::read, &H5FD_class_t::write, &H5FD_class_t::read_vector,
                  &H5FD_class_t::write_vector, &H5FD_class_t::read_selection,
                  &H5FD_class_t::write_selection>(outer);
    outer.set_eoa = set_end;
    if (inner.flush != nullptr) outer.flush = flush_file;
    if (inner.get_handle != nullptr) outer.get_handle = get_handle;
    outer.fapl_get = info_of_file;
    outer.close = close_file;
    if (inner.cmp != nullptr) outer.cmp = compare_files;
    return outer;
}

H5FD_t* driver_open(const WrappedDriver& driver, const char* name, unsigned flags, hid_t access,
                    haddr_t largest) noexcept {
    DriverInfo* info = driver_info_on(driver, access);
    if (info == nullptr) return nullptr;
    void* place = files.take();
    const std::string copy = copy_instead_of(name, flags);
    const char* served = copy.empty() ? name : copy.c_str();
    const bool can_be = place != nullptr && !is_not_to_be_opened(name, flags);
    H5FD_t* inner = can_be ? open_inner(*info, served, flags, access, largest) : nullptr;
    if (inner == nullptr) {
        was_not_opened(name, flags);
        if (place != nullptr) files.give_back(place);
        release_driver_info(info);
        return nullptr;
    }
    if (info->info != nullptr) {
        bear_witness(*driver.library, info->info->config, Witnessed::ByteLayer);
    }
    auto* file = new (place) DriverFile{{},      mpi_file_of(inner),          inner,  info,
                                        nullptr, original_behind(name, copy), nullptr};
    // It may be there only to serve copies.
    if (info->info == nullptr || info->info->config.bytes)
        file->storage = open_storage(*driver.library, file->outer, *inner, name, flags);
    list(*file);
    return &file->outer;
}

bool is_open_through_driver(const Library& library, unsigned long number) noexcept {
    const std::lock_guard guard(open_files_mutex);
    const DriverFile* file = open_files;
    while (file != nullptr &&
           (file->outer.fileno != number || file->info->driver->library != &library))
        file = file->next;
    return file != nullptr;
}

herr_t driver_delete(const WrappedDriver& driver, const char* name, hid_t access) noexcept {
    DriverInfo* info = driver_info_on(driver, access);
    if (info == nullptr) return -1;
    name_callers_driver(*info, access);
    const herr_t answer = driver.inner_class->del(name, access);
    name_our_driver(*info, access, answer >= 0 ? Outcome::Success : Outcome::Failure);
    release_driver_info(info);
    return answer;
}

herr_t driver_query(const H5FD_t* file, unsigned long* flags) noexcept {
    const H5FD_t* inner = as_file(file).inner;
    return inner->cls->query(inner, flags);
}

}  // namespace quarry::connector
