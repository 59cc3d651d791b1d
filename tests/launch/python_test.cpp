#include "launch/python.hpp"

#include <gtest/gtest.h>

#include "folder.hpp"

namespace quarry {
namespace {

constexpr const char* kBinary = FAKE_PROGRAMS "/uses_hdf5_1_14_5";

// Programs stand in for extension modules: the loader lists their libraries just the same.
class PythonTest : public FolderTest {
protected:
    void add_package(const std::string& site, const std::string& name, const std::string& version) {
        copy(FAKE_PROGRAMS "/uses_hdf5_" + version, site + "/" + name + "/core.so");
        write(site + "/" + name + "/__init__.py", "");
    }

    std::string make_python(const std::string& prefix) {
        return copy(kBinary, prefix + "/bin/python3.11");
    }

    std::vector<Hdf5Library> libraries(const std::string& python) {
        return python_libraries(python, Environment::of({{"HOME", path("home")}}));
    }
};

TEST_F(PythonTest, FindsThePackagesOfAnInstallation) {
    add_package("usr/lib/python3.11/site-packages", "h5py", "1_14_5");
    add_package("usr/lib/python3/dist-packages", "tables", "1_10_8");
    add_package("usr/lib/python3.9/site-packages", "netCDF4", "1_12_2");  // another version's
    const auto found = libraries(make_python("usr"));
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].owner, "h5py");
    EXPECT_EQ(found[0].version, parse_version("1.14.5"));
    EXPECT_EQ(found[1].owner, "tables");
    EXPECT_EQ(found[1].version, parse_version("1.10.8"));
}

TEST_F(PythonTest, AVirtualEnvironmentHidesTheInstallation) {
    add_package("usr/lib/python3.11/site-packages", "h5py", "1_12_2");
    add_package("home/.local/lib/python3.11/site-packages", "tables", "1_12_2");
    add_package("venv/lib/python3.11/site-packages", "h5py", "1_14_5");
    make_python("usr");
    const std::string python = make_python("venv");
    const std::string home = "home = " + path("usr/bin") + "\n";

    write("venv/pyvenv.cfg", home + "include-system-site-packages = false\n");
    ASSERT_EQ(libraries(python).size(), 1u);
    EXPECT_EQ(libraries(python)[0].version, parse_version("1.14.5"));

    write("venv/pyvenv.cfg", home + "include-system-site-packages = true\n");
    ASSERT_EQ(libraries(python).size(), 2u) << "and the user's own packages";
    EXPECT_EQ(libraries(python)[0].version, parse_version("1.14.5")) << "its own come first";
}

TEST_F(PythonTest, FindsPackagesByPythonPath) {
    add_package("mine", "h5py", "1_12_2");
    add_package("usr/lib/python3.11/site-packages", "h5py", "1_14_5");
    const auto found = python_libraries(make_python("usr"),
                                        Environment::of({{"PYTHONPATH", path("mine") + ":/none"}}));
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].version, parse_version("1.12.2"));
}

TEST_F(PythonTest, FindsTheLibrariesOfOtherWheels) {
    copy(FAKE_LIBRARIES "/hdf5-1.12.2/libhdf5.so",
         "usr/lib/python3.11/site-packages/rasterio.libs/libhdf5-abc.so.200");
    write("usr/lib/python3.11/site-packages/numpy.libs/libopenblas.so", "");
    const auto found = libraries(make_python("usr"));
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].owner, "rasterio");
    EXPECT_EQ(found[0].version, parse_version("1.12.2"));
}

TEST_F(PythonTest, PrefersTheSerialBuildOfTwo) {
    const std::string package = "usr/lib/python3/dist-packages/h5py/";
    copy(FAKE_PROGRAMS "/uses_hdf5_1_12_2", package + "_debian_h5py_mpi/defs.so");
    copy(FAKE_PROGRAMS "/uses_hdf5_1_14_5", package + "_debian_h5py_serial/defs.so");
    const auto found = libraries(make_python("usr"));
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].version, parse_version("1.14.5"));
}

TEST_F(PythonTest, ShrugsAtWhatIsBroken) {
    write("usr/lib/python3.11/site-packages/h5py/core.so", "not a library");
    write("usr/lib/python3.11/site-packages/tables", "not a folder");
    EXPECT_TRUE(libraries(make_python("usr")).empty());
    EXPECT_TRUE(libraries("/no/such/python").empty());
}

}  // namespace
}  // namespace quarry
