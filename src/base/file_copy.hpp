// Copies of files that share their blocks with the original where the file system can do that, and
// whether they are copies still.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace quarry {

// All bytes of a file, and when it was changed, into an open and empty one. `hear` is told how many
// more are there, now and then. On failure errno tells why.
bool copy_into(const std::string& source, int target,
               const std::function<void(uint64_t)>& hear = nullptr);

// Into a file that must not be there yet.
bool copy_to(const std::string& source, const std::string& target,
             const std::function<void(uint64_t)>& hear = nullptr);

// So many from the beginning of both, or all of them.
bool have_equal_bytes(const std::string& one, const std::string& other,
                      uint64_t most = ~uint64_t{0});

// When a file was last touched in any way, in nanoseconds since 1970; 0 if it is gone. Programs can
// set the other times of a file as they like.
uint64_t last_touched(const std::string& path);

// Whether a copy is what it was. Its bytes are looked at only if it was touched since.
bool is_still_copy(const std::string& copy, const std::string& source, uint64_t touched);

}  // namespace quarry
