#include "hdf5/sampled_compression.hpp"

#include <algorithm>

#include "hdf5/in_memory.hpp"
#include "model/shape.hpp"

namespace quarry::hdf5 {
namespace {

constexpr uint64_t kSamples = 16;
constexpr uint64_t kMostBytes = 64 << 20;  // of all samples together

// Where one of the chunks begins, counted row by row.
std::vector<hsize_t> begin_of(uint64_t chunk, const std::vector<hsize_t>& counts,
                              const std::vector<hsize_t>& size) {
    std::vector<hsize_t> begin(counts.size());
    for (size_t i = counts.size(); i-- > 0; chunk /= counts[i])
        begin[i] = chunk % counts[i] * size[i];
    return begin;
}

// What the values take in a file that exists only in memory; nothing if HDF5 refuses.
hsize_t stored_size(const std::vector<std::byte>& values, const std::vector<hsize_t>& shape,
                    hid_t type, hid_t creation) {
    const Handle file(H5Fcreate(kNoFile, H5F_ACC_TRUNC, H5P_DEFAULT, memory_access(kMostBytes)),
                      H5Fclose);
    const Handle space(H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr),
                       H5Sclose);
    const Handle set(H5Dcreate2(file, "x", type, space, H5P_DEFAULT, creation, H5P_DEFAULT),
                     H5Dclose);
    const bool written = H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) >= 0 &&
                         H5Dflush(set) >= 0;
    return written ? H5Dget_storage_size(set) : 0;
}

}  // namespace

Result<double> compressed_share(const std::string& path, const std::string& name,
                                const std::vector<uint64_t>& chunks) {
    prepare_library();
    const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
    if (file < 0) return Error{path + " cannot be opened"};
    const Handle set(H5Dopen2(file, name.c_str(), H5P_DEFAULT), H5Dclose);
    if (set < 0) return Error{"there is no dataset " + name + " in " + path + " any more"};
    const Handle type(H5Dget_type(set), H5Tclose);
    const Handle space(H5Dget_space(set), H5Sclose);
    const Handle creation(H5Dget_create_plist(set), H5Pclose);
    const int rank = H5Sget_simple_extent_ndims(space);
    if (rank < 1 || static_cast<size_t>(rank) != chunks.size())
        return Error{name + " has another shape now"};
    std::vector<hsize_t> shape(chunks.size());
    H5Sget_simple_extent_dims(space, shape.data(), nullptr);
    // Those at the edges are smaller: the samples are taken from the others, if there are any.
    std::vector<hsize_t> size;
    std::vector<hsize_t> counts;
    for (size_t i = 0; i < chunks.size(); ++i) {
        size.push_back(std::clamp<hsize_t>(chunks[i], 1, std::max<hsize_t>(shape[i], 1)));
        counts.push_back(std::max<hsize_t>(shape[i] / size[i], 1));
    }
    if (elements_in(shape) == 0) return Error{name + " is empty"};
    const uint64_t bytes = elements_in(size) * H5Tget_size(type);
    if (bytes > kMostBytes) return Error{"such chunks are too large to be tried"};
    if (H5Pset_chunk(creation, rank, size.data()) < 0)
        return Error{name + " cannot have such chunks"};

    const uint64_t all = elements_in(counts);
    const uint64_t samples = std::min({kSamples, all, std::max<uint64_t>(kMostBytes / bytes, 1)});
    std::vector<std::byte> values(bytes);
    uint64_t stored = 0;
    for (uint64_t sample = 0; sample < samples; ++sample) {
        const std::vector<hsize_t> begin =
            begin_of((2 * sample + 1) * all / (2 * samples), counts, size);
        const Handle memory(H5Screate_simple(rank, size.data(), nullptr), H5Sclose);
        H5Sselect_hyperslab(space, H5S_SELECT_SET, begin.data(), nullptr, size.data(), nullptr);
        if (H5Dread(set, type, memory, space, H5P_DEFAULT, values.data()) < 0)
            return Error{name + " cannot be read: perhaps one of its filters is not installed"};
        const hsize_t size_stored = stored_size(values, size, type, creation);
        if (size_stored == 0) return Error{name + " cannot be compressed in such chunks"};
        stored += size_stored;
    }
    return static_cast<double>(stored) / static_cast<double>(samples * bytes);
}

}  // namespace quarry::hdf5
