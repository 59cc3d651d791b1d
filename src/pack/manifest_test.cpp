#include "pack/manifest.hpp"

#include <gtest/gtest.h>

namespace quarry::pack_files {
namespace {

Pack some_pack() {
    Pack pack;
    pack.versions.system = "debian";
    pack.versions.hdf5 = {{"/lib/libhdf5.so", "1.14.6"}};
    pack.versions.pythons = {
        {"/bin/python3", "3.11", "/usr", false, true, {{"h5py", "3", true}}, ""}};
    pack.commands = {{{"task"}, {"python3", "a b.py"}, "/data", "/bin/python3", -1, 5, true},
                     {{}, {"python3", "worker"}, "/data", "/bin/python3", -1, 6, false, true}};
    pack.folders = {"/data"};
    pack.programs = {{"/data/a b.py", "programs/data/a b.py"}};
    pack.python_path = {"/lib of mine"};
    pack.links = {{"/a/out", "/scratch/\xff"}};
    pack.opens_for_writing = true;
    pack.left_out = {{"/data/large.bin", "it is large"}};
    pack.outputs = {{"/data/out.h5", true, {"task"}, 7, "sum", "", "", ""}};
    pack.files = {{"programs/data/a b.py", 3, "sum", true}};
    return pack;
}

TEST(PackManifestTest, IsReadAsItWasWritten) {
    const std::string text = manifest_of(some_pack());
    const auto pack = read_manifest(text);
    ASSERT_TRUE(pack) << pack.error().message;
    EXPECT_EQ(manifest_of(*pack), text);
}

TEST(PackManifestTest, KeepsWhatIsNotUtf8) {
    Pack before = some_pack();
    before.commands[0].command[1] = before.commands[0].directory = "/caf\xe9";
    before.folders[0] = before.left_out[0].path = before.outputs[0].path = "/caf\xe9";
    before.python_path[0] = "/caf\xe9";
    const auto pack = read_manifest(manifest_of(before));
    ASSERT_TRUE(pack) << pack.error().message;
    EXPECT_EQ(pack->commands[0].command, before.commands[0].command);
    EXPECT_EQ(pack->commands[0].directory, before.commands[0].directory);
    EXPECT_EQ(pack->folders, before.folders);
    EXPECT_EQ(pack->python_path, before.python_path);
    EXPECT_EQ(pack->links.at(0).path, before.links[0].path);
    EXPECT_EQ(pack->links.at(0).leads_to, before.links[0].leads_to);
    EXPECT_TRUE(pack->opens_for_writing);
    EXPECT_EQ(pack->left_out[0].path, before.left_out[0].path);
    EXPECT_EQ(pack->outputs[0].path, before.outputs[0].path);
}

TEST(PackManifestTest, LeadsNowhereElse) {
    for (const char* path : {"", ".", "..", "../a", "/a", "a/../b", "a/..", "./a", "a//b", "a/"}) {
        Pack pack = some_pack();
        pack.files[0].path = path;
        pack.programs.clear();
        EXPECT_FALSE(read_manifest(manifest_of(pack))) << path;
    }
    for (const char* path : {"", "a", "/a/../b", "/a/"}) {
        Pack pack = some_pack();
        pack.outputs[0].path = path;
        EXPECT_FALSE(read_manifest(manifest_of(pack))) << path;
        pack = some_pack();
        pack.folders = {path};
        EXPECT_FALSE(read_manifest(manifest_of(pack))) << path;
        pack = some_pack();
        pack.python_path = {path};
        EXPECT_FALSE(read_manifest(manifest_of(pack))) << path;
        pack = some_pack();
        pack.links[0].leads_to = path;
        EXPECT_FALSE(read_manifest(manifest_of(pack))) << path;
    }
}

TEST(PackManifestTest, HasNothingWhereTheRunMakesFiles) {
    for (const char* path : {"run", "run/tmp/result.h5", "carved/.placeholders"}) {
        Pack pack = some_pack();
        pack.files.push_back({path, 0, "", false});
        EXPECT_FALSE(read_manifest(manifest_of(pack))) << path;
    }
    Pack pack = some_pack();
    pack.files.push_back({"run.sh", 0, "", false});
    EXPECT_TRUE(read_manifest(manifest_of(pack)));
}

TEST(PackManifestTest, NamesEveryFileOnce) {
    Pack pack = some_pack();
    pack.files.push_back(pack.files.front());
    EXPECT_FALSE(read_manifest(manifest_of(pack)));
    pack = some_pack();
    pack.files[0].path = kManifest;
    EXPECT_FALSE(read_manifest(manifest_of(pack)));
    pack = some_pack();
    pack.outputs[0].copy = "outputs/that are not there";
    EXPECT_FALSE(read_manifest(manifest_of(pack)));
}

TEST(PackManifestTest, ThatIsNoneIsRefused) {
    for (const char* text : {"", "{", "[]", "null", R"({"format": 1})", R"({"format": 2})"})
        EXPECT_FALSE(read_manifest(text)) << text;
}

}  // namespace
}  // namespace quarry::pack_files
