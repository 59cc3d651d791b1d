// Named types of a file that is copied, which are shared in the copy as they were.
#pragma once

#include <hdf5.h>

#include <map>

#include "hdf5/copy_values.hpp"
#include "hdf5/finishing.hpp"
#include "hdf5/formats.hpp"
#include "hdf5/new_places.hpp"

namespace quarry::hdf5 {

class CopiedTypes {
public:
    CopiedTypes(hid_t from, hid_t to, HeaderVersion& version, NewPlaces& places,
                Finishing& finishing)
        : from_(from), to_(to), version_(version), places_(places), finishing_(finishing) {}
    ~CopiedTypes() { let_go(); }
    CopiedTypes(const CopiedTypes&) = delete;
    CopiedTypes& operator=(const CopiedTypes&) = delete;

    void make(const Token& token);

    // The type to make something with that was of type `old`. Also those types are shared that
    // nothing leads to but what is of them.
    hid_t like(hid_t old);
    TypeInCopy as_function() {
        return [this](hid_t old) { return like(old); };
    }

    // Of all that is open in the copy.
    void let_go();

private:
    hid_t from_;
    hid_t to_;
    HeaderVersion& version_;
    NewPlaces& places_;
    Finishing& finishing_;
    std::map<Token, hid_t> types_;
};

}  // namespace quarry::hdf5
