// Committed types, and types that a file must carry.
#include <cstddef>

#include "describe.hpp"
#include "scenario.hpp"

namespace scenario {
namespace {

struct Point {
    double x;
    int label;
    short parts[3];
};

Id point_type() {
    Id type(H5Tcreate(H5T_COMPOUND, sizeof(Point)));
    const hsize_t three = 3;
    const Id parts(H5Tarray_create2(H5T_NATIVE_SHORT, 1, &three));
    H5Tinsert(type, "x", offsetof(Point, x), H5T_NATIVE_DOUBLE);
    H5Tinsert(type, "label", offsetof(Point, label), H5T_NATIVE_INT);
    H5Tinsert(type, "parts", offsetof(Point, parts), parts);
    return type;
}

}  // namespace

SCENARIO(type_committed_and_shared) {
    const Id file = create("a.h5");
    const Id type = point_type();
    DO(H5Tcommit2(file, "point", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Tcommit2(file, "point again", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Tcommitted(type));
    static const Point points[] = {{1.5, 1, {1, 2, 3}}, {2.5, 2, {4, 5, 6}}};
    const Id set = dataset(file, "points", type, {2});
    DO(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, points));
    const Id extent = space({2});
    const Id named = ID(H5Acreate2(set, "points too", type, extent, H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Awrite(named, type, points));
    attribute(type, "on the type", {4});
    const Id opened = ID(H5Topen2(file, "point", H5P_DEFAULT));
    const Id of_set = ID(H5Dget_type(set));
    DO(H5Tequal(opened, of_set));
    DO(H5Tcommitted(of_set));
    const Id copied = ID(H5Tcopy(opened));
    DO(H5Tcommitted(copied));
    const Id copied_of_set = ID(H5Tcopy(set));
    DO(H5Tflush(opened));
    DO(H5Trefresh(opened));
    const Id back = ID(H5Tget_create_plist(opened));
    const Id nameless = point_type();
    DO(H5Tcommit_anon(file, nameless, H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Olink(nameless, file, "linked later", H5P_DEFAULT, H5P_DEFAULT));
    const Id missing = ID(H5Topen2(file, "missing", H5P_DEFAULT));
    const Id wrong = ID(H5Topen2(file, "points", H5P_DEFAULT));
    describe(file);
}

SCENARIO(type_used_across_files) {
    const Id one = create("one.h5"), two = create("two.h5");
    const Id type = point_type();
    DO(H5Tcommit2(one, "point", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    const Id set = dataset(two, "x", type, {2});
    const Id of_set(H5Dget_type(set));
    DO(H5Tcommitted(of_set));
    DO(H5Tcommit2(two, "point", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    describe(two);
}

SCENARIO(type_variety) {
    const Id file = create("a.h5");
    const Id color(H5Tenum_create(H5T_STD_I8LE));
    signed char value = 0;
    for (const char* name : {"red", "green", "blue"}) {
        H5Tenum_insert(color, name, &value);
        ++value;
    }
    const Id opaque(H5Tcreate(H5T_OPAQUE, 5));
    H5Tset_tag(opaque, "five bytes");
    const Id fixed(H5Tcopy(H5T_C_S1)), bits(H5Tcopy(H5T_STD_B16BE)), odd(H5Tcopy(H5T_STD_U32LE)),
        small(H5Tcopy(H5T_IEEE_F32LE));
    H5Tset_size(fixed, 7);
    H5Tset_strpad(fixed, H5T_STR_SPACEPAD);
    H5Tset_cset(fixed, H5T_CSET_UTF8);
    H5Tset_precision(odd, 17);
    H5Tset_offset(odd, 3);
    H5Tset_fields(small, 20, 15, 5, 5, 10);
    H5Tset_size(small, 4);
    const struct {
        const char* name;
        hid_t type;
    } kinds[] = {{"enum", color},
                 {"opaque", opaque},
                 {"string", fixed},
                 {"bits", bits},
                 {"odd", odd},
                 {"float", small},
                 {"long double", H5T_NATIVE_LDOUBLE}};
    for (const auto& kind : kinds) {
        const Id set = dataset(file, kind.name, kind.type, {4});
        std::vector<unsigned char> bytes(4 * H5Tget_size(kind.type));
        for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<unsigned char>(i % 3);
        DO(H5Dwrite(set, kind.type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()));
    }
    const Id colors = ID(H5Dopen2(file, "enum", H5P_DEFAULT));
    read(colors);
    describe(file);
}

// A compound written and read field by field.
SCENARIO(type_fields_one_by_one) {
    const Id file = create("a.h5");
    const Id type = point_type();
    const Id set = dataset(file, "points", type, {3}, chunked({2}));
    const Id labels(H5Tcreate(H5T_COMPOUND, sizeof(int))),
        xs(H5Tcreate(H5T_COMPOUND, sizeof(double)));
    H5Tinsert(labels, "label", 0, H5T_NATIVE_INT);
    H5Tinsert(xs, "x", 0, H5T_NATIVE_DOUBLE);
    std::vector<int> some = {7, 8, 9};
    std::vector<double> others = {0.5, 1.5, 2.5};
    DO(H5Dwrite(set, labels, H5S_ALL, H5S_ALL, H5P_DEFAULT, some.data()));
    DO(H5Dwrite(set, xs, H5S_ALL, H5S_ALL, H5P_DEFAULT, others.data()));
    some.assign(3, 0);
    DO(H5Dread(set, labels, H5S_ALL, H5S_ALL, H5P_DEFAULT, some.data()));
    say(some);
    describe(file);
}

SCENARIO(type_encoded) {
    const Id file = create("a.h5");
    const Id type = point_type();
    DO(H5Tcommit2(file, "point", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    const Id opened = ID(H5Topen2(file, "point", H5P_DEFAULT));
    size_t size = 0;
    DO(H5Tencode(opened, nullptr, &size));
    std::string bytes(size, '\0');
    DO(H5Tencode(opened, bytes.data(), &size));
    say(size, digest(bytes.data(), size));
    const Id decoded = ID(H5Tdecode(bytes.data()));
    DO(H5Tequal(decoded, opened));
}

}  // namespace scenario
