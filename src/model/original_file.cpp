#include "model/original_file.hpp"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/checksum.hpp"
#include "base/file_times.hpp"

namespace quarry {

bool looks_like(const struct stat& status, const OriginalFile& original) {
    return static_cast<uint64_t>(status.st_size) == original.size &&
           modified(status) == original.modified;
}

uint64_t mark_of(const OriginalFile& original) {
    const std::array<uint64_t, 2> numbers{original.size, original.modified};
    Checksum checksum;
    checksum.add(std::as_bytes(std::span(original.path)));
    checksum.add(std::as_bytes(std::span(numbers)));
    return checksum.value();
}

namespace {

constexpr const char* kIsAnother = "Put the original back as it was, or record and carve again.";

// Whoever wrote the table may not be who reads it, and could name all of the file again and again.
bool are_within(const std::vector<ByteRange>& headers, uint64_t size) {
    return std::all_of(headers.begin(), headers.end(), [&](const ByteRange& header) {
        const bool is_within = header.size <= size;
        size -= is_within ? header.size : 0;
        return is_within;
    });
}

}  // namespace

WhyNotOriginal not_there(int error) {
    if (error == EMFILE || error == ENFILE)
        return {std::strerror(error),
                "Let the program have fewer files open at once, or allow more (`ulimit -n`)."};
    return {std::strerror(error),
            "Say where the original is now (`quarry run --missing OLD=NEW`), or carve again with "
            "--keep."};
}

int open_original(const std::string& place) {
    return open(place.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
}

WhyNotOriginal why_not_original(const OriginalFile& original, int file, bool is_paranoid) {
    struct stat status{};
    if (fstat(file, &status) != 0) return not_there(errno);
    if (!S_ISREG(status.st_mode)) return {"it is no ordinary file", kIsAnother};
    // At the most something that `quarry run` has put there for a while.
    if (status.st_size == 0) return not_there(ENOENT);
    if (static_cast<uint64_t>(status.st_size) != original.size)
        return {"it is not the file that was carved: its size is another", kIsAnother};
    if (!are_within(original.headers, original.size))
        return {"the table beside its carved copy is damaged", "Carve again."};
    if (checksum_of(file, original.headers) != original.checksum)
        return {"it is not the file that was carved: its headers are others", kIsAnother};
    const bool is_data_known = original.whole_checksum != 0;
    if (is_paranoid) {
        if (!is_data_known)
            return {"nothing is known of its data", "Carve again with --checksums."};
        const ByteRange all{0, original.size};
        if (checksum_of(file, std::span(&all, 1)) != original.whole_checksum)
            return {"it is not the file that was carved: its data is other data", kIsAnother};
        return {};
    }
    if (modified(status) != original.modified)
        return {"it has been modified since it was carved, or copied without its time",
                is_data_known ? "`quarry run --paranoid` tells by its data whether it is the same."
                              : "Give it its time again if it was copied (`cp -p`), or else record "
                                "and carve again."};
    return {};
}

}  // namespace quarry
