// A random file, made, changed, closed, and read back through random selections.
#include <cstdlib>

#include "describe.hpp"
#include "random_values.hpp"

namespace scenario {
namespace {

bool varies(hid_t type) {
    return H5Tdetect_class(type, H5T_VLEN) > 0 || H5Tdetect_class(type, H5T_STRING) > 0;
}

class Maker {
public:
    explicit Maker(uint64_t seed) : random_(seed) {}

    void make(const char* name);
    void change(const char* name);
    void look(const char* name);

private:
    Id file_access();
    Id file_creation();
    void fill_group(hid_t group, int depth);
    void add_group(hid_t group, const std::string& name, int depth);
    void add_dataset(hid_t group, const std::string& name);
    void add_attributes(hid_t object);
    void add_link(hid_t group, const std::string& name);
    Id dataset_creation(const Dims& dims, hid_t type, bool growing);
    Id random_part(hid_t set, size_t& count);
    void write_part(hid_t set, hid_t type);
    void read_part(hid_t set);
    void visit_datasets(hid_t file, void (Maker::*work)(hid_t));
    void change_dataset(hid_t set);

    // These do not go together, nor with the split driver.
    enum class Shape { Plain, Aligned, UserBlock, Paged };

    Random random_;
    int next_name_ = 0;
    int format_ = 0;
    int driver_ = 0;
    Shape shape_ = Shape::Plain;
};

Id Maker::file_access() {
    Id list = access();
    if (format_ == 1) H5Pset_libver_bounds(list, H5F_LIBVER_V18, H5F_LIBVER_LATEST);
    if (format_ == 2) H5Pset_libver_bounds(list, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST);
    if (driver_ == 1) H5Pset_fapl_stdio(list);
    if (driver_ == 2) H5Pset_fapl_core(list, 1024, true);
    if (driver_ == 3) H5Pset_fapl_split(list, "-m", H5P_DEFAULT, "-r", H5P_DEFAULT);
    if (shape_ == Shape::Aligned) H5Pset_alignment(list, 64, 512);
    if (random_.chance(30)) H5Pset_sieve_buf_size(list, 100);
    if (random_.chance(20)) H5Pset_cache(list, 0, 5, 500, 0.3);
    return list;
}

Id Maker::file_creation() {
    Id list(H5Pcreate(H5P_FILE_CREATE));
    if (shape_ == Shape::UserBlock) H5Pset_userblock(list, 512);
    if (shape_ == Shape::Paged) {
        H5Pset_file_space_strategy(list, H5F_FSPACE_STRATEGY_PAGE, random_.chance(50), 1);
        H5Pset_file_space_page_size(list, 4096);
    }
    if (random_.chance(30))
        H5Pset_link_creation_order(list, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    return list;
}

Id Maker::dataset_creation(const Dims& dims, hid_t type, bool growing) {
    Id list(H5Pcreate(H5P_DATASET_CREATE));
    const bool in_chunks = growing || random_.chance(60);
    if (!in_chunks && random_.chance(30)) H5Pset_layout(list, H5D_COMPACT);
    if (in_chunks && !dims.empty()) {
        Dims chunk;
        for (const hsize_t dim : dims) chunk.push_back(random_.between(1, dim));
        H5Pset_chunk(list, static_cast<int>(chunk.size()), chunk.data());
        if (random_.chance(40)) H5Pset_shuffle(list);
        if (random_.chance(40)) H5Pset_deflate(list, static_cast<unsigned>(random_.between(1, 9)));
        if (random_.chance(30)) H5Pset_fletcher32(list);
    }
    if (random_.chance(30)) H5Pset_alloc_time(list, H5D_ALLOC_TIME_EARLY);
    if (!varies(type) && random_.chance(40)) {
        const RandomValues fill(random_, type, 1);
        H5Pset_fill_value(list, type, fill.data());
    }
    if (random_.chance(30))
        H5Pset_attr_creation_order(list, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    if (random_.chance(20)) H5Pset_obj_track_times(list, false);
    return list;
}

// A box within the extent, now and then with a second one added to it.
Id Maker::random_part(hid_t set, size_t& count) {
    Id part(H5Dget_space(set));
    const int rank = H5Sget_simple_extent_ndims(part);
    if (rank > 0 && H5Sget_simple_extent_npoints(part) > 0) {
        Dims dims(static_cast<size_t>(rank));
        H5Sget_simple_extent_dims(part, dims.data(), nullptr);
        for (const H5S_seloper_t how : {H5S_SELECT_SET, H5S_SELECT_OR}) {
            Dims start, size;
            for (const hsize_t dim : dims) {
                start.push_back(random_.below(dim));
                size.push_back(random_.between(1, dim - start.back()));
            }
            if (how == H5S_SELECT_SET || random_.chance(30)) {
                H5Sselect_hyperslab(part, how, start.data(), nullptr, size.data(), nullptr);
            }
        }
    }
    count = static_cast<size_t>(H5Sget_select_npoints(part));
    return part;
}

void Maker::write_part(hid_t set, hid_t type) {
    size_t count = 0;
    const Id part = random_part(set, count);
    if (count == 0) return;
    const RandomValues values(random_, type, count);
    const Id memory = space({count});
    DO(H5Dwrite(set, type, memory, part, H5P_DEFAULT, values.data()));
}

void Maker::read_part(hid_t set) {
    size_t count = 0;
    const Id part = random_part(set, count);
    if (count == 0) return;
    const Id stored(H5Dget_type(set)), type(H5Tget_native_type(stored, H5T_DIR_ASCEND));
    std::vector<unsigned char> buffer(count * H5Tget_size(type));
    const Id memory = space({count});
    if (DO(H5Dread(set, type, memory, part, H5P_DEFAULT, buffer.data())) < 0) return;
    say(values_text(type, buffer.data(), count));
    H5Treclaim(type, memory, H5P_DEFAULT, buffer.data());
}

void Maker::add_attributes(hid_t object) {
    for (size_t i = random_.chance(15) ? 12 : random_.below(3); i > 0; --i) {
        const Id type = random_type(random_);
        const size_t count = random_.between(1, 6);
        const Id extent = space({count});
        const std::string name = "attribute " + text(next_name_++);
        const Id made =
            ID(H5Acreate2(object, name.c_str(), type, extent, H5P_DEFAULT, H5P_DEFAULT));
        const RandomValues values(random_, type, count);
        DO(H5Awrite(made, type, values.data()));
    }
}

void Maker::add_dataset(hid_t group, const std::string& name) {
    Dims dims, largest;
    for (size_t i = random_.below(4); i > 0; --i) dims.push_back(random_.between(1, 12));
    const bool growing = !dims.empty() && random_.chance(40);
    for (const hsize_t dim : dims)
        largest.push_back(growing ? (random_.chance(70) ? H5S_UNLIMITED : dim + 5) : dim);
    const Id type = random_type(random_);
    if (random_.chance(15)) {
        const std::string type_name = name + "'s type";
        DO(H5Tcommit2(group, type_name.c_str(), type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    }
    const Id creation = dataset_creation(dims, type, growing);
    const Id extent = dims.empty() ? Id(H5Screate(H5S_SCALAR)) : space(dims, largest);
    say("dataset", name, dims);
    const Id set =
        ID(H5Dcreate2(group, name.c_str(), type, extent, H5P_DEFAULT, creation, H5P_DEFAULT));
    if (set < 0) return;
    for (size_t i = random_.below(4); i > 0; --i) write_part(set, type);
    add_attributes(set);
}

void Maker::add_link(hid_t group, const std::string& name) {
    switch (random_.below(4)) {
        case 0:
            DO(H5Lcreate_soft("/", group, name.c_str(), H5P_DEFAULT, H5P_DEFAULT));
            break;
        case 1:
            DO(H5Lcreate_soft("/dangling", group, name.c_str(), H5P_DEFAULT, H5P_DEFAULT));
            break;
        case 2:
            DO(H5Lcreate_external("other.h5", "/x", group, name.c_str(), H5P_DEFAULT, H5P_DEFAULT));
            break;
        default: {
            const Id set = dataset(group, name.c_str(), H5T_STD_REF_OBJ, {2});
            hobj_ref_t references[2] = {};
            DO(H5Rcreate(&references[0], group, "/", H5R_OBJECT, H5I_INVALID_HID));
            DO(H5Rcreate(&references[1], group, name.c_str(), H5R_OBJECT, H5I_INVALID_HID));
            DO(H5Dwrite(set, H5T_STD_REF_OBJ, H5S_ALL, H5S_ALL, H5P_DEFAULT, references));
            break;
        }
    }
}

void Maker::add_group(hid_t group, const std::string& name, int depth) {
    const Id creation(H5Pcreate(H5P_GROUP_CREATE));
    if (random_.chance(40))
        H5Pset_link_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
    if (random_.chance(20)) H5Pset_link_phase_change(creation, 2, 1);
    const Id made = ID(H5Gcreate2(group, name.c_str(), H5P_DEFAULT, creation, H5P_DEFAULT));
    add_attributes(made);
    fill_group(made, depth + 1);
}

void Maker::fill_group(hid_t group, int depth) {
    for (size_t i = depth == 0 ? 8 : random_.between(1, 4); i > 0; --i) {
        const std::string name = "n" + text(next_name_++);
        const size_t kind = random_.below(10);
        if (kind < 3 && depth < 3) {
            add_group(group, name, depth);
        } else if (kind < 8) {
            add_dataset(group, name);
        } else {
            add_link(group, name);
        }
    }
}

void Maker::make(const char* name) {
    format_ = static_cast<int>(random_.below(3));
    driver_ = random_.chance(60) ? 0 : static_cast<int>(random_.between(1, 3));
    if (driver_ != 3) shape_ = static_cast<Shape>(random_.below(4));
    {
        const Id other = create("other.h5");
        write(dataset(other, "x", H5T_STD_I32LE, {3}), counted(3));
    }
    const Id list = file_access(), creation = file_creation();
    const Id file = create(name, list, creation);
    fill_group(file, 0);
}

void Maker::visit_datasets(hid_t file, void (Maker::*work)(hid_t)) {
    std::vector<std::string> names;
    H5Ovisit3(
        file, H5_INDEX_NAME, H5_ITER_INC,
        [](hid_t, const char* name, const H5O_info2_t* info, void* all) -> herr_t {
            if (info->type == H5O_TYPE_DATASET)
                static_cast<std::vector<std::string>*>(all)->push_back(name);
            return 0;
        },
        &names, H5O_INFO_BASIC);
    for (const std::string& name : names) {
        say("at", name);
        const Id set = ID(H5Dopen2(file, name.c_str(), H5P_DEFAULT));
        if (set >= 0) (this->*work)(set);
    }
}

void Maker::change_dataset(hid_t set) {
    const Id type(H5Dget_type(set)), extent(H5Dget_space(set));
    const int rank = H5Sget_simple_extent_ndims(extent);
    if (H5Tget_class(type) == H5T_REFERENCE) return;
    if (rank > 0 && random_.chance(50)) {
        Dims dims(static_cast<size_t>(rank));
        H5Sget_simple_extent_dims(extent, dims.data(), nullptr);
        for (hsize_t& dim : dims) dim = random_.between(1, dim + 3);
        DO(H5Dset_extent(set, dims.data()));
    }
    if (random_.chance(60)) write_part(set, type);
    if (random_.chance(30)) add_attributes(set);
    if (random_.chance(20)) DO(H5Dflush(set));
    // HDF5 1.14.5 writes past the end of a buffer, or fails an assertion, when it copies some
    // chunks.
    const Id creation(H5Dget_create_plist(set));
    if (H5Pget_layout(creation) != H5D_CHUNKED && random_.chance(30)) {
        const Id file(H5Iget_file_id(set));
        DO(H5Ocopy(set, ".", file, ("copy " + text(next_name_++)).c_str(), H5P_DEFAULT,
                   H5P_DEFAULT));
    }
}

void Maker::change(const char* name) {
    const Id list = file_access();
    const Id file = open(name, H5F_ACC_RDWR, list);
    visit_datasets(file, &Maker::change_dataset);
    hsize_t links = 0;
    H5G_info_t info{};
    if (DO(H5Gget_info(file, &info)) >= 0) links = info.nlinks;
    if (links > 2)
        DO(H5Ldelete_by_idx(file, "/", H5_INDEX_NAME, H5_ITER_INC, random_.below(links),
                            H5P_DEFAULT));
}

void Maker::look(const char* name) {
    const Id list = file_access();
    const Id file = open(name, H5F_ACC_RDONLY, list);
    describe(file);
    for (int i = 0; i < 3; ++i) visit_datasets(file, &Maker::read_part);
}

}  // namespace

// The seed comes from QUARRY_SEED.
SCENARIO(random_file) {
    const char* seed = std::getenv("QUARRY_SEED");
    Maker maker(seed != nullptr ? std::strtoull(seed, nullptr, 10) : 0);
    maker.make("a.h5");
    maker.change("a.h5");
    maker.look("a.h5");
}

}  // namespace scenario
