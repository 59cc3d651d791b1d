// HDF5 as this program itself uses it, to look at files.
#pragma once

#include <hdf5.h>

#include <cstdlib>

namespace quarry::hdf5 {

// Closes what it holds.
class Handle {
public:
    Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
    Handle(const Handle&) = delete;
    Handle& operator=(const Handle&) = delete;
    ~Handle() {
        if (id_ >= 0) close_(id_);
    }
    operator hid_t() const { return id_; }

private:
    hid_t id_;
    herr_t (*close_)(hid_t);
};

// It looks at files as they are, not through a connector, and keeps its complaints to itself.
inline void prepare_library() {
    unsetenv("HDF5_VOL_CONNECTOR");
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

}  // namespace quarry::hdf5
