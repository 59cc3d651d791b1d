#include "launch/witness.hpp"

#include <filesystem>
#include <fstream>

namespace quarry {
namespace {

constexpr std::string_view kLibraryMark = "library ";

Witness read_witness(const std::filesystem::path& path) {
    Witness witness;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        if (line == "object-layer") witness.object_layer = true;
        if (line == "byte-layer") witness.byte_layer = true;
        if (!line.starts_with(kLibraryMark)) continue;
        const size_t space = line.rfind(' ');  // the version has none, the path may
        witness.library = line.substr(kLibraryMark.size(), space - kLibraryMark.size());
    }
    return witness;
}

bool same_file(const std::string& one, const std::string& other) {
    std::error_code ignored;
    return one == other || std::filesystem::equivalent(one, other, ignored);
}

}  // namespace

std::vector<Witness> read_witnesses(const std::string& directory) {
    std::vector<Witness> witnesses;
    std::error_code failed;
    for (std::filesystem::directory_iterator entry(directory, failed), end; !failed && entry != end;
         entry.increment(failed))
        witnesses.push_back(read_witness(entry->path()));
    return witnesses;
}

std::string missing_proof(const std::vector<Witness>& witnesses,
                          const std::vector<std::string>& libraries) {
    for (const std::string& library : libraries) {
        Witness seen;
        bool loaded = false;
        for (const Witness& witness : witnesses) {
            if (!same_file(witness.library, library)) continue;
            loaded = true;
            seen.object_layer |= witness.object_layer;
            seen.byte_layer |= witness.byte_layer;
        }
        if (!loaded) return "it ran, but the connector was not loaded into " + library;
        if (!seen.object_layer) return "it ran, but the object layer saw nothing in " + library;
        if (!seen.byte_layer) return "it ran, but the byte layer saw nothing in " + library;
    }
    return {};
}

}  // namespace quarry
