// What is done last to the copy of an object, once everything that it may point at has its place.
#pragma once

#include <hdf5.h>

#include <deque>
#include <set>

#include "hdf5/inventory.hpp"
#include "hdf5/new_places.hpp"
#include "hdf5/referred_objects.hpp"

namespace quarry::hdf5 {

class Finishing {
public:
    Finishing(hid_t from, const Inventory& inventory, const NewPlaces& places)
        : from_(from), inventory_(inventory), places_(places) {}

    void needs_data(const Token& token) { with_data_.insert(token); }
    void is_left_hollow(const Token& token) { hollow_.insert(token); }

    // One that is to be finished in the end; only then are its attributes filled.
    void postpone(const Token& token) { unfinished_.push_back(token); }
    // One that needs nobody else's place.
    void finish_now(const Token& token, hid_t old, hid_t copy) { complete(token, old, copy, {}); }
    // All that were postponed, and those that are while it lasts: types without a name turn up on
    // the way.
    void finish_all();

    ReferredObjects& referred() { return referred_; }

private:
    void finish(const Token& token);
    void complete(const Token& token, hid_t old, hid_t copy, std::set<Token> referred);

    hid_t from_;
    const Inventory& inventory_;
    const NewPlaces& places_;
    ReferredObjects referred_;
    std::deque<Token> unfinished_;
    std::set<Token> with_data_;
    std::set<Token> hollow_;
};

}  // namespace quarry::hdf5
