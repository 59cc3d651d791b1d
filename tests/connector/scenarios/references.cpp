// References, old and new, in memory and stored.
#include "describe.hpp"
#include "scenario.hpp"

namespace scenario {
namespace {

Id sample(const char* name = "a.h5") {
    Id file = create(name);
    const Id group = ID(H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    const Id set = dataset(group, "x", H5T_STD_I32LE, {6, 6});
    write(set, counted(36));
    attribute(set, "a", {5, 6});
    return file;
}

Id corner(hid_t file) {
    const Id set(H5Dopen2(file, "g/x", H5P_DEFAULT));
    Id part(H5Dget_space(set));
    const hsize_t start[] = {1, 1}, count[] = {2, 3};
    H5Sselect_hyperslab(part, H5S_SELECT_SET, start, nullptr, count, nullptr);
    return part;
}

void say_region(hid_t region) {
    hsize_t low[2] = {}, high[2] = {};
    DO(H5Sget_select_bounds(region, low, high));
    say("  region", Dims(low, low + 2), Dims(high, high + 2), H5Sget_select_npoints(region));
}

void say_reference(H5R_ref_t* reference) {
    say("  type", H5Rget_type(reference));
    char name[64] = "";
    DO(H5Rget_file_name(reference, name, sizeof name));
    say("  file", name);
    DO(H5Rget_obj_name(reference, H5P_DEFAULT, name, sizeof name));
    say("  object", name);
    H5O_type_t type{};
    DO(H5Rget_obj_type3(reference, H5P_DEFAULT, &type));
    say("  of type", type);
    const Id object = ID(H5Ropen_object(reference, H5P_DEFAULT, H5P_DEFAULT));
    say("  a", H5Iget_type(object));
    const Id file(H5Iget_file_id(object));
    say("  in an open file", H5Iget_type(file));
}

}  // namespace

SCENARIO(reference_new_in_memory) {
    const Id file = sample();
    H5R_ref_t object{}, region{}, attribute{}, copy{}, broken{};
    const Id part = corner(file);
    DO(H5Rcreate_object(file, "g/x", H5P_DEFAULT, &object));
    DO(H5Rcreate_region(file, "g/x", part, H5P_DEFAULT, &region));
    DO(H5Rcreate_attr(file, "g/x", "a", H5P_DEFAULT, &attribute));
    DO(H5Rcreate_object(file, "missing", H5P_DEFAULT, &broken));
    DO(H5Rcopy(&region, &copy));
    for (H5R_ref_t* each : {&object, &region, &attribute, &copy}) say_reference(each);
    DO(H5Requal(&region, &copy));
    DO(H5Requal(&region, &object));
    const Id opened = ID(H5Ropen_region(&region, H5P_DEFAULT, H5P_DEFAULT));
    say_region(opened);
    const Id opened_attribute = ID(H5Ropen_attr(&attribute, H5P_DEFAULT, H5P_DEFAULT));
    char name[16] = "";
    DO(H5Rget_attr_name(&attribute, name, sizeof name));
    say("attribute", name);
    DO(H5Ropen_attr(&object, H5P_DEFAULT, H5P_DEFAULT));
    for (H5R_ref_t* each : {&object, &region, &attribute, &copy}) DO(H5Rdestroy(each));
}

SCENARIO(reference_new_stored) {
    {
        const Id file = sample();
        const Id part = corner(file);
        H5R_ref_t references[3] = {};
        DO(H5Rcreate_object(file, "g", H5P_DEFAULT, &references[0]));
        DO(H5Rcreate_region(file, "g/x", part, H5P_DEFAULT, &references[1]));
        DO(H5Rcreate_attr(file, "g/x", "a", H5P_DEFAULT, &references[2]));
        const Id set = dataset(file, "references", H5T_STD_REF, {3});
        DO(H5Dwrite(set, H5T_STD_REF, H5S_ALL, H5S_ALL, H5P_DEFAULT, references));
        const Id extent = space({3});
        const Id stored =
            ID(H5Acreate2(file, "as attribute", H5T_STD_REF, extent, H5P_DEFAULT, H5P_DEFAULT));
        DO(H5Awrite(stored, H5T_STD_REF, references));
        for (H5R_ref_t& each : references) DO(H5Rdestroy(&each));
    }
    const Id file = open("a.h5", H5F_ACC_RDONLY);
    const Id set = ID(H5Dopen2(file, "references", H5P_DEFAULT));
    H5R_ref_t references[3] = {};
    DO(H5Dread(set, H5T_STD_REF, H5S_ALL, H5S_ALL, H5P_DEFAULT, references));
    for (H5R_ref_t& each : references) {
        say_reference(&each);
        DO(H5Rdestroy(&each));
    }
    const Id attribute = ID(H5Aopen(file, "as attribute", H5P_DEFAULT));
    DO(H5Aread(attribute, H5T_STD_REF, references));
    const Id region = ID(H5Ropen_region(&references[1], H5P_DEFAULT, H5P_DEFAULT));
    say_region(region);
    const Id pointed = ID(H5Ropen_object(&references[1], H5P_DEFAULT, H5P_DEFAULT));
    read(pointed, space({6}), region, 6);
    const Id extent(H5Aget_space(attribute));
    DO(H5Treclaim(H5T_STD_REF, extent, H5P_DEFAULT, references));
}

// Stored in another file than the one it points into; HDF5 opens that one when asked.
SCENARIO(reference_new_into_another_file) {
    {
        const Id target = sample("target.h5"), holder = create("holder.h5");
        H5R_ref_t reference{};
        DO(H5Rcreate_object(target, "g/x", H5P_DEFAULT, &reference));
        const Id set = dataset(holder, "reference", H5T_STD_REF, {1});
        DO(H5Dwrite(set, H5T_STD_REF, H5S_ALL, H5S_ALL, H5P_DEFAULT, &reference));
        DO(H5Rdestroy(&reference));
    }
    for (const bool target_is_there : {true, false}) {
        if (!target_is_there) DO(H5Fdelete("target.h5", access()));
        const Id holder = open("holder.h5");
        const Id set = ID(H5Dopen2(holder, "reference", H5P_DEFAULT));
        H5R_ref_t reference{};
        DO(H5Dread(set, H5T_STD_REF, H5S_ALL, H5S_ALL, H5P_DEFAULT, &reference));
        const Id list = access();
        const Id pointed = ID(H5Ropen_object(&reference, list, H5P_DEFAULT));
        if (pointed >= 0) read(pointed);
        DO(H5Rdestroy(&reference));
    }
}

SCENARIO(reference_old) {
    const Id file = sample();
    hobj_ref_t objects[3] = {};
    hdset_reg_ref_t region{};
    const Id part = corner(file);
    DO(H5Rcreate(&objects[0], file, "g", H5R_OBJECT, H5I_INVALID_HID));
    DO(H5Rcreate(&objects[1], file, "g/x", H5R_OBJECT, H5I_INVALID_HID));
    DO(H5Rcreate(&region, file, "g/x", H5R_DATASET_REGION, part));
    DO(H5Rcreate(&objects[2], file, "missing", H5R_OBJECT, H5I_INVALID_HID));
    const Id set = dataset(file, "objects", H5T_STD_REF_OBJ, {3});
    DO(H5Dwrite(set, H5T_STD_REF_OBJ, H5S_ALL, H5S_ALL, H5P_DEFAULT, objects));
    const Id regions = dataset(file, "regions", H5T_STD_REF_DSETREG, {1});
    DO(H5Dwrite(regions, H5T_STD_REF_DSETREG, H5S_ALL, H5S_ALL, H5P_DEFAULT, &region));
    hobj_ref_t back[3] = {};
    DO(H5Dread(set, H5T_STD_REF_OBJ, H5S_ALL, H5S_ALL, H5P_DEFAULT, back));
    for (hobj_ref_t& each : back) {
        H5O_type_t type{};
        DO(H5Rget_obj_type2(file, H5R_OBJECT, &each, &type));
        say("type", type, "at", each);
        char name[32] = "";
        DO(H5Rget_name(file, H5R_OBJECT, &each, name, sizeof name));
        say("name", name);
        const Id object = ID(H5Rdereference2(file, H5P_DEFAULT, H5R_OBJECT, &each));
    }
    hdset_reg_ref_t region_back{};
    DO(H5Dread(regions, H5T_STD_REF_DSETREG, H5S_ALL, H5S_ALL, H5P_DEFAULT, &region_back));
    const Id selection = ID(H5Rget_region(regions, H5R_DATASET_REGION, &region_back));
    say_region(selection);
    const Id pointed = ID(H5Rdereference2(regions, H5P_DEFAULT, H5R_DATASET_REGION, &region_back));
    read(pointed, space({6}), selection, 6);
    describe(file);
}

// The newest way to store references, opened and converted by others.
SCENARIO(reference_in_compound_and_converted) {
    const Id file = sample();
    struct Entry {
        int number;
        hobj_ref_t object;
    } entries[2] = {{1, 0}, {2, 0}};
    DO(H5Rcreate(&entries[0].object, file, "g", H5R_OBJECT, H5I_INVALID_HID));
    DO(H5Rcreate(&entries[1].object, file, "g/x", H5R_OBJECT, H5I_INVALID_HID));
    const Id type(H5Tcreate(H5T_COMPOUND, sizeof(Entry)));
    H5Tinsert(type, "number", offsetof(Entry, number), H5T_NATIVE_INT);
    H5Tinsert(type, "object", offsetof(Entry, object), H5T_STD_REF_OBJ);
    const Id set = dataset(file, "entries", type, {2});
    DO(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, entries));
    const Id objects = dataset(file, "objects", H5T_STD_REF_OBJ, {2});
    const hobj_ref_t plain[] = {entries[0].object, entries[1].object};
    DO(H5Dwrite(objects, H5T_STD_REF_OBJ, H5S_ALL, H5S_ALL, H5P_DEFAULT, plain));
    H5R_ref_t converted[2] = {};
    DO(H5Dread(objects, H5T_STD_REF, H5S_ALL, H5S_ALL, H5P_DEFAULT, converted));
    for (H5R_ref_t& each : converted) {
        say_reference(&each);
        DO(H5Rdestroy(&each));
    }
}

}  // namespace scenario
