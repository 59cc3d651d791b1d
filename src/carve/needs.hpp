// Files that others turn out to need: the sources of virtual datasets, and raw files with data.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <optional>
#include <quarry/carve.hpp>
#include <string>
#include <vector>

#include "carve/job.hpp"

namespace quarry::carve_files {

Job job_for(const InputFile& input);

// Where the files of jobs are, or were: a dataset may have its data in thousands.
class Places {
public:
    void add(const InputFile& input, size_t number);

    struct Found {
        bool is_there = false;
        std::optional<size_t> number;  // of the job
    };
    // What a program has read, and is not there any more, is known by its name.
    Found find(const std::string& path) const;

private:
    std::map<std::pair<dev_t, ino_t>, size_t> by_identity_;
    std::map<std::string, size_t> by_path_;
};

// Adds to jobs what others need.
class Needs {
public:
    explicit Needs(std::vector<Job>& jobs);

    // A file that the one of this job turns out to need, or more of it.
    void add(size_t by, const Need& need);

private:
    // A file by its name in another one, and the directory where HDF5 begins with it.
    struct Named {
        std::filesystem::path root;
        std::filesystem::path directory;  // none for names that begin with the root
        std::filesystem::path name;

        // Without the directories that it leads into and out of again, unless that is another way.
        std::filesystem::path path() const;
    };

    // Beside the file that names it, by whatever name that is opened, or where we are. Of a path
    // from the root that leads nowhere, HDF5 looks for the last name.
    Named found(const InputFile& by, const std::filesystem::path& name) const;
    bool was_or_is_there(const std::filesystem::path& path) const;

    // Where HDF5 finds nothing it reads fill values, with the original as with the copy. It may
    // have found, by a prefix that only the program knew, what has this name elsewhere.
    void add_by_last_name(size_t by, const Need& need);

    std::vector<Job>& jobs_;
    Places places_;
};

}  // namespace quarry::carve_files
