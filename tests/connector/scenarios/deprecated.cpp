// Calls of HDF5 1.6 to 1.10 that programs, h5py among them, still make. HDF5 allows them only where
// the connector at the very bottom is the native one.

#include "describe.hpp"
#include "scenario.hpp"

namespace scenario {
namespace {

herr_t say_old_link(hid_t, const char* name, const H5L_info1_t* info, void*) {
    say("  link", name, info->type, info->type == H5L_TYPE_HARD ? info->u.address : 0);
    return 0;
}

herr_t say_old_object(hid_t, const char* name, const H5O_info1_t* info, void*) {
    say("  object", name, info->type, info->addr, info->rc, info->hdr.nmesgs, info->num_attrs);
    return 0;
}

herr_t say_very_old(hid_t group, const char* name, void*) {
    H5G_stat_t status{};
    DO(H5Gget_objinfo(group, name, 0, &status));
    say("  entry", name, status.type, status.objno[0], status.nlink, status.linklen,
        status.ohdr.nmesgs);
    return 0;
}

Id sample() {
    Id file = create("a.h5");
    const Id group = ID(H5Gcreate1(file, "g", 0));
    const Id extent = space({4});
    const Id set = ID(H5Dcreate1(group, "x", H5T_STD_I32LE, extent, H5P_DEFAULT));
    write(set, counted(4));
    const Id note = ID(H5Acreate1(set, "a", H5T_STD_I32LE, extent, H5P_DEFAULT));
    DO(H5Awrite(note, H5T_NATIVE_INT, counted(4).data()));
    return file;
}

}  // namespace

SCENARIO(deprecated_groups_and_links) {
    const Id file = sample();
    DO(H5Glink(file, H5G_LINK_SOFT, "/g/x", "soft"));
    DO(H5Glink2(file, "g/x", H5G_LINK_HARD, file, "hard"));
    DO(H5Gmove(file, "hard", "moved"));
    DO(H5Gmove2(file, "moved", file, "g/moved again"));
    H5G_stat_t status{};
    DO(H5Gget_objinfo(file, "soft", 1, &status));
    say(status.type, status.objno[0]);
    DO(H5Gget_objinfo(file, "soft", 0, &status));
    say(status.type, status.linklen);
    DO(H5Gget_objinfo(file, "missing", 1, &status));
    char words[32] = "";
    DO(H5Gget_linkval(file, "soft", sizeof words, words));
    say(words);
    DO(H5Gset_comment(file, "g", "a comment"));
    DO(H5Gget_comment(file, "g", sizeof words, words));
    say(words);
    hsize_t count = 0;
    DO(H5Gget_num_objs(file, &count));
    for (hsize_t i = 0; i < count; ++i) {
        DO(H5Gget_objname_by_idx(file, i, words, sizeof words));
        say(words, H5Gget_objtype_by_idx(file, i));
    }
    int next = 0;
    DO(H5Giterate(file, "/", &next, say_very_old, nullptr));
    DO(H5Gunlink(file, "soft"));
    const Id opened = ID(H5Gopen1(file, "g"));
    const Id missing = ID(H5Gopen1(file, "missing"));
    describe(file);
}

SCENARIO(deprecated_links_and_objects) {
    const Id file = sample();
    H5L_info1_t link{};
    DO(H5Lget_info1(file, "g", &link, H5P_DEFAULT));
    say(link.type, link.u.address);
    DO(H5Lget_info_by_idx1(file, "/", H5_INDEX_NAME, H5_ITER_INC, 0, &link, H5P_DEFAULT));
    hsize_t next = 0;
    DO(H5Literate1(file, H5_INDEX_NAME, H5_ITER_INC, &next, say_old_link, nullptr));
    next = 0;
    DO(H5Literate_by_name1(file, "g", H5_INDEX_NAME, H5_ITER_INC, &next, say_old_link, nullptr,
                           H5P_DEFAULT));
    DO(H5Lvisit1(file, H5_INDEX_NAME, H5_ITER_INC, say_old_link, nullptr));
    DO(H5Lvisit_by_name1(file, "g", H5_INDEX_NAME, H5_ITER_INC, say_old_link, nullptr,
                         H5P_DEFAULT));
    H5O_info1_t object{};
    DO(H5Oget_info1(file, &object));
    say(object.type, object.addr, object.fileno != 0);
    DO(H5Oget_info2(file, &object, H5O_INFO_BASIC));
    DO(H5Oget_info_by_name1(file, "g/x", &object, H5P_DEFAULT));
    DO(H5Oget_info_by_name2(file, "missing", &object, H5O_INFO_ALL, H5P_DEFAULT));
    DO(H5Oget_info_by_idx1(file, "g", H5_INDEX_NAME, H5_ITER_INC, 0, &object, H5P_DEFAULT));
    DO(H5Oget_info_by_idx2(file, "g", H5_INDEX_NAME, H5_ITER_INC, 0, &object, H5O_INFO_ALL,
                           H5P_DEFAULT));
    const Id by_address = ID(H5Oopen_by_addr(file, object.addr));
    DO(H5Ovisit1(file, H5_INDEX_NAME, H5_ITER_INC, say_old_object, nullptr));
    DO(H5Ovisit2(file, H5_INDEX_NAME, H5_ITER_INC, say_old_object, nullptr, H5O_INFO_ALL));
    DO(H5Ovisit_by_name1(file, "g", H5_INDEX_NAME, H5_ITER_INC, say_old_object, nullptr,
                         H5P_DEFAULT));
    DO(H5Ovisit_by_name2(file, "g", H5_INDEX_NAME, H5_ITER_INC, say_old_object, nullptr,
                         H5O_INFO_ALL, H5P_DEFAULT));
}

SCENARIO(deprecated_datasets_attributes_types) {
    const Id file = sample();
    const Id set = ID(H5Dopen1(file, "g/x"));
    const Id grown = dataset(file, "grown", H5T_STD_I32LE, {2}, chunked({2}), {H5S_UNLIMITED});
    const hsize_t six = 6;
    DO(H5Dextend(grown, &six));
    read(grown);
    DO(H5Aget_num_attrs(set));
    const Id by_name = ID(H5Aopen_name(set, "a")), by_index = ID(H5Aopen_idx(set, 0));
    unsigned next = 0;
    DO(H5Aiterate1(
        set, &next,
        [](hid_t, const char* name, void*) -> herr_t {
            say("  ", name);
            return 0;
        },
        nullptr));
    const Id type(H5Tcopy(H5T_NATIVE_INT));
    DO(H5Tcommit1(file, "type", type));
    const Id opened = ID(H5Topen1(file, "type"));
    hobj_ref_t reference{};
    DO(H5Rcreate(&reference, file, "g", H5R_OBJECT, H5I_INVALID_HID));
    DO(H5Rget_obj_type1(file, H5R_OBJECT, &reference));
    const Id pointed = ID(H5Rdereference1(file, H5R_OBJECT, &reference));
    H5F_info1_t info{};
    DO(H5Fget_info1(file, &info));
    say(info.super_ext_size, info.sohm.hdr_size);
    DO(H5Fset_latest_format(file, true));
    DO(H5Fis_hdf5("a.h5"));
    unsigned super = 0, free = 0, symbols = 0, shared = 0;
    const Id stored(H5Fget_create_plist(file));
    DO(H5Pget_version(stored, &super, &free, &symbols, &shared));
    say(super, free, symbols, shared);
    const Id strategy = list(H5P_FILE_CREATE);
    DO(H5Pset_file_space(strategy, H5F_FILE_SPACE_ALL_PERSIST, 0));
    const Id spaced = create("b.h5", access(), strategy);
}

// Programs that handle errors the old way: the printer, and walking the stack.
SCENARIO(deprecated_errors) {
    const Id file = sample();
    H5Eset_auto1(
        [](void*) -> herr_t {
            say("  old printer");
            return 0;
        },
        nullptr);
    H5Gopen2(file, "missing", H5P_DEFAULT);
    H5Ewalk1(
        H5E_WALK_DOWNWARD,
        [](int number, H5E_error1_t* error, void*) -> herr_t {
            char* major = H5Eget_major(error->maj_num);
            say("  ", number, error->func_name, error->desc, major != nullptr);
            H5free_memory(major);
            return 0;
        },
        nullptr);
    const Id list = access();
    H5Fopen("missing.h5", H5F_ACC_RDONLY, list);
    H5E_auto1_t printer = nullptr;
    void* data = nullptr;
    DO(H5Eget_auto1(&printer, &data));
    say("printer is kept", printer != nullptr);
    H5Eset_auto1(nullptr, nullptr);
    H5Fopen("missing.h5", H5F_ACC_RDONLY, list);
    DO(H5Eprint1(stderr));
}

}  // namespace scenario
