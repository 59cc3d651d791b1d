#include "hdf5/compare_files.hpp"

#include <algorithm>

#include "base/file_copy.hpp"
#include "hdf5/compared.hpp"
#include "hdf5/failure.hpp"
#include "hdf5/formats.hpp"
#include "hdf5/own_library.hpp"

namespace quarry::hdf5 {
namespace {

class FileWalk {
public:
    explicit FileWalk(Compared& files) : files_(files) {}

    void run() {
        const Pairs& pairs = files_.pairs;
        files_.pairs.join(files_.old.objects.order().front(), files_.copy.objects.order().front());
        // What links lead to first: where references lead can be told only then.
        for (size_t i = 0; i < pairs.count(); ++i) {
            const auto [old, copy] = pairs.at(i);
            compare_links(old, copy);
        }
        // Types that nothing leads to but what is of them turn up on the way.
        for (size_t i = 0; i < pairs.count(); ++i) {
            const auto [old, copy] = pairs.at(i);
            compare(old, copy);
        }
    }

private:
    void compare_links(const Token& old, const Token& copy) {
        const OldObject& old_group = files_.old.objects.at(old);
        const OldObject& copy_group = files_.copy.objects.at(copy);
        if (old_group.links.empty() && copy_group.links.empty()) return;
        const std::string& path = old_group.paths.front();
        const Handle old_id = opened(files_.old, old);
        const Handle copy_id = opened(files_.copy, copy);
        for (const auto& [i, k] : matched(files_, {path, ""}, "link", names_of(old_group.links),
                                          names_of(copy_group.links)))
            compare_link({joined(path, old_group.links[i].name), ""}, old_id, old_group.links[i],
                         copy_id, copy_group.links[k]);
    }

    void compare_link(const Where& where, hid_t old_group, const Link& old, hid_t copy_group,
                      const Link& copy) {
        if (old.info.cset != copy.info.cset)
            files_.differences.add(where, "its name is in another character set");
        if (old.info.type != copy.info.type)
            files_.differences.add(where, "it is a link of another kind");
        else if (old.info.type != H5L_TYPE_HARD &&
                 value_of(old_group, old) != value_of(copy_group, copy))
            files_.differences.add(where, "the link leads elsewhere");
        else if (old.info.type == H5L_TYPE_HARD &&
                 !files_.pairs.join(token_of(old.info.u.token), token_of(copy.info.u.token)))
            files_.differences.add(where, "it is another object than in the original");
    }

    static std::string value_of(hid_t group, const Link& link) {
        std::string value(link.info.u.val_size, '\0');
        checked(H5Lget_val(group, link.name.c_str(), value.data(), value.size(), H5P_DEFAULT),
                link.name + " cannot be read");
        return value;
    }

    static Handle opened(const Side& side, const Token& token) {
        return {checked(H5Oopen_by_token(side.file, place_of(token)), "it cannot be opened"),
                H5Oclose};
    }

    void compare(const Token& old, const Token& copy) {
        const OldObject* named = files_.old.objects.find(old);
        const Where where{named != nullptr ? named->paths.front() : "a type without a name", ""};
        try {
            compare_pair(where, old, copy);
        } catch (const Failure& failure) {
            files_.differences.add(where, std::string("it cannot be compared: ") + failure.what());
        }
    }

    static H5O_type_t type_of(const Side& side, const Token& token) {
        const OldObject* named = side.objects.find(token);
        return named != nullptr ? named->type : H5O_TYPE_NAMED_DATATYPE;
    }

    void compare_pair(const Where& where, const Token& old, const Token& copy) {
        const H5O_type_t type = type_of(files_.old, old);
        if (type != type_of(files_.copy, copy))
            files_.differences.add(where, "it is another kind of object");
        else if (type == H5O_TYPE_UNKNOWN)
            files_.differences.add(where, "it cannot be read");
        else
            compare_objects(files_, where, opened(files_.old, old), opened(files_.copy, copy));
    }

    Compared& files_;
};

// Those that both have.
std::vector<TwoTokens> datasets_in(const Compared& files) {
    std::vector<TwoTokens> datasets;
    for (const Token& old : files.old.objects.order())
        if (const auto copy = files.pairs.copy_of(old);
            copy && files.old.objects.at(old).type == H5O_TYPE_DATASET)
            datasets.push_back({old, *copy});
    return datasets;
}

void compare_opened(Compared& files, const CompareOrder& order) {
    const auto& [original, copy] = files.place;
    const hid_t old_file = files.old.file;
    const hid_t copy_file = files.copy.file;
    files.differences.compare({}, file_properties(old_file), file_properties(copy_file));
    if (const uint64_t size = user_block_of(old_file);
        size == user_block_of(copy_file) && !have_equal_bytes(original, copy, size))
        files.differences.add({}, "the user block is another");
    FileWalk(files).run();
    for (const auto& [object, what] : new_problems(files.old_scales, files.copy_scales))
        files.differences.add({object, ""}, what);
    replay_in_both(files, order.replays);
    if (order.elsewhere == DataElsewhere::Compared)
        compare_data_elsewhere(files, datasets_in(files));
}

// Of files with the same bytes, all that can differ.
void compare_only_elsewhere(Compared& files) {
    for (const Token& token : files.old.objects.order()) files.pairs.join(token, token);
    compare_data_elsewhere(files, datasets_in(files));
}

Handle opened_file(const std::string& path) {
    return {checked(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), path + " cannot be opened"),
            H5Fclose};
}

}  // namespace

FileComparison compare_files(const std::string& original, const std::string& copy,
                             const CompareOrder& order) {
    FileComparison found;
    found.are_equal_bytes = have_equal_bytes(original, copy);
    if (found.are_equal_bytes && order.elsewhere == DataElsewhere::Ignored) return found;
    prepare_library();
    try {
        const Handle old_file = opened_file(original);
        const Handle copy_file = opened_file(copy);
        Compared files(old_file, copy_file, found);
        files.progress = order.progress;
        files.place = {original, copy};
        files.times = order.times;
        files.left_out = order.left_out;
        if (found.are_equal_bytes)
            compare_only_elsewhere(files);
        else
            compare_opened(files, order);
    } catch (const Failure& failure) {
        if (!found.are_equal_bytes)
            Differences(found).add(
                {}, std::string("the bytes differ, and more cannot be said: ") + failure.what());
    }
    return found;
}

}  // namespace quarry::hdf5
