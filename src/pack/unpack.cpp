#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <quarry/pack.hpp>
#include <quarry/units.hpp>

#include "base/sha256.hpp"
#include "base/subprocess.hpp"
#include "base/whole_path.hpp"
#include "base/workplace.hpp"
#include "pack/archive.hpp"
#include "pack/manifest.hpp"

namespace quarry {
namespace {

using namespace pack_files;
namespace fs = std::filesystem;

Error interrupted() {
    return {"Interrupted: nothing is left behind."};
}

// Nobody has put anything into the directory but we: no link can lead out of it.
class NewFile {
public:
    NewFile(const std::string& path, bool is_program) {
        std::error_code failed;
        fs::create_directories(fs::path(path).parent_path(), failed);
        file_ = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                     is_program ? 0777 : 0666);
        if (file_ < 0) error_ = failed ? failed.value() : errno;
    }
    ~NewFile() { close(); }
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;

    bool write(std::span<const std::byte> bytes) {
        while (error_ == 0 && !bytes.empty()) {
            const ssize_t done = ::write(file_, bytes.data(), bytes.size());
            if (done < 0 && errno == EINTR) continue;
            if (done < 0)
                error_ = errno;
            else
                bytes = bytes.subspan(static_cast<size_t>(done));
        }
        return error_ == 0;
    }

    // Whether all of it is on the disk.
    bool close() {
        if (file_ >= 0 && fsync(file_) != 0 && error_ == 0) error_ = errno;
        if (file_ >= 0) ::close(std::exchange(file_, -1));
        return error_ == 0;
    }

    // Of the system, whatever has failed first.
    int error() const { return error_; }

private:
    int file_;
    int error_ = 0;
};

class Unpacking {
public:
    Unpacking(ArchiveReader reader, const UnpackOptions& options, std::string directory,
              const Progress& progress)
        : reader_(std::move(reader)),
          options_(options),
          directory_(std::move(directory)),
          progress_(progress) {}

    Result<Pack> run() {
        auto pack = read_head();
        if (!pack) return pack;
        for (const PackedFile& file : pack->files) missing_[file.path] = &file;
        if (auto fits = check_size(*pack); !fits) return fits.error();
        if (auto done = take_all(); !done) return done.error();
        return pack;
    }

private:
    Error damaged(const std::string& why) const {
        return {options_.archive + " is damaged, or no archive of `quarry pack`: " + why + "."};
    }

    // A file that has to be the next one, as text.
    Result<std::string> read_text(const std::string& name) {
        const auto entry = reader_.next();
        if (!entry) return entry.error();
        if (!*entry || (*entry)->path != name || !(*entry)->is_ordinary)
            return damaged(name + " is not where it should be");
        if ((*entry)->size > kLargestManifest) return damaged(name + " is too large");
        std::string text;
        const auto read = reader_.read([&](std::span<const std::byte> bytes) {
            text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
            return text.size() <= kLargestManifest;
        });
        if (!read) return read.error();
        if (text.size() != (*entry)->size) return damaged(name + " has another size");
        return text;
    }

    Result<bool> keep(const std::string& name, const std::string& text) const {
        NewFile file(directory_ + "/" + name, false);
        if (file.write(std::as_bytes(std::span(text))) && file.close()) return true;
        return cannot_write(name, file);
    }

    Result<Pack> read_head() {
        const auto manifest = read_text(kManifest);
        if (!manifest) return manifest.error();
        const auto sum = read_text(kManifestSum);
        if (!sum) return sum.error();
        if (*sum != sum_line_of(*manifest))
            return damaged(std::string(kManifest) + " does not have the checksum in " +
                           kManifestSum);
        for (const auto& [name, text] : {std::pair(kManifest, *manifest), {kManifestSum, *sum}})
            if (auto kept = keep(name, text); !kept) return kept.error();
        return read_manifest(*manifest);
    }

    Result<bool> check_size(const Pack& pack) {
        for (const PackedFile& file : pack.files) {
            if (file.size > options_.max_size - all_)
                return Error{options_.archive + " holds more than " +
                             bytes_text(options_.max_size) +
                             ". If you trust it, allow more with --max-size."};
            all_ += file.size;
        }
        struct statvfs room{};
        if (statvfs(directory_.c_str(), &room) == 0 && all_ / room.f_frsize >= room.f_bavail)
            return Error{options_.archive + " holds " + bytes_text(all_) +
                         ", and there is no room for that beside " + options_.directory + "."};
        return true;
    }

    Result<bool> take_all() {
        while (true) {
            const auto entry = reader_.next();
            if (!entry) return entry.error();
            if (!*entry) break;
            const auto file = missing_.find((*entry)->path);
            if (file == missing_.end())
                return damaged((*entry)->path + " is in it, and should not be, or not twice");
            if (!(*entry)->is_ordinary) return damaged((*entry)->path + " is no ordinary file");
            if ((*entry)->size != file->second->size)
                return damaged((*entry)->path + " has another size than it should");
            if (auto taken = take(*file->second); !taken) return taken;
            missing_.erase(file);
        }
        if (!missing_.empty()) return damaged(missing_.begin()->first + " is missing");
        return true;
    }

    Result<bool> take(const PackedFile& file) {
        NewFile out(directory_ + "/" + file.path, file.is_program);
        Sha256 sum;
        bool is_written = true;
        uint64_t size = 0;
        const auto read = reader_.read([&](std::span<const std::byte> bytes) {
            sum.add(bytes);
            size += bytes.size();
            is_written = out.write(bytes);
            if (progress_) progress_(done_ += bytes.size(), all_);
            return is_written && size <= file.size && InterruptGuard::signal() == 0;
        });
        if (InterruptGuard::signal() != 0) return interrupted();
        if (!read) return Error{read.error().message + " The damage is at " + file.path + "."};
        if (!is_written || !out.close()) return cannot_write(file.path, out);
        if (size != file.size || sum.digits() != file.sha256)
            return damaged(file.path + " does not have its checksum");
        return true;
    }

    Error cannot_write(const std::string& name, const NewFile& file) const {
        return {name + " cannot be written below " + options_.directory + ": " +
                std::strerror(file.error()) + "."};
    }

    ArchiveReader reader_;
    const UnpackOptions& options_;
    std::string directory_;
    const Progress& progress_;
    std::map<std::string, const PackedFile*> missing_;  // by path
    uint64_t all_ = 0;
    uint64_t done_ = 0;
};

}  // namespace

Result<Pack> unpack(const UnpackOptions& options, const Progress& progress) {
    const auto whole = whole_path(options.directory);
    if (!whole) return whole.error();
    const std::string& place = *whole;
    std::error_code error;
    if (fs::exists(fs::symlink_status(place, error)))
        return Error{place + " is there already. Name a directory that is not, with -C."};
    auto reader = ArchiveReader::open(options.archive);
    if (!reader) return reader.error();
    const InterruptGuard guard;  // also while the workplace is taken away
    auto workplace = Workplace::beside(place);
    if (!workplace) return workplace.error();
    auto pack = Unpacking(std::move(*reader), options, workplace->path(), progress).run();
    if (!pack) return pack;
    if (InterruptGuard::signal() != 0) return interrupted();
    if (auto there = workplace->put(); !there) return there.error();
    return pack;
}

}  // namespace quarry
