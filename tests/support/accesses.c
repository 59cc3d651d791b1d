/* Does a random sequence of accesses in C and writes down, as JSON, what it has done: for each the
 * file, the dataset's path, the direction, the numbers of the elements that it selects and its
 * bytes.
 *
 *   accesses write|read SEED EXPECTED.json
 *
 * The same seed makes the same datasets in `write` and in `read`. Data are reached by name, through
 * references to objects and regions, through an external link and several datasets in one call.
 * `read` prints a checksum of what each access gives. */
#include <hdf5.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kMaxRank = 3, kMaxDatasets = 8, kMaxElements = 12 * 12 * 12, kAccesses = 60 };

typedef struct {
    const char* file;
    char path[32]; /* in that file */
    char name[32]; /* by which it is reached from the first file */
    hid_t type;
    hsize_t shape[kMaxRank];
    hsize_t chunk[kMaxRank]; /* of zeros where there are no chunks */
    int rank;
    int filtered;
} Dataset;

/* What an access takes of one dataset. */
typedef struct {
    const Dataset* dataset;
    hid_t opened;
    hid_t space;
    hid_t memory;
    char* buffer;
    size_t size;
} Part;

static FILE* report;
static int reported = 0;
static uint64_t state;

static void check(long long fine, const char* what) {
    if (fine >= 0) return;
    fprintf(stderr, "accesses: %s failed\n", what);
    exit(1);
}

static unsigned below(unsigned limit) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return limit > 0 ? (unsigned)(state >> 33) % limit : 0;
}

static hid_t any_type(void) {
    switch (below(4)) {
        case 0:
            return H5Tcopy(H5T_STD_I8LE);
        case 1:
            return H5Tcopy(H5T_STD_I32BE);
        case 2:
            return H5Tcopy(H5T_IEEE_F64LE);
        default: {
            const hid_t compound = H5Tcreate(H5T_COMPOUND, 6);
            check(H5Tinsert(compound, "a", 0, H5T_STD_I16LE), "H5Tinsert");
            check(H5Tinsert(compound, "b", 2, H5T_IEEE_F32LE), "H5Tinsert");
            return compound;
        }
    }
}

/* Draws a dataset, and makes it where there is a file. */
static void any_dataset(Dataset* dataset, int number, hid_t file, hid_t other) {
    memset(dataset, 0, sizeof *dataset);
    const int beyond = below(4) == 0;
    dataset->file = beyond ? "other.h5" : "data.h5";
    snprintf(dataset->path, sizeof dataset->path, beyond ? "/far%d" : "/group/near%d", number);
    snprintf(dataset->name, sizeof dataset->name, beyond ? "/link%d" : "/group/near%d", number);
    dataset->rank = 1 + (int)below(kMaxRank);
    dataset->type = any_type();
    hsize_t most[kMaxRank];
    for (int i = 0; i < dataset->rank; ++i) most[i] = dataset->shape[i] = 1 + below(12);

    const hid_t making = H5Pcreate(H5P_DATASET_CREATE);
    const unsigned layout = below(5);
    if (layout == 0) H5Pset_layout(making, H5D_COMPACT);
    if (layout > 1) {
        for (int i = 0; i < dataset->rank; ++i)
            dataset->chunk[i] = 1 + below((unsigned)dataset->shape[i]);
        check(H5Pset_chunk(making, dataset->rank, dataset->chunk), "H5Pset_chunk");
        const unsigned unlimited = below(3); /* what the chunk index depends on */
        for (int i = 0; i < dataset->rank && i < (int)unlimited; ++i) most[i] = H5S_UNLIMITED;
        if (unlimited == 0 && below(2)) H5Pset_alloc_time(making, H5D_ALLOC_TIME_EARLY);
    }
    if (layout > 3) {
        dataset->filtered = 1;
        H5Pset_shuffle(making);
        H5Pset_deflate(making, 4);
        if (below(2)) H5Pset_fletcher32(making);
    }
    if (file >= 0) {
        const hid_t space = H5Screate_simple(dataset->rank, dataset->shape, most);
        const hid_t made = H5Dcreate2(beyond ? other : file, dataset->path, dataset->type, space,
                                      H5P_DEFAULT, making, H5P_DEFAULT);
        check(made, "H5Dcreate2");
        H5Dclose(made);
        H5Sclose(space);
        if (beyond)
            check(H5Lcreate_external("other.h5", dataset->path, file, dataset->name, H5P_DEFAULT,
                                     H5P_DEFAULT),
                  "H5Lcreate_external");
    }
    H5Pclose(making);
}

static void hyperslab(hid_t space, H5S_seloper_t how, const Dataset* dataset, unsigned most) {
    hsize_t start[kMaxRank], stride[kMaxRank], count[kMaxRank], block[kMaxRank];
    for (int i = 0; i < dataset->rank; ++i) {
        const unsigned size = (unsigned)dataset->shape[i];
        start[i] = below(size);
        const unsigned left = size - (unsigned)start[i];
        block[i] = 1 + below(left);
        stride[i] = block[i] + below(3);
        count[i] = 1 + below(1 + (left - (unsigned)block[i]) / (unsigned)stride[i]);
        if (count[i] > most) count[i] = most;
    }
    check(H5Sselect_hyperslab(space, how, start, stride, count, block), "H5Sselect_hyperslab");
}

static void points(hid_t space, const Dataset* dataset) {
    hsize_t places[5 * kMaxRank];
    const unsigned number = 1 + below(5);
    for (unsigned i = 0; i < number; ++i)
        for (int axis = 0; axis < dataset->rank; ++axis)
            places[i * (unsigned)dataset->rank + (unsigned)axis] =
                below((unsigned)dataset->shape[axis]);
    check(H5Sselect_elements(space, H5S_SELECT_SET, number, places), "H5Sselect_elements");
}

static void select_any(hid_t space, const Dataset* dataset) {
    switch (below(5)) {
        case 0:
            break;
        case 1:
            points(space, dataset);
            break;
        case 2:
            /* With more blocks in each, HDF5 1.14.5 makes unions that reach past the dataset. */
            hyperslab(space, H5S_SELECT_SET, dataset, 1);
            hyperslab(space, H5S_SELECT_OR, dataset, 1);
            break;
        default:
            hyperslab(space, H5S_SELECT_SET, dataset, 12);
    }
}

/* Other bytes each time. */
static void fill(char* buffer, size_t size) {
    static unsigned char next = 0;
    for (size_t i = 0; i < size; ++i) buffer[i] = (char)(next += 37);
}

static void print_sum(const Dataset* dataset, const char* buffer, size_t size) {
    uint64_t sum = 0;
    for (size_t i = 0; i < size; ++i) sum = sum * 31 + (unsigned char)buffer[i];
    printf("%s %llu\n", dataset->path, (unsigned long long)sum);
}

static void begin_entry(const Dataset* dataset, const char* direction) {
    fprintf(report, "%s[\"%s\", \"%s\", \"%s\", [", reported++ ? ",\n" : "", dataset->file,
            dataset->path, direction);
}

/* Element by element, in a way that has nothing to do with how HDF5 tells a selection. */
static herr_t mark(void* element, hid_t type, unsigned rank, const hsize_t* place, void* nothing) {
    (void)type, (void)rank, (void)place, (void)nothing;
    *(char*)element = 1;
    return 0;
}

static void write_down(const Part* part, const char* direction) {
    static char marks[kMaxElements];
    memset(marks, 0, sizeof marks);
    check(H5Diterate(marks, H5T_NATIVE_CHAR, part->space, mark, NULL), "H5Diterate");
    begin_entry(part->dataset, direction);
    const char* comma = "";
    for (int i = 0; i < kMaxElements; ++i) {
        if (!marks[i]) continue;
        fprintf(report, "%s%d", comma, i);
        comma = ", ";
    }
    fprintf(report, "], %zu]", part->size);
    if (strcmp(direction, "read") == 0) print_sum(part->dataset, part->buffer, part->size);
}

/* By one of the ways that lead to it. */
static Part any_part(hid_t file, const Dataset* dataset) {
    Part part = {.dataset = dataset};
    const int beyond = strcmp(dataset->name, dataset->path) != 0;
    const unsigned way = beyond ? 0 : below(4);
    H5R_ref_t reference;
    if (way == 1) {
        check(H5Rcreate_object(file, dataset->name, H5P_DEFAULT, &reference), "H5Rcreate_object");
        part.opened = H5Ropen_object(&reference, H5P_DEFAULT, H5P_DEFAULT);
        part.space = H5Dget_space(part.opened);
        select_any(part.space, dataset);
    } else if (way == 2) {
        const hid_t region = H5Screate_simple(dataset->rank, dataset->shape, NULL);
        select_any(region, dataset);
        check(H5Rcreate_region(file, dataset->name, region, H5P_DEFAULT, &reference),
              "H5Rcreate_region");
        H5Sclose(region);
        part.opened = H5Ropen_object(&reference, H5P_DEFAULT, H5P_DEFAULT);
        part.space = H5Ropen_region(&reference, H5P_DEFAULT, H5P_DEFAULT);
    } else {
        part.opened = H5Dopen2(file, dataset->name, H5P_DEFAULT);
        part.space = H5Dget_space(part.opened);
        select_any(part.space, dataset);
    }
    if (way == 1 || way == 2) H5Rdestroy(&reference);
    check(part.opened, "opening a dataset");
    check(part.space, "its dataspace");
    const hsize_t selected = (hsize_t)H5Sget_select_npoints(part.space);
    part.memory = H5Screate_simple(1, &selected, NULL);
    part.size = selected * H5Tget_size(dataset->type);
    part.buffer = malloc(part.size);
    fill(part.buffer, part.size);
    return part;
}

static void end_part(Part* part) {
    free(part->buffer);
    H5Sclose(part->memory);
    H5Sclose(part->space);
    check(H5Dclose(part->opened), "H5Dclose");
}

static void one_dataset(hid_t file, const Dataset* dataset, int writing) {
    Part part = any_part(file, dataset);
    if (writing)
        check(
            H5Dwrite(part.opened, dataset->type, part.memory, part.space, H5P_DEFAULT, part.buffer),
            "H5Dwrite");
    else
        check(
            H5Dread(part.opened, dataset->type, part.memory, part.space, H5P_DEFAULT, part.buffer),
            "H5Dread");
    write_down(&part, writing ? "write" : "read");
    end_part(&part);
}

static void several_datasets(hid_t file, const Dataset* datasets, int number, int writing) {
    enum { kSeveral = 3 };
    Part parts[kSeveral];
    hid_t opened[kSeveral], types[kSeveral], memories[kSeveral], spaces[kSeveral];
    void* buffers[kSeveral];
    const void* sources[kSeveral];
    /* HDF5 takes several datasets of one file in a call. */
    const Dataset* first = &datasets[below((unsigned)number)];
    size_t used = 0;
    for (int i = 0; i < number && used < kSeveral; ++i) {
        if (strcmp(datasets[i].file, first->file) != 0) continue;
        parts[used] = any_part(file, &datasets[i]);
        opened[used] = parts[used].opened;
        types[used] = datasets[i].type;
        memories[used] = parts[used].memory;
        spaces[used] = parts[used].space;
        sources[used] = buffers[used] = parts[used].buffer;
        ++used;
    }
    if (writing)
        check(H5Dwrite_multi(used, opened, types, memories, spaces, H5P_DEFAULT, sources),
              "H5Dwrite_multi");
    else
        check(H5Dread_multi(used, opened, types, memories, spaces, H5P_DEFAULT, buffers),
              "H5Dread_multi");
    for (size_t i = 0; i < used; ++i) {
        write_down(&parts[i], writing ? "write" : "read");
        end_part(&parts[i]);
    }
}

/* A chunk as it is stored, past all filters. */
static void one_chunk(hid_t file, const Dataset* dataset, int writing) {
    hsize_t place[kMaxRank];
    size_t elements = 1;
    for (int i = 0; i < dataset->rank; ++i) {
        const unsigned chunks =
            (unsigned)((dataset->shape[i] + dataset->chunk[i] - 1) / dataset->chunk[i]);
        place[i] = below(chunks) * dataset->chunk[i];
        elements *= dataset->chunk[i];
    }
    const hid_t opened = H5Dopen2(file, dataset->name, H5P_DEFAULT);
    const size_t size = elements * H5Tget_size(dataset->type);
    char* buffer = malloc(size + 1024);
    fill(buffer, size);
    hsize_t stored = 0;
    H5E_BEGIN_TRY {
        H5Dget_chunk_storage_size(opened, place, &stored);
    }
    H5E_END_TRY
    /* In the place of a chunk of the same size HDF5 1.14.5 keeps that one's mask, and then cannot
     * read the new one. */
    const int can_write = !dataset->filtered || stored != size;
    if (writing ? can_write : stored > 0 && !dataset->filtered) {
        uint32_t mask = dataset->filtered ? 7 : 0; /* not filtered, says who writes it */
        if (writing)
            check(H5Dwrite_chunk(opened, H5P_DEFAULT, mask, place, size, buffer), "H5Dwrite_chunk");
        else
            check(H5Dread_chunk(opened, H5P_DEFAULT, place, &mask, buffer), "H5Dread_chunk");
        begin_entry(dataset, writing ? "write" : "read");
        fprintf(report, "\"chunk\"");
        for (int i = 0; i < dataset->rank; ++i) fprintf(report, ", %d", (int)place[i]);
        fprintf(report, ", %zu], %zu]", elements, size);
        if (!writing) print_sum(dataset, buffer, size);
    }
    free(buffer);
    check(H5Dclose(opened), "H5Dclose");
}

int main(int count, char** words) {
    check(count == 4 ? 0 : -1, "usage: accesses write|read SEED EXPECTED.json;");
    const int writing = strcmp(words[1], "write") == 0;
    report = fopen(words[3], "w");
    check(report ? 0 : -1, "fopen");
    state = strtoull(words[2], NULL, 10);
    const hid_t settings = H5Pcreate(H5P_FILE_ACCESS);
    if (below(2)) H5Pset_libver_bounds(settings, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    hid_t file = H5I_INVALID_HID, other = H5I_INVALID_HID;
    if (writing) {
        file = H5Fcreate("data.h5", H5F_ACC_EXCL, H5P_DEFAULT, settings);
        other = H5Fcreate("other.h5", H5F_ACC_EXCL, H5P_DEFAULT, settings);
        check(H5Gclose(H5Gcreate2(file, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)), "group");
    }
    Dataset datasets[kMaxDatasets] = {0};
    const int number = 2 + (int)below(kMaxDatasets - 1);
    for (int i = 0; i < number; ++i) any_dataset(&datasets[i], i, file, other);
    if (writing) check(H5Fclose(other), "H5Fclose");
    if (!writing) file = H5Fopen("data.h5", H5F_ACC_RDONLY, settings);
    check(file, "the file");

    state += (uint64_t)writing;
    fprintf(report, "[");
    for (int i = 0; i < kAccesses; ++i) {
        const Dataset* dataset = &datasets[below((unsigned)number)];
        const unsigned kind = below(8);
        if (kind == 0)
            several_datasets(file, datasets, number, writing);
        else if (kind == 1 && dataset->chunk[0] != 0)
            one_chunk(file, dataset, writing);
        else
            one_dataset(file, dataset, writing);
        if (writing && below(5) == 0) check(H5Fflush(file, H5F_SCOPE_GLOBAL), "H5Fflush");
    }
    fprintf(report, "]\n");
    for (int i = 0; i < number; ++i) H5Tclose(datasets[i].type);
    H5Pclose(settings);
    check(H5Fclose(file), "H5Fclose");
    return fclose(report);
}
