#include "random_values.hpp"

#include <cstring>

namespace scenario {
namespace {

Id random_number(Random& random) {
    const std::vector<hid_t> numbers = {H5T_STD_I8LE,   H5T_STD_U8LE,   H5T_STD_I16BE,
                                        H5T_STD_U16LE,  H5T_STD_I32LE,  H5T_STD_I32BE,
                                        H5T_STD_I64LE,  H5T_STD_U64BE,  H5T_IEEE_F32LE,
                                        H5T_IEEE_F32BE, H5T_IEEE_F64LE, H5T_IEEE_F64BE};
    return Id(H5Tcopy(random.one_of(numbers)));
}

Id random_string(Random& random) {
    Id type(H5Tcopy(H5T_C_S1));
    H5Tset_size(type, random.chance(50) ? H5T_VARIABLE : random.between(1, 20));
    if (random.chance(50)) H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

Id random_enum() {
    Id type(H5Tenum_create(H5T_STD_I16LE));
    for (short value = 0; value < 3; ++value) {
        H5Tenum_insert(type, ("choice " + text(value)).c_str(), &value);
    }
    return type;
}

Id random_compound(Random& random, int depth) {
    std::vector<Id> members;
    size_t size = 0;
    for (size_t i = random.between(1, 4); i > 0; --i) {
        members.push_back(random_type(random, depth + 1));
        size += H5Tget_size(members.back());
    }
    Id type(H5Tcreate(H5T_COMPOUND, size));
    size_t offset = 0;
    for (size_t i = 0; i < members.size(); ++i) {
        H5Tinsert(type, ("member " + text(i)).c_str(), offset, members[i]);
        offset += H5Tget_size(members[i]);
    }
    return type;
}

}  // namespace

Id random_type(Random& random, int depth) {
    switch (random.below(depth < 2 ? 8 : 4)) {
        default:
            return random_number(random);
        case 2:
            return random_string(random);
        case 3:
            return random_enum();
        case 4:
            return random_compound(random, depth);
        case 5: {
            const Id base = random_type(random, depth + 1);
            return Id(H5Tvlen_create(base));
        }
        case 6: {
            const Id base = random_type(random, depth + 1);
            const Dims dims(random.between(1, 2), 3);
            return Id(H5Tarray_create2(base, static_cast<unsigned>(dims.size()), dims.data()));
        }
        case 7: {
            Id type(H5Tcreate(H5T_OPAQUE, random.between(1, 9)));
            H5Tset_tag(type, "a tag");
            return type;
        }
    }
}

RandomValues::RandomValues(Random& random, hid_t type, size_t count)
    : random_(random), bytes_(count * H5Tget_size(type)) {
    fill_many(type, bytes_.data(), count);
}

void RandomValues::fill_many(hid_t type, unsigned char* place, size_t count) {
    const size_t size = H5Tget_size(type);
    for (size_t i = 0; i < count; ++i) fill(type, place + i * size);
}

void RandomValues::fill(hid_t type, unsigned char* place) {
    const H5T_class_t cls = H5Tget_class(type);
    if (cls == H5T_COMPOUND) {
        for (int i = 0; i < H5Tget_nmembers(type); ++i) {
            const Id member(H5Tget_member_type(type, static_cast<unsigned>(i)));
            fill(member, place + H5Tget_member_offset(type, static_cast<unsigned>(i)));
        }
    } else if (cls == H5T_ARRAY) {
        const Id base(H5Tget_super(type));
        fill_many(base, place, H5Tget_size(type) / H5Tget_size(base));
    } else if (cls == H5T_VLEN) {
        const Id base(H5Tget_super(type));
        const size_t count = random_.below(5);
        auto& values = elsewhere_.emplace_back(count * H5Tget_size(base));
        fill_many(base, values.data(), count);
        const hvl_t sequence = {count, count > 0 ? values.data() : nullptr};
        std::memcpy(place, &sequence, sizeof sequence);
    } else if (cls == H5T_STRING && H5Tis_variable_str(type) > 0) {
        auto& letters = elsewhere_.emplace_back(random_.below(40) + 1);
        for (size_t i = 0; i + 1 < letters.size(); ++i)
            letters[i] = static_cast<unsigned char>('a' + random_.below(26));
        const void* words = letters.data();
        std::memcpy(place, &words, sizeof words);
    } else if (cls == H5T_ENUM) {
        const short value = static_cast<short>(random_.below(3));
        std::memcpy(place, &value, sizeof value);
    } else {
        // Letters, so that every byte is a valid one in strings, too.
        for (size_t i = 0; i < H5Tget_size(type); ++i)
            place[i] = static_cast<unsigned char>('a' + random_.below(26));
    }
}

}  // namespace scenario
