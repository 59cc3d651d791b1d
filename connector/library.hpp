// One HDF5 library in this process that has asked for the connector, and what belongs to it.
#pragma once

#include <atomic>
#include <optional>

#include "connector/under.hpp"
#include "hdf5/api.hpp"

namespace quarry::connector {

struct NamedUnder;

// h5py and netCDF4 wheels carry different HDF5 libraries and meet in one process, with one copy of
// this plugin. Callbacks without an object (open, create, ...) learn whom they serve from a slot
// number that is part of their type; sixteen is eight times what was ever seen.
constexpr int kLibraries = 16;

struct Library {
    const void* base = nullptr;
    hdf5::Api api;
    H5VL_class_t connector{};
    Under native;
    NamedUnder* named_unders = nullptr;
    int registered = 0;             // how many times the connector is registered now
    int life = 0;                   // counts the starts of HDF5: connectors below are loaded anew
    std::atomic<int> infos{0};      // connector infos alive: somebody has chosen Quarry knowingly
    std::string default_connector;  // as HDF5_VOL_CONNECTOR named it when the library started
    std::optional<hdf5::Version> version;   // once it has been asked
    std::atomic<bool> keeps_choice{false};  // of drivers, on access lists, in the way that we know

    // HDF5 asks uninvited plugins about files only while the native connector is its default; with
    // any other we are there because somebody wanted it.
    bool may_be_probed() const { return default_connector == "native"; }
};

// The slot of the library that `caller` lies in, bound on first sight; null when there are too
// many. Also given for a library that hides its functions: asked uninvited we must still answer
// "not mine".
Library* library_of_caller(const void* caller) noexcept;

// A connector is registered, or let go. The first after a pause begins with nothing: HDF5 may have
// been shut down and started anew since, with new ids for everything. Others come while files are
// open: HDF5 finds no connector by name that only files still hold, and registers it once more.
void begin_life(Library& library) noexcept;
void end_life(Library& library) noexcept;

Library& library_in_slot(int slot) noexcept;

// Whether this Quarry knows what is internal to the version. Enters HDF5's API.
bool is_version_known(Library& library) noexcept;

// Of a call of HDF5's: after a failure it holds its reasons, which whatever is asked of it erases.
enum class Outcome { Success, Failure };

// Keeps HDF5's error stack and errno as they are while Quarry cleans up after a failed call:
// entering HDF5's API clears the stack.
class KeepErrors {
public:
    explicit KeepErrors(const hdf5::Api& api) noexcept;
    ~KeepErrors();
    KeepErrors(const KeepErrors&) = delete;
    KeepErrors& operator=(const KeepErrors&) = delete;

    // They are about something that has been put right since.
    void forget() noexcept;

private:
    const hdf5::Api& api_;
    hid_t stack_;
    int errno_;
};

// Keeps HDF5 from printing errors that Quarry expects and answers itself.
class QuietErrors {
public:
    explicit QuietErrors(const hdf5::Api& api) noexcept;
    ~QuietErrors();
    QuietErrors(const QuietErrors&) = delete;
    QuietErrors& operator=(const QuietErrors&) = delete;

private:
    const hdf5::Api& api_;
    H5E_auto2_t printer_ = nullptr;
    void* printer_data_ = nullptr;
};

}  // namespace quarry::connector
