#include "hdf5/differences.hpp"

#include <algorithm>

namespace quarry::hdf5 {
namespace {

// A file that is another altogether should not fill the memory.
constexpr size_t kMost = 1000;

std::string shortened(const std::string& text) {
    constexpr size_t kLongest = 200;
    return text.size() <= kLongest ? text : text.substr(0, kLongest) + "...";
}

const std::string* text_of(const std::string& name, const Properties& properties) {
    const auto found = std::find_if(properties.begin(), properties.end(),
                                    [&](const Property& one) { return one.name == name; });
    return found != properties.end() ? &found->text : nullptr;
}

}  // namespace

void Differences::add(const Where& where, const std::string& what) {
    if (found_.differences.size() < kMost)
        found_.differences.push_back({where.object, where.attribute, what});
    ++found_.all_differences;
}

void Differences::compare(const Where& where, const Properties& old, const Properties& copy) {
    if (old == copy) return;
    for (const auto& [name, text] : old) {
        const std::string* other = text_of(name, copy);
        if (other == nullptr)
            add(where, name + ": " + shortened(text) + " in the original, none in the copy");
        else if (*other != text)
            add(where, name + ": " + shortened(text) + " in the original, " + shortened(*other) +
                           " in the copy");
    }
    for (const auto& [name, text] : copy)
        if (text_of(name, old) == nullptr)
            add(where, name + ": none in the original, " + shortened(text) + " in the copy");
}

}  // namespace quarry::hdf5
