// The HDF5 libraries that a program would load, and what they are, without running it.
#pragma once

#include <optional>
#include <quarry/launch.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace quarry {

struct Hdf5Version {
    int major = 0;
    int minor = 0;
    int release = 0;

    auto operator<=>(const Hdf5Version&) const = default;
    std::string text() const;
};

Hdf5Version parse_version(std::string_view text);

// Loads connectors at all; needed: the ABI of 1.14.
inline constexpr Hdf5Version kFirstServed{1, 14, 0};
// Knows HDF5_VOL_CONNECTOR; between these two it fails to start when told to load ours.
inline constexpr Hdf5Version kFirstWithConnectors{1, 12, 0};

struct Hdf5Library {
    std::string owner;  // who loads it: "h5py", "h5dump"
    std::string path;   // the library, or the program that it is linked into
    std::optional<Hdf5Version> version;
    bool linked_in = false;  // statically, into the program
    bool exported = true;    // whether a plugin can see its functions

    bool served() const { return exported && (!version || *version >= kFirstServed); }
    // Telling it to load the connector would break the program rather than be ignored.
    bool endangered() const { return !served() && (!version || *version >= kFirstWithConnectors); }
    // Why it is not served, for the user: "h5dump uses HDF5 1.10.8 (…), …".
    std::string objection() const;
};

// Whether a file name is libhdf5 itself, not one of its high-level or language libraries.
bool is_hdf5_library(std::string_view file_name);

// From the text that every libhdf5 carries.
std::optional<Hdf5Version> version_in(const std::string& file);

struct Linked {
    std::optional<Hdf5Library> hdf5;
    std::string missing;  // a HDF5 library that it asks for and that is nowhere
};

// What the dynamic loader would give this program, or this extension module of a program whose
// loader is `interpreter`.
Linked linked_hdf5(const std::string& file, const std::string& interpreter,
                   const Environment& environment);
Linked linked_hdf5(const std::string& program, const Environment& environment);

}  // namespace quarry
