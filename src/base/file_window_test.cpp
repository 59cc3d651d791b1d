#include "base/file_window.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <random>

#include "base/temporary_directory.hpp"

namespace quarry {
namespace {

TEST(FileWindowTest, TellsWhatIsInTheFile) {
    const auto seed = std::random_device()();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937_64 dice(seed);
    std::string contents(100'000, ' ');
    for (char& one : contents) one = static_cast<char>(dice());
    const auto directory = TemporaryDirectory::create();
    ASSERT_TRUE(directory);
    const std::string path = directory->path() + "/file";
    std::ofstream(path, std::ios::binary) << contents;
    const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    ASSERT_GE(file, 0);
    FileWindow window(file);
    uint64_t near = 0;
    for (int i = 0; i < 20'000; ++i) {
        if (i % 10 == 0) near = dice() % contents.size();
        const uint64_t offset = near + dice() % 5000;
        const uint64_t size = i % 100 == 0 ? dice() % 50'000 : dice() % 600;
        const std::span<const std::byte> bytes = window.at(offset, size);
        const std::string expected =
            offset < contents.size() ? contents.substr(offset, size) : std::string();
        ASSERT_EQ(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()), expected)
            << size << " bytes at " << offset;
    }
    close(file);
}

TEST(FileWindowTest, HasNothingOfWhatCannotBeRead) {
    EXPECT_TRUE(FileWindow(-1).at(0, 10).empty());
}

}  // namespace
}  // namespace quarry
