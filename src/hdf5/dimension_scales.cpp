#include "hdf5/dimension_scales.hpp"

#include <algorithm>
#include <cstring>

#include "hdf5/compare_values.hpp"
#include "hdf5/data_parts.hpp"
#include "hdf5/own_library.hpp"

namespace quarry::hdf5 {
namespace {

constexpr const char* kDimensionList = "DIMENSION_LIST";
constexpr const char* kReferenceList = "REFERENCE_LIST";
constexpr const char* kNumber = "_Netcdf4Dimid";
constexpr const char* kCoordinates = "_Netcdf4Coordinates";

// Calls `use` with each value of an attribute, as `type` in memory.
template <typename Use>
void each_value(hid_t attribute, hid_t type, Use use) {
    const Handle space(H5Aget_space(attribute), H5Sclose);
    const size_t count = elements_in(space);
    Values values(type, space, count);
    if (count == 0 || H5Aread(attribute, type, values.data()) < 0) return;
    values.are_filled();
    for (size_t i = 0; i < count; ++i) use(i, values.data() + i * H5Tget_size(type));
}

std::vector<int> numbers_in(hid_t object, const char* name) {
    const Handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose);
    std::vector<int> numbers;
    each_value(attribute, H5T_NATIVE_INT, [&](size_t, const std::byte* value) {
        int number = 0;
        std::memcpy(&number, value, sizeof number);
        numbers.push_back(number);
    });
    return numbers;
}

}  // namespace

bool is_scale(hid_t dataset) {
    if (H5Aexists(dataset, "CLASS") <= 0) return false;
    const Handle attribute(H5Aopen(dataset, "CLASS", H5P_DEFAULT), H5Aclose);
    const Handle type(H5Aget_type(attribute), H5Tclose);
    const Handle space(H5Aget_space(attribute), H5Sclose);
    constexpr size_t kLongest = 64;
    const size_t size = H5Tget_size(type);
    if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) > 0 || size > kLongest ||
        H5Sget_simple_extent_npoints(space) != 1)
        return false;
    std::string text(kLongest, '\0');
    return H5Aread(attribute, type, text.data()) >= 0 &&
           std::string(text.c_str()) == "DIMENSION_SCALE";
}

void DimensionScales::look_at(hid_t object, const std::vector<std::string>& attributes) {
    const auto has = [&](const char* name) {
        return std::find(attributes.begin(), attributes.end(), name) != attributes.end();
    };
    if (!has("CLASS") && !has(kDimensionList) && !has(kReferenceList) && !has(kNumber) &&
        !has(kCoordinates))
        return;
    const Token token = token_of_object(object);
    if (is_scale(object)) scales_.insert(token);
    if (has(kDimensionList)) read_dimension_list(object, token);
    if (has(kReferenceList)) read_reference_list(object, token);
    if (has(kCoordinates)) coordinates_[token] = numbers_in(object, kCoordinates);
    if (!has(kNumber)) return;
    for (const int number : numbers_in(object, kNumber)) numbers_[token] = number;
}

void DimensionScales::read_dimension_list(hid_t variable, const Token& token) {
    const Handle attribute(H5Aopen(variable, kDimensionList, H5P_DEFAULT), H5Aclose);
    const Handle type(H5Aget_type(attribute), H5Tclose);
    if (H5Tget_class(type) != H5T_VLEN) return;
    const ValueShape shape = shape_of(type);
    const ValueShape& element = shape.parts.front().shape;
    each_value(attribute, type, [&](size_t axis, const std::byte* value) {
        hvl_t scales{};
        std::memcpy(&scales, value, sizeof scales);
        for (size_t i = 0; i < scales.len; ++i) {
            const auto* reference = static_cast<const std::byte*>(scales.p) + i * element.size;
            named_.insert({token, static_cast<int>(axis),
                           object_behind(side_, reference, element).value_or(Token{})});
        }
    });
}

void DimensionScales::read_reference_list(hid_t scale, const Token& token) {
    const Handle attribute(H5Aopen(scale, kReferenceList, H5P_DEFAULT), H5Aclose);
    const Handle stored(H5Aget_type(attribute), H5Tclose);
    if (H5Tget_class(stored) != H5T_COMPOUND || H5Tget_nmembers(stored) != 2) return;
    const Handle reference(H5Tget_member_type(stored, 0), H5Tclose);
    const ValueShape shape = shape_of(reference);
    const Handle type(H5Tcreate(H5T_COMPOUND, shape.size + sizeof(int)), H5Tclose);
    H5Tinsert(type, "dataset", 0, reference);
    H5Tinsert(type, "dimension", shape.size, H5T_NATIVE_INT);
    each_value(attribute, type, [&](size_t, const std::byte* value) {
        int axis = 0;
        std::memcpy(&axis, value + shape.size, sizeof axis);
        listed_.insert({object_behind(side_, value, shape).value_or(Token{}), axis, token});
    });
}

std::set<std::pair<std::string, std::string>> DimensionScales::problems() const {
    std::set<std::pair<std::string, std::string>> found;
    for (const auto& [variable, axis, scale] : named_)
        if (!listed_.contains({variable, axis, scale}))
            found.emplace(path_of(variable), "the dimension scale of its axis " +
                                                 std::to_string(axis) + ", " + path_of(scale) +
                                                 ", does not list it");
    for (const auto& [variable, axis, scale] : listed_)
        if (!named_.contains({variable, axis, scale}))
            found.emplace(path_of(scale), "it lists axis " + std::to_string(axis) + " of " +
                                              path_of(variable) + ", which does not name it");
    std::map<int, int> holders;
    for (const auto& [token, number] : numbers_) ++holders[number];
    for (const auto& [token, number] : numbers_)
        if (holders.at(number) > 1)
            found.emplace(path_of(token), "its _Netcdf4Dimid is that of another, too");
    for (const Token& scale : scales_)
        if (!numbers_.empty() && !numbers_.contains(scale))
            found.emplace(path_of(scale), "it has no _Netcdf4Dimid, and others have");
    for (const auto& [token, numbers] : coordinates_)
        for (const int number : numbers)
            if (!holders.contains(number))
                found.emplace(path_of(token), "its _Netcdf4Coordinates name the dimension " +
                                                  std::to_string(number) + ", which is not there");
    return found;
}

std::string DimensionScales::path_of(const Token& token) const {
    const OldObject* named = side_.objects.find(token);
    return named != nullptr ? named->paths.front() : "nothing";
}

std::vector<std::pair<std::string, std::string>> new_problems(const DimensionScales& old,
                                                              const DimensionScales& copy) {
    const auto old_problems = old.problems();
    const auto problems = copy.problems();
    std::vector<std::pair<std::string, std::string>> found;
    std::set_difference(problems.begin(), problems.end(), old_problems.begin(), old_problems.end(),
                        std::back_inserter(found));
    return found;
}

}  // namespace quarry::hdf5
