// A temporary folder that tests fill with files.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/temporary_directory.hpp"

namespace quarry {

class FolderTest : public testing::Test {
protected:
    std::string path(const std::string& name) const { return folder_.path() + "/" + name; }

    // Writes a file, with the folders above it; answers its path.
    std::string write(const std::string& name, const std::string& text) const {
        std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
        std::ofstream(path(name)) << text;
        return path(name);
    }

    std::string write_program(const std::string& name, const std::string& text) const {
        const std::string program = write(name, text);
        std::filesystem::permissions(program, std::filesystem::perms::owner_all);
        return program;
    }

    std::string copy(const std::string& from, const std::string& name) const {
        std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
        std::filesystem::copy_file(from, path(name));
        return path(name);
    }

private:
    TemporaryDirectory folder_ = *TemporaryDirectory::create();
};

}  // namespace quarry
