#include "connector/carved_chunks.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <numeric>
#include <utility>

#include "base/fork.hpp"
#include "base/immortal.hpp"

namespace quarry::connector {
namespace {

// Beyond the end of every file: whoever reads there finds nothing, instead of something else. That
// there is no address would mean that there is no chunk.
haddr_t address_of(const MissingPiece& piece) {
    return (haddr_t{1} << 62) + piece.address;
}

template <typename Value>
void give(Value* place, Value value) {
    if (place != nullptr) *place = value;
}

void give_offset(hsize_t* place, const MissingPiece& piece) {
    if (place != nullptr) std::copy(piece.offset.begin(), piece.offset.end(), place);
}

using Listed = CarvedChunks::Listed;

std::shared_ptr<const Listed> list_of(const MissingData& missing, size_t number) {
    auto made = std::make_shared<Listed>();
    made->pieces = missing.pieces(number);
    made->by_offset.resize(made->pieces.size());
    std::iota(made->by_offset.begin(), made->by_offset.end(), size_t{0});
    std::sort(made->by_offset.begin(), made->by_offset.end(),
              [&](size_t a, size_t b) { return made->pieces[a].offset < made->pieces[b].offset; });
    return made;
}

std::mutex lists_mutex;
[[maybe_unused]] const bool lists_mutex_is_free = keep_free_across_fork<lists_mutex>();
Immortal<std::map<std::pair<const MissingData*, size_t>, std::shared_ptr<const Listed>>> lists;
constexpr size_t kMostLists = 8;

// Programs open the same dataset again for each chunk, and there may be very many of these.
std::shared_ptr<const Listed> kept_list_of(const MissingData& missing, size_t number) {
    const std::lock_guard guard(lists_mutex);
    const auto found = lists->find({&missing, number});
    if (found != lists->end()) return found->second;
    auto made = list_of(missing, number);
    if (lists->size() >= kMostLists) lists->clear();
    (*lists)[{&missing, number}] = made;
    return made;
}

}  // namespace

// Datasets are opened far more often than their chunks are asked for.
const CarvedChunks::Listed& CarvedChunks::listed() {
    if (listed_ == nullptr) listed_ = kept_list_of(missing_, number_);
    return *listed_;
}

const MissingPiece* CarvedChunks::at(const hsize_t* offset) {
    const auto& [pieces, by_offset] = listed();
    const std::vector<uint64_t> wanted(offset, offset + shape_.size());
    const auto found =
        std::lower_bound(by_offset.begin(), by_offset.end(), wanted,
                         [&](size_t one, const auto& other) { return pieces[one].offset < other; });
    const bool is_there = found != by_offset.end() && pieces[*found].offset == wanted;
    return is_there ? &pieces[*found] : nullptr;
}

const MissingPiece* CarvedChunks::around(const hsize_t* element) {
    std::vector<hsize_t> first(element, element + shape_.size());
    for (size_t i = 0; i < first.size(); ++i) first[i] -= shape_[i] > 0 ? first[i] % shape_[i] : 0;
    return at(first.data());
}

std::optional<herr_t> CarvedChunks::tell(H5VL_optional_args_t& question) {
    const auto& asked = *static_cast<H5VL_native_dataset_optional_args_t*>(question.args);
    switch (question.op_type) {
        case H5VL_NATIVE_DATASET_GET_NUM_CHUNKS:
            give(asked.get_num_chunks.nchunks, hsize_t{missing_.piece_list(number_).count});
            return 0;
        case H5VL_NATIVE_DATASET_GET_CHUNK_STORAGE_SIZE:
            return tell_size(asked.get_chunk_storage_size);
        case H5VL_NATIVE_DATASET_GET_CHUNK_INFO_BY_IDX:
            return tell_by_number(asked.get_chunk_info_by_idx);
        case H5VL_NATIVE_DATASET_GET_CHUNK_INFO_BY_COORD:
            return tell_by_offset(asked.get_chunk_info_by_coord);
        case H5VL_NATIVE_DATASET_CHUNK_ITER:
            return tell_each(asked.chunk_iter.op, asked.chunk_iter.op_data);
        default:
            return std::nullopt;
    }
}

// Of any element of the chunk. HDF5 fails for one that was not written; if none was, it says
// nothing.
herr_t CarvedChunks::tell_size(const H5VL_native_dataset_get_chunk_storage_size_t& question) {
    const MissingPiece* piece = around(question.offset);
    if (piece == nullptr) return pieces().empty() ? 0 : -1;
    give(question.size, hsize_t{piece->size});
    return 0;
}

herr_t CarvedChunks::tell_by_number(const H5VL_native_dataset_get_chunk_info_by_idx_t& question) {
    if (question.chk_index >= pieces().size()) return -1;
    const MissingPiece& piece = pieces()[question.chk_index];
    give_offset(question.offset, piece);
    give(question.filter_mask, unsigned{piece.mask});
    give(question.addr, address_of(piece));
    give(question.size, hsize_t{piece.size});
    return 0;
}

// Of any element of the chunk. Where there is none, HDF5 leaves the mask as it is.
herr_t CarvedChunks::tell_by_offset(const H5VL_native_dataset_get_chunk_info_by_coord_t& question) {
    const MissingPiece* piece = around(question.offset);
    if (piece != nullptr) give(question.filter_mask, unsigned{piece->mask});
    give(question.addr, piece != nullptr ? address_of(*piece) : HADDR_UNDEF);
    give(question.size, hsize_t{piece != nullptr ? piece->size : 0});
    return 0;
}

herr_t CarvedChunks::tell_each(H5D_chunk_iter_op_t hear, void* hearer) {
    for (const MissingPiece& piece : pieces()) {
        hsize_t offset[H5S_MAX_RANK];
        give_offset(offset, piece);
        const int answer = hear(offset, piece.mask, address_of(piece), piece.size, hearer);
        if (answer != H5_ITER_CONT) return answer;
    }
    return 0;
}

}  // namespace quarry::connector
