// Property lists with properties and classes of the program's own, and what the library makes of
// them.
#include "describe.hpp"
#include "scenario.hpp"

namespace scenario {
namespace {

int copies = 0;

herr_t count_copy(const char*, size_t, void*) {
    ++copies;
    return 0;
}

herr_t count_close(const char*, size_t, void*) {
    --copies;
    return 0;
}

void add_own(hid_t list) {
    int value = 42;
    DO(H5Pinsert2(list, "own", sizeof value, &value, nullptr, nullptr, nullptr, count_copy, nullptr,
                  count_close));
    ++copies;
}

}  // namespace

SCENARIO(properties_of_the_program) {
    {
        const Id access_list = access(), creation = list(H5P_FILE_CREATE),
                 set_creation = chunked({2});
        const Id transfer = list(H5P_DATASET_XFER), set_access = list(H5P_DATASET_ACCESS);
        for (const hid_t each : {static_cast<hid_t>(access_list), static_cast<hid_t>(creation),
                                 static_cast<hid_t>(set_creation), static_cast<hid_t>(transfer),
                                 static_cast<hid_t>(set_access)}) {
            add_own(each);
        }
        const Id file = create("a.h5", access_list, creation);
        const Id extent = space({4});
        const Id set =
            ID(H5Dcreate2(file, "x", H5T_STD_I32LE, extent, H5P_DEFAULT, set_creation, set_access));
        const std::vector<int> values = counted(4);
        DO(H5Dwrite(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, transfer, values.data()));
        for (const hid_t each : {H5Fget_access_plist(file), H5Fget_create_plist(file),
                                 H5Dget_create_plist(set), H5Dget_access_plist(set)}) {
            const Id back(each);
            DO(H5Pexist(back, "own"));
            size_t count = 0;
            DO(H5Pget_nprops(back, &count));
            say("properties", count);
        }
        const Id same = open("a.h5", H5F_ACC_RDWR, access_list);
    }
    say("own values alive", copies);
}

SCENARIO(properties_class_of_the_program) {
    {
        const Id once = create("witness.h5");
    }
    const hid_t own = H5Pcreate_class(H5P_FILE_ACCESS, "own class", nullptr, nullptr, nullptr,
                                      nullptr, nullptr, nullptr);
    int value = 5;
    DO(H5Pregister2(own, "number", sizeof value, &value, nullptr, nullptr, nullptr, nullptr,
                    nullptr, nullptr, nullptr));
    const Id list = ID(H5Pcreate(own));
    DO(H5Pisa_class(list, H5P_FILE_ACCESS));
    const Id file = create("a.h5", list);
    attribute(file, "a", {1});
    const Id back = ID(H5Fget_access_plist(file));
    DO(H5Pisa_class(back, own));
    value = 0;
    DO(H5Pget(list, "number", &value));
    say("number", value);
    DO(H5Pclose_class(own));
}

// A list is not changed by being used, and what a file gives back equals it.
SCENARIO(properties_stay_as_they_are) {
    const Id list = access();
    H5Pset_fapl_core(list, 4096, true);
    H5Pset_libver_bounds(list, H5F_LIBVER_V18, H5F_LIBVER_V110);
    const Id copy = ID(H5Pcopy(list));
    const Id file = create("a.h5", list);
    DO(H5Pequal(list, copy));
    const Id back = ID(H5Fget_access_plist(file)), again = ID(H5Fget_access_plist(file));
    DO(H5Pequal(back, again));
    int index = 0;
    DO(H5Piterate(
        back, &index,
        [](hid_t of, const char* name, void*) -> herr_t {
            size_t size = 0;
            H5Pget_size(of, name, &size);
            say("  ", name, size);
            return 0;
        },
        nullptr));
    size_t bytes = 0;
    DO(H5Pencode2(back, nullptr, &bytes, H5P_DEFAULT));
    std::string encoded(bytes, '\0');
    DO(H5Pencode2(back, encoded.data(), &bytes, H5P_DEFAULT));
    say("encoded", bytes, digest(encoded.data(), bytes));
    const Id decoded = ID(H5Pdecode(encoded.data()));
    const Id other = create("b.h5", decoded);
}

// Object-layer questions that a program may put to the library about its connector.
SCENARIO(connector_questions) {
    const Id list = access();
    const Id file = create("a.h5", list);
    const Id set = dataset(file, "x", H5T_STD_I32LE, {3});
    uint64_t flags = 0;
    DO(H5VLquery_optional(file, H5VL_SUBCLS_FILE, H5VL_NATIVE_FILE_GET_SIZE, &flags));
    say("supported", flags);
    DO(H5VLquery_optional(set, H5VL_SUBCLS_DATASET, H5VL_NATIVE_DATASET_CHUNK_READ, &flags));
    say("supported", flags);
    DO(H5Pget_vol_cap_flags(list, &flags));
    say("capabilities", flags);
    DO(H5VLobject_is_native(set, nullptr));
    hbool_t is_native = false;
    DO(H5VLobject_is_native(file, &is_native));
    say("native", is_native);
    DO(H5VLobject_is_native(set, &is_native));
    DO(H5VLis_connector_registered_by_name("no such connector"));
}

}  // namespace scenario
