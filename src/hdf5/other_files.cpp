#include "hdf5/other_files.hpp"

#include <array>

#include "hdf5/failure.hpp"
#include "hdf5/virtual_sources.hpp"

namespace quarry::hdf5 {
namespace {

const std::string kWhat = "where its data lies cannot be told";

std::string source_name(ssize_t (*get)(hid_t, size_t, char*, size_t), hid_t list, size_t index) {
    const ssize_t size = checked(get(list, index, nullptr, 0), kWhat);
    std::string name(static_cast<size_t>(size), '\0');
    checked(get(list, index, name.data(), name.size() + 1), kWhat);
    return name;
}

const Api& own_api() {
    static const Api own = [] {
        Api api;
        bind_to_library_at(reinterpret_cast<const void*>(&H5open), api);
        return api;
    }();
    return own;
}

}  // namespace

std::vector<NeededData> needed_by(hid_t dataset) {
    std::vector<NeededData> needed;
    const Handle creation(H5Dget_create_plist(dataset), H5Pclose);
    if (H5Pget_layout(creation) == H5D_VIRTUAL) {
        const Handle space(H5Dget_space(dataset), H5Sclose);
        for (const SourceAccess& source : sources_of(own_api(), creation, space))
            needed.push_back({source.file, source.dataset});
    } else if (H5Pget_external_count(creation) > 0) {
        for (const ExternalFile& file : external_files_of(creation))
            needed.push_back({file.name, ""});
    }
    return needed;
}

std::vector<ExternalFile> external_files_of(hid_t list) {
    std::vector<ExternalFile> files;
    const int count = checked(H5Pget_external_count(list), kWhat);
    for (int i = 0; i < count; ++i) {
        std::array<char, 4096> name{};
        off_t offset = 0;
        hsize_t size = 0;
        checked(H5Pget_external(list, static_cast<unsigned>(i), name.size() - 1, name.data(),
                                &offset, &size),
                kWhat);
        files.push_back({name.data(), offset, size});
    }
    return files;
}

std::vector<VirtualMapping> mappings_of(hid_t list) {
    std::vector<VirtualMapping> mappings;
    size_t count = 0;
    checked(H5Pget_virtual_count(list, &count), kWhat);
    for (size_t i = 0; i < count; ++i)
        mappings.push_back({source_name(H5Pget_virtual_filename, list, i),
                            source_name(H5Pget_virtual_dsetname, list, i),
                            {checked(H5Pget_virtual_vspace(list, i), kWhat), H5Sclose},
                            {checked(H5Pget_virtual_srcspace(list, i), kWhat), H5Sclose}});
    return mappings;
}

}  // namespace quarry::hdf5
