// Which object the bytes of a file belong to, as far as HDF5 or the program's own accesses tell.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace quarry::analyze {

class AddressMap {
public:
    // Later claims win: space is freed and used again.
    void claim(uint64_t address, uint64_t size, uint32_t object);
    // Parts of the global heap are claimed by their first byte: their size is not known.
    void claim_heap(uint64_t address, uint32_t object) { heaps_[address] = object; }
    void claim_header(uint64_t address, uint32_t object) { headers_[address] = object; }

    // The object that all of the range belongs to, as far as it is claimed at all.
    std::optional<uint32_t> owner(uint64_t address, uint64_t size) const;
    // The object that was the last to put values into the part of the heap that begins there.
    std::optional<uint32_t> heap_owner(uint64_t address) const;
    // The object whose header begins within the range, if there is exactly one.
    std::optional<uint32_t> header_owner(uint64_t address, uint64_t size) const;

private:
    struct Claim {
        uint64_t end;
        uint32_t object;
    };
    std::map<uint64_t, Claim> claims_;  // by their first byte; they do not overlap
    std::map<uint64_t, uint32_t> heaps_;
    std::map<uint64_t, uint32_t> headers_;
};

}  // namespace quarry::analyze
