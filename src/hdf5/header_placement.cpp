#include "hdf5/header_placement.hpp"

#include "hdf5/failure.hpp"
#include "hdf5/header_room.hpp"

namespace quarry::hdf5 {
namespace {

constexpr size_t kDatasetsPerGivenUp = 64;

bool has_no_data(hid_t object) {
    return H5Iget_type(object) != H5I_DATASET || H5Dget_storage_size(object) == 0;
}

}  // namespace

HeaderPlacement::HeaderPlacement() : sharing_types_(H5Pcreate(H5P_OBJECT_COPY), H5Pclose) {
    H5Pset_copy_object(sharing_types_, H5O_COPY_MERGE_COMMITTED_DTYPE_FLAG);
}

// Attributes and links whose order is not tracked are listed as they lie in the header of their
// object. They lie there as they were made if all of them find room in its first piece.
Handle HeaderPlacement::placed(Handle made, size_t room, const NewLink& link, size_t datasets) {
    const std::string what = "it cannot be put into its group";
    const char* name = link.name.c_str();
    reserve_room(made, room);
    // Copies that HDF5 makes are in one piece, also where something lies behind the object.
    if (room == 0 || pieces_of_header(made) == 1) {
        checked(H5Olink(made, link.group, name, link.creation, H5P_DEFAULT), what);
        if (room > 0) give_room_back(made);
        return made;
    }
    checked(H5Ocopy(made, ".", link.group, name, sharing_types_, link.creation), what);
    if (has_no_data(made) && given_up_.size() * kDatasetsPerGivenUp <= datasets)
        given_up_.push_back(std::move(made));
    Handle copy(checked(H5Oopen(link.group, name, H5P_DEFAULT), what), H5Oclose);
    give_room_back(copy);
    return copy;
}

}  // namespace quarry::hdf5
