/* Reads single values of a dataset, as many as asked for, each in an I/O of its own and at a place
 * that everybody can compute: the i-th reads element i * 7919 modulo the number of elements.
 *
 *   scattered_reads FILE COUNT
 *
 * The file is made if it is not there. Prints the sum of what was read. */
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { kElements = 1000000, kStep = 7919 };

static void check(int fine, const char* what) {
    if (fine) return;
    fprintf(stderr, "scattered_reads: %s failed\n", what);
    exit(1);
}

static void make(const char* name) {
    long long* values = malloc(kElements * sizeof *values);
    check(values != NULL, "malloc");
    for (int i = 0; i < kElements; ++i) values[i] = i;
    const hsize_t size = kElements;
    const hid_t file = H5Fcreate(name, H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t space = H5Screate_simple(1, &size, NULL);
    const hid_t dataset =
        H5Dcreate2(file, "values", H5T_NATIVE_LLONG, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    check(H5Dwrite(dataset, H5T_NATIVE_LLONG, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0, "write");
    H5Dclose(dataset);
    H5Sclose(space);
    check(H5Fclose(file) >= 0, "close");
    free(values);
}

int main(int count, char** words) {
    check(count == 3, "usage: scattered_reads FILE COUNT;");
    const long wanted = strtol(words[2], NULL, 10);
    if (access(words[1], F_OK) != 0) make(words[1]);
    const hid_t settings = H5Pcreate(H5P_FILE_ACCESS);
    H5Pset_sieve_buf_size(settings, 0);
    const hid_t file = H5Fopen(words[1], H5F_ACC_RDONLY, settings);
    const hid_t dataset = H5Dopen2(file, "values", H5P_DEFAULT);
    check(dataset >= 0, "open");
    const hid_t place = H5Dget_space(dataset);
    const hsize_t one = 1;
    const hid_t single = H5Screate_simple(1, &one, NULL);
    long long sum = 0;
    for (long i = 0; i < wanted; ++i) {
        long long value = -1;
        const hsize_t start = (hsize_t)i * kStep % kElements;
        H5Sselect_hyperslab(place, H5S_SELECT_SET, &start, NULL, &one, NULL);
        check(H5Dread(dataset, H5T_NATIVE_LLONG, single, place, H5P_DEFAULT, &value) >= 0, "read");
        sum += value;
    }
    printf("%lld\n", sum);
    H5Sclose(single);
    H5Sclose(place);
    H5Dclose(dataset);
    H5Fclose(file);
    H5Pclose(settings);
    return 0;
}
