// Locks and fork.
#pragma once

#include <pthread.h>

#include <mutex>

namespace quarry {

// A child has only the thread that forked: a lock that another thread held would stay held for
// ever. HDF5 and h5py see to theirs; ours is shared between HDF5 libraries, so that a child using
// one of them could wait for what a thread of its parent was doing in the other.
template <std::mutex& kMutex>
bool keep_free_across_fork() {
    return pthread_atfork([] { kMutex.lock(); }, [] { kMutex.unlock(); },
                          [] { kMutex.unlock(); }) == 0;
}

}  // namespace quarry
