#include "hdf5/identity.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "hdf5/failure.hpp"
#include "hdf5/formats.hpp"
#include "hdf5/header_ranges.hpp"

namespace quarry::hdf5 {

FileIdentity identity_of(const std::string& path, hid_t file,
                         const std::vector<uint64_t>& objects) {
    const Handle creation(H5Fget_create_plist(file), H5Pclose);
    size_t address_size = 0, length_size = 0;
    checked(H5Pget_sizes(creation, &address_size, &length_size), "the file cannot be looked at");
    HeaderFormat format;
    format.base = user_block_of(file);
    format.address_size = static_cast<unsigned>(address_size);
    format.length_size = static_cast<unsigned>(length_size);
    format.superblock = superblock_of(file) < 2 ? 96 : 48;
    FileIdentity made;
    const int bytes = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (bytes >= 0) {
        made.headers = header_ranges(bytes, format, objects);
        made.checksum = checksum_of(bytes, made.headers).value_or(0);
        close(bytes);
    }
    return made;
}

}  // namespace quarry::hdf5
