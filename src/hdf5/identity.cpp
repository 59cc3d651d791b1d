#include "hdf5/identity.hpp"

namespace quarry::hdf5 {

FileIdentity identity_of(HeaderFile& file, const std::vector<uint64_t>& objects) {
    FileIdentity made;
    const HeaderFormat& format = file.format();
    made.headers.push_back({format.base, format.superblock});
    for (const uint64_t address : objects)
        file.read(address, {[&](const ByteRange& part) { made.headers.push_back(part); },
                            [](const HeaderMessage&) {}});
    made.checksum = checksum_of(file.descriptor(), made.headers).value_or(0);
    return made;
}

}  // namespace quarry::hdf5
