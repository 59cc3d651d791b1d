#include <algorithm>

#include "hdf5/compared.hpp"
#include "hdf5/data_parts.hpp"
#include "hdf5/failure.hpp"
#include "hdf5/filters.hpp"
#include "hdf5/hollow.hpp"
#include "hdf5/own_library.hpp"
#include "hdf5/stand_ins.hpp"
#include "hdf5/stored_pieces.hpp"
#include "hdf5/types.hpp"

namespace quarry::hdf5 {
namespace {

const std::string kWhat = "its data cannot be read";

enum class Carved {
    No,
    Partly,  // chunks of it are left out
    Hollow,
};

class DatasetComparison {
public:
    DatasetComparison(Compared& files, const Where& where, const TwoObjects& datasets)
        : files_(files),
          where_(where),
          old_(datasets.old),
          copy_(datasets.copy),
          old_list_(datasets.old_list),
          copy_list_(datasets.copy_list),
          old_type_(checked(H5Dget_type(old_), kWhat), H5Tclose),
          copy_type_(checked(H5Dget_type(copy_), kWhat), H5Tclose),
          old_space_(checked(H5Dget_space(old_), kWhat), H5Sclose),
          copy_space_(checked(H5Dget_space(copy_), kWhat), H5Sclose),
          old_state_(state_of(old_)),
          copy_state_(state_of(copy_)),
          carved_(how_carved()) {}

    void run() {
        const uint64_t before = files_.result.all_differences;
        compare_types(files_, where_, old_type_, copy_type_);
        compare_spaces(files_, where_, old_space_, copy_space_);
        compare_lists();
        // Data of another kind would be another everywhere.
        if (files_.result.all_differences == before) {
            if (carved_ == Carved::No) compare_storage();
            compare_data();
        }
        count();
    }

private:
    static H5D_space_status_t state_of(hid_t dataset) {
        H5D_space_status_t state{};
        checked(H5Dget_space_status(dataset, &state), kWhat);
        return state;
    }

    static std::optional<GuardMark> mark_in(hid_t list) {
        const std::vector<Filter> filters = filters_of(list);
        if (filters.empty() || filters.back().id != kGuardFilter) return std::nullopt;
        GuardMark mark{};
        std::copy_n(filters.back().values.begin(),
                    std::min(mark.size(), filters.back().values.size()), mark.begin());
        return mark;
    }

    static bool lacks_fill_value(hid_t list) {
        H5D_fill_value_t defined{};
        return H5Pfill_value_defined(list, &defined) >= 0 && defined == H5D_FILL_VALUE_UNDEFINED;
    }

    Carved how_carved() const {
        const bool is_empty = copy_state_ == H5D_SPACE_STATUS_NOT_ALLOCATED;
        if (mark_in(copy_list_) && !mark_in(old_list_))
            return is_empty ? Carved::Hollow : Carved::Partly;
        // What lies in the heap cannot be guarded.
        const bool was_another =
            old_state_ != H5D_SPACE_STATUS_NOT_ALLOCATED || !lacks_fill_value(old_list_);
        return is_empty && was_another && lacks_fill_value(copy_list_) &&
                       has_variable_length(old_type_)
                   ? Carved::Hollow
                   : Carved::No;
    }

    void compare_lists() {
        if (carved_ == Carved::No) {
            compare_with(old_list_);
            return;
        }
        const Handle expected(checked(H5Pcopy(old_list_), kWhat), H5Pclose);
        stand_in_for_filters(expected);
        // Whichever file it says that it is a copy of: that is for those who serve it.
        const GuardMark mark = mark_in(copy_list_).value_or(GuardMark{});
        if (carved_ == Carved::Hollow)
            make_hollow(expected, old_type_, old_space_, mark);
        else
            make_carvable(expected, mark);
        compare_with(expected);
    }

    void compare_with(hid_t expected) {
        files_.differences.compare(where_, dataset_properties(expected),
                                   dataset_properties(copy_list_));
        H5D_fill_value_t expected_fill{}, fill{};
        H5Pfill_value_defined(expected, &expected_fill);
        H5Pfill_value_defined(copy_list_, &fill);
        if (expected_fill == H5D_FILL_VALUE_USER_DEFINED && fill == expected_fill)
            compare_fill_values();
    }

    void compare_fill_values() {
        const Handle one(H5Screate(H5S_SCALAR), H5Sclose);
        const auto reading = [](hid_t list, hid_t type) {
            return Reading{type, [=](void* value) { return H5Pget_fill_value(list, type, value); }};
        };
        if (files_.values.first_difference(reading(old_list_, old_type_),
                                           reading(copy_list_, copy_type_), one,
                                           "its fill value cannot be read"))
            files_.differences.add(where_, "its fill value is another");
    }

    void compare_storage() {
        if (old_state_ != copy_state_)
            files_.differences.add(where_, "another part of its storage is allocated");
        // Chunks are compared one by one.
        if (H5Pget_layout(old_list_) == H5D_CONTIGUOUS &&
            H5Dget_storage_size(old_) != H5Dget_storage_size(copy_))
            files_.differences.add(where_, "its storage has another size");
        if (H5Pget_layout(old_list_) != H5D_CHUNKED) return;
        H5D_chunk_index_t old_index{}, copy_index{};
        if (H5Dget_chunk_index_type(old_, &old_index) >= 0 &&
            H5Dget_chunk_index_type(copy_, &copy_index) >= 0 && old_index != copy_index)
            files_.differences.add(where_, "its chunks are found by another kind of index");
    }

    void compare_data() {
        const H5D_layout_t layout = H5Pget_layout(old_list_);
        if (carved_ == Carved::Hollow || layout == H5D_VIRTUAL ||
            H5Pget_external_count(old_list_) > 0 || old_state_ == H5D_SPACE_STATUS_NOT_ALLOCATED ||
            elements_in(old_space_) == 0)
            return;
        const bool is_decoded = has_variable_length(old_type_) || has_references(old_type_);
        if (layout == H5D_CHUNKED && !compare_chunks(is_decoded)) return;
        const auto compare = [this](hid_t part) { compare_part(part); };
        if (layout != H5D_CHUNKED)
            each_part(old_space_, H5Tget_size(old_type_), compare);
        else if (is_decoded)
            each_chunk(old_, old_space_, old_list_, kWhat, compare);
    }

    void compare_part(hid_t part) {
        if (is_other_) return;
        const auto count = static_cast<hsize_t>(std::max<hssize_t>(H5Sget_select_npoints(part), 1));
        const Handle memory(H5Screate_simple(1, &count, nullptr), H5Sclose);
        const hid_t all = memory;
        const auto reading = [&](hid_t dataset, hid_t type) {
            return Reading{type, [=](void* values) {
                               return H5Dread(dataset, type, all, part, H5P_DEFAULT, values);
                           }};
        };
        const auto first = files_.values.first_difference(
            reading(old_, old_type_), reading(copy_, copy_type_), memory, kWhat);
        if (first) say_another(part, *first);
        tell(count * H5Tget_size(old_type_));
    }

    // The first one only: a value that is another seldom is alone.
    void say_another(hid_t part, size_t number) {
        is_other_ = true;
        std::string text = "its data is another";
        if (H5Sget_simple_extent_type(part) == H5S_SIMPLE) {
            std::vector<hsize_t> first(static_cast<size_t>(H5Sget_simple_extent_ndims(part)));
            std::vector<hsize_t> last(first.size());
            H5Sget_select_bounds(part, first.data(), last.data());
            for (size_t i = first.size(); i-- > 0;) {
                const hsize_t length = last[i] - first[i] + 1;
                first[i] += number % length;
                number /= length;
            }
            text += " at [" + place_text(first) + "]";
        }
        files_.differences.add(where_, text);
    }

    static std::string place_text(const std::vector<hsize_t>& place) {
        std::string text;
        for (const hsize_t number : place)
            text += (text.empty() ? "" : ", ") + std::to_string(number);
        return text;
    }

    // Whether the same chunks are there. Those that are decoded are not compared as they are
    // stored.
    bool compare_chunks(bool is_decoded) {
        std::vector<StoredPiece> olds = sorted_chunks(old_, old_list_);
        std::vector<StoredPiece> copies = sorted_chunks(copy_, copy_list_);
        const bool are_paired = std::equal(olds.begin(), olds.end(), copies.begin(), copies.end(),
                                           [](const StoredPiece& left, const StoredPiece& right) {
                                               return left.offset == right.offset;
                                           });
        if (!are_paired) {
            files_.differences.add(where_, "other chunks of it are stored");
            return false;
        }
        for (size_t i = 0; i < olds.size() && !is_decoded && !is_other_; ++i)
            compare_chunk(olds[i], copies[i]);
        return true;
    }

    static std::vector<StoredPiece> sorted_chunks(hid_t dataset, hid_t creation_list) {
        std::vector<StoredPiece> chunks = pieces_of(dataset, creation_list, kWhat);
        std::sort(chunks.begin(), chunks.end(),
                  [](const StoredPiece& left, const StoredPiece& right) {
                      return left.offset < right.offset;
                  });
        return chunks;
    }

    void compare_chunk(const StoredPiece& old, const StoredPiece& copy) {
        const unsigned guard = carved_ == Carved::Partly ? guard_bit(copy_list_) : 0;
        const uint32_t copy_mask = read_chunk(copy_, copy, copy_bytes_);
        if (guard != 0 && (copy_mask & guard) == 0 && copy.size == 1) {
            ++files_.result.chunks_left_out;
            files_.result.bytes_left_out += old.size;
            return;
        }
        const uint32_t old_mask = read_chunk(old_, old, old_bytes_);
        const std::string chunk = "the chunk at [" + place_text(old.offset) + "] ";
        is_other_ = true;
        if ((old_mask | guard) != copy_mask && has_filters(old.offset))
            files_.differences.add(where_, chunk + "has another mask of filters");
        else if (old_bytes_ != copy_bytes_)
            files_.differences.add(where_, chunk + "is another");
        else
            is_other_ = false;
        tell(old.size);
    }

    // Of chunks that have none, HDF5 does not look at the mask.
    bool has_filters(const std::vector<hsize_t>& chunk) const {
        unsigned options = 0;
        checked(H5Pget_chunk_opts(old_list_, &options), kWhat);
        if ((options & H5D_CHUNK_DONT_FILTER_PARTIAL_CHUNKS) == 0) return true;
        std::vector<hsize_t> size(chunk.size()), shape(chunk.size());
        checked(H5Pget_chunk(old_list_, static_cast<int>(size.size()), size.data()), kWhat);
        checked(H5Sget_simple_extent_dims(old_space_, shape.data(), nullptr), kWhat);
        for (size_t i = 0; i < chunk.size(); ++i)
            if (chunk[i] + size[i] > shape[i]) return false;
        return true;
    }

    static uint32_t read_chunk(hid_t dataset, const StoredPiece& chunk,
                               std::vector<std::byte>& bytes) {
        uint32_t mask = 0;
        bytes.resize(chunk.size);
        checked(H5Dread_chunk(dataset, H5P_DEFAULT, chunk.offset.data(), &mask, bytes.data()),
                kWhat);
        return mask;
    }

    void tell(uint64_t bytes) {
        files_.result.bytes += bytes;
        if (files_.progress) files_.progress(bytes);
    }

    void count() {
        ++files_.result.datasets;
        if (carved_ == Carved::Partly) ++files_.result.partly;
        if (carved_ != Carved::Hollow) return;
        ++files_.result.hollow;
        files_.result.bytes_left_out += H5Dget_storage_size(old_);
    }

    Compared& files_;
    const Where& where_;
    hid_t old_;
    hid_t copy_;
    hid_t old_list_;
    hid_t copy_list_;
    Handle old_type_;
    Handle copy_type_;
    Handle old_space_;
    Handle copy_space_;
    H5D_space_status_t old_state_;
    H5D_space_status_t copy_state_;
    Carved carved_;
    bool is_other_ = false;  // some of its data
    std::vector<std::byte> old_bytes_;
    std::vector<std::byte> copy_bytes_;
};

}  // namespace

void compare_datasets(Compared& files, const Where& where, const TwoObjects& datasets) {
    DatasetComparison(files, where, datasets).run();
}

}  // namespace quarry::hdf5
