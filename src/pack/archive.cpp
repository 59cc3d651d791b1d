#include "pack/archive.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <clocale>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include "base/late_library.hpp"

namespace quarry::pack_files {
namespace {

LateLibrary libarchive(QUARRY_LIBARCHIVE);
#define LIBARCHIVE(name) QUARRY_LATE(libarchive, name)

constexpr size_t kAtOnce = 1 << 18;
constexpr uint64_t kSecond = 1'000'000'000;

// libarchive takes names for text of the locale. Those in archives are UTF-8 wherever they are made
// or taken apart.
class Utf8Names {
public:
    Utf8Names() {
        if (utf8_ != locale_t{}) before_ = uselocale(utf8_);
    }
    ~Utf8Names() {
        if (utf8_ == locale_t{}) return;
        uselocale(before_);
        freelocale(utf8_);
    }
    Utf8Names(const Utf8Names&) = delete;
    Utf8Names& operator=(const Utf8Names&) = delete;

private:
    locale_t utf8_ = newlocale(LC_CTYPE_MASK, "C.UTF-8", locale_t{});
    locale_t before_{};
};

std::string complaint_of(archive* handle) {
    const char* text = LIBARCHIVE(archive_error_string)(handle);
    return text != nullptr ? text : "it is no archive";
}

std::unique_ptr<archive_entry, void (*)(archive_entry*)> header_for(const PackedFile& file,
                                                                    uint64_t time) {
    std::unique_ptr<archive_entry, void (*)(archive_entry*)> header(LIBARCHIVE(archive_entry_new)(),
                                                                    LIBARCHIVE(archive_entry_free));
    LIBARCHIVE(archive_entry_set_pathname)(header.get(), file.path.c_str());
    LIBARCHIVE(archive_entry_set_size)(header.get(), static_cast<la_int64_t>(file.size));
    LIBARCHIVE(archive_entry_set_filetype)(header.get(), AE_IFREG);
    LIBARCHIVE(archive_entry_set_perm)(header.get(), file.is_program ? 0755 : 0644);
    LIBARCHIVE(archive_entry_set_mtime)(header.get(), static_cast<time_t>(time / kSecond), 0);
    return header;
}

}  // namespace

Result<ArchiveWriter> ArchiveWriter::create(const std::string& path, const std::string& name,
                                            uint64_t time) {
    ArchiveWriter writer({LIBARCHIVE(archive_write_new)(), LIBARCHIVE(archive_write_free)}, name,
                         time);
    archive* handle = writer.handle_.get();
    const bool is_open =
        LIBARCHIVE(archive_write_add_filter_zstd)(handle) == ARCHIVE_OK &&
        LIBARCHIVE(archive_write_set_format_pax_restricted)(handle) == ARCHIVE_OK &&
        LIBARCHIVE(archive_write_open_filename)(handle, path.c_str()) == ARCHIVE_OK;
    if (!is_open) return writer.failed();
    return writer;
}

Error ArchiveWriter::failed() const {
    const int error = LIBARCHIVE(archive_errno)(handle_.get());
    return {name_ + " cannot be written: " +
            (error > 0 ? std::strerror(error) : complaint_of(handle_.get())) + "."};
}

Result<bool> ArchiveWriter::add(const PackedFile& entry, const std::string& file,
                                const HearBytes& hear) {
    const Utf8Names names;
    const auto header = header_for(entry, time_);
    if (LIBARCHIVE(archive_write_header)(handle_.get(), header.get()) != ARCHIVE_OK)
        return failed();
    std::ifstream in(file, std::ios::binary);
    std::vector<char> part(kAtOnce);
    uint64_t done = 0;
    while (in.read(part.data(), kAtOnce), in.gcount() > 0) {
        const auto size = static_cast<size_t>(in.gcount());
        if (LIBARCHIVE(archive_write_data)(handle_.get(), part.data(), size) !=
            static_cast<la_ssize_t>(size))
            return failed();
        done += size;
        hear(size);
    }
    if (done != entry.size) return Error{file + " cannot be read, or has been changed meanwhile."};
    return true;
}

Result<bool> ArchiveWriter::finish() {
    if (LIBARCHIVE(archive_write_close)(handle_.get()) != ARCHIVE_OK) return failed();
    return true;
}

Result<ArchiveReader> ArchiveReader::open(const std::string& path) {
    // To open a pipe would wait for somebody who writes to it.
    std::error_code failed;
    if (std::filesystem::exists(path, failed) && !std::filesystem::is_regular_file(path, failed))
        return Error{path + " is no ordinary file."};
    if (access(path.c_str(), R_OK) != 0)
        return Error{path + " cannot be read: " + std::strerror(errno) + "."};
    ArchiveReader reader({LIBARCHIVE(archive_read_new)(), LIBARCHIVE(archive_read_free)}, path);
    archive* handle = reader.handle_.get();
    const bool is_open =
        LIBARCHIVE(archive_read_support_filter_zstd)(handle) == ARCHIVE_OK &&
        LIBARCHIVE(archive_read_support_format_tar)(handle) == ARCHIVE_OK &&
        LIBARCHIVE(archive_read_open_filename)(handle, path.c_str(), kAtOnce) == ARCHIVE_OK;
    if (!is_open) return reader.failed();
    return reader;
}

Error ArchiveReader::failed() const {
    return {path_ + " cannot be read: " + complaint_of(handle_.get()) + "."};
}

Result<std::optional<ArchiveReader::Entry>> ArchiveReader::next() {
    const Utf8Names names;
    archive_entry* header = nullptr;
    const int got = LIBARCHIVE(archive_read_next_header)(handle_.get(), &header);
    if (got == ARCHIVE_EOF) return std::optional<Entry>();
    if (got != ARCHIVE_OK) return failed();
    const char* path = LIBARCHIVE(archive_entry_pathname)(header);
    Entry entry;
    entry.path = path != nullptr ? path : "";
    entry.size = static_cast<uint64_t>(LIBARCHIVE(archive_entry_size)(header));
    entry.is_ordinary = LIBARCHIVE(archive_entry_filetype)(header) == AE_IFREG &&
                        LIBARCHIVE(archive_entry_hardlink)(header) == nullptr &&
                        LIBARCHIVE(archive_entry_symlink)(header) == nullptr &&
                        LIBARCHIVE(archive_entry_size_is_set)(header);
    return std::optional(entry);
}

Result<bool> ArchiveReader::read(const std::function<bool(std::span<const std::byte>)>& take) {
    std::vector<std::byte> part(kAtOnce);
    la_ssize_t got = 0;
    while ((got = LIBARCHIVE(archive_read_data)(handle_.get(), part.data(), part.size())) > 0)
        if (!take(std::span(part).first(static_cast<size_t>(got)))) return true;
    if (got < 0) return failed();
    return true;
}

}  // namespace quarry::pack_files
