/* Reads the first value of FILE's dataset "values" once in each of two steps and once outside. */
#include <hdf5.h>
#include <quarry/step.h>
#include <stdio.h>

static int read_one(const char* name) {
    const hid_t file = H5Fopen(name, H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t dataset = H5Dopen2(file, "values", H5P_DEFAULT);
    const hid_t place = H5Dget_space(dataset);
    const hsize_t start = 0;
    const hsize_t one = 1;
    const hid_t single = H5Screate_simple(1, &one, NULL);
    long long value = -1;
    H5Sselect_hyperslab(place, H5S_SELECT_SET, &start, NULL, &one, NULL);
    const herr_t answer = H5Dread(dataset, H5T_NATIVE_LLONG, single, place, H5P_DEFAULT, &value);
    H5Sclose(single);
    H5Sclose(place);
    H5Dclose(dataset);
    H5Fclose(file);
    return answer < 0;
}

int main(int count, char** words) {
    if (count != 2) return 2;
    quarry_step("first");
    int failed = read_one(words[1]);
    quarry_step("second");
    failed |= read_one(words[1]);
    quarry_step(NULL);
    failed |= read_one(words[1]);
    return failed;
}
