// What programs do with HDF5, one workload a run, natively or under whichever connector the
// environment names. `bench/run` alternates the runs and compares them.
//
//   workloads --benchmark_filter=large_read     a workload
//   workloads tiny COUNT                        for counting instructions: nothing but HDF5 calls
//   workloads again COUNT                       the same, on datasets that were opened before
//   workloads make FILE MEBIBYTES               a file of that size
//   workloads whole FILE                        reads it
//
// Files lie in the current directory; `workloads prepare` makes those that are read.
#include <benchmark/benchmark.h>
#include <hdf5.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace {

constexpr hsize_t kGibibyte = hsize_t{1} << 30;
constexpr int kManyDatasets = 200;
constexpr hsize_t kManyBytes = 1'000'000;
constexpr int kTinyDatasets = 2000;
constexpr int kTinyAgain = 100;

void fail(const char* what) {
    std::fprintf(stderr, "workloads: %s failed\n", what);
    std::exit(1);
}

hid_t create_file(const char* name) {
    const hid_t file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    if (file < 0) fail(name);
    return file;
}

hid_t open_file(const char* name) {
    const hid_t file = H5Fopen(name, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (file < 0) fail(name);
    return file;
}

template <typename Value>
void write_dataset(hid_t file, const char* name, hid_t type, std::span<const Value> values) {
    const hsize_t size = values.size();
    const hid_t space = H5Screate_simple(1, &size, nullptr);
    const hid_t dataset =
        H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) fail(name);
    H5Dclose(dataset);
    H5Sclose(space);
}

template <typename Value>
void read_dataset(hid_t file, const char* name, hid_t type, std::span<Value> values) {
    const hid_t dataset = H5Dopen2(file, name, H5P_DEFAULT);
    if (H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0) fail(name);
    H5Dclose(dataset);
}

std::string numbered(int number) {
    char name[16];
    std::snprintf(name, sizeof name, "d%05d", number);
    return name;
}

// A gibibyte in huge pages: with small ones, where the kernel happens to put them moves the time of
// a whole process by some percent, which is more than what is to be measured.
class LargeBuffer {
public:
    LargeBuffer() : bytes_(std::aligned_alloc(kHugePage, kGibibyte)) {
        if (!bytes_) fail("allocating 1 GiB");
        madvise(bytes_, kGibibyte, MADV_HUGEPAGE);
        std::fill_n(static_cast<double*>(bytes_), kGibibyte / sizeof(double), 1.5);
    }
    LargeBuffer(const LargeBuffer&) = delete;
    LargeBuffer& operator=(const LargeBuffer&) = delete;
    ~LargeBuffer() { std::free(bytes_); }

    std::span<double> values() {
        return {static_cast<double*>(bytes_), kGibibyte / sizeof(double)};
    }

private:
    static constexpr std::size_t kHugePage = std::size_t{2} << 20;
    void* bytes_;
};

std::span<double> quarter(LargeBuffer& buffer, int number) {
    const size_t size = buffer.values().size() / 4;
    return buffer.values().subspan(size * static_cast<size_t>(number), size);
}

void large_read(benchmark::State& state) {
    LargeBuffer buffer;
    for ([[maybe_unused]] auto _ : state) {
        const hid_t file = open_file("large.h5");
        read_dataset(file, "values", H5T_NATIVE_DOUBLE, buffer.values());
        H5Fclose(file);
    }
    state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * kGibibyte));
}
BENCHMARK(large_read)->Iterations(3)->Unit(benchmark::kMillisecond)->UseRealTime();

void large_write(benchmark::State& state) {
    LargeBuffer buffer;
    for ([[maybe_unused]] auto _ : state) {
        const hid_t file = create_file("written.h5");
        write_dataset<double>(file, "values", H5T_NATIVE_DOUBLE, buffer.values());
        H5Fclose(file);
    }
    state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * kGibibyte));
}
BENCHMARK(large_write)->Iterations(3)->Unit(benchmark::kMillisecond)->UseRealTime();

void many_datasets(benchmark::State& state) {
    std::vector<char> values(kManyBytes);
    for ([[maybe_unused]] auto _ : state) {
        const hid_t file = open_file("many.h5");
        for (int i = 0; i < kManyDatasets; ++i) {
            read_dataset<char>(file, numbered(i).c_str(), H5T_NATIVE_CHAR, values);
        }
        H5Fclose(file);
    }
}
BENCHMARK(many_datasets)->Iterations(5)->Unit(benchmark::kMillisecond)->UseRealTime();

// A gibibyte in four datasets.
void four_datasets(benchmark::State& state) {
    LargeBuffer buffer;
    for ([[maybe_unused]] auto _ : state) {
        const hid_t file = open_file("four.h5");
        for (int i = 0; i < 4; ++i)
            read_dataset(file, numbered(i).c_str(), H5T_NATIVE_DOUBLE, quarter(buffer, i));
        H5Fclose(file);
    }
    state.SetBytesProcessed(static_cast<int64_t>(state.iterations() * kGibibyte));
}
BENCHMARK(four_datasets)->Iterations(3)->Unit(benchmark::kMillisecond)->UseRealTime();

void prepare() {
    LargeBuffer buffer;
    hid_t file = create_file("large.h5");
    write_dataset<double>(file, "values", H5T_NATIVE_DOUBLE, buffer.values());
    H5Fclose(file);
    file = create_file("four.h5");
    for (int i = 0; i < 4; ++i)
        write_dataset<double>(file, numbered(i).c_str(), H5T_NATIVE_DOUBLE, quarter(buffer, i));
    H5Fclose(file);
    file = create_file("many.h5");
    for (int i = 0; i < kManyDatasets; ++i) {
        write_dataset<char>(file, numbered(i).c_str(), H5T_NATIVE_CHAR,
                            std::vector<char>(kManyBytes, 7));
    }
    H5Fclose(file);
    file = create_file("tiny.h5");
    for (int i = 0; i < kTinyDatasets; ++i) {
        write_dataset<int>(file, numbered(i).c_str(), H5T_NATIVE_INT, std::vector<int>(16, i));
    }
    H5Fclose(file);
}

// A file of one dataset with so many mebibytes.
void make(const char* name, int mebibytes) {
    const std::vector<double> values(
        (size_t{1} << 20) / sizeof(double) * static_cast<size_t>(mebibytes), 1.5);
    const hid_t file = create_file(name);
    write_dataset<double>(file, "values", H5T_NATIVE_DOUBLE, values);
    H5Fclose(file);
}

void read_whole(const char* name) {
    const hid_t file = open_file(name);
    const hid_t dataset = H5Dopen2(file, "values", H5P_DEFAULT);
    std::vector<double> values(H5Dget_storage_size(dataset) / sizeof(double));
    H5Dclose(dataset);
    read_dataset<double>(file, "values", H5T_NATIVE_DOUBLE, values);
    H5Fclose(file);
}

void tiny(int count, int different) {
    std::vector<int> values(16);
    const hid_t file = open_file("tiny.h5");
    for (int i = 0; i < count; ++i)
        read_dataset<int>(file, numbered(i % different).c_str(), H5T_NATIVE_INT, values);
    H5Fclose(file);
}

}  // namespace

int main(int count, char** arguments) {
    const std::string verb = count > 1 ? arguments[1] : "";
    if (verb == "prepare") {
        prepare();
        return 0;
    }
    if (verb == "make" && count > 3) {
        make(arguments[2], std::stoi(arguments[3]));
        return 0;
    }
    if (verb == "whole" && count > 2) {
        read_whole(arguments[2]);
        return 0;
    }
    if ((verb == "tiny" || verb == "again") && count > 2) {
        tiny(std::stoi(arguments[2]), verb == "tiny" ? kTinyDatasets : kTinyAgain);
        return 0;
    }
    benchmark::Initialize(&count, arguments);
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
