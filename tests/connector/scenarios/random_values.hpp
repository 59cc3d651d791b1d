// Random choices, types and values, the same for the same seed on every machine.
#pragma once

#include <deque>
#include <random>

#include "scenario.hpp"

namespace scenario {

class Random {
public:
    explicit Random(uint64_t seed) : engine_(seed) {}

    // From 0 to `count` - 1. Not std::uniform_int_distribution, which differs between libraries.
    size_t below(size_t count) { return static_cast<size_t>(engine_() % count); }
    size_t between(size_t first, size_t last) { return first + below(last - first + 1); }
    bool chance(size_t percent) { return below(100) < percent; }

    template <typename T>
    const T& one_of(const std::vector<T>& choices) {
        return choices[below(choices.size())];
    }

private:
    std::mt19937_64 engine_;
};

// A type to store and read as it is; at depth 0 it may be made of others.
Id random_type(Random& random, int depth = 0);

// Values of a type in memory, with whatever their variable-length parts point to.
class RandomValues {
public:
    RandomValues(Random& random, hid_t type, size_t count);
    const void* data() const { return bytes_.data(); }

private:
    void fill(hid_t type, unsigned char* place);
    void fill_many(hid_t type, unsigned char* place, size_t count);

    Random& random_;
    std::vector<unsigned char> bytes_;
    std::deque<std::vector<unsigned char>> elsewhere_;
};

}  // namespace scenario
