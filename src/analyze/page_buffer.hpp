// Which pages of a file HDF5 would have to read, if it kept some of them.
#pragma once

#include <cstdint>
#include <list>
#include <unordered_map>

namespace quarry::analyze {

// The page that has not been used for longest goes first.
class PageBuffer {
public:
    explicit PageBuffer(uint64_t pages) : most_(pages) {}

    // Whether it has to be read.
    bool misses(uint64_t page) {
        const auto known = places_.find(page);
        if (known != places_.end()) {
            pages_.splice(pages_.begin(), pages_, known->second);
            return false;
        }
        pages_.push_front(page);
        places_[page] = pages_.begin();
        if (pages_.size() > most_) {
            places_.erase(pages_.back());
            pages_.pop_back();
        }
        return true;
    }

    void clear() {
        pages_.clear();
        places_.clear();
    }

private:
    uint64_t most_;
    std::list<uint64_t> pages_;
    std::unordered_map<uint64_t, std::list<uint64_t>::iterator> places_;
};

}  // namespace quarry::analyze
