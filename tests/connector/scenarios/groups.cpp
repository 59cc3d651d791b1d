// Groups of both formats, and iteration with work inside.
#include "describe.hpp"
#include "scenario.hpp"

namespace scenario {
namespace {

void populate(hid_t group, int count) {
    for (int i = 0; i < count; ++i) {
        // Not in alphabetical order, so that creation order shows.
        const std::string name = "child " + text((i * 7) % count);
        ID(H5Gcreate2(group, name.c_str(), H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    }
}

herr_t say_name(hid_t, const char* name, const H5L_info2_t* info, void*) {
    say("  ", name, info->corder_valid, info->corder);
    return 0;
}

}  // namespace

SCENARIO(group_old_and_new_style) {
    for (const H5F_libver_t low : {H5F_LIBVER_EARLIEST, H5F_LIBVER_LATEST}) {
        const Id list = access();
        H5Pset_libver_bounds(list, low, H5F_LIBVER_LATEST);
        const Id file = create(low == H5F_LIBVER_LATEST ? "new.h5" : "old.h5", list);
        const Id few = ID(H5Gcreate2(file, "few", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        const Id many = ID(H5Gcreate2(file, "many", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
        populate(few, 3);
        populate(many, 60);
        for (const hid_t group : {static_cast<hid_t>(few), static_cast<hid_t>(many)}) {
            H5G_info_t info{};
            DO(H5Gget_info(group, &info));
            say("storage", info.storage_type, info.nlinks, info.max_corder, info.mounted);
        }
        describe(file);
    }
}

SCENARIO(group_creation_order) {
    const Id file = create("a.h5");
    const Id creation = list(H5P_GROUP_CREATE, [](hid_t made) {
        H5Pset_link_creation_order(made, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
        H5Pset_link_phase_change(made, 6, 4);
        H5Pset_est_link_info(made, 10, 12);
        H5Pset_local_heap_size_hint(made, 500);
    });
    const Id group = ID(H5Gcreate2(file, "g", H5P_DEFAULT, creation, H5P_DEFAULT));
    populate(group, 20);
    for (const H5_index_t index : {H5_INDEX_NAME, H5_INDEX_CRT_ORDER}) {
        for (const H5_iter_order_t order : {H5_ITER_INC, H5_ITER_DEC, H5_ITER_NATIVE}) {
            hsize_t next = 3;
            DO(H5Literate2(group, index, order, &next, say_name, nullptr));
            say("next", next);
            char name[32] = "";
            DO(H5Lget_name_by_idx(file, "g", index, order, 4, name, sizeof name, H5P_DEFAULT));
            say("fourth", name);
            H5G_info_t info{};
            DO(H5Gget_info_by_idx(file, "g", index, order, 2, &info, H5P_DEFAULT));
            const Id by_index = ID(H5Oopen_by_idx(file, "g", index, order, 5, H5P_DEFAULT));
        }
    }
    H5G_info_t info{};
    DO(H5Gget_info_by_name(file, "g", &info, H5P_DEFAULT));
    say(info.nlinks, info.max_corder);
    // The root has no such index.
    hsize_t next = 0;
    DO(H5Literate2(file, H5_INDEX_CRT_ORDER, H5_ITER_INC, &next, say_name, nullptr));
    const Id back = ID(H5Gget_create_plist(group));
    unsigned flags = 0;
    DO(H5Pget_link_creation_order(back, &flags));
    say("flags", flags);
}

SCENARIO(group_intermediate_and_anonymous) {
    const Id file = create("a.h5");
    const Id links = list(H5P_LINK_CREATE, [](hid_t made) {
        H5Pset_create_intermediate_group(made, 1);
        H5Pset_char_encoding(made, H5T_CSET_UTF8);
    });
    const Id deep = ID(H5Gcreate2(file, "a/b/c/größe", links, H5P_DEFAULT, H5P_DEFAULT));
    const Id nameless = ID(H5Gcreate_anon(file, H5P_DEFAULT, H5P_DEFAULT));
    populate(nameless, 2);
    DO(H5Olink(nameless, file, "a/named", H5P_DEFAULT, H5P_DEFAULT));
    const Id lost = ID(H5Gcreate_anon(file, H5P_DEFAULT, H5P_DEFAULT));
    char name[64] = "";
    DO(H5Iget_name(deep, name, sizeof name));
    say("name", name);
    DO(H5Iget_name(lost, name, sizeof name));
    DO(H5Gflush(deep));
    DO(H5Grefresh(deep));
    const Id through = ID(H5Gopen2(deep, "../../..", H5P_DEFAULT));
    const Id dot = ID(H5Gopen2(deep, ".", H5P_DEFAULT));
    const Id root = ID(H5Gopen2(deep, "/", H5P_DEFAULT));
    describe(file);
}

// What programs do inside callbacks: open, write attributes, iterate again, stop early, fail.
SCENARIO(group_work_inside_iteration) {
    const Id file = create("a.h5");
    populate(file, 5);
    const auto work = [](hid_t group, const char* name, const H5L_info2_t*, void*) -> herr_t {
        const Id child = ID(H5Oopen(group, name, H5P_DEFAULT));
        attribute(child, "visited", {1});
        populate(child, 2);
        hsize_t inner = 0;
        DO(H5Literate2(child, H5_INDEX_NAME, H5_ITER_INC, &inner, say_name, nullptr));
        H5O_info2_t info{};
        DO(H5Oget_info_by_name3(group, name, &info, H5O_INFO_BASIC, H5P_DEFAULT));
        say("  in", name, info.type, info.rc);
        return 0;
    };
    hsize_t next = 0;
    DO(H5Literate2(file, H5_INDEX_NAME, H5_ITER_INC, &next, work, nullptr));
    const auto stop = [](hid_t, const char* name, const H5O_info2_t*, void* count) -> herr_t {
        say("  at", name);
        return ++*static_cast<int*>(count) == 4 ? 17 : 0;
    };
    int count = 0;
    DO(H5Ovisit3(file, H5_INDEX_NAME, H5_ITER_INC, stop, &count, H5O_INFO_BASIC));
    DO(H5Ovisit_by_name3(file, "child 2", H5_INDEX_NAME, H5_ITER_DEC, stop, &count, H5O_INFO_BASIC,
                         H5P_DEFAULT));
    const auto fail = [](hid_t group, const char*, const H5L_info2_t*, void*) -> herr_t {
        ID(H5Gopen2(group, "does not exist", H5P_DEFAULT));
        return -1;
    };
    DO(H5Lvisit2(file, H5_INDEX_NAME, H5_ITER_INC, fail, nullptr));
    next = 0;
    DO(H5Literate_by_name2(file, "child 1", H5_INDEX_NAME, H5_ITER_INC, &next, fail, nullptr,
                           H5P_DEFAULT));
}

}  // namespace scenario
