// Links into other files: HDF5 opens those below the object layer, with drivers chosen in many
// ways.
#include <sys/stat.h>

#include "describe.hpp"
#include "scenario.hpp"

namespace scenario {
namespace {

void make_target(const char* name, int salt, const Id& list = access()) {
    const Id file = create(name, list);
    const Id group = ID(H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    write(dataset(group, "x", H5T_STD_I32LE, {4}), counted(4, salt));
}

// An access list for links that names the target's own file-access list.
Id link_list(hid_t target_access) {
    return list(H5P_LINK_ACCESS, [&](hid_t made) { H5Pset_elink_fapl(made, target_access); });
}

Id with_link(const char* target) {
    Id file = create("a.h5");
    DO(H5Lcreate_external(target, "/g", file, "out", H5P_DEFAULT, H5P_DEFAULT));
    return file;
}

void follow(hid_t file, hid_t link_access = H5P_DEFAULT) {
    const Id group = ID(H5Gopen2(file, "out", link_access));
    if (group < 0) return;
    const Id set = ID(H5Dopen2(group, "x", H5P_DEFAULT));
    read(set);
    char name[64] = "";
    DO(H5Fget_name(set, name, sizeof name));
    say("in", name);
}

}  // namespace

SCENARIO(external_link_plain) {
    make_target("target.h5", 10);
    const Id file = with_link("target.h5");
    follow(file);
    std::string value(64, '\0');
    DO(H5Lget_val(file, "out", value.data(), value.size(), H5P_DEFAULT));
    unsigned flags = 0;
    const char *name = nullptr, *object = nullptr;
    DO(H5Lunpack_elink_val(value.data(), value.size(), &flags, &name, &object));
    say(flags, name, object);
    const Id set = ID(H5Dopen2(file, "out/x", H5P_DEFAULT));
    write(set, counted(4, 500));
    const Id made = dataset(file, "out/made through the link", H5T_STD_I32LE, {2});
    describe(file);
}

SCENARIO(external_link_errors) {
    const Id missing = with_link("missing.h5");
    follow(missing);
    put_file("rubbish.h5", "no HDF5 here");
    DO(H5Lcreate_external("rubbish.h5", "/g", missing, "rubbish", H5P_DEFAULT, H5P_DEFAULT));
    const Id rubbish = ID(H5Oopen(missing, "rubbish", H5P_DEFAULT));
    make_target("target.h5", 1);
    DO(H5Lcreate_external("target.h5", "/no such", missing, "no such", H5P_DEFAULT, H5P_DEFAULT));
    const Id no_such = ID(H5Oopen(missing, "no such", H5P_DEFAULT));
    DO(H5Lexists(missing, "out/x", H5P_DEFAULT));
    DO(H5Oexists_by_name(missing, "out", H5P_DEFAULT));
}

// h5py puts an access list of its own on every open; it names the plain driver.
SCENARIO(external_link_with_an_access_list) {
    make_target("target.h5", 20);
    const Id file = with_link("target.h5");
    const Id plain = list(H5P_FILE_ACCESS);
    follow(file, link_list(plain));
    const Id latest = list(H5P_FILE_ACCESS, [](hid_t made) {
        H5Pset_libver_bounds(made, H5F_LIBVER_V18, H5F_LIBVER_LATEST);
        H5Pset_fclose_degree(made, H5F_CLOSE_STRONG);
    });
    follow(file, link_list(latest));
    follow(file, link_list(access()));
    follow(file, link_list(H5P_DEFAULT));
    const Id links = link_list(plain);
    {
        // Through the file, not the dataset, HDF5 finds what is of variable length.
        const Id target = open("target.h5", H5F_ACC_RDWR);
        const Id text(H5Tcopy(H5T_C_S1));
        H5Tset_size(text, H5T_VARIABLE);
        const char* word = "of variable length";
        const Id set = dataset(target, "g/word", text, {1});
        DO(H5Dwrite(set, text, H5S_ALL, H5S_ALL, H5P_DEFAULT, &word));
    }
    {
        const Id group = ID(H5Gopen2(file, "out", links));
        describe(group);
    }
    const Id back(H5Pget_elink_fapl(links));
    say("the caller's list keeps its driver", H5Pget_driver(back) == H5FD_SEC2);
}

// Files on the way are closed again, though nobody has an id of them.
SCENARIO(external_links_in_a_row_with_an_access_list) {
    make_target("target.h5", 25);
    {
        const Id between = create("between.h5");
        DO(H5Lcreate_external("target.h5", "/g", between, "out", H5P_DEFAULT, H5P_DEFAULT));
    }
    const Id plain = list(H5P_FILE_ACCESS);
    const Id links = list(H5P_DATASET_ACCESS, [&](hid_t made) { H5Pset_elink_fapl(made, plain); });
    {
        const Id file = create("a.h5");
        DO(H5Lcreate_external("between.h5", "/", file, "far", H5P_DEFAULT, H5P_DEFAULT));
        const Id set = ID(H5Dopen2(file, "far/out/x", links));
        read(set);
        DO(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_ALL));
    }
    for (const char* name : {"a.h5", "between.h5", "target.h5"})
        const Id emptied = ID(H5Fcreate(name, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
}

// The same file reached by a link and opened directly is one file, not two with a cache each.
SCENARIO(external_link_into_a_file_that_is_open) {
    make_target("target.h5", 30);
    const Id file = with_link("target.h5");
    const Id direct = open("target.h5", H5F_ACC_RDWR);
    const Id plain = list(H5P_FILE_ACCESS);
    const Id links = link_list(plain);
    for (const hid_t link_access : {static_cast<hid_t>(links), static_cast<hid_t>(H5P_DEFAULT)}) {
        const Id set = ID(H5Dopen2(direct, "g/x", H5P_DEFAULT));
        write(set, counted(4, 77));
        const Id group = ID(H5Gopen2(file, "out", link_access));
        const Id same = ID(H5Dopen2(group, "x", H5P_DEFAULT));
        read(same);
        write(same, counted(4, 99));
        read(set);
        attribute(group, link_access == H5P_DEFAULT ? "plain" : "listed", {1});
        DO(H5Fget_obj_count(direct, H5F_OBJ_ALL));
        const Id direct_group = ID(H5Gopen2(direct, "g", H5P_DEFAULT));
        DO(H5Aget_num_attrs(direct_group));
    }
}

SCENARIO(external_link_to_itself) {
    const Id file = create("a.h5");
    const Id group = ID(H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    write(dataset(group, "x", H5T_STD_I32LE, {4}), counted(4));
    DO(H5Lcreate_external("a.h5", "/g", file, "out", H5P_DEFAULT, H5P_DEFAULT));
    follow(file);
    DO(H5Lcreate_external("a.h5", "/loop", file, "loop", H5P_DEFAULT, H5P_DEFAULT));
    const Id loop = ID(H5Oopen(file, "loop", H5P_DEFAULT));
}

SCENARIO(external_link_prefix_flags_and_cache) {
    if (mkdir("elsewhere", 0777) != 0) say("cannot make a directory");
    make_target("elsewhere/target.h5", 40);
    Id list_with_cache = access();
    DO(H5Pset_elink_file_cache_size(list_with_cache, 4));
    Id file = create("a.h5", list_with_cache);
    DO(H5Lcreate_external("target.h5", "/g", file, "out", H5P_DEFAULT, H5P_DEFAULT));
    follow(file);
    const Id prefixed =
        list(H5P_LINK_ACCESS, [](hid_t made) { H5Pset_elink_prefix(made, "elsewhere"); });
    follow(file, prefixed);
    const Id reading = list(H5P_LINK_ACCESS, [](hid_t made) {
        H5Pset_elink_prefix(made, "elsewhere");
        H5Pset_elink_acc_flags(made, H5F_ACC_RDONLY);
    });
    DO(H5Fclear_elink_file_cache(file));
    {
        const Id group = ID(H5Gopen2(file, "out", reading));
        const Id refused = ID(H5Gcreate2(group, "new", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    }
    file.close();
    DO(H5Fget_obj_count(H5F_OBJ_ALL, H5F_OBJ_FILE));
}

SCENARIO(external_link_callback) {
    make_target("target.h5", 50);
    const Id file = with_link("target.h5");
    const Id calling = list(H5P_LINK_ACCESS, [](hid_t made) {
        H5Pset_elink_cb(
            made,
            [](const char* parent, const char* group, const char* child, const char* object,
               unsigned* flags, hid_t, void* data) -> herr_t {
                say("  callback", parent, group, child, object, *flags);
                *flags = H5F_ACC_RDONLY;
                return *static_cast<int*>(data);
            },
            nullptr);
    });
    static int answer = 0;
    H5L_elink_traverse_t callback = nullptr;
    void* data = nullptr;
    DO(H5Pget_elink_cb(calling, &callback, &data));
    for (const int each : {0, -1}) {
        answer = each;
        DO(H5Pset_elink_cb(calling, callback, &answer));
        follow(file, calling);
    }
}

// The target lies in a file of another driver, which only the link's access list knows.
SCENARIO(external_link_across_drivers) {
    const Id family =
        list(H5P_FILE_ACCESS, [](hid_t made) { H5Pset_fapl_family(made, 4096, H5P_DEFAULT); });
    const Id ours = access();
    H5Pset_fapl_family(ours, 4096, H5P_DEFAULT);
    make_target("family%d.h5", 60, ours);
    const Id file = with_link("family%d.h5");
    follow(file);
    follow(file, link_list(family));
    const Id core = list(H5P_FILE_ACCESS, [](hid_t made) { H5Pset_fapl_core(made, 4096, true); });
    make_target("plain.h5", 70);
    DO(H5Lcreate_external("plain.h5", "/g", file, "core", H5P_DEFAULT, H5P_DEFAULT));
    const Id links = link_list(core);
    const Id group = ID(H5Gopen2(file, "core", links));
    const Id set = ID(H5Dopen2(group, "x", H5P_DEFAULT));
    read(set);
    const Id of_target(H5Iget_file_id(set));
    const Id back = ID(H5Fget_access_plist(of_target));
    say("driver is core", H5Pget_driver(back) == H5FD_CORE);
}

// The link class is the user's own: ours must not stand in its place, nor come back.
SCENARIO(external_link_class_replaced_by_the_user) {
    make_target("target.h5", 80);
    const Id file = with_link("target.h5");
    follow(file);
    const H5L_class_t own = {H5L_LINK_CLASS_T_VERS,
                             H5L_TYPE_EXTERNAL,
                             "own",
                             nullptr,
                             nullptr,
                             nullptr,
                             [](const char*, hid_t group, const void*, size_t, hid_t, hid_t) {
                                 say("  own class");
                                 return H5Oopen(group, "/", H5P_DEFAULT);
                             },
                             nullptr,
                             nullptr};
    DO(H5Lregister(&own));
    const Id group = ID(H5Gopen2(file, "out", H5P_DEFAULT));
    const Id other = create("b.h5");
    const Id again = ID(H5Gopen2(file, "out", H5P_DEFAULT));
    DO(H5Lunregister(H5L_TYPE_EXTERNAL));
    const Id none = ID(H5Gopen2(file, "out", H5P_DEFAULT));
}

}  // namespace scenario
