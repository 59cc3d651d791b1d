// Attributes, stored in the header or densely.
#include "describe.hpp"
#include "scenario.hpp"

namespace scenario {
namespace {

herr_t say_attribute(hid_t, const char* name, const H5A_info_t* info, void*) {
    say("  ", name, info->corder_valid, info->corder, info->cset, info->data_size);
    return 0;
}

Id latest() {
    Id list = access();
    H5Pset_libver_bounds(list, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    return list;
}

}  // namespace

SCENARIO(attribute_all_calls) {
    const Id file = create("a.h5");
    const Id set = dataset(file, "x", H5T_STD_I32LE, {1});
    for (const char* name : {"b", "a", "c"}) attribute(set, name, {1, 2, 3});
    const Id extent = space({2});
    const Id by_name = ID(H5Acreate_by_name(file, "x", "by name", H5T_IEEE_F64LE, extent,
                                            H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Acreate_by_name(file, "x", "by name", H5T_IEEE_F64LE, extent, H5P_DEFAULT, H5P_DEFAULT,
                         H5P_DEFAULT));
    const double values[] = {1.5, 2.5};
    DO(H5Awrite(by_name, H5T_NATIVE_DOUBLE, values));
    DO(H5Arename(set, "a", "renamed"));
    DO(H5Arename_by_name(file, "x", "b", "also renamed", H5P_DEFAULT));
    DO(H5Arename(set, "missing", "anything"));
    DO(H5Aexists(set, "renamed"));
    DO(H5Aexists_by_name(file, "x", "b", H5P_DEFAULT));
    const Id opened = ID(H5Aopen_by_name(file, "x", "c", H5P_DEFAULT, H5P_DEFAULT));
    const Id by_index =
        ID(H5Aopen_by_idx(file, "x", H5_INDEX_NAME, H5_ITER_DEC, 0, H5P_DEFAULT, H5P_DEFAULT));
    char name[32] = "";
    DO(H5Aget_name(by_index, sizeof name, name));
    say("last", name);
    DO(H5Aget_name_by_idx(file, "x", H5_INDEX_NAME, H5_ITER_INC, 1, name, sizeof name,
                          H5P_DEFAULT));
    say("second", name);
    DO(H5Aget_storage_size(opened));
    H5A_info_t info{};
    DO(H5Aget_info(opened, &info));
    DO(H5Aget_info_by_name(file, "x", "c", &info, H5P_DEFAULT));
    DO(H5Aget_info_by_idx(file, "x", H5_INDEX_NAME, H5_ITER_INC, 0, &info, H5P_DEFAULT));
    const Id stored = ID(H5Aget_create_plist(opened));
    hsize_t next = 1;
    DO(H5Aiterate2(set, H5_INDEX_NAME, H5_ITER_INC, &next, say_attribute, nullptr));
    next = 0;
    DO(H5Aiterate_by_name(file, "x", H5_INDEX_NAME, H5_ITER_DEC, &next, say_attribute, nullptr,
                          H5P_DEFAULT));
    DO(H5Adelete(set, "renamed"));
    DO(H5Adelete_by_name(file, "x", "also renamed", H5P_DEFAULT));
    DO(H5Adelete_by_idx(file, "x", H5_INDEX_NAME, H5_ITER_INC, 0, H5P_DEFAULT));
    DO(H5Adelete(set, "missing"));
    const Id missing = ID(H5Aopen(set, "missing", H5P_DEFAULT));
    describe(file);
}

SCENARIO(attribute_dense_and_ordered) {
    for (const bool dense : {false, true}) {
        const Id file = create(dense ? "dense.h5" : "compact.h5", latest());
        const Id creation = list(H5P_GROUP_CREATE, [&](hid_t made) {
            H5Pset_attr_creation_order(made, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
            if (dense) H5Pset_attr_phase_change(made, 0, 0);
        });
        const Id group = ID(H5Gcreate2(file, "g", H5P_DEFAULT, creation, H5P_DEFAULT));
        for (int i = 0; i < 12; ++i) attribute(group, ("a" + text((i * 5) % 12)).c_str(), {i});
        for (const H5_index_t index : {H5_INDEX_NAME, H5_INDEX_CRT_ORDER}) {
            hsize_t next = 2;
            DO(H5Aiterate2(group, index, H5_ITER_DEC, &next, say_attribute, nullptr));
        }
        DO(H5Adelete_by_idx(file, "g", H5_INDEX_CRT_ORDER, H5_ITER_INC, 3, H5P_DEFAULT));
        describe(file);
    }
}

// More than a header holds: refused in the old format, dense in the new one.
SCENARIO(attribute_larger_than_a_header) {
    for (const bool modern : {false, true}) {
        const Id file = create(modern ? "new.h5" : "old.h5", modern ? latest() : access());
        attribute(file, "large", counted(30000));
        describe(file);
    }
}

SCENARIO(attribute_work_inside_iteration) {
    const Id file = create("a.h5");
    for (const char* name : {"a", "b", "c"}) attribute(file, name, {1});
    hsize_t next = 0;
    DO(H5Aiterate2(
        file, H5_INDEX_NAME, H5_ITER_INC, &next,
        [](hid_t object, const char* name, const H5A_info_t*, void*) -> herr_t {
            read_attribute(object, name);
            const Id opened = ID(H5Aopen(object, name, H5P_DEFAULT));
            const int changed = 5;
            DO(H5Awrite(opened, H5T_NATIVE_INT, &changed));
            return name[0] == 'b' ? 3 : 0;
        },
        nullptr));
    say("stopped at", next);
    describe(file);
}

SCENARIO(attribute_opened_twice_and_after_deletion) {
    const Id file = create("a.h5");
    attribute(file, "a", {1});
    const Id one = ID(H5Aopen(file, "a", H5P_DEFAULT)), two = ID(H5Aopen(file, "a", H5P_DEFAULT));
    int value = 8;
    DO(H5Awrite(one, H5T_NATIVE_INT, &value));
    value = 0;
    DO(H5Aread(two, H5T_NATIVE_INT, &value));
    say("shared", value);
    DO(H5Adelete(file, "a"));
    DO(H5Aread(two, H5T_NATIVE_INT, &value));
    DO(H5Awrite(one, H5T_C_S1, &value));
    const Id of(H5Iget_file_id(one));
    char name[16] = "";
    DO(H5Iget_name(one, name, sizeof name));
    say("name", name);
}

}  // namespace scenario
