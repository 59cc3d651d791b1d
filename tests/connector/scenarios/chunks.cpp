// Chunk by chunk: direct reading and writing, and questions about single chunks.
#include <cstring>
#include <ranges>

#include "describe.hpp"
#include "scenario.hpp"

namespace scenario {
namespace {

std::string bytes_text(const std::vector<unsigned char>& bytes) {
    return text(bytes.size()) + " bytes, digest " + digest(bytes.data(), bytes.size());
}

int say_chunk(const hsize_t* offset, unsigned mask, haddr_t address, hsize_t size, void* rank) {
    say("  chunk at", Dims(offset, offset + *static_cast<int*>(rank)), "mask", mask, address, size);
    return 0;
}

void say_chunks(hid_t set, int rank) {
    hsize_t count = 0;
    DO(H5Dget_num_chunks(set, H5S_ALL, &count));
    say("chunks", count);
    for (hsize_t i = 0; i <= count; ++i) {
        Dims offset(static_cast<size_t>(rank));
        unsigned mask = 0;
        haddr_t address = 0;
        hsize_t size = 0;
        if (DO(H5Dget_chunk_info(set, H5S_ALL, i, offset.data(), &mask, &address, &size)) < 0)
            continue;
        say("  at", offset, mask, address, size);
        DO(H5Dget_chunk_info_by_coord(set, offset.data(), &mask, &address, &size));
        DO(H5Dget_chunk_storage_size(set, offset.data(), &size));
    }
    DO(H5Dchunk_iter(set, H5P_DEFAULT, say_chunk, &rank));
}

}  // namespace

SCENARIO(chunk_questions) {
    const Id file = create("a.h5");
    const Id creation = chunked({4, 4});
    H5Pset_deflate(creation, 6);
    const Id set =
        dataset(file, "x", H5T_STD_I32LE, {10, 10}, creation, {H5S_UNLIMITED, H5S_UNLIMITED});
    say_chunks(set, 2);
    write(set, counted(100));
    say_chunks(set, 2);
    const hsize_t outside[] = {40, 40}, crooked[] = {1, 2};
    unsigned mask = 0;
    haddr_t address = 0;
    hsize_t size = 0;
    DO(H5Dget_chunk_info_by_coord(set, outside, &mask, &address, &size));
    DO(H5Dget_chunk_info_by_coord(set, crooked, &mask, &address, &size));
    const Id plain = dataset(file, "plain", H5T_STD_I32LE, {4});
    DO(H5Dget_num_chunks(plain, H5S_ALL, &size));
    int rank = 1;
    DO(H5Dchunk_iter(plain, H5P_DEFAULT, say_chunk, &rank));
}

SCENARIO(chunk_direct_write_and_read) {
    const Id file = create("a.h5");
    const Id creation = chunked({2, 4});
    H5Pset_shuffle(creation);
    H5Pset_deflate(creation, 3);
    const Id set = dataset(file, "x", H5T_STD_I32LE, {4, 8}, creation);
    const std::vector<int> plain = counted(8, 50);
    // Both filters skipped: what is stored are the values themselves.
    const hsize_t first[] = {0, 0}, second[] = {2, 4}, crooked[] = {1, 1}, outside[] = {8, 8};
    DO(H5Dwrite_chunk(set, H5P_DEFAULT, 0x3, first, 32, plain.data()));
    DO(H5Dwrite_chunk(set, H5P_DEFAULT, 0x3, crooked, 32, plain.data()));
    DO(H5Dwrite_chunk(set, H5P_DEFAULT, 0x3, outside, 32, plain.data()));
    DO(H5Dwrite_chunk(set, H5P_DEFAULT, 0, first, 0, plain.data()));
    const Id part(H5Dget_space(set));
    const hsize_t size[] = {2, 4};
    H5Sselect_hyperslab(part, H5S_SELECT_SET, second, nullptr, size, nullptr);
    write(set, counted(8, 7), space({8}), part);
    read(set);
    for (const hsize_t* offset : {first, second}) {
        hsize_t stored = 0;
        DO(H5Dget_chunk_storage_size(set, offset, &stored));
        std::vector<unsigned char> bytes(stored);
        uint32_t mask = 0;
        DO(H5Dread_chunk(set, H5P_DEFAULT, offset, &mask, bytes.data()));
        say("mask", mask, bytes_text(bytes));
    }
    const hsize_t absent[] = {0, 4};
    std::vector<unsigned char> bytes(100);
    uint32_t mask = 0;
    DO(H5Dread_chunk(set, H5P_DEFAULT, absent, &mask, bytes.data()));
    say_chunks(set, 2);
}

SCENARIO(chunk_moved_between_files) {
    const Id from = create("from.h5"), to = create("to.h5");
    const Id creation = chunked({16});
    H5Pset_deflate(creation, 9);
    const Id source = dataset(from, "x", H5T_STD_I32LE, {64}, creation);
    const Id target = dataset(to, "x", H5T_STD_I32LE, {64}, creation);
    write(source, counted(64));
    DO(H5Dflush(source));
    for (hsize_t offset = 0; offset < 64; offset += 16) {
        hsize_t stored = 0;
        DO(H5Dget_chunk_storage_size(source, &offset, &stored));
        std::vector<unsigned char> bytes(stored);
        uint32_t mask = 0;
        DO(H5Dread_chunk(source, H5P_DEFAULT, &offset, &mask, bytes.data()));
        DO(H5Dwrite_chunk(target, H5P_DEFAULT, mask, &offset, bytes.size(), bytes.data()));
    }
    read(target);
}

SCENARIO(chunk_options) {
    const Id list = access();
    H5Pset_libver_bounds(list, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    const Id file = create("a.h5", list);
    const Id creation = chunked({4, 4});
    H5Pset_deflate(creation, 1);
    DO(H5Pset_chunk_opts(creation, H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS));
    const Id set = dataset(file, "x", H5T_STD_I32LE, {6, 6}, creation);
    write(set, counted(36));
    say_chunks(set, 2);
    const hsize_t start = 0;
    say("start", start);
    describe(file);
}

// Chunks that are written in a way that keeps them in the cache until the file is closed.
SCENARIO(chunk_cache_and_closing_order) {
    Id file = create("a.h5");
    std::vector<Id> sets;
    for (int i = 0; i < 5; ++i) {
        sets.push_back(dataset(file, ("x" + text(i)).c_str(), H5T_STD_I32LE, {100}, chunked({7})));
        write(sets.back(), counted(100, i));
    }
    file.close();
    for (Id& set : std::views::reverse(sets)) set.close();
    file = open("a.h5", H5F_ACC_RDONLY);
    describe(file);
}

}  // namespace scenario
