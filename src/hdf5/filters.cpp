#include "hdf5/filters.hpp"

#include <array>

#include "hdf5/failure.hpp"

namespace quarry::hdf5 {

std::vector<Filter> filters_of(hid_t creation_list) {
    const std::string what = "its filters cannot be read";
    std::vector<Filter> filters;
    const int count = checked(H5Pget_nfilters(creation_list), what);
    for (int i = 0; i < count; ++i) {
        Filter filter{};
        size_t size = 0;
        unsigned configuration = 0;
        const auto number = static_cast<unsigned>(i);
        checked(H5Pget_filter2(creation_list, number, &filter.flags, &size, nullptr, 0, nullptr,
                               &configuration),
                what);
        filter.values.resize(size);
        std::array<char, 256> name{};
        filter.id = checked(
            H5Pget_filter2(creation_list, number, &filter.flags, &size, filter.values.data(),
                           name.size() - 1, name.data(), &configuration),
            what);
        filter.name = name.data();
        filters.push_back(std::move(filter));
    }
    return filters;
}

}  // namespace quarry::hdf5
