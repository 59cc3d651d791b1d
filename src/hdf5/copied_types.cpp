#include "hdf5/copied_types.hpp"

#include "hdf5/failure.hpp"
#include "hdf5/header_room.hpp"
#include "hdf5/object_clock.hpp"

namespace quarry::hdf5 {

void CopiedTypes::make(const Token& token) {
    const Handle old = object_at(from_, token);
    version_.choose_like(old);
    const ObjectClock clock(times_of(old).made);
    const Handle creation(H5Tget_create_plist(old), H5Pclose);
    const std::string what = "a named type cannot be copied";
    const hid_t type = checked(H5Tcopy(old), what);
    types_[token] = type;
    checked(H5Tcommit_anon(to_, type, creation, H5P_DEFAULT), what);
    places_.add(token, type);
    reserve_room(type, room_needed(old, creation, {}));
    give_room_back(type);
    make_attributes(old, type, as_function());
    finishing_.postpone(token);
}

hid_t CopiedTypes::like(hid_t old) {
    if (H5Tcommitted(old) <= 0) return old;
    H5O_info2_t info{};
    checked(H5Oget_info3(old, &info, H5O_INFO_BASIC), "a named type cannot be found");
    const Token token = token_of(info.token);
    if (!types_.contains(token)) make(token);
    return types_.at(token);
}

void CopiedTypes::let_go() {
    for (const auto& [token, type] : types_) H5Tclose(type);
    types_.clear();
}

}  // namespace quarry::hdf5
