#include "hdf5/told_growth.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <mutex>

#include "hdf5/file_name.hpp"

namespace quarry::hdf5 {
namespace {

uint64_t size_of(const std::string& path) {
    std::error_code error;
    const uint64_t size = std::filesystem::file_size(path, error);
    return error ? 0 : size;
}

}  // namespace

ToldGrowth::ToldGrowth(hid_t file, uint64_t expected, const Tell& tell)
    : expected_(expected), tell_(tell) {
    constexpr uint64_t kLarge = 16 << 20;
    if (!tell_ || expected_ < kLarge) return;
    path_ = file_name_of(file);
    watcher_ = std::jthread([this](const std::stop_token& stop) { watch(stop); });
}

ToldGrowth::~ToldGrowth() {
    end();
}

uint64_t ToldGrowth::end() {
    if (watcher_.joinable()) {
        watcher_.request_stop();
        watcher_.join();
    }
    return told_;
}

void ToldGrowth::watch(const std::stop_token& stop) {
    constexpr auto kNowAndThen = std::chrono::milliseconds(50);
    const uint64_t before = size_of(path_);
    std::mutex mutex;
    std::condition_variable_any ended;
    std::unique_lock lock(mutex);
    while (!ended.wait_for(lock, stop, kNowAndThen, [&] { return stop.stop_requested(); })) {
        const uint64_t grown = std::min(std::max(size_of(path_), before) - before, expected_);
        if (grown <= told_) continue;
        tell_(grown - told_);
        told_ = grown;
    }
}

}  // namespace quarry::hdf5
