#include "hdf5/virtual_sources.hpp"

#include <algorithm>
#include <array>

#include "hdf5/select.hpp"

namespace quarry::hdf5 {
namespace {

// A dataspace that is closed again.
class Space {
public:
    Space(const Api& api, hid_t id) : api_(api), id_(id) {}
    ~Space() {
        if (id_ >= 0) api_.H5Sclose(id_);
    }
    Space(const Space&) = delete;
    Space& operator=(const Space&) = delete;

    hid_t id() const { return id_; }
    explicit operator bool() const { return id_ >= 0; }

private:
    const Api& api_;
    hid_t id_;
};

using Coordinates = std::array<hsize_t, H5S_MAX_RANK>;

std::string text_of(hid_t creation, size_t mapping, decltype(&H5Pget_virtual_filename) get) {
    const ssize_t size = get(creation, mapping, nullptr, 0);
    if (size <= 0) return "";
    std::string text(static_cast<size_t>(size) + 1, '\0');
    get(creation, mapping, text.data(), text.size());
    text.resize(static_cast<size_t>(size));
    return text;
}

// The whole of a source, whose shape HDF5 does not know before it opens it: its elements one after
// the other, as many as they are mapped to.
hid_t whole_source(const Api& api, hid_t mapped) {
    const auto elements = static_cast<hsize_t>(api.H5Sget_select_npoints(mapped));
    return api.H5Screate_simple(1, &elements, nullptr);
}

struct Mapping {
    std::string file;
    std::string dataset;
    hid_t mapped;  // of the virtual dataset
    hid_t source;
};

void add_projection(const Api& api, const Mapping& mapping, hid_t accessed,
                    std::vector<SourceAccess>& sources) {
    const bool is_whole = api.H5Sget_select_type(mapping.source) == H5S_SEL_ALL;
    const Space whole(api, is_whole ? whole_source(api, mapping.mapped) : -1);
    const hid_t source = is_whole ? whole.id() : mapping.source;
    const Space projected(
        api,
        source >= 0 ? api.H5Sselect_project_intersection(mapping.mapped, source, accessed) : -1);
    if (!projected) {
        sources.push_back({mapping.file, mapping.dataset, {}, 0, true, false});
        return;
    }
    const auto elements = std::max<hssize_t>(api.H5Sget_select_npoints(projected.id()), 0);
    if (elements == 0) return;
    sources.push_back({mapping.file, mapping.dataset, selection_of(api, projected.id()),
                       static_cast<uint64_t>(elements), false, is_whole});
}

// One dataset per block, along the dimension without a limit.
void add_blocks(const Api& api, const Mapping& mapping, hid_t accessed,
                std::vector<SourceAccess>& sources) {
    Coordinates start, stride, count, block, first, last;
    const int rank = api.H5Sget_simple_extent_ndims(accessed);
    if (rank <= 0 || api.H5Sget_regular_hyperslab(mapping.mapped, start.data(), stride.data(),
                                                  count.data(), block.data()) < 0)
        return;
    const auto unlimited = std::find(count.begin(), count.begin() + rank, H5S_UNLIMITED);
    if (unlimited == count.begin() + rank) return;
    const auto dimension = static_cast<size_t>(unlimited - count.begin());
    if (api.H5Sget_select_bounds(accessed, first.data(), last.data()) < 0) return;
    const Space one(api, api.H5Scopy(accessed));
    *unlimited = 1;
    const hsize_t begin = start[dimension];
    for (hsize_t number = 0;; ++number) {
        start[dimension] = begin + number * stride[dimension];
        if (!one || start[dimension] > last[dimension]) return;
        if (start[dimension] + block[dimension] <= first[dimension]) continue;
        api.H5Sselect_hyperslab(one.id(), H5S_SELECT_SET, start.data(), stride.data(), count.data(),
                                block.data());
        add_projection(api,
                       {name_of_block(mapping.file, number), name_of_block(mapping.dataset, number),
                        one.id(), mapping.source},
                       accessed, sources);
    }
}

}  // namespace

bool names_blocks(const std::string& name) {
    for (size_t at = 0; at + 1 < name.size(); ++at) {
        if (name[at] != '%') continue;
        if (name[at + 1] == 'b') return true;
        ++at;
    }
    return false;
}

std::string name_of_block(const std::string& name, hsize_t block) {
    std::string made;
    for (size_t at = 0; at < name.size(); ++at) {
        if (name[at] == '%' && at + 1 < name.size()) {
            ++at;
            made += name[at] == 'b' ? std::to_string(block) : std::string(1, name[at]);
        } else {
            made += name[at];
        }
    }
    return made;
}

std::vector<SourceAccess> sources_of(const Api& api, hid_t creation, hid_t accessed) {
    std::vector<SourceAccess> sources;
    size_t mappings = 0;
    if (api.H5Pget_virtual_count(creation, &mappings) < 0) return sources;
    for (size_t i = 0; i < mappings; ++i) {
        const Space mapped(api, api.H5Pget_virtual_vspace(creation, i));
        const Space source(api, api.H5Pget_virtual_srcspace(creation, i));
        if (!mapped || !source) continue;
        const std::string file = text_of(creation, i, api.H5Pget_virtual_filename);
        const std::string dataset = text_of(creation, i, api.H5Pget_virtual_dsetname);
        const Mapping mapping{name_of_block(file, 0), name_of_block(dataset, 0), mapped.id(),
                              source.id()};
        if (names_blocks(file) || names_blocks(dataset)) {
            add_blocks(api, {file, dataset, mapped.id(), source.id()}, accessed, sources);
        } else if (api.H5Sget_select_npoints(mapped.id()) < 0) {
            // Without a limit: where it ends depends on the source's shape, which only HDF5 sees.
            sources.push_back({mapping.file, mapping.dataset, {}, 0, true, false});
        } else {
            add_projection(api, mapping, accessed, sources);
        }
    }
    return sources;
}

}  // namespace quarry::hdf5
