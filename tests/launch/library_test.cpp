#include "launch/library.hpp"

#include <gtest/gtest.h>

#include "base/mapped_file.hpp"
#include "folder.hpp"

namespace quarry {
namespace {

using Library = FolderTest;

TEST(Version, IsReadFromText) {
    EXPECT_EQ(parse_version("1.14.5"), (Hdf5Version{1, 14, 5}));
    EXPECT_EQ(parse_version("1.14.5-3 and more"), (Hdf5Version{1, 14, 5}));
    EXPECT_EQ(parse_version("2.0.0"), (Hdf5Version{2, 0, 0}));
    EXPECT_EQ(parse_version("%d.%d"), Hdf5Version{});
    EXPECT_EQ(parse_version(""), Hdf5Version{});
    EXPECT_LT(parse_version("1.12.99"), kFirstServed);
}

TEST(Hdf5LibraryName, IsThatOfTheCoreLibrary) {
    for (const char* name : {"libhdf5.so", "libhdf5.so.310", "libhdf5_serial.so.103",
                             "libhdf5_openmpi.so.310", "libhdf5-9e18f0c6.so.320.0.0"})
        EXPECT_TRUE(is_hdf5_library(name)) << name;
    for (const char* name : {"libhdf5_hl.so.310", "libhdf5_serial_hl.so.100", "libhdf5_cpp.so",
                             "libhdf5_hl-69da89c9.so.320", "libhdf5.a", "libhdf4.so", "libz.so"})
        EXPECT_FALSE(is_hdf5_library(name)) << name;
}

TEST_F(Library, IsTheOneThatTheLoaderWouldGive) {
    const Environment environment = Environment::of_process();
    const Linked linked = linked_hdf5(FAKE_PROGRAMS "/uses_hdf5_1_12_2", environment);
    ASSERT_TRUE(linked.hdf5);
    EXPECT_EQ(linked.hdf5->path, FAKE_LIBRARIES "/hdf5-1.12.2/libhdf5.so");
    EXPECT_EQ(linked.hdf5->version, (Hdf5Version{1, 12, 2}));
    EXPECT_FALSE(linked.hdf5->linked_in);
}

TEST_F(Library, ThatIsBroughtAlongIsFoundWithoutTheLoader) {
    const std::string no_loader;
    const std::string program = copy(FAKE_PROGRAMS "/brings_hdf5", "program");
    EXPECT_FALSE(linked_hdf5(program, no_loader, Environment{}).hdf5) << "it is not there yet";
    copy(FAKE_LIBRARIES "/hdf5-1.12.2/libhdf5.so", "libs/libhdf5.so");
    const Linked linked = linked_hdf5(program, no_loader, Environment{});
    ASSERT_TRUE(linked.hdf5);
    EXPECT_EQ(linked.hdf5->path, path("libs/libhdf5.so"));
    EXPECT_EQ(linked.hdf5->version, (Hdf5Version{1, 12, 2}));
}

TEST_F(Library, ThatIsBroughtAlongMayComeSecond) {
    const std::string program = copy(FAKE_PROGRAMS "/brings_hdf5", "program");
    copy(FAKE_LIBRARIES "/hdf5-1.12.2/libhdf5.so", "libs/libhdf5.so");
    Environment environment;
    environment.set("LD_LIBRARY_PATH", FAKE_LIBRARIES "/hdf5-1.14.5");
    const Linked linked = linked_hdf5(program, environment);
    ASSERT_TRUE(linked.hdf5);
    EXPECT_EQ(linked.hdf5->version, (Hdf5Version{1, 14, 5}));
}

TEST_F(Library, ThatIsMissingIsNamed) {
    const std::string program = copy(FAKE_PROGRAMS "/uses_hdf5_1_14_5", "program");
    // A copy of the program in a place without its library: hide the library by its own path.
    std::string bytes(MappedFile::open(program)->bytes());
    const std::string place = FAKE_LIBRARIES;
    for (size_t at = bytes.find(place); at != bytes.npos; at = bytes.find(place, at + 1))
        bytes[at + 1] = '#';
    write("program", bytes);
    EXPECT_EQ(linked_hdf5(program, Environment{}).missing, "libhdf5.so");
}

TEST_F(Library, LinkedInIsFound) {
    const Environment environment = Environment::of_process();
    const auto hidden = linked_hdf5(FAKE_PROGRAMS "/static_hdf5_hidden", environment).hdf5;
    ASSERT_TRUE(hidden);
    EXPECT_TRUE(hidden->linked_in);
    EXPECT_FALSE(hidden->served());
    EXPECT_TRUE(hidden->endangered());
    EXPECT_NE(hidden->objection().find("linked into the program"), std::string::npos);
    const auto exported = linked_hdf5(FAKE_PROGRAMS "/static_hdf5_exported", environment).hdf5;
    ASSERT_TRUE(exported);
    EXPECT_TRUE(exported->served());
}

TEST_F(Library, IsNotSeenWhereThereIsNone) {
    const Environment environment = Environment::of_process();
    // This program holds the text by which a version is found, but no version behind it.
    EXPECT_FALSE(linked_hdf5("/proc/self/exe", environment).hdf5);
    EXPECT_FALSE(linked_hdf5(write("script", "#!/bin/sh\n"), environment).hdf5);
    EXPECT_FALSE(linked_hdf5(path("missing"), environment).hdf5);
}

TEST(Served, DependsOnTheVersion) {
    Hdf5Library library;
    EXPECT_TRUE(library.served()) << "of unknown version: in the common case it is new";
    library.version = parse_version("1.10.8");
    EXPECT_FALSE(library.served());
    EXPECT_FALSE(library.endangered()) << "it ignores the variable";
    library.version = parse_version("1.13.3");
    EXPECT_TRUE(library.endangered());
    library.version = parse_version("1.14.0");
    EXPECT_TRUE(library.served());
}

}  // namespace
}  // namespace quarry
