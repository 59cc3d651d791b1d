// Every driver that HDF5 brings: files made, reopened, asked about and compared through each.
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "describe.hpp"
#include "scenario.hpp"

namespace scenario {
namespace {

void fill(hid_t file) {
    const Id group = ID(H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    write(dataset(group, "plain", H5T_STD_I32LE, {1000}), counted(1000));
    const Id creation = chunked({100});
    H5Pset_deflate(creation, 1);
    write(dataset(group, "chunked", H5T_STD_I32LE, {1000}, creation, {H5S_UNLIMITED}),
          counted(1000, 5));
    attribute(group, "a", {1, 2});
}

// What a program may ask about a file and its driver, whichever that is.
void question(hid_t file, hid_t driver) {
    const Id back = ID(H5Fget_access_plist(file));
    say("the same driver", H5Pget_driver(back) == driver, "info",
        H5Pget_driver_info(back) != nullptr);
    hsize_t size = 0;
    DO(H5Fget_filesize(file, &size));
    say("size", size);
    unsigned long flags = 0;
    DO(H5FDdriver_query(H5Pget_driver(back), &flags));
    say("features", flags);
    void* handle = nullptr;
    DO(H5Fget_vfd_handle(file, H5P_DEFAULT, &handle));
    const Id again = ID(H5Freopen(file));
    DO(H5Fget_obj_count(again, H5F_OBJ_FILE));
}

// Makes a file through the list, opens it twice again, and looks at everything in it.
void round_trip(const Id& list, const char* name, const char* missing = "missing%d.h5") {
    const hid_t driver = H5Pget_driver(list);
    {
        const Id file = create(name, list);
        fill(file);
        question(file, driver);
    }
    DO(H5Fis_accessible(name, list));
    {
        const Id file = open(name, H5F_ACC_RDWR, list);
        const Id same = open(name, H5F_ACC_RDWR, list);
        attribute(same, "second", {2});
        read_attribute(file, "second");
        question(file, driver);
        // Space is freed and used again, in the kinds that the driver keeps apart.
        DO(H5Ldelete(file, "g", H5P_DEFAULT));
        for (const char* again : {"again", "and again"}) {
            const Id set = dataset(file, again, H5T_STD_I32LE, {400});
            write(set, counted(400));
            attribute(set, "a", counted(100));
            const Id group = ID(H5Gcreate2(file, (std::string(again) + " g").c_str(), H5P_DEFAULT,
                                           H5P_DEFAULT, H5P_DEFAULT));
        }
        describe(file);
    }
    const Id exclusive = ID(H5Fcreate(name, H5F_ACC_EXCL, H5P_DEFAULT, list));
    if (missing != nullptr) const Id refused = open(missing, H5F_ACC_RDONLY, list);
}

}  // namespace

SCENARIO(driver_sec2) {
    const Id list = access();
    DO(H5Pset_fapl_sec2(list));
    round_trip(list, "a.h5");
    DO(H5Fdelete("a.h5", list));
}

SCENARIO(driver_stdio) {
    const Id list = access();
    DO(H5Pset_fapl_stdio(list));
    round_trip(list, "a.h5");
    DO(H5Fdelete("a.h5", list));
}

SCENARIO(driver_core) {
    for (const bool backed : {true, false}) {
        const Id list = access();
        DO(H5Pset_fapl_core(list, 1000, backed));
        DO(H5Pset_core_write_tracking(list, backed, 256));
        round_trip(list, backed ? "backed.h5" : "memory.h5");
        size_t step = 0;
        hbool_t store = false;
        DO(H5Pget_fapl_core(list, &step, &store));
        say(step, store);
        DO(H5Fdelete(backed ? "backed.h5" : "memory.h5", list));
    }
}

// A file on disk, changed in memory only.
SCENARIO(driver_core_on_an_existing_file) {
    {
        const Id file = create("a.h5");
        fill(file);
    }
    const Id list = access();
    DO(H5Pset_fapl_core(list, 1000, false));
    const Id file = open("a.h5", H5F_ACC_RDWR, list);
    attribute(file, "not on disk", {1});
    const Id back = ID(H5Fget_access_plist(file));
    size_t step = 0;
    hbool_t store = true;
    DO(H5Pget_fapl_core(back, &step, &store));
    say(step, store);
    const Id direct = open("a.h5", H5F_ACC_RDONLY);
    DO(H5Aexists(direct, "not on disk"));
}

SCENARIO(driver_family) {
    const Id list = access();
    DO(H5Pset_fapl_family(list, 3000, H5P_DEFAULT));
    round_trip(list, "family%d.h5");
    const Id other = access();
    DO(H5Pset_fapl_family(other, 0, H5P_DEFAULT));
    {
        const Id file = open("family%d.h5", H5F_ACC_RDONLY, other);
        const Id back = ID(H5Fget_access_plist(file));
        hsize_t size = 0;
        hid_t member = H5I_INVALID_HID;
        DO(H5Pget_fapl_family(back, &size, &member));
        say("size", size, "member's driver", H5Pget_driver(member) == H5FD_SEC2);
        H5Pclose(member);
        const Id handle_list = list ? Id(H5Pcreate(H5P_FILE_ACCESS)) : Id();
        DO(H5Pset_family_offset(handle_list, 5000));
        void* handle = nullptr;
        DO(H5Fget_vfd_handle(file, handle_list, &handle));
        say("a descriptor", handle != nullptr && *static_cast<int*>(handle) > 2);
    }
    // One member alone, and a wrong size.
    const Id alone = open("family0.h5", H5F_ACC_RDONLY);
    const Id wrong = access();
    DO(H5Pset_fapl_family(wrong, 4000, H5P_DEFAULT));
    const Id refused = open("family%d.h5", H5F_ACC_RDONLY, wrong);
    DO(H5Fdelete("family%d.h5", list));
}

SCENARIO(driver_family_of_stdio_members) {
    const Id members = list(H5P_FILE_ACCESS, [](hid_t made) { H5Pset_fapl_stdio(made); });
    const Id list = access();
    DO(H5Pset_fapl_family(list, 3000, members));
    round_trip(list, "family%d.h5");
}

SCENARIO(driver_split) {
    const Id list = access();
    DO(H5Pset_fapl_split(list, "-m.h5", H5P_DEFAULT, "-r.h5", H5P_DEFAULT));
    round_trip(list, "split", nullptr);
    const Id plain = open("split-m.h5", H5F_ACC_RDONLY);
    DO(H5Fdelete("split", list));
}

// By itself: see the exceptions in modes.hpp.
SCENARIO(driver_split_missing_file) {
    {
        const Id once = create("witness.h5");
    }
    const Id list = access();
    DO(H5Pset_fapl_split(list, "-m.h5", H5P_DEFAULT, "-r.h5", H5P_DEFAULT));
    const Id missing = open("missing", H5F_ACC_RDONLY, list);
}

SCENARIO(driver_multi) {
    const Id list = access();
    DO(H5Pset_fapl_multi(list, nullptr, nullptr, nullptr, nullptr, true));
    round_trip(list, "multi", nullptr);
    const Id file = open("multi", H5F_ACC_RDONLY, list);
    const Id handle_list = scenario::list(H5P_FILE_ACCESS);
    DO(H5Pset_multi_type(handle_list, H5FD_MEM_DRAW));
    void* handle = nullptr;
    DO(H5Fget_vfd_handle(file, handle_list, &handle));
    say("a descriptor", handle != nullptr && *static_cast<int*>(handle) > 2);
}

SCENARIO(driver_log) {
    const Id list = access();
    DO(H5Pset_fapl_log(list, "io.log",
                       H5FD_LOG_LOC_IO | H5FD_LOG_FLAVOR | H5FD_LOG_NUM_IO | H5FD_LOG_ALLOC,
                       1 << 20));
    round_trip(list, "a.h5");
}

SCENARIO(driver_splitter) {
    H5FD_splitter_vfd_config_t config{};
    config.magic = H5FD_SPLITTER_MAGIC;
    config.version = H5FD_CURR_SPLITTER_VFD_CONFIG_VERSION;
    config.rw_fapl_id = H5P_DEFAULT;
    config.wo_fapl_id = H5P_DEFAULT;
    std::strcpy(config.wo_path, "copy.h5");
    std::strcpy(config.log_file_path, "splitter.log");
    const Id list = access();
    DO(H5Pset_fapl_splitter(list, &config));
    round_trip(list, "a.h5");
    config.rw_fapl_id = config.wo_fapl_id = H5I_INVALID_HID;
    const Id file = open("a.h5", H5F_ACC_RDWR, list);
    const Id back = ID(H5Fget_access_plist(file));
    DO(H5Pget_fapl_splitter(back, &config));
    say(config.wo_path);
    H5Pclose(config.rw_fapl_id);
    H5Pclose(config.wo_fapl_id);
}

SCENARIO(driver_onion) {
    {
        const Id file = create("a.h5");
        fill(file);
    }
    H5FD_onion_fapl_info_t config{};
    config.version = H5FD_ONION_FAPL_INFO_VERSION_CURR;
    config.backing_fapl_id = H5P_DEFAULT;
    config.page_size = 64;
    config.revision_num = H5FD_ONION_FAPL_INFO_REVISION_ID_LATEST;
    std::strcpy(config.comment, "a change");
    const Id list = access();
    DO(H5Pset_fapl_onion(list, &config));
    {
        const Id file = open("a.h5", H5F_ACC_RDWR, list);
        const Id set = ID(H5Dopen2(file, "g/plain", H5P_DEFAULT));
        write(set, counted(1000, 9));
    }
    uint64_t revisions = 0;
    DO(H5FDonion_get_revision_count("a.h5", list, &revisions));
    say("revisions", revisions);
    for (const uint64_t revision : {uint64_t{0}, uint64_t{1}, uint64_t{7}}) {
        config.revision_num = revision;
        DO(H5Pset_fapl_onion(list, &config));
        const Id file = open("a.h5", H5F_ACC_RDONLY, list);
        const Id set = ID(H5Dopen2(file, "g/plain", H5P_DEFAULT));
        if (set >= 0) read(set);
    }
}

SCENARIO(driver_direct) {
    const Id list = access();
#ifdef H5_HAVE_DIRECT
    DO(H5Pset_fapl_direct(list, 512, 4096, 65536));
    const Id tried = ID(H5Fcreate("tried.h5", H5F_ACC_TRUNC, H5P_DEFAULT, list));
    if (tried >= 0) round_trip(list, "a.h5");
#else
    say("not built into this HDF5");
    const Id file = create("a.h5", list);
#endif
}

SCENARIO(driver_by_name_and_value) {
    for (const char* name : {"sec2", "stdio", "core", "log", "no such driver", ""}) {
        const Id list = access();
        if (DO(H5Pset_driver_by_name(list, name, nullptr)) < 0) continue;
        const std::string file_name = std::string(name) + ".h5";
        const Id file = create(file_name.c_str(), list);
        fill(file);
        const Id back = ID(H5Fget_access_plist(file));
        say("same driver", H5Pget_driver(back) == H5Pget_driver(list));
        char words[32] = "";
        DO(H5Pget_driver_config_str(back, words, sizeof words));
        say("configuration", words);
    }
    for (const H5FD_class_value_t value : {H5_VFD_SEC2, H5_VFD_CORE, H5_VFD_STDIO, 250}) {
        const Id list = access();
        if (DO(H5Pset_driver_by_value(list, value, nullptr)) < 0) continue;
        const Id file = create(("by value " + text(value) + ".h5").c_str(), list);
        fill(file);
    }
    DO(H5FDis_driver_registered_by_name("sec2"));
    DO(H5FDis_driver_registered_by_name("quarry"));
    DO(H5FDis_driver_registered_by_value(H5_VFD_SEC2));
}

// The program, or whoever starts it, chooses by the environment: every list without a driver has
// it.
static void by_environment(const char* driver, const char* name) {
    setenv("HDF5_DRIVER", driver, 1);
    {
        const Id file = create(name);
        fill(file);
        question(file, H5Pget_driver(access()));
    }
    {
        const Id file = open(name, H5F_ACC_RDWR);
        describe(file);
    }
    const Id defaults = ID(H5Fopen(name, H5F_ACC_RDONLY, H5P_DEFAULT));
}

SCENARIO(driver_by_environment_stdio) {
    by_environment("stdio", "a.h5");
}
SCENARIO(driver_by_environment_core) {
    by_environment("core", "a.h5");
}
SCENARIO(driver_by_environment_split) {
    by_environment("split", "a.h5");
}
SCENARIO(driver_by_environment_family) {
    by_environment("family", "a%d.h5");
}

// Below HDF5's file functions: a program may use drivers directly.
SCENARIO(driver_used_directly) {
    {
        const Id once = create("witness.h5");
    }
    const Id list = access();
    H5FD_t* file =
        DO(H5FDopen("a.bin", H5F_ACC_RDWR | H5F_ACC_CREAT | H5F_ACC_TRUNC, list, HADDR_UNDEF));
    DO(H5FDset_eoa(file, H5FD_MEM_DEFAULT, 100));
    DO(H5FDwrite(file, H5FD_MEM_DRAW, H5P_DEFAULT, 10, 5, "bytes"));
    char back[6] = "";
    DO(H5FDread(file, H5FD_MEM_DRAW, H5P_DEFAULT, 10, 5, back));
    say(back);
    DO(H5FDget_eoa(file, H5FD_MEM_DEFAULT));
    DO(H5FDget_eof(file, H5FD_MEM_DEFAULT));
    DO(H5FDlock(file, true));
    DO(H5FDunlock(file));
    DO(H5FDtruncate(file, H5P_DEFAULT, false));
    DO(H5FDclose(file));
}

}  // namespace scenario
