// Opening, creating and closing files, and what can be asked about them.
#include <fcntl.h>
#include <unistd.h>

#include "describe.hpp"
#include "scenario.hpp"

namespace scenario {

SCENARIO(file_create_and_open) {
    Id file = create("a.h5");
    attribute(file, "answer", {42});
    const Id group = ID(H5Gcreate2(file, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    const Id set = dataset(group, "numbers", H5T_STD_I32LE, {3, 4});
    write(set, counted(12));
    DO(H5Fflush(file, H5F_SCOPE_LOCAL));
    DO(H5Fflush(set, H5F_SCOPE_GLOBAL));
    file.close();
    // Objects are still open, and so is the file behind them.
    read(set);
    const Id again = open("a.h5", H5F_ACC_RDONLY);
    describe(again);
}

SCENARIO(file_default_lists) {
    {
        const Id once = create("witness.h5");
    }
    const Id file = ID(H5Fcreate("a.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
    attribute(file, "answer", {42});
    const Id again = ID(H5Fopen("a.h5", H5F_ACC_RDWR, H5P_DEFAULT));
    describe(again);
}

SCENARIO(file_create_flags) {
    for (const unsigned flags :
         {H5F_ACC_EXCL, H5F_ACC_EXCL, H5F_ACC_TRUNC, 0U, H5F_ACC_EXCL | H5F_ACC_TRUNC,
          H5F_ACC_RDONLY, H5F_ACC_RDWR, H5F_ACC_TRUNC | H5F_ACC_SWMR_WRITE}) {
        say("flags", flags);
        const Id list = access();
        const Id file = ID(H5Fcreate("a.h5", flags, H5P_DEFAULT, list));
    }
    for (const unsigned flags : {H5F_ACC_RDONLY, H5F_ACC_RDWR, H5F_ACC_TRUNC, H5F_ACC_CREAT,
                                 H5F_ACC_RDWR | H5F_ACC_SWMR_WRITE, H5F_ACC_SWMR_READ}) {
        const Id file = open("a.h5", flags);
        unsigned intent = 0;
        DO(H5Fget_intent(file, &intent));
        say("intent", intent);
    }
}

SCENARIO(file_opened_twice_is_shared) {
    const Id one = create("a.h5");
    const Id two = open("a.h5");
    const Id linked = [] {
        if (symlink("a.h5", "alias.h5") != 0) say("no symlinks here");
        return open("alias.h5");
    }();
    attribute(one, "first", {1});
    read_attribute(two, "first");
    attribute(linked, "second", {2});
    read_attribute(one, "second");
    unsigned long number_one = 0, number_two = 0;
    DO(H5Fget_fileno(one, &number_one));
    DO(H5Fget_fileno(two, &number_two));
    say("same number", number_one == number_two);
    DO(H5Fget_obj_count(one, H5F_OBJ_ALL));
    // A third opening for reading only is refused or shared as HDF5 pleases; and truncating is
    // refused.
    const Id reader = open("a.h5", H5F_ACC_RDONLY);
    const Id truncated = create("a.h5");
}

SCENARIO(file_reopen) {
    const Id file = create("a.h5");
    const Id set = dataset(file, "x", H5T_STD_I32LE, {4});
    write(set, counted(4));
    Id again = ID(H5Freopen(file));
    attribute(again, "through the second", {7});
    read_attribute(file, "through the second");
    const Id other = ID(H5Dopen2(again, "x", H5P_DEFAULT));
    read(other);
    again.close();
    read(other);
    DO(H5Fget_obj_count(file, H5F_OBJ_ALL));
    DO(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_FILE));
}

SCENARIO(file_mount) {
    const Id parent = create("parent.h5");
    const Id point = ID(H5Gcreate2(parent, "point", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    const Id hidden = dataset(point, "hidden", H5T_STD_I32LE, {1});
    const Id child = create("child.h5");
    write(dataset(child, "seen", H5T_STD_I32LE, {5}), counted(5, 10));
    DO(H5Fmount(parent, "point", child, H5P_DEFAULT));
    const Id seen = ID(H5Dopen2(parent, "/point/seen", H5P_DEFAULT));
    read(seen);
    char name[64] = "";
    DO(H5Iget_name(seen, name, sizeof name));
    say("name", name);
    DO(H5Fget_name(seen, name, sizeof name));
    say("in", name);
    DO(H5Lexists(parent, "/point/hidden", H5P_DEFAULT));
    DO(H5Fmount(parent, "point", child, H5P_DEFAULT));
    describe(parent);
    DO(H5Funmount(parent, "point"));
    DO(H5Lexists(parent, "/point/hidden", H5P_DEFAULT));
    DO(H5Funmount(parent, "point"));
    read(seen);
    // By a group of it, instead of the file.
    DO(H5Fmount(point, ".", child, H5P_DEFAULT));
    DO(H5Lexists(parent, "/point/seen", H5P_DEFAULT));
    DO(H5Funmount(point, "."));
}

SCENARIO(file_close_degrees) {
    for (const H5F_close_degree_t degree :
         {H5F_CLOSE_DEFAULT, H5F_CLOSE_WEAK, H5F_CLOSE_SEMI, H5F_CLOSE_STRONG}) {
        const Id list = access();
        DO(H5Pset_fclose_degree(list, degree));
        Id file = create("a.h5", list);
        Id set = dataset(file, "x", H5T_STD_I32LE, {2});
        say("degree", degree);
        before_call();
        const hid_t id = file.release();
        if (DO(H5Fclose(id)) < 0) {
            set.close();
            DO(H5Fclose(id));
        }
        DO(H5Iis_valid(set));
        if (H5Iis_valid(set) <= 0) set.release();
    }
    const Id weak =
        list(H5P_FILE_ACCESS, [](hid_t list) { H5Pset_fclose_degree(list, H5F_CLOSE_WEAK); });
    const Id list = access();
    DO(H5Pset_fclose_degree(list, H5F_CLOSE_STRONG));
    const Id first = open("a.h5", H5F_ACC_RDWR, list);
    const Id other = access();
    DO(H5Pset_fclose_degree(other, H5F_CLOSE_WEAK));
    const Id second = open("a.h5", H5F_ACC_RDWR, other);
}

SCENARIO(file_is_accessible) {
    {
        const Id file = create("good.h5");
    }
    put_file("bad.h5", "this is no HDF5 file, whatever its name says");
    put_file("empty.h5", "");
    put_file("short.h5", get_file("good.h5").substr(0, 60));
    for (const char* name : {"good.h5", "bad.h5", "empty.h5", "short.h5", "missing.h5", ".", ""}) {
        say("is", name, "accessible?");
        const Id list = access();
        DO(H5Fis_accessible(name, list));
        DO(H5Fis_accessible(name, H5P_DEFAULT));
        DO(H5Fis_hdf5(name));
    }
    const Id file = open("good.h5");
    DO(H5Fis_accessible("good.h5", H5P_DEFAULT));
}

SCENARIO(file_delete) {
    for (const char* name : {"a.h5", "b.h5"}) {
        const Id file = create(name);
    }
    put_file("bad.h5", "this is no HDF5 file");
    const Id list = access();
    DO(H5Fdelete("a.h5", list));
    DO(H5Fdelete("a.h5", list));
    DO(H5Fdelete("b.h5", H5P_DEFAULT));
    DO(H5Fdelete("bad.h5", list));
    DO(H5Fdelete("missing.h5", H5P_DEFAULT));
    const Id file = create("open.h5");
    DO(H5Fdelete("open.h5", list));
}

SCENARIO(file_user_block) {
    const Id creation = list(H5P_FILE_CREATE, [](hid_t list) { H5Pset_userblock(list, 1024); });
    {
        const Id file = create("a.h5", access(), creation);
        write(dataset(file, "x", H5T_STD_I32LE, {4}), counted(4));
        const Id set = dataset(file, "chunked", H5T_STD_I32LE, {8}, chunked({4}));
        write(set, counted(8));
        DO(H5Fflush(file, H5F_SCOPE_LOCAL));
        haddr_t address = 0;
        hsize_t size = 0, offset = 0;
        unsigned mask = 0;
        DO(H5Dget_chunk_info(set, H5S_ALL, 1, &offset, &mask, &address, &size));
        say("chunk at", address, size);
    }
    std::string bytes = get_file("a.h5");
    put_file("a.h5", bytes.replace(0, 11, "user's own\n"));
    const Id file = open("a.h5");
    const Id stored(H5Fget_create_plist(file));
    hsize_t size = 0;
    DO(H5Pget_userblock(stored, &size));
    say("user block", size);
    describe(file);
}

SCENARIO(file_questions) {
    const Id file = create("a.h5");
    const Id set = dataset(file, "x", H5T_STD_I32LE, {1000});
    write(set, counted(1000));
    const Id group = ID(H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    hsize_t size = 0;
    DO(H5Fget_filesize(file, &size));
    say("size", size);
    DO(H5Fget_freespace(file));
    haddr_t end = 0;
    DO(H5Fget_eoa(file, &end));
    say("end", end);
    DO(H5Fincrement_filesize(file, 5000));
    char name[32] = "";
    DO(H5Fget_name(file, name, sizeof name));
    DO(H5Fget_name(set, name, 3));
    say("name", name);
    for (const unsigned types : {H5F_OBJ_FILE, H5F_OBJ_DATASET, H5F_OBJ_GROUP, H5F_OBJ_DATATYPE,
                                 H5F_OBJ_ATTR, H5F_OBJ_ALL, H5F_OBJ_ALL | H5F_OBJ_LOCAL}) {
        DO(H5Fget_obj_count(file, types));
        DO(H5Fget_obj_count(H5F_OBJ_ALL, types));
        hid_t ids[8] = {};
        const ssize_t count = DO(H5Fget_obj_ids(file, types, 8, ids));
        for (ssize_t i = 0; i < count; ++i) say("  a", H5Iget_type(ids[i]));
    }
    H5F_info2_t info{};
    DO(H5Fget_info2(file, &info));
    say("super", info.super.version, info.super.super_size, info.super.super_ext_size, "free",
        info.free.version, info.free.meta_size, info.free.tot_space, "sohm", info.sohm.version);
    bool minimised = true;
    DO(H5Fget_dset_no_attrs_hint(file, &minimised));
    DO(H5Fset_dset_no_attrs_hint(file, true));
    const Id small = dataset(file, "small header", H5T_STD_I32LE, {1});
    DO(H5Fget_free_sections(file, H5FD_MEM_DEFAULT, 0, nullptr));
    const Id from_object(H5Iget_file_id(set));
    DO(H5Fget_obj_count(from_object, H5F_OBJ_FILE));
}

SCENARIO(file_handle_is_that_of_the_driver) {
    const Id file = create("a.h5");
    write(dataset(file, "x", H5T_STD_I32LE, {4}), counted(4));
    DO(H5Fflush(file, H5F_SCOPE_GLOBAL));
    void* handle = nullptr;
    DO(H5Fget_vfd_handle(file, H5P_DEFAULT, &handle));
    char magic[4] = "";
    const int descriptor = *static_cast<int*>(handle);
    if (pread(descriptor, magic, 4, 0) != 4) say("no bytes there");
    say("magic", std::string(magic + 1, 3), "writable",
        (fcntl(descriptor, F_GETFL) & O_ACCMODE) == O_RDWR);
}

SCENARIO(file_access_list_gives_back_the_callers_driver) {
    const Id list = access();
    DO(H5Pset_alignment(list, 100, 512));
    DO(H5Pset_sieve_buf_size(list, 12345));
    const Id file = create("a.h5", list);
    const Id back = ID(H5Fget_access_plist(file));
    say("driver is sec2", H5Pget_driver(back) == H5FD_SEC2, H5Pget_driver_info(back) == nullptr);
    hsize_t threshold = 0, alignment = 0;
    size_t sieve = 0;
    DO(H5Pget_alignment(back, &threshold, &alignment));
    DO(H5Pget_sieve_buf_size(back, &sieve));
    say(threshold, alignment, sieve);
    const Id again = open("a.h5", H5F_ACC_RDWR, back);
    DO(H5Fget_obj_count(file, H5F_OBJ_FILE));
    say("caller's own list", H5Pget_driver(list) == H5FD_SEC2);
}

}  // namespace scenario
