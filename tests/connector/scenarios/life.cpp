// How a program's life with HDF5 goes: threads, forks, restarts, and an end with everything open.
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "describe.hpp"
#include "scenario.hpp"

namespace scenario {
namespace {

std::string work(int number, const Id& list) {
    Told told;
    const std::string name = "thread" + text(number) + ".h5";
    for (int round = 0; round < 3; ++round) {
        const Id file = create(name.c_str(), list);
        for (int i = 0; i < 5; ++i) {
            const Id set =
                dataset(file, ("x" + text(i)).c_str(), H5T_STD_I32LE, {50}, chunked({8}));
            write(set, counted(50, number * 1000 + i));
            read(set);
            attribute(set, "a", {number});
        }
    }
    const Id file = open(name.c_str(), H5F_ACC_RDONLY, list);
    describe(file);
    return told.story;
}

}  // namespace

SCENARIO(life_with_threads) {
    hbool_t safe = false;
    H5is_library_threadsafe(&safe);
    say("thread-safe", safe);
    constexpr int kThreads = 4;
    std::vector<std::string> stories(kThreads);
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
        const auto run = [&stories, i] {
            H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // each thread has its own printer
            stories[static_cast<size_t>(i)] = work(i, access());
        };
        if (safe) {
            threads.emplace_back(run);
        } else {
            run();
        }
    }
    for (std::thread& thread : threads) thread.join();
    for (const std::string& story : stories) say(story);
}

// Errors are kept for each thread by itself.
SCENARIO(life_with_errors_in_threads) {
    hbool_t safe = false;
    H5is_library_threadsafe(&safe);
    const Id file = create("a.h5");
    if (!safe) return;
    std::string story;
    std::thread other([&story] {
        H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
        Told told;
        const Id list = access();
        const Id missing = ID(H5Fopen("missing.h5", H5F_ACC_RDONLY, list));
        story = told.story;
    });
    other.join();
    say("errors here", H5Eget_num(H5E_DEFAULT));
    say(story);
}

// The library is closed and starts anew by itself.
SCENARIO(life_with_restarts) {
    for (int round = 0; round < 3; ++round) {
        const std::string name = "round" + text(round) + ".h5";
        {
            const Id file = create(name.c_str());
            write(dataset(file, "x", H5T_STD_I32LE, {5}, chunked({2})), counted(5, round));
            const Id list = access();
            H5Pset_fapl_core(list, 4096, true);
            const Id core = create("core.h5", list);
        }
        const Id left_open = open(name.c_str());
        DO(H5close());
        const_cast<Id&>(left_open).release();
        const Id file = open(name.c_str(), H5F_ACC_RDONLY);
        describe(file);
        DO(H5garbage_collect());
    }
}

// The connector is registered again while files are open through it.
SCENARIO(life_with_a_connector_registered_again) {
    Id list = access();
    const Id file = create("a.h5", list);
    const Id set = dataset(file, "x", H5T_STD_I32LE, {5}, chunked({2}));
    list.close();
    touch_connector();
    write(set, counted(5));
    describe(file);
    const Id other = create("b.h5");
    touch_connector();
    read(set);
    attribute(other, "a", {1});
}

// HDF5's exit handler closes what the program has not.
SCENARIO(life_ends_with_everything_open) {
    Id file = create("a.h5");
    Id group = ID(H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    Id set = dataset(group, "x", H5T_STD_I32LE, {50}, chunked({8}));
    write(set, counted(50));
    attribute(set, "a", {1});
    Id note = ID(H5Aopen(set, "a", H5P_DEFAULT)), type(H5Tcopy(H5T_NATIVE_INT));
    DO(H5Tcommit2(file, "type", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    Id list = access();
    H5Pset_fapl_core(list, 4096, true);
    Id core = create("core.h5", list);
    Id events = ID(H5EScreate());
    for (Id* id : {&file, &group, &set, &note, &type, &list, &core, &events}) id->release();
}

// A child inherits open files; both go on, the child only reads.
SCENARIO(life_with_a_fork) {
    const Id file = create("a.h5");
    const Id set = dataset(file, "x", H5T_STD_I32LE, {50});
    write(set, counted(50));
    DO(H5Fflush(file, H5F_SCOPE_GLOBAL));
    const int child = fork();
    if (child == 0) {
        if (std::freopen("child.transcript", "w", stdout) == nullptr) _exit(1);
        read(set);
        {
            const Id own = create("child.h5");
        }
        std::fflush(stdout);
        _exit(0);
    }
    await_child(child);
    write(set, counted(50, 7));
    read(set);
}

// Many files opened and closed, and many at once.
SCENARIO(life_with_many_files) {
    std::vector<Id> files;
    Told told;
    for (int i = 0; i < 150; ++i) {
        files.push_back(create(("many" + text(i) + ".h5").c_str()));
        attribute(files.back(), "number", {i});
    }
    files.clear();
    for (int i = 0; i < 300; ++i) {
        const Id file = open("many7.h5", H5F_ACC_RDONLY);
        read_attribute(file, "number");
    }
    DO(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL));
    const std::string story = told.story;
    say(digest(story.data(), story.size()));
}

}  // namespace scenario
