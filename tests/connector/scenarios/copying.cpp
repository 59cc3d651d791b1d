// H5Ocopy, within and across files, with every flag.
#include "describe.hpp"
#include "scenario.hpp"

namespace scenario {
namespace {

Id sample() {
    Id file = create("from.h5");
    const Id group = ID(H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    const Id deep = ID(H5Gcreate2(group, "deep", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    const Id creation = chunked({4});
    H5Pset_deflate(creation, 5);
    write(dataset(group, "x", H5T_STD_I32LE, {10}, creation), counted(10));
    const Id type(H5Tcopy(H5T_NATIVE_INT));
    DO(H5Tcommit2(file, "type", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    write(dataset(deep, "typed", type, {3}), counted(3));
    attribute(group, "note", {1, 2});
    hobj_ref_t reference{};
    DO(H5Rcreate(&reference, file, "g/x", H5R_OBJECT, H5I_INVALID_HID));
    const Id references = dataset(group, "references", H5T_STD_REF_OBJ, {1});
    DO(H5Dwrite(references, H5T_STD_REF_OBJ, H5S_ALL, H5S_ALL, H5P_DEFAULT, &reference));
    {
        const Id outside = create("outside.h5");
        write(dataset(outside, "o", H5T_STD_I32LE, {2}), counted(2, 9));
    }
    DO(H5Lcreate_soft("/g/x", group, "soft", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lcreate_external("outside.h5", "o", group, "external", H5P_DEFAULT, H5P_DEFAULT));
    const Id words(H5Tcopy(H5T_C_S1));
    H5Tset_size(words, H5T_VARIABLE);
    const char* word[] = {"variable"};
    const Id strings = dataset(group, "strings", words, {1});
    DO(H5Dwrite(strings, words, H5S_ALL, H5S_ALL, H5P_DEFAULT, word));
    return file;
}

}  // namespace

SCENARIO(copy_with_all_flags) {
    const Id from = sample();
    for (const unsigned flags :
         {0U, H5O_COPY_SHALLOW_HIERARCHY_FLAG, H5O_COPY_EXPAND_SOFT_LINK_FLAG,
          H5O_COPY_EXPAND_EXT_LINK_FLAG, H5O_COPY_EXPAND_REFERENCE_FLAG, H5O_COPY_WITHOUT_ATTR_FLAG,
          H5O_COPY_PRESERVE_NULL_FLAG, H5O_COPY_MERGE_COMMITTED_DTYPE_FLAG,
          H5O_COPY_ALL & ~H5O_COPY_SHALLOW_HIERARCHY_FLAG}) {
        const Id copying =
            list(H5P_OBJECT_COPY, [&](hid_t made) { H5Pset_copy_object(made, flags); });
        const std::string name = "to" + text(flags) + ".h5";
        const Id to = create(name.c_str());
        say("flags", flags);
        DO(H5Ocopy(from, "g", to, "copied", copying, H5P_DEFAULT));
        describe(to);
    }
}

SCENARIO(copy_within_a_file_and_errors) {
    const Id from = sample();
    const Id links =
        list(H5P_LINK_CREATE, [](hid_t made) { H5Pset_create_intermediate_group(made, 1); });
    DO(H5Ocopy(from, "g", from, "a/b/copy", H5P_DEFAULT, links));
    DO(H5Ocopy(from, "g", from, "g", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Ocopy(from, "missing", from, "x", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Ocopy(from, "type", from, "type copy", H5P_DEFAULT, H5P_DEFAULT));
    describe(from);
}

SCENARIO(copy_merges_committed_types) {
    const Id from = sample(), to = create("to.h5");
    const Id type(H5Tcopy(H5T_NATIVE_INT));
    DO(H5Tcommit2(to, "known", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    const Id copying = list(H5P_OBJECT_COPY, [](hid_t made) {
        H5Pset_copy_object(made, H5O_COPY_MERGE_COMMITTED_DTYPE_FLAG);
        H5Padd_merge_committed_dtype_path(made, "/known");
        H5Pset_mcdt_search_cb(
            made,
            [](void*) {
                say("  searching");
                return H5O_MCDT_SEARCH_CONT;
            },
            nullptr);
    });
    DO(H5Ocopy(from, "g/deep", to, "copied", copying, H5P_DEFAULT));
    describe(to);
}

// Into a file that was opened by another driver.
SCENARIO(copy_across_drivers) {
    const Id from = sample();
    const Id list = access();
    DO(H5Pset_fapl_core(list, 4096, true));
    const Id to = create("core.h5", list);
    DO(H5Ocopy(from, "g", to, "copied", H5P_DEFAULT, H5P_DEFAULT));
    describe(to);
}

}  // namespace scenario
