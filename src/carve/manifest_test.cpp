#include "carve/manifest.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <random>

#include "base/temporary_directory.hpp"

namespace quarry::carve_files {
namespace {

class ManifestTest : public ::testing::Test {
protected:
    Result<Manifest> there_and_back(const Manifest& manifest) const {
        if (auto done = write_manifest(directory_.path(), manifest); !done) return done.error();
        return read_manifest(directory_.path(), Detail::Datasets);
    }

    TemporaryDirectory directory_ = *TemporaryDirectory::create();
};

// Whatever bytes names have, which need not be UTF-8.
class Names {
public:
    explicit Names(uint32_t seed) : random_(seed) {}

    std::string one() {
        std::string name(1 + number() % 12, ' ');
        const bool is_text = number() % 2 == 0;
        for (char& c : name) c = static_cast<char>(is_text ? number() % 0x80 : number());
        return name;
    }

    // As file systems have them.
    std::string of_file() {
        std::string name = one();
        for (char& c : name)
            if (c == '/' || c == '\0') c = 'x';
        return name;
    }

    std::vector<std::string> some() {
        std::vector<std::string> names(1 + number() % 3);
        for (std::string& name : names) name = one();
        return names;
    }

    uint64_t number() { return random_(); }

private:
    std::mt19937_64 random_;
};

FileFate some_file(Names& names, uint64_t number = 0) {
    FileFate file;
    file.input.path = "/" + names.of_file();
    file.input.is_raw = names.number() % 2 == 0;
    file.input.tasks = {"read \"a\"\n", "Größe"};
    file.copy = std::to_string(number) + names.of_file();
    file.size_before = names.number();
    file.size_after = names.number();
    file.modified = names.number();
    file.checksum = names.number();
    file.why_whole = "why";
    for (uint64_t i = names.number() % 3; i > 0; --i)
        file.datasets.push_back({names.some(), names.number(), names.number(),
                                 static_cast<Remains>(names.number() % 4), "it was read"});
    return file;
}

TEST_F(ManifestTest, ComesBackAsItWas) {
    const auto seed = std::random_device()();
    SCOPED_TRACE("seed " + std::to_string(seed));
    Names names(seed);
    for (int i = 0; i < 300; ++i) {
        Manifest manifest;
        if (i % 2 == 0) manifest.granularity = CarveOptions::Granularity::Chunk;
        for (uint64_t k = names.number() % 4; k > 0; --k)
            manifest.files.push_back(some_file(names, k));
        const Result<Manifest> back = there_and_back(manifest);
        ASSERT_TRUE(back) << back.error().message;
        EXPECT_EQ(back->granularity, manifest.granularity);
        ASSERT_EQ(back->files.size(), manifest.files.size());
        for (size_t k = 0; k < manifest.files.size(); ++k) {
            const FileFate &was = manifest.files[k], &is = back->files[k];
            EXPECT_EQ(is.input.path, was.input.path);
            EXPECT_EQ(is.input.tasks, was.input.tasks);
            EXPECT_EQ(is.copy, was.copy);
            EXPECT_EQ(is.size_before, was.size_before);
            EXPECT_EQ(is.size_after, was.size_after);
            EXPECT_EQ(is.modified, was.modified);
            EXPECT_EQ(is.checksum, was.checksum);
            EXPECT_EQ(is.input.is_raw, was.input.is_raw);
            EXPECT_EQ(is.why_whole, was.why_whole);
            ASSERT_EQ(is.datasets.size(), was.datasets.size());
            for (size_t d = 0; d < was.datasets.size(); ++d) {
                EXPECT_EQ(is.datasets[d].paths, was.datasets[d].paths);
                EXPECT_EQ(is.datasets[d].stored, was.datasets[d].stored);
                EXPECT_EQ(is.datasets[d].kept, was.datasets[d].kept);
                EXPECT_EQ(is.datasets[d].remains, was.datasets[d].remains);
                EXPECT_EQ(is.datasets[d].why, was.datasets[d].why);
            }
        }
    }
}

TEST_F(ManifestTest, DamageIsNamed) {
    Names names(3);
    ASSERT_TRUE(there_and_back({.files = {some_file(names)}}));
    for (const char* name : {kDatasets, kManifest}) {
        const std::string path = directory_.path() + "/" + name;
        for (const char* text : {"", "{", "[]", "{\"format\": 1, \"files\": [{}]}"}) {
            std::ofstream(path) << text;
            const Result<Manifest> read = read_manifest(directory_.path(), Detail::Datasets);
            ASSERT_FALSE(read);
            EXPECT_EQ(read.error().message.find(path + " is "), 0) << read.error().message;
        }
    }
}

TEST_F(ManifestTest, NothingIsFoundOutsideOfItsDirectory) {
    Names names(4);
    for (const char* copy : {"/etc/passwd", "../a", "a/../../b", ".."}) {
        FileFate file = some_file(names);
        file.copy = copy;
        EXPECT_FALSE(there_and_back({.files = {file}})) << copy;
    }
    for (const std::string& original :
         {std::string(), std::string("a"), std::string("../b"), std::string("/a\0b", 4)}) {
        FileFate file = some_file(names);
        file.input.path = original;
        EXPECT_FALSE(there_and_back({.files = {file}})) << original;
    }
}

TEST_F(ManifestTest, ADatasetHasAPath) {
    Names names(5);
    FileFate file = some_file(names);
    file.datasets = {{{}, 1, 1, Remains::Kept, ""}};
    EXPECT_FALSE(there_and_back({.files = {file}}));
}

TEST_F(ManifestTest, CanBeReadWithoutItsDatasets) {
    Names names(2);
    FileFate file = some_file(names), other = some_file(names, 1);
    file.datasets.assign(3, {{"/datasets", "/a"}, 1, 1, Remains::Kept, "datasets"});
    ASSERT_TRUE(there_and_back({.files = {other, file}}));
    const Result<Manifest> files = read_manifest(directory_.path(), Detail::Files);
    ASSERT_TRUE(files) << files.error().message;
    ASSERT_EQ(files->files.size(), 2);
    EXPECT_EQ(files->files[1].copy, file.copy);
    EXPECT_EQ(files->files[1].checksum, file.checksum);
    EXPECT_TRUE(files->files[1].datasets.empty());
}

TEST_F(ManifestTest, FilesWithoutACopyAreNotInIt) {
    Names names(1);
    Manifest manifest{.files = {some_file(names, 1), some_file(names, 2)}};
    manifest.files[0].copy.clear();
    const Result<Manifest> back = there_and_back(manifest);
    ASSERT_TRUE(back);
    ASSERT_EQ(back->files.size(), 1);
    EXPECT_EQ(back->files[0].copy, manifest.files[1].copy);
}

}  // namespace
}  // namespace quarry::carve_files
