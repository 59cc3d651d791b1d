// The common failures: what the program sees is the same, frame by frame.
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>

#include "describe.hpp"
#include "scenario.hpp"

namespace scenario {
namespace {

void sample(const char* name) {
    const Id file = create(name);
    const Id creation = chunked({64});
    H5Pset_deflate(creation, 4);
    write(dataset(file, "x", H5T_STD_I32LE, {256}, creation), counted(256));
    write(dataset(file, "plain", H5T_STD_I32LE, {256}), counted(256));
}

}  // namespace

SCENARIO(error_opening_files) {
    sample("good.h5");
    put_file("bad.h5", "this is no HDF5 file, whatever its name says" + std::string(4096, '.'));
    put_file("empty.h5", "");
    if (mkdir("folder", 0777) != 0 || mkdir("folder.h5", 0777) != 0) say("no folders");
    for (const char* name : {"missing.h5", "bad.h5", "empty.h5", "folder.h5", "no/such/folder/a.h5",
                             "good.h5/a.h5", ""}) {
        const Id reader = open(name, H5F_ACC_RDONLY);
        const Id writer = open(name, H5F_ACC_RDWR);
    }
    for (const char* name : {"folder.h5", "no/such/folder/a.h5", "good.h5/a.h5", ""}) {
        const Id made = create(name);
    }
    const Id wrong = ID(H5Fopen("good.h5", H5F_ACC_RDONLY, 12345));
}

SCENARIO(error_truncated_files) {
    sample("good.h5");
    const std::string bytes = get_file("good.h5");
    for (const size_t left :
         {size_t{7}, size_t{8}, size_t{50}, size_t{96}, size_t{500}, bytes.size() - 100}) {
        put_file("short.h5", bytes.substr(0, left));
        say("left", left);
        const Id file = open("short.h5", H5F_ACC_RDONLY);
        DO(H5Fis_accessible("short.h5", H5P_DEFAULT));
    }
}

SCENARIO(error_damaged_files) {
    sample("good.h5");
    const std::string bytes = get_file("good.h5");
    for (const size_t at :
         {size_t{8}, size_t{9}, size_t{13}, size_t{40}, size_t{96}, size_t{136}, size_t{800}}) {
        std::string damaged = bytes;
        damaged[at] = static_cast<char>(damaged[at] ^ 0x5a);
        put_file("damaged.h5", damaged);
        say("damaged at", at);
        const Id file = open("damaged.h5", H5F_ACC_RDONLY);
        if (file < 0) continue;
        const Id set = ID(H5Dopen2(file, "x", H5P_DEFAULT));
        if (set >= 0) DO(H5Dget_storage_size(set));
    }
}

SCENARIO(error_damaged_chunk) {
    haddr_t address = 0;
    hsize_t size = 0, offset = 0;
    unsigned mask = 0;
    {
        sample("a.h5");
        const Id file = open("a.h5");
        const Id set = ID(H5Dopen2(file, "x", H5P_DEFAULT));
        DO(H5Dget_chunk_info(set, H5S_ALL, 1, &offset, &mask, &address, &size));
    }
    std::string bytes = get_file("a.h5");
    for (hsize_t i = 4; i < size; ++i) bytes[address + i] = 'x';
    put_file("a.h5", bytes);
    const Id file = open("a.h5", H5F_ACC_RDONLY);
    const Id set = ID(H5Dopen2(file, "x", H5P_DEFAULT));
    read(set);
}

SCENARIO(error_read_only) {
    sample("a.h5");
    const Id file = open("a.h5", H5F_ACC_RDONLY);
    const Id set = ID(H5Dopen2(file, "x", H5P_DEFAULT));
    write(set, counted(256));
    const Id group = ID(H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    attribute(file, "a", {1});
    DO(H5Ldelete(file, "x", H5P_DEFAULT));
    const hsize_t extent = 3;
    DO(H5Dset_extent(set, &extent));
    DO(H5Fflush(file, H5F_SCOPE_LOCAL));
    const Id writer = open("a.h5", H5F_ACC_RDWR);
    if (chmod("a.h5", 0444) == 0 && geteuid() != 0) {
        const Id refused = open("a.h5", H5F_ACC_RDWR);
    }
}

SCENARIO(error_objects) {
    sample("a.h5");
    const Id file = open("a.h5");
    const Id set = ID(H5Dopen2(file, "x", H5P_DEFAULT));
    const Id missing = ID(H5Dopen2(file, "missing", H5P_DEFAULT));
    const Id deep = ID(H5Oopen(file, "no/such/path", H5P_DEFAULT));
    const Id through = ID(H5Oopen(file, "x/inside", H5P_DEFAULT));
    const Id wrong_kind = ID(H5Gopen2(file, "x", H5P_DEFAULT));
    const Id wrong_dataset = ID(H5Dopen2(file, "/", H5P_DEFAULT));
    const Id wrong_type = ID(H5Topen2(file, "x", H5P_DEFAULT));
    const Id twice = dataset(file, "x", H5T_STD_I32LE, {1});
    const Id nameless = dataset(file, "", H5T_STD_I32LE, {1});
    const Id no_attribute = ID(H5Aopen(file, "missing", H5P_DEFAULT));
    int value = 0;
    DO(H5Dread(set, H5T_C_S1, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value));
    DO(H5Dread(file, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, &value));
    DO(H5Dread(set, H5T_NATIVE_INT, space({3}), H5S_ALL, H5P_DEFAULT, &value));
    DO(H5Fclose(set));
    DO(H5Gget_info(set, nullptr));
    H5O_info2_t info{};
    DO(H5Oget_info_by_name3(file, "missing", &info, H5O_INFO_BASIC, H5P_DEFAULT));
    DO(H5Oexists_by_name(file, "no/such/path", H5P_DEFAULT));
    DO(H5Lexists(file, "no/such/path", H5P_DEFAULT));
}

// Programs keep a stack of their own, print it later, or look at the number of errors.
SCENARIO(error_stacks_of_the_program) {
    sample("a.h5");
    const Id file = open("a.h5");
    H5E_auto2_t printer = nullptr;
    void* data = nullptr;
    DO(H5Eget_auto2(H5E_DEFAULT, &printer, &data));
    say("there is a printer", printer != nullptr);
    DO(H5Eset_auto2(
        H5E_DEFAULT,
        [](hid_t, void*) -> herr_t {
            say("  own printer, errors", H5Eget_num(H5E_DEFAULT));
            return 0;
        },
        nullptr));
    const Id list = access();
    H5Fopen("missing.h5", H5F_ACC_RDONLY, list);
    say("errors", H5Eget_num(H5E_DEFAULT));
    const hid_t kept = H5Eget_current_stack();
    say("errors kept", H5Eget_num(kept));
    H5Fopen("a.h5", H5F_ACC_TRUNC, list);
    DO(H5Eprint2(kept, stderr));
    DO(H5Eclose_stack(kept));
    const hid_t cls = H5Eregister_class("Ours", "scenarios", "1");
    const hid_t major = H5Ecreate_msg(cls, H5E_MAJOR, "own major"),
                minor = H5Ecreate_msg(cls, H5E_MINOR, "own minor");
    DO(H5Epush2(H5E_DEFAULT, "file", "function", 1, cls, major, minor, "pushed %d", 5));
    say_errors();
    // Errors that were there before a call that succeeds are cleared by it, as always.
    H5Fopen("missing.h5", H5F_ACC_RDONLY, list);
    {
        const Id again(H5Fopen("a.h5", H5F_ACC_RDWR, list));
    }
    say("errors", H5Eget_num(H5E_DEFAULT));
    H5Fopen("missing.h5", H5F_ACC_RDONLY, list);
    H5Pclose(H5Pcreate(H5P_FILE_ACCESS));
    say("errors", H5Eget_num(H5E_DEFAULT));
    DO(H5Eunregister_class(cls));
}

// Like a disk that is full for a while.
SCENARIO(error_when_files_may_not_grow) {
    const Id file = create("a.h5");
    const Id set = dataset(file, "x", H5T_STD_I32LE, {100000});
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit limit{};
    getrlimit(RLIMIT_FSIZE, &limit);
    const rlim_t before = std::exchange(limit.rlim_cur, 50000);
    setrlimit(RLIMIT_FSIZE, &limit);
    write(set, counted(100000));
    limit.rlim_cur = before;
    setrlimit(RLIMIT_FSIZE, &limit);
    write(set, counted(100000));
}

}  // namespace scenario
