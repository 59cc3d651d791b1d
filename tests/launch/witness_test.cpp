#include "launch/witness.hpp"

#include <gtest/gtest.h>

#include "folder.hpp"

namespace quarry {
namespace {

using WitnessTest = FolderTest;

TEST_F(WitnessTest, IsReadAndJudged) {
    write("w/12-0", "library /a b/libhdf5.so 1.14.5\nobject-layer\nbyte-layer\n");
    write("w/12-1", "library /other/libhdf5.so 2.0.0\nobject-layer\n");
    const auto witnesses = read_witnesses(path("w"));
    ASSERT_EQ(witnesses.size(), 2u);
    EXPECT_EQ(missing_proof(witnesses, {"/a b/libhdf5.so"}), "");
    EXPECT_NE(missing_proof(witnesses, {"/other/libhdf5.so"}).find("byte layer"),
              std::string::npos);
    EXPECT_NE(missing_proof(witnesses, {"/third/libhdf5.so"}).find("not loaded"),
              std::string::npos);
}

TEST_F(WitnessTest, OfSeveralProcessesAddUp) {
    write("w/12-0", "library /a/libhdf5.so 1.14.5\nobject-layer\n");
    write("w/13-0", "library /a/libhdf5.so 1.14.5\nbyte-layer\n");
    EXPECT_EQ(missing_proof(read_witnesses(path("w")), {"/a/libhdf5.so"}), "");
}

TEST_F(WitnessTest, ThatIsNotThereProvesNothing) {
    EXPECT_TRUE(read_witnesses(path("none")).empty());
    EXPECT_NE(missing_proof({}, {"/a/libhdf5.so"}), "");
}

}  // namespace
}  // namespace quarry
