// Scenarios of parallel HDF5, each run by two ranks; every rank writes a transcript of its own.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>

#include "describe.hpp"
#include "scenario.hpp"

namespace scenario {
namespace {

// MPI from the beginning to the end of a scenario; HDF5 must be closed before MPI is.
class World {
public:
    World() {
        MPI_Init(nullptr, nullptr);
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
        MPI_Comm_size(MPI_COMM_WORLD, &size);
        const std::string name = "rank" + text(rank);
        if (std::freopen((name + ".transcript").c_str(), "w", stdout) == nullptr) std::abort();
        if (std::freopen((name + ".errors").c_str(), "w", stderr) == nullptr) std::abort();
        say("rank", rank, "of", size);
    }
    ~World() {
        DO(H5close());
        MPI_Finalize();
    }
    World(const World&) = delete;
    World& operator=(const World&) = delete;

    int rank = 0;
    int size = 0;
};

constexpr hsize_t kRows = 8, kColumns = 32;

Id mpi_access() {
    Id list = access();
    DO(H5Pset_fapl_mpio(list, MPI_COMM_WORLD, MPI_INFO_NULL));
    return list;
}

// The time of day differs between runs.
Id without_times(Id list) {
    H5Pset_obj_track_times(list, false);
    return list;
}

Id transfer(H5FD_mpio_xfer_t how) {
    return list(H5P_DATASET_XFER, [&](hid_t made) { H5Pset_dxpl_mpio(made, how); });
}

// The half of the rows that belongs to a rank.
Id rows_of(hid_t set, int rank) {
    Id part(H5Dget_space(set));
    const hsize_t start[] = {kRows / 2 * static_cast<hsize_t>(rank), 0},
                  count[] = {kRows / 2, kColumns};
    H5Sselect_hyperslab(part, H5S_SELECT_SET, start, nullptr, count, nullptr);
    return part;
}

// Whether it really was collective: HDF5 says so, and a lost context would show here.
void say_how(hid_t list) {
    H5D_mpio_actual_io_mode_t mode{};
    H5D_mpio_actual_chunk_opt_mode_t chunk_mode{};
    uint32_t local = 0, global = 0, selection = 0;
    DO(H5Pget_mpio_actual_io_mode(list, &mode));
    DO(H5Pget_mpio_actual_chunk_opt_mode(list, &chunk_mode));
    DO(H5Pget_mpio_no_collective_cause(list, &local, &global));
    DO(H5Pget_no_selection_io_cause(list, &selection));
    say("  mode", mode, chunk_mode, "not collective because", local, global, "selections",
        selection);
}

void write_and_read(hid_t set, const World& world, H5FD_mpio_xfer_t how) {
    const Id list = transfer(how);
    const size_t count = kRows / 2 * kColumns;
    const Id memory = space({count}), mine = rows_of(set, world.rank),
             other = rows_of(set, 1 - world.rank);
    const std::vector<int> values = counted(count, (world.rank + 1) * 10000);
    DO(H5Dwrite(set, H5T_NATIVE_INT, memory, mine, list, values.data()));
    say_how(list);
    DO(H5Fflush(set, H5F_SCOPE_GLOBAL));
    MPI_Barrier(MPI_COMM_WORLD);
    std::vector<int> back(count);
    DO(H5Dread(set, H5T_NATIVE_INT, memory, other, list, back.data()));
    say(back);
    say_how(list);
}

void in_layout(const World& world, const Id& creation, std::vector<H5FD_mpio_xfer_t> ways) {
    const Id file = create("a.h5", mpi_access());
    for (const H5FD_mpio_xfer_t how : ways) {
        const std::string name = "way " + text(how);
        const Id set = dataset(file, name.c_str(), H5T_STD_I32LE, {kRows, kColumns}, creation);
        write_and_read(set, world, how);
    }
    describe(file);
}

}  // namespace

SCENARIO(mpi_contiguous) {
    const World world;
    in_layout(world, without_times(list(H5P_DATASET_CREATE)),
              {H5FD_MPIO_INDEPENDENT, H5FD_MPIO_COLLECTIVE});
}

SCENARIO(mpi_chunked) {
    const World world;
    in_layout(world, without_times(chunked({2, 8})), {H5FD_MPIO_INDEPENDENT, H5FD_MPIO_COLLECTIVE});
}

// Filtered chunks can be written collectively only; ranks share some of the chunks.
SCENARIO(mpi_filtered) {
    const World world;
    Id creation = without_times(chunked({3, 8}));
    H5Pset_shuffle(creation);
    H5Pset_deflate(creation, 6);
    H5Pset_fletcher32(creation);
    in_layout(world, creation, {H5FD_MPIO_COLLECTIVE});
}

SCENARIO(mpi_filtered_independent_is_refused) {
    const World world;
    Id creation = without_times(chunked({4, 8}));
    H5Pset_deflate(creation, 6);
    const Id file = create("a.h5", mpi_access());
    const Id set = dataset(file, "x", H5T_STD_I32LE, {kRows, kColumns}, creation);
    const Id list = transfer(H5FD_MPIO_INDEPENDENT);
    const std::vector<int> values = counted(kRows / 2 * kColumns);
    DO(H5Dwrite(set, H5T_NATIVE_INT, space({values.size()}), rows_of(set, world.rank), list,
                values.data()));
}

SCENARIO(mpi_chunk_options) {
    const World world;
    const Id file = create("a.h5", mpi_access());
    const Id creation = without_times(chunked({2, 8}));
    for (const H5FD_mpio_chunk_opt_t option : {H5FD_MPIO_CHUNK_ONE_IO, H5FD_MPIO_CHUNK_MULTI_IO}) {
        const Id set = dataset(file, ("option " + text(option)).c_str(), H5T_STD_I32LE,
                               {kRows, kColumns}, creation);
        const Id list = transfer(H5FD_MPIO_COLLECTIVE);
        DO(H5Pset_dxpl_mpio_chunk_opt(list, option));
        DO(H5Pset_dxpl_mpio_collective_opt(list, H5FD_MPIO_INDIVIDUAL_IO));
        const std::vector<int> values = counted(kRows / 2 * kColumns, world.rank);
        DO(H5Dwrite(set, H5T_NATIVE_INT, space({values.size()}), rows_of(set, world.rank), list,
                    values.data()));
        say_how(list);
    }
    describe(file);
}

SCENARIO(mpi_collective_metadata) {
    const World world;
    const Id list = mpi_access();
    DO(H5Pset_all_coll_metadata_ops(list, true));
    DO(H5Pset_coll_metadata_write(list, true));
    {
        const Id file = create("a.h5", list);
        for (int i = 0; i < 20; ++i) {
            const Id group = ID(
                H5Gcreate2(file, ("g" + text(i)).c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
            attribute(group, "a", {i});
        }
        DO(H5Fflush(file, H5F_SCOPE_GLOBAL));
    }
    const Id file = open("a.h5", H5F_ACC_RDONLY, list);
    const Id back = ID(H5Fget_access_plist(file));
    hbool_t collective = false;
    DO(H5Pget_all_coll_metadata_ops(back, &collective));
    say("collective", collective);
    describe(file);
}

SCENARIO(mpi_atomicity) {
    const World world;
    const Id file = create("a.h5", mpi_access());
    hbool_t atomic = true;
    DO(H5Fget_mpi_atomicity(file, &atomic));
    say("atomic", atomic);
    DO(H5Fset_mpi_atomicity(file, true));
    DO(H5Fget_mpi_atomicity(file, &atomic));
    say("atomic", atomic);
    const Id set = dataset(file, "x", H5T_STD_I32LE, {kRows, kColumns},
                           without_times(list(H5P_DATASET_CREATE)));
    write_and_read(set, world, H5FD_MPIO_INDEPENDENT);
    // Only for files of this driver.
    if (world.rank == 0) {
        const Id plain = create("plain.h5");
        DO(H5Fset_mpi_atomicity(plain, true));
    }
}

SCENARIO(mpi_multi_dataset) {
    const World world;
    const Id file = create("a.h5", mpi_access());
    constexpr size_t kSets = 20, kCount = kRows / 2 * kColumns;
    std::vector<Id> owned;
    std::vector<hid_t> sets, types, memory, parts;
    std::vector<std::vector<int>> values;
    std::vector<const void*> out;
    std::vector<void*> in;
    const Id line = space({kCount});
    for (size_t i = 0; i < kSets; ++i) {
        const Id creation = without_times(i % 2 == 0 ? chunked({2, 8}) : list(H5P_DATASET_CREATE));
        owned.push_back(
            dataset(file, ("x" + text(i)).c_str(), H5T_STD_I32LE, {kRows, kColumns}, creation));
        sets.push_back(owned.back());
        owned.push_back(rows_of(sets.back(), world.rank));
        parts.push_back(owned.back());
        types.push_back(H5T_NATIVE_INT);
        memory.push_back(line);
        values.push_back(counted(kCount, static_cast<int>(i) * 1000 + world.rank));
    }
    for (auto& each : values) {
        out.push_back(each.data());
        in.push_back(each.data());
    }
    for (const H5FD_mpio_xfer_t how : {H5FD_MPIO_COLLECTIVE, H5FD_MPIO_INDEPENDENT}) {
        const Id list = transfer(how);
        DO(H5Dwrite_multi(kSets, sets.data(), types.data(), memory.data(), parts.data(), list,
                          out.data()));
        say_how(list);
        DO(H5Dread_multi(kSets, sets.data(), types.data(), memory.data(), parts.data(), list,
                         in.data()));
        for (const auto& each : values) say(each);
    }
}

SCENARIO(mpi_questions_and_reopening) {
    const World world;
    {
        const Id file = create("a.h5", mpi_access());
        const Id set = dataset(file, "x", H5T_STD_I32LE, {kRows, kColumns},
                               without_times(chunked({4, 16})), {H5S_UNLIMITED, kColumns});
        write_and_read(set, world, H5FD_MPIO_COLLECTIVE);
        const hsize_t larger[] = {kRows * 2, kColumns};
        DO(H5Dset_extent(set, larger));
        const Id back = ID(H5Fget_access_plist(file));
        say("driver is mpio", H5Pget_driver(back) == H5FD_MPIO);
        MPI_Comm comm = MPI_COMM_NULL;
        MPI_Info info = MPI_INFO_NULL;
        DO(H5Pget_fapl_mpio(back, &comm, &info));
        int size = 0;
        MPI_Comm_size(comm, &size);
        say("ranks", size);
        MPI_Comm_free(&comm);
        if (info != MPI_INFO_NULL) MPI_Info_free(&info);
        hsize_t bytes = 0;
        DO(H5Fget_filesize(file, &bytes));
        say("size", bytes);
        void* handle = nullptr;
        DO(H5Fget_vfd_handle(file, H5P_DEFAULT, &handle));
        const Id same = open("a.h5", H5F_ACC_RDWR, mpi_access());
        DO(H5Fget_obj_count(file, H5F_OBJ_FILE));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (world.rank == 0) {
        const Id alone = open("a.h5", H5F_ACC_RDONLY);
        describe(alone);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    const Id list = mpi_access();
    DO(H5Fis_accessible("a.h5", list));
    const Id missing = open("missing.h5", H5F_ACC_RDONLY, list);
    MPI_Barrier(MPI_COMM_WORLD);
    DO(H5Fdelete("a.h5", list));
}

// One rank for itself, with a communicator of its own.
SCENARIO(mpi_each_rank_for_itself) {
    const World world;
    const Id list = access();
    DO(H5Pset_fapl_mpio(list, MPI_COMM_SELF, MPI_INFO_NULL));
    const Id file = create(("own" + text(world.rank) + ".h5").c_str(), list);
    write(dataset(file, "x", H5T_STD_I32LE, {100}, without_times(chunked({10}))),
          counted(100, world.rank));
    describe(file);
}

}  // namespace scenario
