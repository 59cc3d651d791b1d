// Buffers of which only what a selection names is there: whoever looks at the rest is ended.
#include <sys/mman.h>

#include <cstdlib>
#include <cstring>

#include "scenario.hpp"

namespace scenario {
namespace {

constexpr hsize_t kCount = hsize_t{64} << 10;
constexpr hsize_t kHalf = kCount / 2;
constexpr size_t kBytes = kCount * sizeof(int);

enum class Half { First, Second };

hsize_t start_of(Half half) {
    return half == Half::First ? 0 : kHalf;
}

// Room for kCount numbers; those of the other half cannot be touched.
class HalfThere {
public:
    explicit HalfThere(Half half)
        : start_(mmap(nullptr, kBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)),
          there_(static_cast<int*>(start_) + start_of(half)) {
        if (start_ == MAP_FAILED || mprotect(there_, kBytes / 2, PROT_READ | PROT_WRITE) != 0)
            std::abort();
    }
    ~HalfThere() { munmap(start_, kBytes); }
    HalfThere(const HalfThere&) = delete;
    HalfThere& operator=(const HalfThere&) = delete;

    void* all() { return start_; }
    void fill(const std::vector<int>& values) { std::memcpy(there_, values.data(), kBytes / 2); }
    void say_values() const { say("  values", digest(there_, kBytes / 2)); }

private:
    void* start_;
    int* there_;
};

Id half_selected(Half half) {
    Id selected = space({kCount});
    const hsize_t start = start_of(half);
    DO(H5Sselect_hyperslab(selected, H5S_SELECT_SET, &start, nullptr, &kHalf, nullptr));
    return selected;
}

void write_and_read(hid_t set, Half half, hid_t memory, hid_t file) {
    HalfThere written(half);
    written.fill(counted(kHalf, static_cast<int>(half)));
    DO(H5Dwrite(set, H5T_NATIVE_INT, memory, file, H5P_DEFAULT, written.all()));
    HalfThere read(half);
    DO(H5Dread(set, H5T_NATIVE_INT, memory, file, H5P_DEFAULT, read.all()));
    read.say_values();
}

}  // namespace

SCENARIO(memory_of_a_selection_only) {
    const Id file = create("a.h5");
    const Id set = dataset(file, "x", H5T_STD_I32LE, {kCount});
    for (const Half half : {Half::First, Half::Second}) {
        const Id selected = half_selected(half);
        write_and_read(set, half, selected, selected);
        write_and_read(set, half, H5S_ALL, selected);
        write_and_read(set, half, selected, half_selected(Half::First));
    }
}

SCENARIO(memory_of_a_dataset_made_smaller) {
    const Id file = create("a.h5");
    const Id set = dataset(file, "x", H5T_STD_I32LE, {kCount}, chunked({kHalf}), {kCount});
    const Id again = ID(H5Dopen2(file, "x", H5P_DEFAULT));
    DO(H5Dset_extent(again, &kHalf));
    write_and_read(set, Half::First, H5S_ALL, H5S_ALL);
}

SCENARIO(memory_of_its_own_extent) {
    const Id file = create("a.h5");
    const Id set = dataset(file, "x", H5T_STD_I32LE, {kCount});
    write_and_read(set, Half::First, space({kHalf}), half_selected(Half::Second));
    write_and_read(set, Half::First, space({kHalf}), half_selected(Half::First));
}

}  // namespace scenario
