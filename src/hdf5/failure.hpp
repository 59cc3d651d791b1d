// How the parts of the copier tell each other that it cannot go on.
#pragma once

#include <hdf5.h>

#include <stdexcept>
#include <string>

namespace quarry::hdf5 {

// What HDF5 itself says about its last failure: the innermost of its complaints.
std::string last_complaint();

class Failure : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// Hands an answer of HDF5 on; `what` is the beginning of a sentence, as "/x cannot be read".
template <typename Answer>
Answer checked(Answer answer, const std::string& what) {
    if (answer < 0) throw Failure(what + ": " + last_complaint());
    return answer;
}

}  // namespace quarry::hdf5
