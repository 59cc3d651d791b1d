#include "describe.hpp"

#include <cstring>

#include "scenario.hpp"

namespace scenario {
namespace {

std::string member_types(hid_t type) {
    std::string all;
    for (int i = 0; i < H5Tget_nmembers(type); ++i) {
        char* name = H5Tget_member_name(type, static_cast<unsigned>(i));
        all += std::string(i > 0 ? ", " : "") + name;
        H5free_memory(name);
        if (H5Tget_class(type) != H5T_COMPOUND) continue;
        const Id member(H5Tget_member_type(type, static_cast<unsigned>(i)));
        all += "@" + text(H5Tget_member_offset(type, static_cast<unsigned>(i))) + " " +
               type_text(member);
    }
    return all;
}

std::string one_value(hid_t type, const unsigned char* bytes);

std::string fields_text(hid_t type, const unsigned char* bytes) {
    std::string all = "{";
    for (int i = 0; i < H5Tget_nmembers(type); ++i) {
        const Id member(H5Tget_member_type(type, static_cast<unsigned>(i)));
        const size_t offset = H5Tget_member_offset(type, static_cast<unsigned>(i));
        all += (i > 0 ? " " : "") + one_value(member, bytes + offset);
    }
    return all + "}";
}

std::string sequence_text(hid_t type, const unsigned char* bytes) {
    hvl_t sequence;
    std::memcpy(&sequence, bytes, sizeof sequence);
    const Id base(H5Tget_super(type));
    return "(" + text(sequence.len) + ": " + values_text(base, sequence.p, sequence.len) + ")";
}

std::string string_text(hid_t type, const unsigned char* bytes) {
    if (H5Tis_variable_str(type) > 0) {
        const char* words = nullptr;
        std::memcpy(&words, bytes, sizeof words);
        return words != nullptr ? "\"" + std::string(words) + "\"" : "null";
    }
    const auto* words = reinterpret_cast<const char*>(bytes);
    return "\"" + std::string(words, strnlen(words, H5Tget_size(type))) + "\"";
}

std::string one_value(hid_t type, const unsigned char* bytes) {
    switch (H5Tget_class(type)) {
        case H5T_COMPOUND:
            return fields_text(type, bytes);
        case H5T_VLEN:
            return sequence_text(type, bytes);
        case H5T_STRING:
            return string_text(type, bytes);
        case H5T_ARRAY: {
            const Id base(H5Tget_super(type));
            return "<" + values_text(base, bytes, H5Tget_size(type) / H5Tget_size(base)) + ">";
        }
        case H5T_REFERENCE:
            return "a reference";  // holds addresses in memory
        default: {
            std::string all;
            char two[3];
            for (size_t i = 0; i < H5Tget_size(type); ++i) {
                std::snprintf(two, sizeof two, "%02x", bytes[i]);
                all += two;
            }
            return all;
        }
    }
}

void describe_attribute_values(hid_t attribute) {
    const Id stored(H5Aget_type(attribute));
    const Id extent(H5Aget_space(attribute));
    const Id type(H5Tget_native_type(stored, H5T_DIR_ASCEND));
    const auto count = static_cast<size_t>(H5Sget_simple_extent_npoints(extent));
    std::vector<unsigned char> buffer(std::max<size_t>(count * H5Tget_size(type), 1));
    say("   ", type_text(stored), space_text(extent));
    if (DO(H5Aread(attribute, type, buffer.data())) < 0) return;
    say("   ", values_text(type, buffer.data(), count));
    H5Treclaim(type, extent, H5P_DEFAULT, buffer.data());
}

herr_t describe_attribute(hid_t object, const char* name, const H5A_info_t* info, void*) {
    say("  attribute", name, "order", info->corder_valid ? info->corder : -1, "characters",
        info->cset, "bytes", info->data_size);
    const Id attribute = ID(H5Aopen(object, name, H5P_DEFAULT));
    describe_attribute_values(attribute);
    return 0;
}

void describe_storage(hid_t dataset) {
    const Id creation(H5Dget_create_plist(dataset));
    const H5D_layout_t layout = H5Pget_layout(creation);
    H5D_space_status_t status{};
    H5Dget_space_status(dataset, &status);
    say("  layout", layout, "status", status, "stored", H5Dget_storage_size(dataset), "at",
        H5Dget_offset(dataset));
    for (int i = 0; i < H5Pget_nfilters(creation); ++i) {
        unsigned flags = 0, config = 0, values[16] = {};
        size_t count = 16;
        char name[64] = "";
        const H5Z_filter_t filter = H5Pget_filter2(creation, static_cast<unsigned>(i), &flags,
                                                   &count, values, sizeof name, name, &config);
        say("  filter", filter, name, flags,
            std::vector<unsigned>(values, values + std::min<size_t>(count, 16)));
    }
    hsize_t chunks = 0;
    if (layout == H5D_CHUNKED && H5Dget_num_chunks(dataset, H5S_ALL, &chunks) >= 0) {
        say("  chunks", chunks);
    }
}

void describe_dataset(hid_t dataset) {
    const Id stored(H5Dget_type(dataset));
    const Id extent(H5Dget_space(dataset));
    say(" ", type_text(stored), space_text(extent));
    describe_storage(dataset);
    const Id type(H5Tget_native_type(stored, H5T_DIR_ASCEND));
    const hssize_t count = H5Sget_simple_extent_npoints(extent);
    if (count <= 0) return;
    std::vector<unsigned char> buffer(static_cast<size_t>(count) * H5Tget_size(type));
    if (DO(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, buffer.data())) < 0) return;
    say(" ", values_text(type, buffer.data(), static_cast<size_t>(count)));
    H5Treclaim(type, extent, H5P_DEFAULT, buffer.data());
}

herr_t describe_object(hid_t place, const char* name, const H5O_info2_t* info, void*) {
    char* token = nullptr;
    H5Otoken_to_str(place, &info->token, &token);
    say("object", name, "type", info->type, "links", info->rc, "attributes", info->num_attrs,
        "times", info->atime, info->mtime, info->ctime, info->btime, "token", token);
    H5free_memory(token);
    const Id object = ID(H5Oopen(place, name, H5P_DEFAULT));
    H5O_native_info_t native{};
    DO(H5Oget_native_info(object, &native, H5O_NATIVE_INFO_ALL));
    say("  header", native.hdr.version, native.hdr.nmesgs, native.hdr.nchunks,
        native.hdr.space.total, native.hdr.space.free, "index", native.meta_size.obj.index_size,
        native.meta_size.obj.heap_size, native.meta_size.attr.index_size);
    if (info->type == H5O_TYPE_DATASET) describe_dataset(object);
    if (info->type == H5O_TYPE_NAMED_DATATYPE) say(" ", type_text(object));
    hsize_t next = 0;
    DO(H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, &next, describe_attribute, nullptr));
    return 0;
}

herr_t describe_link(hid_t place, const char* name, const H5L_info2_t* info, void*) {
    say("link", name, "type", info->type, "order", info->corder_valid ? info->corder : -1);
    if (info->type == H5L_TYPE_HARD) return 0;
    std::string value(info->u.val_size, '\0');
    DO(H5Lget_val(place, name, value.data(), value.size(), H5P_DEFAULT));
    std::string shown;
    for (const char letter : value) shown += letter != '\0' ? letter : '|';
    say("  value", shown);
    return 0;
}

}  // namespace

std::string type_text(hid_t type) {
    const H5T_class_t cls = H5Tget_class(type);
    std::string all = "type " + text(cls) + "/" + text(H5Tget_size(type));
    if (cls == H5T_INTEGER || cls == H5T_FLOAT) all += " order " + text(H5Tget_order(type));
    if (cls == H5T_STRING)
        all += " set " + text(H5Tget_cset(type)) + " pad " + text(H5Tget_strpad(type));
    if (cls == H5T_COMPOUND || cls == H5T_ENUM) all += " {" + member_types(type) + "}";
    if (cls == H5T_VLEN || cls == H5T_ARRAY || cls == H5T_ENUM) {
        const Id base(H5Tget_super(type));
        all += " of " + type_text(base);
    }
    if (H5Tcommitted(type) > 0) all += " committed";
    return all;
}

std::string space_text(hid_t space) {
    const int rank = H5Sget_simple_extent_ndims(space);
    if (rank <= 0) return "class " + text(H5Sget_simple_extent_type(space));
    Dims dims(static_cast<size_t>(rank)), largest(dims);
    H5Sget_simple_extent_dims(space, dims.data(), largest.data());
    for (hsize_t& dim : largest) dim = dim == H5S_UNLIMITED ? 0 : dim;
    return text(dims) + " of " + text(largest);
}

std::string values_text(hid_t type, const void* buffer, size_t count) {
    const auto* bytes = static_cast<const unsigned char*>(buffer);
    std::vector<std::string> items;
    for (size_t i = 0; i < count; ++i)
        items.push_back(one_value(type, bytes + i * H5Tget_size(type)));
    return text_of_list(items);
}

void describe(hid_t place) {
    DO(H5Lvisit2(place, H5_INDEX_NAME, H5_ITER_INC, describe_link, nullptr));
    DO(H5Ovisit3(place, H5_INDEX_NAME, H5_ITER_INC, describe_object, nullptr, H5O_INFO_ALL));
}

}  // namespace scenario
