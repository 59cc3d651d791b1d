#include "trace/interest.hpp"

#include <gtest/gtest.h>

namespace quarry::trace {
namespace {

TEST(InterestTest, DataIsRecordedAndPartsOfProgramsAreNot) {
    for (const char* path :
         {"/home/me/weights.bin", "/data/a.csv", "/dev/shm/block", "/home/me/library/x",
          "/data/trace2/x", "/data/a.solution", "/data/tas.so.1990.nc", "/library/a.h5",
          "/usr/src/app/settings.txt", "/usr/local/app/settings.txt"})
        EXPECT_TRUE(is_data(path)) << path;
    for (const char* path :
         {"/usr/share/zoneinfo/UTC", "/usr/local/share/x", "/proc/self/maps", "/lib64/ld.so",
          "/dev/null", "/home/me/env/lib/python3.11/os.py",
          "/home/me/env/x/site-packages/numpy/a.npy", "/home/me/libx.so", "/home/me/libx.so.1.2",
          "/home/me/__pycache__/x.pyc", "/home/me/analysis.py", "/tmp/x (deleted)", "relative", ""})
        EXPECT_FALSE(is_data(path)) << path;
}

}  // namespace
}  // namespace quarry::trace
