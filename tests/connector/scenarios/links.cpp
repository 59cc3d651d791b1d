// Links of all kinds within a file; those into other files are in external_links.cpp.
#include <cstring>

#include "describe.hpp"
#include "scenario.hpp"

namespace scenario {
namespace {

constexpr auto kOwnKind = static_cast<H5L_type_t>(187);

void say_link(hid_t place, const char* name) {
    H5L_info2_t info{};
    if (DO(H5Lget_info2(place, name, &info, H5P_DEFAULT)) < 0) return;
    say("  ", name, info.type, info.corder_valid, info.corder, info.cset,
        info.type != H5L_TYPE_HARD ? info.u.val_size : 0);
}

// A link whose value is the name of the object, with callbacks that say when they are called.
hid_t follow(const char* name, hid_t group, const void* value, size_t size, hid_t, hid_t) {
    say("  following", name, size);
    return H5Oopen(group, static_cast<const char*>(value), H5P_DEFAULT);
}

herr_t made(const char* name, hid_t, const void*, size_t size, hid_t) {
    say("  made", name, size);
    return 0;
}

herr_t gone(const char* name, hid_t, const void*, size_t size) {
    say("  gone", name, size);
    return 0;
}

ssize_t asked(const char* name, const void* value, size_t size, void* buffer, size_t room) {
    say("  asked", name, size, room);
    if (buffer != nullptr) std::memcpy(buffer, value, std::min(size, room));
    return static_cast<ssize_t>(size);
}

}  // namespace

SCENARIO(link_hard_and_soft) {
    const Id file = create("a.h5");
    const Id group = ID(H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    write(dataset(group, "x", H5T_STD_I32LE, {3}), counted(3));
    DO(H5Lcreate_hard(file, "g/x", file, "hard", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lcreate_hard(group, "x", H5L_SAME_LOC, "hard beside it", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lcreate_hard(H5L_SAME_LOC, "x", group, "and again", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lcreate_soft("/g/x", file, "soft", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lcreate_soft("/nowhere", file, "dangling", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lcreate_soft("/loop", file, "loop", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lcreate_soft("/g/x", file, "soft", H5P_DEFAULT, H5P_DEFAULT));
    for (const char* name : {"g", "hard", "soft", "dangling", "loop", "g/and again", "missing"}) {
        say_link(file, name);
        DO(H5Lexists(file, name, H5P_DEFAULT));
        DO(H5Oexists_by_name(file, name, H5P_DEFAULT));
        const Id object = ID(H5Oopen(file, name, H5P_DEFAULT));
    }
    char value[32] = "";
    DO(H5Lget_val(file, "soft", value, sizeof value, H5P_DEFAULT));
    say("value", value);
    DO(H5Lget_val(file, "hard", value, sizeof value, H5P_DEFAULT));
    DO(H5Lget_val_by_idx(file, "/", H5_INDEX_NAME, H5_ITER_INC, 0, value, sizeof value,
                         H5P_DEFAULT));
    describe(file);
}

SCENARIO(link_copy_move_delete) {
    const Id file = create("a.h5");
    const Id from = ID(H5Gcreate2(file, "from", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    const Id to = ID(H5Gcreate2(file, "to", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    for (const char* name : {"a", "b", "c", "d"}) dataset(from, name, H5T_STD_I32LE, {2});
    DO(H5Lcopy(from, "a", to, "a", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lcopy(from, "a", H5L_SAME_LOC, "a too", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lmove(from, "b", to, "moved b", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lmove(H5L_SAME_LOC, "moved b", to, "moved again", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lmove(from, "missing", to, "x", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lmove(from, "c", to, "a", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Ldelete(from, "d", H5P_DEFAULT));
    DO(H5Ldelete(from, "d", H5P_DEFAULT));
    DO(H5Ldelete_by_idx(file, "from", H5_INDEX_NAME, H5_ITER_INC, 0, H5P_DEFAULT));
    DO(H5Ldelete_by_idx(file, "from", H5_INDEX_NAME, H5_ITER_INC, 99, H5P_DEFAULT));
    const Id other = create("b.h5");
    DO(H5Lcopy(from, "c", other, "c", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lmove(from, "c", other, "c", H5P_DEFAULT, H5P_DEFAULT));
    describe(file);
}

// A dataset whose last link is gone lives until it is closed.
SCENARIO(link_deleted_while_open) {
    const Id file = create("a.h5");
    Id set = dataset(file, "x", H5T_STD_I32LE, {100}, chunked({10}));
    DO(H5Ldelete(file, "x", H5P_DEFAULT));
    write(set, counted(100));
    read(set);
    H5O_info2_t info{};
    DO(H5Oget_info3(set, &info, H5O_INFO_BASIC));
    say("links", info.rc);
    char name[16] = "";
    DO(H5Iget_name(set, name, sizeof name));
    DO(H5Oincr_refcount(set));
    DO(H5Odecr_refcount(set));
    set.close();
    DO(H5Fget_freespace(file));
}

SCENARIO(link_of_the_users_kind) {
    const H5L_class_t cls = {
        H5L_LINK_CLASS_T_VERS, kOwnKind, "by name", made, nullptr, nullptr, follow, gone, asked};
    DO(H5Lregister(&cls));
    DO(H5Lis_registered(kOwnKind));
    const Id file = create("a.h5");
    write(dataset(file, "x", H5T_STD_I32LE, {3}), counted(3));
    DO(H5Lcreate_ud(file, "mine", kOwnKind, "x", 2, H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Lcreate_ud(file, "nowhere", kOwnKind, "y", 2, H5P_DEFAULT, H5P_DEFAULT));
    say_link(file, "mine");
    {
        const Id set = ID(H5Dopen2(file, "mine", H5P_DEFAULT));
        read(set);
        const Id missing = ID(H5Dopen2(file, "nowhere", H5P_DEFAULT));
    }
    DO(H5Lmove(file, "nowhere", file, "somewhere", H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Ldelete(file, "somewhere", H5P_DEFAULT));
    DO(H5Lunregister(kOwnKind));
    const Id unknown = ID(H5Dopen2(file, "mine", H5P_DEFAULT));
    say_link(file, "mine");
}

SCENARIO(link_through_many_soft_links) {
    const Id file = create("a.h5");
    dataset(file, "0", H5T_STD_I32LE, {1});
    for (int i = 1; i <= 20; ++i) {
        DO(H5Lcreate_soft(text(i - 1).c_str(), file, text(i).c_str(), H5P_DEFAULT, H5P_DEFAULT));
    }
    const Id near = ID(H5Dopen2(file, "10", H5P_DEFAULT));
    const Id far = ID(H5Dopen2(file, "20", H5P_DEFAULT));
    const Id patient = list(H5P_DATASET_ACCESS, [](hid_t made) { H5Pset_nlinks(made, 30); });
    const Id reached = ID(H5Dopen2(file, "20", patient));
}

SCENARIO(object_comments_and_tokens) {
    const Id file = create("a.h5");
    const Id group = ID(H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    const Id set = dataset(group, "x", H5T_STD_I32LE, {3});
    DO(H5Oset_comment(set, "a dataset"));
    DO(H5Oset_comment_by_name(file, "g", "a group", H5P_DEFAULT));
    char words[32] = "";
    DO(H5Oget_comment(set, words, sizeof words));
    say(words);
    DO(H5Oget_comment_by_name(file, "g", words, sizeof words, H5P_DEFAULT));
    say(words);
    H5O_info2_t left{}, right{};
    DO(H5Oget_info3(set, &left, H5O_INFO_ALL));
    DO(H5Oget_info_by_idx3(file, "g", H5_INDEX_NAME, H5_ITER_INC, 0, &right, H5O_INFO_ALL,
                           H5P_DEFAULT));
    int order = 99;
    DO(H5Otoken_cmp(file, &left.token, &right.token, &order));
    say("same", order);
    DO(H5Oget_info3(group, &right, H5O_INFO_ALL));
    DO(H5Otoken_cmp(file, &left.token, &right.token, &order));
    say("order", order);
    char* words_of_token = nullptr;
    DO(H5Otoken_to_str(file, &left.token, &words_of_token));
    say("token", words_of_token);
    H5O_token_t parsed{};
    DO(H5Otoken_from_str(file, words_of_token, &parsed));
    DO(H5Otoken_cmp(set, &left.token, &parsed, &order));
    say("same", order);
    H5free_memory(words_of_token);
    const Id by_token = ID(H5Oopen_by_token(file, parsed));
    say("a", H5Iget_type(by_token));
    const H5O_token_t undefined = H5O_TOKEN_UNDEF;
    const Id nothing = ID(H5Oopen_by_token(file, undefined));
    haddr_t address = 0;
    DO(H5VLnative_token_to_addr(file, left.token, &address));
    DO(H5VLnative_addr_to_token(file, address, &parsed));
    say("address", address);
    const Id by_address = ID(H5Oopen_by_addr(file, address));
    DO(H5Oare_mdc_flushes_disabled(by_address, nullptr));
}

}  // namespace scenario
