// One archive with all that it takes to repeat a run: docs/formats/pack.md.
#pragma once

#include <quarry/carve.hpp>
#include <quarry/outputs.hpp>

namespace quarry {

// What ran, where, and who it was: of every process in the trace, in the order of their start.
struct PackedCommand {
    std::vector<std::string> tasks;
    std::vector<std::string> command;
    std::string directory;
    std::string program;
    int32_t rank = -1;
    uint64_t started = 0;       // in nanoseconds since 1970
    bool is_top_level = false;  // no other process of the trace has started it
    bool lacks_origin = false;  // likewise, but only the one that did can give it its work
    uint64_t ended = 0;         // or was last heard of; an archive does not tell
};

// A file that a command names or has read without HDF5, or that a script which it names imports.
struct PackedProgram {
    std::string original;
    std::string copy;  // in the archive
};

// Another such file, which a repeated run has to find where it is.
struct UnpackedFile {
    std::string path;
    std::string why;             // it is not in the archive
    bool is_what_loads = false;  // it is, but not all that it loads; an archive does not tell
};

// A symbolic link to a directory that the run has used.
struct PackedLink {
    std::string path;
    std::string leads_to;  // in the end
};

struct PackedOutput {
    std::string path;
    bool is_hdf5 = false;
    std::vector<std::string> tasks;
    uint64_t size = 0;
    std::string sha256;   // empty where there is nothing to compare with
    std::string copy;     // in the archive; empty where only the checksum is known
    std::string problem;  // why there is nothing to compare with
    std::string former;   // its first path, if that is another; an archive does not tell
};

struct Distribution {
    std::string name;
    std::string version;
    bool is_indexed = true;  // and not installed from a directory or an address
};

struct PythonVersions {
    std::string interpreter;
    std::string version;
    std::string prefix;
    bool is_virtual = false;    // an environment of its own
    bool is_of_system = false;  // of the distribution, or an environment of that
    std::vector<Distribution> distributions;
    std::string problem;  // why it could not be asked
    // Of those that are packages of the system: a file of each; an archive does not tell.
    std::vector<std::string> system_files{};
};

// Of the system, as Debian has them.
struct SystemPackage {
    std::string name;
    std::string version;
};

struct Versions {
    std::string quarry;
    std::string system;  // "debian", as os-release has it
    std::string system_version;
    std::string system_name;
    std::string system_codename;  // "bookworm"; empty where there is none
    std::string kernel;
    std::string machine;
    std::vector<LibraryFacts> hdf5;
    std::vector<PythonVersions> pythons;
    std::vector<SystemPackage> packages;  // that programs need, as far as known
};

struct PackedFile {
    std::string path;  // in the archive
    uint64_t size = 0;
    std::string sha256;
    bool is_program = false;  // may be executed
};

// What `pack.json` in the archive says.
struct Pack {
    Versions versions;
    std::vector<PackedCommand> commands;
    std::vector<std::string> folders;  // that the commands found and worked in
    std::vector<PackedLink> links;     // on the way to them
    std::vector<PackedProgram> programs;
    std::vector<std::string> python_path;  // folders of some of them, for Python to look in
    // Inputs were opened for writing, though only read: a repeated run gets copies for that.
    bool opens_for_writing = false;
    std::vector<UnpackedFile> left_out;
    std::vector<PackedOutput> outputs;
    std::vector<PackedFile> files;
};

struct PackOptions {
    std::string trace;
    std::string archive;
    std::vector<std::string> tasks;      // only these; all where there are none
    CarveOptions carving;                // in which the directory does not matter
    uint64_t outputs_below = 64 << 20;   // bytes of an HDF5 file that is put in with its content
    uint64_t programs_below = 10 << 20;  // bytes of a program file that is put in
};

struct PackResult {
    Pack pack;
    std::vector<FileFate> inputs;
    std::vector<std::string> cautions;  // whole sentences: what whoever repeats it should know
    uint64_t size = 0;  // of the archive; 0 if there is none, for an input cannot be carved
};

// What would be in the archive, without making it.
Result<PackResult> plan_pack(const PackOptions& options, const std::vector<InputFile>& inputs);

// Makes it. It is there, and replaces one that was there, only when it is complete.
Result<PackResult> make_pack(const PackOptions& options, const std::vector<InputFile>& inputs,
                             const Progress& carving, const Progress& packing);

struct UnpackOptions {
    std::string archive;
    std::string directory;                   // that does not exist yet
    uint64_t max_size = uint64_t{64} << 30;  // bytes of all files together
};

// The directory is there only if everything in the archive is as it was packed.
Result<Pack> unpack(const UnpackOptions& options, const Progress& progress);

struct RepeatOptions {
    std::string directory;          // that a pack was unpacked into
    bool overwrites = false;        // outputs that are there
    bool prints_to_errors = false;  // what commands print goes to stderr
    // Told of each command before it is started.
    std::function<void(const PackedCommand& command)> announce;
};

struct RepeatedOutput {
    enum class Verdict : uint8_t { Same, SameButTimes, Differs, Missing, NotCompared };

    std::string path;  // where it is now
    Verdict verdict = Verdict::NotCompared;
    std::string why;  // what differs
};

struct Repetition {
    std::string problem;  // why not all commands were run to a good end
    std::vector<RepeatedOutput> outputs;

    // There are files, and whether one of them is the same is not known.
    bool compares_nothing() const;
    bool is_same() const;
};

// Runs the commands again on the carved files, and compares what they make.
Result<Repetition> repeat(const Pack& pack, const RepeatOptions& options);

}  // namespace quarry
