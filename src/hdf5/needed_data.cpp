#include "hdf5/needed_data.hpp"

#include "hdf5/failure.hpp"
#include "hdf5/formats.hpp"
#include "hdf5/inventory.hpp"
#include "hdf5/other_files.hpp"
#include "hdf5/own_library.hpp"

namespace quarry::hdf5 {
namespace {

// By its header, whether HDF5 understands the rest or not.
bool is_virtual(HeaderFile& headers, hid_t file, const Token& token) {
    constexpr unsigned kLayout = 0x08, kVirtual = 3;
    haddr_t address = 0;
    if (H5VLnative_token_to_addr(file, place_of(token), &address) < 0) return false;
    bool found = false;
    headers.read(address, {[](const ByteRange&) {},
                           [&](const HeaderMessage& message) {
                               found |= message.type == kLayout &&
                                        number_at(message.contents, 0, 1) >= 3 &&
                                        number_at(message.contents, 1, 1) == kVirtual;
                           }});
    return found;
}

bool add_sources(hid_t file, const Token& token, std::vector<NeededData>& known) {
    const Handle dataset(H5Oopen_by_token(file, place_of(token)), H5Oclose);
    const Handle creation(dataset >= 0 ? H5Dget_create_plist(dataset) : H5I_INVALID_HID, H5Pclose);
    if (creation < 0) return false;
    try {
        for (const NeededData& needed : needed_by(dataset))
            if (!needed.dataset.empty()) known.push_back(needed);
        return true;
    } catch (const Failure&) {
        return false;
    }
}

}  // namespace

Sources sources_in(const std::string& file) {
    Sources sources;
    prepare_library();
    const Handle opened(H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
    if (opened < 0) return sources;
    try {
        HeaderFile headers(file, header_format_of(opened));
        const Inventory inventory(opened);
        for (const Token& token : inventory.order()) {
            const OldObject& object = inventory.at(token);
            const bool may_be_dataset =
                object.type == H5O_TYPE_DATASET || object.type == H5O_TYPE_UNKNOWN;
            if (!may_be_dataset || add_sources(opened, token, sources.known)) continue;
            if (is_virtual(headers, opened, token)) sources.unknown_of = object.paths.front();
        }
    } catch (const Failure&) {
        // What cannot be walked through cannot be read, either.
    }
    return sources;
}

}  // namespace quarry::hdf5
