// A driver that the program brings along, like h5py's for file-like objects: with every callback or
// with only those that HDF5 insists on, registered once or over and over.
#include <H5FDdevelop.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "describe.hpp"
#include "scenario.hpp"

namespace scenario {
namespace {

struct OwnFile {
    H5FD_t base;
    int descriptor;
    haddr_t end;
};

struct OwnInfo {
    int number;
    char words[20];
};

int infos_alive = 0;

OwnFile& own(H5FD_t* file) {
    return *reinterpret_cast<OwnFile*>(file);
}
const OwnFile& own(const H5FD_t* file) {
    return *reinterpret_cast<const OwnFile*>(file);
}

H5FD_t* open_bare(const char* name, unsigned flags, hid_t, haddr_t) {
    say("  driver: open", name, flags);
    const int how = ((flags & H5F_ACC_RDWR) != 0 ? O_RDWR : O_RDONLY) |
                    ((flags & H5F_ACC_CREAT) != 0 ? O_CREAT : 0) |
                    ((flags & H5F_ACC_TRUNC) != 0 ? O_TRUNC : 0) |
                    ((flags & H5F_ACC_EXCL) != 0 ? O_EXCL : 0);
    const int descriptor = ::open(name, how, 0666);
    if (descriptor < 0) return nullptr;
    auto* file = static_cast<OwnFile*>(std::calloc(1, sizeof(OwnFile)));
    file->descriptor = descriptor;
    return &file->base;
}

// A driver finds its own choice on the list it is given.
H5FD_t* open_full(const char* name, unsigned flags, hid_t access, haddr_t largest) {
    const auto* info = static_cast<const OwnInfo*>(H5Pget_driver_info(access));
    say("  driver: the list says", info != nullptr ? info->words : "nothing");
    return open_bare(name, flags, access, largest);
}

herr_t close_own(H5FD_t* file) {
    ::close(own(file).descriptor);
    std::free(file);
    say("  driver: close");
    return 0;
}

haddr_t get_end(const H5FD_t* file, H5FD_mem_t) {
    return own(file).end;
}

herr_t set_end(H5FD_t* file, H5FD_mem_t, haddr_t end) {
    own(file).end = end;
    return 0;
}

haddr_t get_file_end(const H5FD_t* file, H5FD_mem_t) {
    struct stat status{};
    fstat(own(file).descriptor, &status);
    return static_cast<haddr_t>(status.st_size);
}

herr_t read_own(H5FD_t* file, H5FD_mem_t type, hid_t, haddr_t at, size_t size, void* buffer) {
    say("  driver: read", type, at, size);
    std::memset(buffer, 0, size);
    return pread(own(file).descriptor, buffer, size, static_cast<off_t>(at)) >= 0 ? 0 : -1;
}

herr_t write_own(H5FD_t* file, H5FD_mem_t type, hid_t, haddr_t at, size_t size,
                 const void* buffer) {
    say("  driver: write", type, at, size);
    return pwrite(own(file).descriptor, buffer, size, static_cast<off_t>(at)) ==
                   static_cast<ssize_t>(size)
               ? 0
               : -1;
}

// Only what HDF5 insists on.
H5FD_class_t bare_driver(const char* name, H5FD_class_value_t value) {
    H5FD_class_t cls{};
    cls.version = H5FD_CLASS_VERSION;
    cls.value = value;
    cls.name = name;
    cls.maxaddr = HADDR_MAX / 2;
    cls.fc_degree = H5F_CLOSE_WEAK;
    cls.open = open_bare;
    cls.close = close_own;
    cls.get_eoa = get_end;
    cls.set_eoa = set_end;
    cls.get_eof = get_file_end;
    cls.read = read_own;
    cls.write = write_own;
    const H5FD_mem_t map[] = H5FD_FLMAP_DICHOTOMY;
    std::memcpy(cls.fl_map, map, sizeof map);
    return cls;
}

void* copy_info(const void* info) {
    ++infos_alive;
    return new OwnInfo(*static_cast<const OwnInfo*>(info));
}

herr_t free_info(void* info) {
    --infos_alive;
    delete static_cast<OwnInfo*>(info);
    return 0;
}

void* info_of(H5FD_t*) {
    ++infos_alive;
    return new OwnInfo{7, "from the file"};
}

H5FD_class_t full_driver(const char* name, H5FD_class_value_t value) {
    H5FD_class_t cls = bare_driver(name, value);
    cls.fc_degree = H5F_CLOSE_STRONG;
    cls.open = open_full;
    cls.fapl_size = sizeof(OwnInfo);
    cls.fapl_get = info_of;
    cls.fapl_copy = copy_info;
    cls.fapl_free = free_info;
    cls.terminate = []() -> herr_t {
        say("  driver: terminate");
        return 0;
    };
    cls.cmp = [](const H5FD_t* left, const H5FD_t* right) {
        struct stat one{}, two{};
        fstat(own(left).descriptor, &one);
        fstat(own(right).descriptor, &two);
        return one.st_ino < two.st_ino ? -1 : one.st_ino > two.st_ino ? 1 : 0;
    };
    cls.query = [](const H5FD_t* file, unsigned long* flags) -> herr_t {
        *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA |
                 H5FD_FEAT_AGGREGATE_SMALLDATA;
        if (file == nullptr) *flags |= H5FD_FEAT_POSIX_COMPAT_HANDLE;
        return 0;
    };
    cls.get_handle = [](H5FD_t* file, hid_t, void** handle) -> herr_t {
        *handle = &own(file).descriptor;
        return 0;
    };
    cls.flush = [](H5FD_t*, hid_t, hbool_t closing) -> herr_t {
        say("  driver: flush", closing);
        return 0;
    };
    cls.truncate = [](H5FD_t* file, hid_t, hbool_t closing) -> herr_t {
        say("  driver: truncate", closing, own(file).end);
        return ftruncate(own(file).descriptor, static_cast<off_t>(own(file).end));
    };
    cls.lock = [](H5FD_t*, hbool_t writing) -> herr_t {
        say("  driver: lock", writing);
        return 0;
    };
    cls.unlock = [](H5FD_t*) -> herr_t {
        say("  driver: unlock");
        return 0;
    };
    cls.del = [](const char* file, hid_t access) -> herr_t {
        say("  driver: delete", file, H5Pget_driver_info(access) != nullptr);
        return ::unlink(file);
    };
    cls.sb_size = [](H5FD_t*) -> hsize_t { return 8; };
    cls.sb_encode = [](H5FD_t*, char* words, unsigned char* bytes) -> herr_t {
        std::memcpy(words, "OWNDRVR", sizeof("OWNDRVR"));
        std::fill_n(bytes, 8, '1');
        return 0;
    };
    cls.sb_decode = [](H5FD_t*, const char* words, const unsigned char*) -> herr_t {
        say("  driver: decode", std::string(words, 7));
        return 0;
    };
    cls.ctl = [](H5FD_t*, uint64_t code, uint64_t flags, const void*, void**) -> herr_t {
        say("  driver: control", code, flags);
        return 0;
    };
    return cls;
}

void use(hid_t driver, const char* name, const OwnInfo* info) {
    const Id list = access();
    DO(H5Pset_driver(list, driver, info));
    {
        const Id file = create(name, list);
        write(dataset(file, "x", H5T_STD_I32LE, {100}), counted(100));
        const Id same = open(name, H5F_ACC_RDWR, list);
        const Id back = ID(H5Fget_access_plist(file));
        const auto* found = static_cast<const OwnInfo*>(H5Pget_driver_info(back));
        say("driver is the same", H5Pget_driver(back) == driver,
            found != nullptr ? found->words : "no info");
        void* handle = nullptr;
        DO(H5Fget_vfd_handle(file, H5P_DEFAULT, &handle));
        DO(H5Fflush(file, H5F_SCOPE_LOCAL));
    }
    {
        const Id file = open(name, H5F_ACC_RDONLY, list);
        describe(file);
    }
    const Id missing = open("missing.h5", H5F_ACC_RDONLY, list);
    DO(H5Fis_accessible(name, list));
    DO(H5Fdelete(name, list));
}

}  // namespace

SCENARIO(own_driver_bare) {
    const H5FD_class_t cls = bare_driver("bare", 601);
    const hid_t driver = H5FDregister(&cls);
    use(driver, "a.h5", nullptr);
    DO(H5FDunregister(driver));
}

SCENARIO(own_driver_full) {
    const H5FD_class_t cls = full_driver("full", 602);
    const hid_t driver = H5FDregister(&cls);
    const OwnInfo info = {3, "from the list"};
    use(driver, "a.h5", &info);
    {
        // This driver's files are closed with everything in them, where the list leaves it to the
        // driver.
        const Id list = access();
        DO(H5Pset_driver(list, driver, &info));
        Id file = create("b.h5", list);
        Id group = ID(H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        file.close();
        DO(H5Iis_valid(group));
        if (H5Iis_valid(group) <= 0) group.release();
    }
    say("infos alive", infos_alive);
    DO(H5FDunregister(driver));
}

// A program that registers its driver for each file: more often than there is place for at once.
SCENARIO(own_driver_registered_many_times) {
    for (int i = 0; i < 50; ++i) {
        const H5FD_class_t cls = i % 2 == 0 ? bare_driver("own", 603) : full_driver("own", 603);
        const hid_t driver = H5FDregister(&cls);
        const Id list = access();
        DO(H5Pset_driver(list, driver, nullptr));
        Told told;
        {
            const Id file = create("a.h5", list);
        }
        {
            const Id file = open("a.h5", H5F_ACC_RDONLY, list);
        }
        H5FDunregister(driver);
    }
    say("infos alive", infos_alive);
}

// Many at a time, with files open through each (the connector has place for 32 in all).
SCENARIO(own_drivers_at_the_same_time) {
    constexpr int kDrivers = 28;
    std::vector<hid_t> drivers;
    std::vector<std::string> names;
    {
        std::vector<Id> files;
        for (int i = 0; i < kDrivers; ++i) names.push_back("own" + text(i));
        for (int i = 0; i < kDrivers; ++i) {
            const H5FD_class_t cls = bare_driver(names[static_cast<size_t>(i)].c_str(), 604 + i);
            drivers.push_back(H5FDregister(&cls));
            const Id list = access();
            H5Pset_driver(list, drivers.back(), nullptr);
            Told told;
            files.push_back(create((names[static_cast<size_t>(i)] + ".h5").c_str(), list));
            attribute(files.back(), "number", {i});
        }
        Told told;
        files.clear();
    }
    for (const hid_t driver : drivers) DO(H5FDunregister(driver));
}

// The driver is unregistered while a file is open through it.
SCENARIO(own_driver_unregistered_early) {
    const H5FD_class_t cls = bare_driver("early", 690);
    const hid_t driver = H5FDregister(&cls);
    Id list = access();
    DO(H5Pset_driver(list, driver, nullptr));
    Id file = create("a.h5", list);
    DO(H5FDunregister(driver));
    list.close();
    attribute(file, "late", {1});
    file.close();
    const hid_t again = H5FDregister(&cls);
    list = access();
    DO(H5Pset_driver(list, again, nullptr));
    file = open("a.h5", H5F_ACC_RDONLY, list);
    read_attribute(file, "late");
}

// Errors that a driver itself reports come through.
SCENARIO(own_driver_that_fails) {
    H5FD_class_t cls = bare_driver("failing", 691);
    cls.write = [](H5FD_t*, H5FD_mem_t type, hid_t, haddr_t at, size_t,
                   const void* buffer) -> herr_t {
        if (type != H5FD_MEM_DRAW) return at > 10000000 || buffer == nullptr ? -1 : 0;
        errno = EIO;
        H5Epush2(H5E_DEFAULT, "driver", "write", 1, H5E_ERR_CLS, H5E_IO, H5E_WRITEERROR, "no ink");
        return -1;
    };
    const hid_t driver = H5FDregister(&cls);
    const Id list = access();
    DO(H5Pset_driver(list, driver, nullptr));
    const Id file = create("a.h5", list);
    const Id set = dataset(file, "x", H5T_STD_I32LE, {100000});
    write(set, counted(100000));
}

}  // namespace scenario
