// HDF5 as this program itself uses it, to look at files.
#pragma once

#include <hdf5.h>

#include <cstdlib>
#include <utility>

namespace quarry::hdf5 {

// Closes what it holds.
class Handle {
public:
    Handle(hid_t id, herr_t (*close_it)(hid_t)) : id_(id), close_(close_it) {}
    Handle(Handle&& other) noexcept
        : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
    Handle& operator=(Handle&&) = delete;
    ~Handle() { close(); }
    operator hid_t() const { return id_; }

    // Before its time, to hear whether that went well.
    herr_t close() {
        const hid_t id = std::exchange(id_, H5I_INVALID_HID);
        return id >= 0 ? close_(id) : 0;
    }

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
