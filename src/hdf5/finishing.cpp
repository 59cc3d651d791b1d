#include "hdf5/finishing.hpp"

#include "hdf5/copy_values.hpp"
#include "hdf5/failure.hpp"
#include "hdf5/object_clock.hpp"

namespace quarry::hdf5 {
namespace {

void copy_comment(hid_t old, hid_t copy) {
    const ssize_t size = H5Oget_comment(old, nullptr, 0);
    if (size <= 0) return;
    std::string comment(static_cast<size_t>(size), '\0');
    H5Oget_comment(old, comment.data(), comment.size() + 1);
    checked(H5Oset_comment(copy, comment.c_str()), "its comment cannot be copied");
}

// Links that were made in a group have changed it, and HDF5 has no other call that does nothing but
// set the time.
void touch(hid_t copy) {
    checked(H5Oset_comment(copy, "-"), "its time cannot be set");
    checked(H5Oset_comment(copy, nullptr), "its time cannot be set");
}

}  // namespace

void Finishing::finish_all() {
    while (!unfinished_.empty()) {
        const Token next = unfinished_.front();
        unfinished_.pop_front();
        finish(next);
    }
}

void Finishing::finish(const Token& token) {
    try {
        const Handle old = object_at(from_, token);
        const ObjectClock clock(times_of(old).changed);
        const Handle copy = places_.open_copy(token);
        std::set<Token> referred;
        fill_attributes(old, copy, places_, referred);
        complete(token, old, copy, std::move(referred));
    } catch (const Failure& failure) {
        const OldObject* named = inventory_.find(token);
        throw Failure((named != nullptr ? named->paths.front() : "a type without a name") + ": " +
                      failure.what());
    }
}

// All but attributes, which refer to `referred`.
void Finishing::complete(const Token& token, hid_t old, hid_t copy, std::set<Token> referred) {
    copy_comment(old, copy);
    if (with_data_.contains(token)) copy_data(old, copy, places_, referred);
    const OldObject* named = inventory_.find(token);
    if (hollow_.contains(token))
        referred_.add_of_hollow(token, std::move(referred));
    else
        referred_.add(referred, named != nullptr ? named->paths.front() : "a kept type");
    if (times_of(copy).changed != times_of(old).changed) touch(copy);
}

}  // namespace quarry::hdf5
