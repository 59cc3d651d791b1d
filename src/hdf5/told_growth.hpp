// Tells how far HDF5 is while one call of it copies a large dataset: the file with the copy grows.
#pragma once

#include <hdf5.h>

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>

namespace quarry::hdf5 {

class ToldGrowth {
public:
    using Tell = std::function<void(uint64_t bytes)>;

    // Tells of nothing if there is nobody to tell, or if it is over before anybody looks.
    ToldGrowth(hid_t file, uint64_t expected, const Tell& tell);
    ~ToldGrowth();
    ToldGrowth(const ToldGrowth&) = delete;
    ToldGrowth& operator=(const ToldGrowth&) = delete;

    // How many bytes were told of, at most as many as were expected. Nothing is told after it.
    uint64_t end();

private:
    void watch(const std::stop_token& stop);

    std::string path_;
    uint64_t expected_;
    const Tell& tell_;
    uint64_t told_ = 0;
    std::jthread watcher_;
};

}  // namespace quarry::hdf5
