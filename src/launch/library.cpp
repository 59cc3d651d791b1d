#include "launch/library.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>

#include "base/elf.hpp"
#include "base/subprocess.hpp"
#include "base/text.hpp"
#include "hdf5/probe.hpp"

namespace quarry {
namespace {

// The digits after it tell a library from a program that merely holds this text.
constexpr std::string_view kVersionMark = "HDF5 library version: ";
constexpr auto kLoaderLimit = std::chrono::seconds(5);

std::optional<Hdf5Version> version_in_bytes(std::string_view bytes) {
    // Over megabytes, several times faster than string_view::find.
    while (const void* mark =
               memmem(bytes.data(), bytes.size(), kVersionMark.data(), kVersionMark.size())) {
        const size_t at = static_cast<const char*>(mark) - bytes.data();
        bytes.remove_prefix(at + kVersionMark.size());
        const Hdf5Version version = parse_version(bytes.substr(0, 32));
        if (version > Hdf5Version{}) return version;
    }
    return std::nullopt;
}

// It is a variable, so it lies in one of the small parts, and those are searched first.
std::optional<Hdf5Version> version_in_parts(const ElfFile& elf) {
    std::vector<std::string_view> parts = elf.loaded_bytes();
    std::sort(parts.begin(), parts.end(),
              [](const auto& left, const auto& right) { return left.size() < right.size(); });
    for (const std::string_view part : parts)
        if (const auto version = version_in_bytes(part)) return version;
    return std::nullopt;
}

// Asking the loader about a program runs the loader, not the program; but with the rights of a
// set-user-id program it would not run as asked.
bool may_ask_loader(const std::string& file) {
    struct stat status{};
    return stat(file.c_str(), &status) == 0 && !(status.st_mode & (S_ISUID | S_ISGID));
}

// Lists the libraries without starting the program. glibc's `--list` gives up at the first library
// that is missing; its variable does not, but means nothing to other loaders (musl).
Outcome ask_loader(const std::string& file, const std::string& interpreter,
                   Environment environment) {
    const bool is_glibc = base_name(interpreter).starts_with("ld-linux");
    if (!is_glibc)
        return run_program({interpreter, "--list", file}, environment.entries(), kLoaderLimit);
    environment.set("LD_TRACE_LOADED_OBJECTS", "1");
    return run_program({interpreter, file}, environment.entries(), kLoaderLimit);
}

// The HDF5 that a module brings along, in a folder that it tells the loader relative to itself, as
// those of wheels do; some need it through the netCDF library beside it. Empty if it brings none.
std::string brought_along(const std::filesystem::path& module) {
    constexpr std::string_view kHere = "$ORIGIN";
    const auto elf = ElfFile::open(module);
    if (!elf || !elf->search_path().starts_with(kHere)) return "";
    const std::filesystem::path folder =
        module.parent_path().string() + elf->search_path().substr(kHere.size());
    std::vector<std::string> names = elf->needed();
    for (const std::string& name : elf->needed())
        if (name.starts_with("libnetcdf"))
            if (const auto netcdf = ElfFile::open(folder / name))
                names.insert(names.end(), netcdf->needed().begin(), netcdf->needed().end());
    for (const std::string& name : names) {
        std::error_code ignored;
        if (is_hdf5_library(name) && std::filesystem::is_regular_file(folder / name, ignored))
            return folder / name;
    }
    return "";
}

struct LoadedName {
    std::string name;
    std::string path;  // empty: not found
};

// "\tlibz.so.1 => /lib/libz.so.1 (0x00007f...)", "\tlibhdf5.so.310 => not found", and for a library
// that was linked by its path "\t/opt/lib/libhdf5.so (0x00007f...)".
LoadedName parse_loader_line(std::string_view line) {
    const size_t arrow = line.find(" => ");
    const std::string_view target = arrow == line.npos ? trim(line) : line.substr(arrow + 4);
    const std::string_view path = target.substr(0, target.rfind(" (0x"));
    const std::string_view name = arrow == line.npos ? path : trim(line.substr(0, arrow));
    return {base_name(name), path.starts_with('/') ? std::string(path) : ""};
}

std::optional<Hdf5Library> linked_in(const std::string& program, const ElfFile& elf) {
    const std::optional<Hdf5Version> version = version_in_parts(elf);
    if (!version) return std::nullopt;
    Hdf5Library library;
    library.owner = base_name(program);
    library.path = program;
    library.version = version;
    library.linked_in = true;
    library.exported = elf.defines(hdf5::kOpenFunction, ElfFile::SymbolTable::Dynamic);
    return library;
}

}  // namespace

std::string Hdf5Version::text() const {
    return fmt::format("{}.{}.{}", major, minor, release);
}

Hdf5Version parse_version(std::string_view text) {
    Hdf5Version version;
    const char* next = text.data();
    const char* end = text.data() + text.size();
    for (int* part : {&version.major, &version.minor, &version.release}) {
        const auto [stop, error] = std::from_chars(next, end, *part);
        if (error != std::errc{}) return {};
        next = stop < end && *stop == '.' ? stop + 1 : stop;
    }
    return version;
}

std::string Hdf5Library::objection() const {
    const std::string what = fmt::format("{} {} HDF5 {}", owner, linked_in ? "contains" : "uses",
                                         version ? version->text() : "of unknown version");
    if (version && *version < kFirstServed)
        return fmt::format("{}{}, and Quarry needs 1.14 or newer", what,
                           linked_in ? "" : " (" + path + ")");
    return what +
           ", linked into the program so that no plugin can reach it (link it with "
           "libhdf5.so, or with -rdynamic)";
}

bool is_hdf5_library(std::string_view file_name) {
    if (!file_name.starts_with("libhdf5") || file_name.find(".so") == file_name.npos) return false;
    const std::string_view stem = file_name.substr(0, file_name.find(".so"));
    for (const std::string_view other : {"_hl", "_cpp", "_fortran", "_f90", "_tools", "_java"})
        if (stem.find(other) != stem.npos) return false;
    return true;
}

std::optional<Hdf5Version> version_in(const std::string& path) {
    const auto elf = ElfFile::open(path);
    return elf ? version_in_parts(*elf) : std::nullopt;
}

Linked linked_hdf5(const std::string& file, const std::string& interpreter,
                   const Environment& environment) {
    Linked linked;
    const auto found = [&](const std::string& path) {
        linked.hdf5 = Hdf5Library{};
        linked.hdf5->owner = base_name(file);
        linked.hdf5->path = std::filesystem::path(path).lexically_normal();
        linked.hdf5->version = version_in(path);
    };
    // These variables may put others before what it brings.
    const bool is_alone = !environment.get("LD_LIBRARY_PATH") && !environment.get("LD_PRELOAD");
    if (const std::string path = is_alone ? brought_along(file) : ""; !path.empty()) {
        found(path);
        return linked;
    }
    if (interpreter.empty() || !may_ask_loader(file)) return linked;
    const Outcome answer = ask_loader(file, interpreter, environment);
    for (const std::string& line : split(answer.output, "\n")) {
        const LoadedName loaded = parse_loader_line(line);
        if (!is_hdf5_library(loaded.name)) continue;
        if (loaded.path.empty())
            linked.missing = loaded.name;
        else
            found(loaded.path);
    }
    return linked;
}

Linked linked_hdf5(const std::string& program, const Environment& environment) {
    const auto elf = ElfFile::open(program);
    if (!elf) return {};
    Linked linked;
    if (!elf->interpreter().empty()) linked = linked_hdf5(program, elf->interpreter(), environment);
    if (!linked.hdf5 && linked.missing.empty()) linked.hdf5 = linked_in(program, *elf);
    return linked;
}

}  // namespace quarry
