#include "hdf5/plain_dataset.hpp"

#include <algorithm>
#include <string_view>

namespace quarry::hdf5 {
namespace {

using Bytes = std::span<const uint8_t>;

// As HDF5's description of its format numbers them.
enum Message : unsigned {
    kNil = 0x00,
    kDataspace = 0x01,
    kDatatype = 0x03,
    kOldFillValue = 0x04,
    kFillValue = 0x05,
    kLayout = 0x08,
    kAttribute = 0x0c,
    kComment = 0x0d,
    kOldTime = 0x0e,
    kContinuation = 0x10,
    kTime = 0x12,
    kAttributeInfo = 0x15,
    kReferenceCount = 0x16,
};

Bytes part(Bytes bytes, size_t at, size_t size) {
    if (at > bytes.size() || size > bytes.size() - at) return {};
    return bytes.subspan(at, size);
}

// Of which no value leads to an object.
bool is_plain_type(Bytes type, int depth = 0) {
    constexpr size_t kHead = 8;  // class and size
    constexpr int kDeepest = 3;
    if (type.size() < kHead) return false;
    switch (type[0] & 0x0f) {
        case 0:  // integers
        case 1:  // floats
        case 2:  // times
        case 3:  // strings
        case 4:  // bit fields
        case 5:  // opaque
        case 8:  // enumerations
            return true;
        case 9:  // of variable length: what of follows
            return depth < kDeepest && is_plain_type(type.subspan(kHead), depth + 1);
        default:
            return false;
    }
}

// Nothing where it is not plain.
std::optional<AttributeSizes> sizes_of_plain_attribute(Bytes attribute) {
    const uint64_t version = number_at(attribute, 0, 1);
    const uint64_t shares = version >= 2 ? number_at(attribute, 1, 1) : 0;
    const uint64_t name_size = number_at(attribute, 2, 2);
    const uint64_t type_size = number_at(attribute, 4, 2);
    const uint64_t space_size = number_at(attribute, 6, 2);
    if (version < 1 || version > 3 || shares != 0 || name_size == 0) return std::nullopt;
    const auto room = [&](uint64_t size) { return version == 1 ? (size + 7) / 8 * 8 : size; };
    const size_t head = version == 3 ? 9 : 8;
    const Bytes name = part(attribute, head, name_size);
    if (name.empty()) return std::nullopt;
    const std::string_view text(reinterpret_cast<const char*>(name.data()), name.size() - 1);
    const Bytes type = part(attribute, head + room(name_size), type_size);
    if (text == "CLASS" || text == "coordinates" || !is_plain_type(type)) return std::nullopt;
    const size_t before_value = head + room(name_size) + room(type_size) + room(space_size);
    return AttributeSizes{name_size, type_size, space_size,
                          attribute.size() - std::min(attribute.size(), before_value)};
}

// Those that are too many for the header are not in it.
bool has_all_attributes(Bytes info, const HeaderFormat& format) {
    const uint64_t flags = number_at(info, 1, 1);
    const Bytes elsewhere = part(info, (flags & 1) != 0 ? 4 : 2, format.address_size);
    return !elsewhere.empty() && std::all_of(elsewhere.begin(), elsewhere.end(),
                                             [](uint8_t byte) { return byte == 0xff; });
}

std::optional<uint64_t> stored_in_one_piece(Bytes layout, const HeaderFormat& format) {
    const uint64_t version = number_at(layout, 0, 1);
    const uint64_t kind = number_at(layout, 1, 1);
    if (version != 3 && version != 4) return std::nullopt;
    if (kind == 0 && layout.size() >= 4) return number_at(layout, 2, 2);  // in the header
    const Bytes address = part(layout, 2, format.address_size);
    const Bytes size = part(layout, 2 + format.address_size, format.length_size);
    if (kind != 1 || address.empty() || size.empty()) return std::nullopt;
    const bool is_there =
        std::any_of(address.begin(), address.end(), [](uint8_t byte) { return byte != 0xff; });
    return is_there ? number_at(size, 0, size.size()) : 0;
}

// Whether a message about fill values has one in it.
bool holds_fill_value(unsigned type, Bytes message) {
    if (type == kOldFillValue) return number_at(message, 0, 4) > 0;
    constexpr uint64_t kDefined = 0x20;
    if (number_at(message, 0, 1) >= 3)
        return (number_at(message, 1, 1) & kDefined) != 0 && number_at(message, 2, 4) > 0;
    return number_at(message, 3, 1) != 0 && number_at(message, 4, 4) > 0;
}

class Judge {
public:
    explicit Judge(const HeaderFormat& format) : format_(format) {}

    void hear(const HeaderMessage& message) {
        // Anything but "does not change" and "is not to be shared" may mean that it is elsewhere.
        constexpr unsigned kHarmless = 0x05;
        is_plain_ = is_plain_ && (message.flags & ~kHarmless) == 0 && is_fine(message);
    }

    std::optional<PlainDataset> verdict() const {
        // Those in the heap `H5Ocopy` leaves where they are.
        const bool is_fill_value_lost = has_variable_length_ && has_fill_value_;
        if (!is_plain_ || !has_type_ || !stored_ || is_fill_value_lost) return std::nullopt;
        return PlainDataset{*stored_, attributes_};
    }

private:
    bool is_fine(const HeaderMessage& message) {
        switch (message.type) {
            case kOldFillValue:
            case kFillValue:
                has_fill_value_ |= holds_fill_value(message.type, message.contents);
                return true;
            case kNil:
            case kDataspace:
            case kComment:
            case kOldTime:
            case kContinuation:
            case kTime:
            case kReferenceCount:
                return true;
            case kDatatype:
                has_type_ = true;
                has_variable_length_ = (number_at(message.contents, 0, 1) & 0x0f) == 9;
                return is_plain_type(message.contents);
            case kAttribute:
                return is_fine_attribute(message.contents);
            case kAttributeInfo:
                return has_all_attributes(message.contents, format_);
            case kLayout:
                stored_ = stored_in_one_piece(message.contents, format_);
                return stored_.has_value();
            default:
                return false;
        }
    }

    bool is_fine_attribute(Bytes message) {
        const auto sizes = sizes_of_plain_attribute(message);
        if (!sizes) return false;
        ++attributes_.count;
        attributes_.room += room_for_attribute(*sizes);
        return true;
    }

    const HeaderFormat& format_;
    bool is_plain_ = true;
    bool has_type_ = false;
    bool has_variable_length_ = false;
    bool has_fill_value_ = false;
    std::optional<uint64_t> stored_;
    HeaderAttributes attributes_;
};

}  // namespace

std::optional<PlainDataset> plain_dataset(HeaderFile& file, uint64_t address) {
    Judge judge(file.format());
    const bool is_whole = file.read(
        address, {[](const ByteRange&) {}, [&](const HeaderMessage& one) { judge.hear(one); }});
    return is_whole ? judge.verdict() : std::nullopt;
}

}  // namespace quarry::hdf5
