// An ordinary program: writes a file, reads it back along a few paths, and prints what it read.
#include <hdf5.h>

#include <cstdio>
#include <vector>

namespace {

void write_file(const char* name) {
    const hid_t file = H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    const hsize_t size = 100;
    const hid_t space = H5Screate_simple(1, &size, nullptr);
    std::vector<int> values(size);
    for (int i = 0; i < 100; ++i) values[static_cast<size_t>(i)] = i * i;
    const hid_t group = H5Gcreate(file, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t dataset =
        H5Dcreate(group, "squares", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dwrite(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    const hid_t attribute =
        H5Acreate(dataset, "note", H5T_NATIVE_INT, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(attribute, H5T_NATIVE_INT, values.data());
    H5Lcreate_external(name, "/group/squares", file, "link", H5P_DEFAULT, H5P_DEFAULT);
    H5Aclose(attribute);
    H5Dclose(dataset);
    H5Gclose(group);
    H5Sclose(space);
    H5Fclose(file);
}

long sum(hid_t file, const char* path) {
    std::vector<int> values(100);
    const hid_t dataset = H5Dopen(file, path, H5P_DEFAULT);
    H5Dread(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    H5Dclose(dataset);
    long total = 0;
    for (const int value : values) total += value;
    return total;
}

}  // namespace

int main(int, char** arguments) {
    write_file(arguments[1]);
    const hid_t file = H5Fopen(arguments[1], H5F_ACC_RDONLY, H5P_DEFAULT);
    std::printf("%ld %ld\n", sum(file, "/group/squares"), sum(file, "link"));
    return H5Fclose(file) < 0;
}
