// Carved copies that HDF5 itself would open for writing. What a virtual dataset or an external link
// leads to is opened like the file that it is in; copies that are only shown refuse that, and HDF5
// takes a source that it cannot open for one that is not there, in whose place are fill values.
#pragma once

namespace quarry::connector {

// Where nobody else refuses it: copies that lie in the places of originals, and originals that
// copies are opened instead of.
bool is_not_to_be_opened(const char* name, unsigned flags) noexcept;

// Lives while the calling thread makes a file.
class MakingFile {
public:
    MakingFile() noexcept;
    MakingFile(const MakingFile&) = delete;
    MakingFile& operator=(const MakingFile&) = delete;
    ~MakingFile();
};

// A driver could not open a file.
void was_not_opened(const char* name, unsigned flags) noexcept;

// What the calling thread was refused while one of these lived.
class RefusedCopies {
public:
    RefusedCopies() noexcept;
    RefusedCopies(const RefusedCopies&) = delete;
    RefusedCopies& operator=(const RefusedCopies&) = delete;

    // Tells the user, once of each file.
    bool are_there() const noexcept;

private:
    unsigned before_;
};

}  // namespace quarry::connector
