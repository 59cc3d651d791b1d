// The configuration that HDF5 keeps for us on file-access lists, as a shared, unchanging value.
#pragma once

#include <atomic>

#include "connector/library.hpp"
#include "model/connector_config.hpp"

namespace quarry::connector {

struct Info {
    uint64_t mark;  // tells ours from another connector's, should a list carry the wrong one
    std::atomic<int> references;
    Library* library;
    ConnectorConfig config;
};

size_t info_size() noexcept;
void* info_copy(const void* info) noexcept;
herr_t info_compare(int* order, const void* left, const void* right) noexcept;
herr_t info_free(void* info) noexcept;
herr_t info_to_text(const void* info, char** text) noexcept;

// Never fails for what a user wrote: a bad string is reported in one line and Quarry only passes
// through.
herr_t info_from_text(Library& library, const char* text, void** info) noexcept;

// What an access list says, as a copy that lives until the end of the scope.
class ChosenInfo {
public:
    ChosenInfo(const Library& library, hid_t access) noexcept;
    ~ChosenInfo();
    ChosenInfo(const ChosenInfo&) = delete;
    ChosenInfo& operator=(const ChosenInfo&) = delete;

    const Info* get() const { return info_; }

private:
    Info* info_ = nullptr;
};

// The connector below that an info asks for; the native one for none.
const Under* under_of(Library& library, const Info* info) noexcept;

}  // namespace quarry::connector
