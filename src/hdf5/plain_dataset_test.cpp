#include "hdf5/plain_dataset.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <vector>

#include "base/temporary_directory.hpp"
#include "hdf5/formats.hpp"
#include "hdf5/own_library.hpp"

namespace quarry::hdf5 {
namespace {

// In both formats of headers.
class PlainDatasetTest : public ::testing::TestWithParam<H5F_libver_t> {
protected:
    PlainDatasetTest() {
        prepare_library();
        const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
        H5Pset_libver_bounds(access, GetParam(), H5F_LIBVER_LATEST);
        file_ = H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access);
    }
    ~PlainDatasetTest() override { H5Fclose(file_); }

    hid_t file() const { return file_; }

    hid_t make(hid_t type = H5T_NATIVE_INT, hid_t creation = H5P_DEFAULT) {
        const hsize_t size = 16;
        const Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose);
        return H5Dcreate2(file_, std::to_string(count_++).c_str(), type, space, H5P_DEFAULT,
                          creation, H5P_DEFAULT);
    }

    static void write(hid_t dataset) {
        const std::vector<int> values(16, 7);
        ASSERT_GE(H5Dwrite(dataset, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()),
                  0);
    }

    static void add_attribute(hid_t dataset, const std::string& name, hid_t type) {
        const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
        const Handle attribute(
            H5Acreate2(dataset, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
        ASSERT_GE(attribute, 0);
    }

    // Closes the dataset.
    std::optional<PlainDataset> found(hid_t dataset) const {
        H5O_info2_t info{};
        H5Oget_info3(dataset, &info, H5O_INFO_BASIC);
        haddr_t address = 0;
        H5VLnative_token_to_addr(file_, info.token, &address);
        H5Dclose(dataset);
        H5Fflush(file_, H5F_SCOPE_GLOBAL);
        HeaderFile headers(path_, header_format_of(file_));
        return plain_dataset(headers, address);
    }

private:
    TemporaryDirectory directory_ = *TemporaryDirectory::create();
    std::string path_ = directory_.path() + "/file.h5";
    hid_t file_ = H5I_INVALID_HID;
    int count_ = 0;
};

TEST_P(PlainDatasetTest, IsFoundWithItsSize) {
    const hid_t dataset = make();
    write(dataset);
    add_attribute(dataset, "units", H5T_C_S1);
    add_attribute(dataset, "number", H5T_NATIVE_DOUBLE);
    const uint64_t stored = H5Dget_storage_size(dataset);
    const auto plain = found(dataset);
    ASSERT_TRUE(plain);
    EXPECT_EQ(plain->stored, stored);
    EXPECT_EQ(stored, 16 * sizeof(int));
}

TEST_P(PlainDatasetTest, TakesNoRoomBeforeItIsWritten) {
    const auto plain = found(make());
    ASSERT_TRUE(plain);
    EXPECT_EQ(plain->stored, 0);
}

TEST_P(PlainDatasetTest, MayLieInItsHeader) {
    const Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_layout(creation, H5D_COMPACT);
    const hid_t dataset = make(H5T_NATIVE_INT, creation);
    write(dataset);
    const auto plain = found(dataset);
    ASSERT_TRUE(plain);
    EXPECT_EQ(plain->stored, 16 * sizeof(int));
}

TEST_P(PlainDatasetTest, HoldsTextsOfAnyLength) {
    const Handle text(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(text, H5T_VARIABLE);
    const hid_t dataset = make();
    add_attribute(dataset, "history", text);
    EXPECT_TRUE(found(dataset));
    EXPECT_TRUE(found(make(text)));
}

TEST_P(PlainDatasetTest, HasNoFillValueInTheHeap) {
    const Handle text(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(text, H5T_VARIABLE);
    const Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    const char* filling = "nothing yet";
    H5Pset_fill_value(creation, text, &filling);
    EXPECT_FALSE(found(make(text, creation)));
    const int zero = 0;
    H5Pset_fill_value(creation, H5T_NATIVE_INT, &zero);
    EXPECT_TRUE(found(make(H5T_NATIVE_INT, creation)));
}

TEST_P(PlainDatasetTest, HasNoChunks) {
    const Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    const hsize_t chunk = 4;
    H5Pset_chunk(creation, 1, &chunk);
    EXPECT_FALSE(found(make(H5T_NATIVE_INT, creation)));
}

TEST_P(PlainDatasetTest, HasNoOtherFiles) {
    const Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_external(creation, "other.raw", 0, H5F_UNLIMITED);
    EXPECT_FALSE(found(make(H5T_NATIVE_INT, creation)));
}

TEST_P(PlainDatasetTest, RefersToNothing) {
    const Handle list(H5Tvlen_create(H5T_STD_REF_OBJ), H5Tclose);
    const hsize_t size = 2;
    const Handle array(H5Tarray_create2(H5T_STD_REF_OBJ, 1, &size), H5Tclose);
    const Handle compound(H5Tcreate(H5T_COMPOUND, 8), H5Tclose);
    H5Tinsert(compound, "to", 0, H5T_STD_REF_OBJ);
    for (const hid_t type : {hid_t{H5T_STD_REF_OBJ}, hid_t{H5T_STD_REF_DSETREG}, hid_t{H5T_STD_REF},
                             hid_t{list}, hid_t{array}, hid_t{compound}}) {
        EXPECT_FALSE(found(make(type)));
        const hid_t dataset = make();
        add_attribute(dataset, "to", type);
        EXPECT_FALSE(found(dataset));
    }
}

TEST_P(PlainDatasetTest, HasATypeOfItsOwn) {
    const Handle type(H5Tcopy(H5T_NATIVE_INT), H5Tclose);
    H5Tcommit2(file(), "type", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    EXPECT_FALSE(found(make(type)));
    const hid_t dataset = make();
    add_attribute(dataset, "number", type);
    EXPECT_FALSE(found(dataset));
}

TEST_P(PlainDatasetTest, IsNoDimensionAndNamesNoCoordinates) {
    for (const char* name : {"CLASS", "coordinates"}) {
        const hid_t dataset = make();
        add_attribute(dataset, name, H5T_C_S1);
        EXPECT_FALSE(found(dataset)) << name;
    }
    const hid_t dataset = make();
    add_attribute(dataset, "coordinate", H5T_C_S1);
    EXPECT_TRUE(found(dataset));
}

TEST_P(PlainDatasetTest, HasAllAttributesInItsHeader) {
    const hid_t dataset = make();
    for (int i = 0; i < 40; ++i)
        add_attribute(dataset, "number " + std::to_string(i), H5T_NATIVE_INT);
    const bool are_elsewhere = GetParam() != H5F_LIBVER_EARLIEST;
    EXPECT_EQ(found(dataset).has_value(), !are_elsewhere);
}

INSTANTIATE_TEST_SUITE_P(Formats, PlainDatasetTest,
                         ::testing::Values(H5F_LIBVER_EARLIEST, H5F_LIBVER_V18, H5F_LIBVER_LATEST));

// Bytes that are no header, or a part of one, must not be taken for one, nor do harm.
TEST(PlainDatasetBytesTest, AnythingMayBeThere) {
    prepare_library();
    const TemporaryDirectory directory = *TemporaryDirectory::create();
    const std::string path = directory.path() + "/file";
    const auto seed = std::random_device()();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 dice(seed);
    for (int i = 0; i < 2000; ++i) {
        std::string bytes(dice() % 700, '\0');
        for (char& one : bytes) one = static_cast<char>(dice() % 3 == 0 ? dice() : dice() % 20);
        const std::string sign = i % 2 == 0 ? std::string("OHDR\2", 5) : std::string("\1", 1);
        bytes.replace(0, std::min(sign.size(), bytes.size()), sign);
        std::ofstream(path, std::ios::binary) << bytes;
        HeaderFile headers(path, {});
        (void)plain_dataset(headers, dice() % 20);
        (void)plain_dataset(headers, 0);
    }
}

}  // namespace
}  // namespace quarry::hdf5
