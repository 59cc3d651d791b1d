// Reads and writes of datasets, with their selections, in the trace.
#pragma once

#include <span>
#include <vector>

#include "connector/known_object.hpp"
#include "connector/operation.hpp"
#include "hdf5/virtual_sources.hpp"

namespace quarry::connector {

// The accesses of one call. Made before the call, since HDF5 must not be asked anything after a
// failed one; written after it.
class Accesses {
public:
    enum class Direction { Read, Write };

    Accesses(const Operation& operation, Direction direction, size_t count, void* const datasets[],
             const hid_t file_spaces[]) noexcept;
    Accesses(const Accesses&) = delete;
    Accesses& operator=(const Accesses&) = delete;

    void write(herr_t answer) const noexcept;
    // Whether there is anything to be told of the values, by `write_content`, after a call that has
    // succeeded: not for most, which read little.
    bool has_content() const { return has_content_; }
    void write_content(const hid_t memory_types[], const hid_t memory_spaces[],
                       const hid_t file_spaces[], const void* const buffers[]) const noexcept;

private:
    struct Access {
        Object* dataset = nullptr;
        uint64_t elements = 0;
        EncodedSelection selection;
        std::vector<hdf5::SourceAccess> sources;  // of a virtual dataset
    };

    void look_at(Access& access, Object& dataset, hid_t file_space);
    void write_sources(const Access& access, herr_t answer) const;

    const Operation& operation_;
    Direction direction_;
    bool has_content_;
    Access one_;
    std::vector<Access> many_;
    std::span<const Access> all_;
};

// Chunks read or written as they are stored, which is an operation of the native connector alone.
void record_chunk_access(const Operation& operation, Object& dataset, herr_t answer,
                         const H5VL_optional_args_t& arguments) noexcept;

// Values of variable length that HDF5 reads to tell how much memory they take.
void record_length_access(const Operation& operation, Object& dataset, herr_t answer,
                          const H5VL_optional_args_t& arguments) noexcept;

}  // namespace quarry::connector
