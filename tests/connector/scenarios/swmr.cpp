// One writes while another reads, and files locked by others.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cstdlib>

#include "scenario.hpp"

namespace scenario {
namespace {

Id latest() {
    Id list = access();
    H5Pset_libver_bounds(list, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    return list;
}

void read_growing(Turn& written, Turn& seen) {
    written.wait();
    const Id file = open("a.h5", H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, latest());
    const Id set = ID(H5Dopen2(file, "x", H5P_DEFAULT));
    for (int round = 0; round < 3; ++round) {
        DO(H5Drefresh(set));
        read(set);
        seen.give();
        written.wait();
    }
    const Id writer = open("a.h5", H5F_ACC_RDWR, latest());
    seen.give();
}

}  // namespace

SCENARIO(swmr_writer_and_reader) {
    Turn written, seen;
    const int child = fork_child("reader", [&] { read_growing(written, seen); });
    const Id file = create("a.h5", latest());
    const Id set = dataset(file, "x", H5T_STD_I32LE, {0}, chunked({4}), {H5S_UNLIMITED});
    DO(H5Fstart_swmr_write(file));
    DO(H5Fstart_swmr_write(file));
    for (hsize_t round = 1; round <= 3; ++round) {
        const hsize_t extent = round * 5;
        DO(H5Dset_extent(set, &extent));
        write(set, counted(extent, static_cast<int>(round)));
        DO(H5Dflush(set));
        written.give();
        seen.wait();
    }
    written.give();
    seen.wait();
    await_child(child);
    // New objects are refused now.
    const Id refused = dataset(file, "y", H5T_STD_I32LE, {1});
}

SCENARIO(swmr_opened_for_writing) {
    {
        const Id file = create("a.h5", latest());
        dataset(file, "x", H5T_STD_I32LE, {4}, chunked({2}), {H5S_UNLIMITED});
    }
    const Id file = open("a.h5", H5F_ACC_RDWR | H5F_ACC_SWMR_WRITE, latest());
    const Id set = ID(H5Dopen2(file, "x", H5P_DEFAULT));
    write(set, counted(4));
    unsigned intent = 0;
    DO(H5Fget_intent(file, &intent));
    say("intent", intent);
    const Id reader = open("a.h5", H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, latest());
    // Only the newest format may be written this way.
    {
        const Id old = create("old.h5");
    }
    const Id refused = open("old.h5", H5F_ACC_RDWR | H5F_ACC_SWMR_WRITE);
}

SCENARIO(swmr_start_with_open_objects) {
    const Id file = create("a.h5", latest());
    const Id set = dataset(file, "x", H5T_STD_I32LE, {4}, chunked({2}), {H5S_UNLIMITED});
    const Id committed(H5Tcopy(H5T_NATIVE_INT));
    DO(H5Tcommit2(file, "type", committed, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Fstart_swmr_write(file));
    write(set, counted(4));
}

// The writer died without closing: the file says that it is open for writing.
SCENARIO(file_left_open_by_a_crash) {
    const int child = fork_child("writer", [] {
        Id file = create("a.h5", latest());
        dataset(file, "x", H5T_STD_I32LE, {4}, chunked({2}), {H5S_UNLIMITED});
        DO(H5Fflush(file, H5F_SCOPE_GLOBAL));
        _exit(0);
    });
    await_child(child);
    {
        const Id once = create("witness.h5");
    }
    const Id writer = open("a.h5");
    const Id reader = open("a.h5", H5F_ACC_RDONLY);
    const Id swmr = open("a.h5", H5F_ACC_RDONLY | H5F_ACC_SWMR_READ);
}

// A lock of another process, taken without HDF5: what the program sees is EAGAIN.
SCENARIO(file_locked_by_another_process) {
    {
        const Id file = create("a.h5");
    }
    for (const int kind : {LOCK_SH, LOCK_EX}) {
        const int lock = ::open("a.h5", O_RDWR);
        if (flock(lock, kind | LOCK_NB) != 0) say("cannot lock");
        const Id reader = open("a.h5", H5F_ACC_RDONLY);
        const Id writer = open("a.h5", H5F_ACC_RDWR);
        const Id truncated = create("a.h5");
        DO(H5Fis_accessible("a.h5", H5P_DEFAULT));
        const Id unlocked = access();
        DO(H5Pset_file_locking(unlocked, false, true));
        const Id careless = open("a.h5", H5F_ACC_RDWR, unlocked);
        ::close(lock);
    }
}

SCENARIO(file_locks_are_taken) {
    for (const unsigned flags : {H5F_ACC_RDONLY, H5F_ACC_RDWR}) {
        {
            const Id made = create("a.h5");
        }
        Id file = open("a.h5", flags);
        const int other = ::open("a.h5", O_RDWR);
        say("others may read", flock(other, LOCK_SH | LOCK_NB) == 0);
        say("others may write", flock(other, LOCK_EX | LOCK_NB) == 0);
        flock(other, LOCK_UN);
        file.close();
        say("and after it was closed", flock(other, LOCK_EX | LOCK_NB) == 0);
        ::close(other);
    }
}

SCENARIO(file_locking_switched_off_by_the_environment) {
    setenv("HDF5_USE_FILE_LOCKING", "FALSE", 1);
    {
        const Id file = create("a.h5");
    }
    const int lock = ::open("a.h5", O_RDWR);
    if (flock(lock, LOCK_EX | LOCK_NB) != 0) say("cannot lock");
    const Id file = open("a.h5");
    attribute(file, "a", {1});
    ::close(lock);
}

}  // namespace scenario
