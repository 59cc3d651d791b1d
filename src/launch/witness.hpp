// The proof that processes leave in the directory given as `witness=`.
#pragma once

#include <string>
#include <vector>

namespace quarry {

// One HDF5 library in one process that has loaded the connector.
struct Witness {
    std::string library;
    bool object_layer = false;  // an operation on an object was seen
    bool byte_layer = false;    // bytes of a file were seen
};

std::vector<Witness> read_witnesses(const std::string& directory);

// What the witnesses lack to prove that the connector carried these libraries; empty: nothing.
std::string missing_proof(const std::vector<Witness>& witnesses,
                          const std::vector<std::string>& libraries);

}  // namespace quarry
