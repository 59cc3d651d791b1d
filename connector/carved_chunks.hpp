// What HDF5 tells about the chunks of a dataset, told of one that was carved.
#pragma once

#include <hdf5.h>

#include <memory>
#include <optional>
#include <vector>

#include "connector/object.hpp"
#include "model/missing_data.hpp"

namespace quarry::connector {

class CarvedChunks {
public:
    // `missing` and `shape`, that of a chunk, must outlive it.
    CarvedChunks(const MissingData& missing, size_t number, const std::vector<uint64_t>& shape)
        : missing_(missing), number_(number), shape_(shape) {}

    // The chunk that begins there; null if there was none. May throw std::bad_alloc.
    const MissingPiece* at(const hsize_t* offset);

    // As the original would answer, but for addresses: where its chunks lie there is something else
    // in the file that the program sees. Nothing if that is not known. May throw std::bad_alloc.
    std::optional<herr_t> tell(H5VL_optional_args_t& question);

    // The chunks of a dataset, in HDF5's order, and by where they begin.
    struct Listed {
        std::vector<MissingPiece> pieces;
        std::vector<size_t> by_offset;
    };

private:
    const Listed& listed();
    const std::vector<MissingPiece>& pieces() { return listed().pieces; }
    const MissingPiece* around(const hsize_t* element);
    herr_t tell_size(const H5VL_native_dataset_get_chunk_storage_size_t& question);
    herr_t tell_by_number(const H5VL_native_dataset_get_chunk_info_by_idx_t& question);
    herr_t tell_by_offset(const H5VL_native_dataset_get_chunk_info_by_coord_t& question);
    herr_t tell_each(H5D_chunk_iter_op_t hear, void* hearer);

    const MissingData& missing_;
    size_t number_;
    const std::vector<uint64_t>& shape_;
    std::shared_ptr<const Listed> listed_;  // once one is asked for
};

}  // namespace quarry::connector
