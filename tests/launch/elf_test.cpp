#include "base/elf.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "folder.hpp"

namespace quarry {
namespace {

using Elf = FolderTest;

std::string bytes_of(const std::string& path) {
    return std::string(MappedFile::open(path)->bytes());
}

// Reads everything there is to read.
void use(const std::string& path) {
    const auto elf = ElfFile::open(path);
    if (!elf) return;
    elf->defines("H5open", ElfFile::SymbolTable::Any);
    for (const std::string_view part : elf->loaded_bytes())
        (void)std::count(part.begin(), part.end(), 'x');
}

TEST_F(Elf, ReadsThisVeryProgram) {
    const auto elf = ElfFile::open("/proc/self/exe");
    ASSERT_TRUE(elf);
    EXPECT_TRUE(elf->interpreter().starts_with('/'));
    const auto& needed = elf->needed();
    EXPECT_TRUE(std::any_of(needed.begin(), needed.end(),
                            [](const std::string& name) { return name.starts_with("libc.so"); }));
    EXPECT_TRUE(elf->defines("main", ElfFile::SymbolTable::Any));
    EXPECT_FALSE(elf->defines("no_such_symbol", ElfFile::SymbolTable::Any));
}

TEST_F(Elf, TellsWhereTheLoaderIsToLook) {
    EXPECT_EQ(ElfFile::open(FAKE_PROGRAMS "/brings_hdf5")->search_path(), "$ORIGIN/libs");
    EXPECT_EQ(ElfFile::open(FAKE_LIBRARIES "/hdf5-1.14.5/libhdf5.so")->search_path(), "");
}

TEST_F(Elf, TellsExportedFromHidden) {
    const auto hidden = ElfFile::open(FAKE_PROGRAMS "/static_hdf5_hidden");
    EXPECT_TRUE(hidden->defines("H5open", ElfFile::SymbolTable::Any));
    EXPECT_FALSE(hidden->defines("H5open", ElfFile::SymbolTable::Dynamic));
    const auto exported = ElfFile::open(FAKE_PROGRAMS "/static_hdf5_exported");
    EXPECT_TRUE(exported->defines("H5open", ElfFile::SymbolTable::Dynamic));
    const auto user = ElfFile::open(FAKE_PROGRAMS "/uses_hdf5_1_14_5");
    EXPECT_FALSE(user->defines("H5open", ElfFile::SymbolTable::Any));
}

TEST_F(Elf, ExplainsWhatIsNotOne) {
    EXPECT_NE(ElfFile::open(write("text", "hello")).error().message.find("not a program"),
              std::string::npos);
    EXPECT_FALSE(ElfFile::open(write("empty", "")));
    EXPECT_FALSE(ElfFile::open(path("missing")));
    EXPECT_FALSE(ElfFile::open("/dev/null"));
    EXPECT_FALSE(ElfFile::open(path(".")));
}

TEST_F(Elf, SurvivesFilesThatAreCutOff) {
    const std::string whole = bytes_of(FAKE_PROGRAMS "/uses_hdf5_1_14_5");
    for (size_t size = 0; size < whole.size(); size += 97) use(write("cut", whole.substr(0, size)));
}

TEST_F(Elf, SurvivesRandomDamage) {
    const std::string whole = bytes_of(FAKE_PROGRAMS "/uses_hdf5_1_14_5");
    const auto seed = std::random_device{}();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    for (int i = 0; i < 300; ++i) {
        std::string damaged = whole;
        // Most damage goes where the offsets are.
        for (int j = 0; j < 20; ++j)
            damaged[random() % (j % 2 ? 1024 : damaged.size())] = static_cast<char>(random());
        use(write("damaged", damaged));
    }
}

}  // namespace
}  // namespace quarry
