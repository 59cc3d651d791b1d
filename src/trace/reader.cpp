#include "trace/reader.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <utility>

namespace quarry::trace {
namespace {

// Reads until `size` bytes are there or the file ends.
size_t read_fully(int file, std::byte* to, size_t size, size_t offset) {
    size_t done = 0;
    while (done < size) {
        const ssize_t part = pread(file, to + done, size - done, static_cast<off_t>(offset + done));
        if (part < 0 && errno == EINTR) continue;
        if (part <= 0) break;
        done += static_cast<size_t>(part);
    }
    return done;
}

bool is_empty(int file) {
    struct stat status{};
    return fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 0;
}

std::string objection_to(const Header& header, size_t size) {
    if (size < sizeof(Header) || header.magic != kMagic)
        return "is not a trace of Quarry, or was just being begun";
    if (header.byte_order != kByteOrder)
        return "was written on a machine of another byte order; read it on such a machine";
    if (header.version > kVersion)
        return "was written by a newer Quarry (format " + std::to_string(header.version) +
               ", this one reads " + std::to_string(kVersion) + "); use that one to read it";
    if (header.version == 0 || header.slot_size != kSlotSize || header.segment_size != kSegmentSize)
        return "has a damaged header";
    return "";
}

void end_texts(Header& header) {
    header.boot.back() = '\0';
    header.host.back() = '\0';
    header.forked_from.back() = '\0';
}

}  // namespace

std::string Rest::after(std::span<const char> first, size_t size) const {
    size = std::min(size, first.size() + this->size());
    std::string text(first.data(), std::min(size, first.size()));
    for (size_t i = 0; i < count_ && text.size() < size; ++i) {
        const auto* bytes = reinterpret_cast<const char*>(slots_ + i * kSlotSize + 1);
        text.append(bytes, std::min(size - text.size(), kMoreBytes));
    }
    return text;
}

Result<ProcessFile> ProcessFile::open(const std::string& path) {
    // To open a pipe would wait for somebody who writes to it.
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return Error{"The trace file " + path + " cannot be read: " + std::strerror(errno) + "."};
    Header header{};
    const size_t size = read_fully(file, reinterpret_cast<std::byte*>(&header), sizeof header, 0);
    const std::string objection =
        is_empty(file)
            ? "is empty: what a process did could not be recorded, or was just being begun"
            : objection_to(header, size);
    if (!objection.empty()) {
        close(file);
        return Error{"The file " + path + " " + objection + "."};
    }
    end_texts(header);
    return ProcessFile(path, file, header);
}

ProcessFile::ProcessFile(ProcessFile&& other) noexcept
    : path_(std::move(other.path_)),
      file_(std::exchange(other.file_, -1)),
      header_(other.header_) {}

ProcessFile::~ProcessFile() {
    if (file_ >= 0) close(file_);
}

std::span<const std::byte> ProcessFile::read_slots(size_t first,
                                                   std::span<std::byte> buffer) const {
    return buffer.first(read_fully(file_, buffer.data(), buffer.size(), first * kSlotSize));
}

// As many as have been reserved, but never more than the file could hold: the number may be
// anything in a damaged one.
size_t ProcessFile::slots() const {
    struct stat status{};
    if (fstat(file_, &status) != 0) return 0;
    const auto present = static_cast<size_t>(status.st_size) / kSlotSize;
    return std::min<size_t>(header_.next_slot, present + kSegmentSlots);
}

bool ProcessFile::holds(Kind kind) const {
    constexpr size_t kAtOnce = 256;  // most files hold what is looked for soon after they begin
    std::array<std::byte, kAtOnce * kSlotSize> buffer;
    const size_t all = slots();
    for (size_t first = kHeaderSlots; first < all; first += kAtOnce) {
        const std::span<const std::byte> some = read_slots(first, buffer);
        const size_t present = std::min(some.size() / kSlotSize, all - first);
        for (size_t at = 0; at < present; ++at)
            if (some[at * kSlotSize] == static_cast<std::byte>(kind)) return true;
    }
    return false;
}

size_t detail::count_more(std::span<const std::byte> segment, size_t at, size_t wanted) {
    size_t count = 0;
    while (count < wanted && (at + count + 1) * kSlotSize <= segment.size() &&
           segment[(at + count) * kSlotSize] == static_cast<std::byte>(Kind::More)) {
        ++count;
    }
    return count;
}

Result<std::vector<std::string>> files_of_trace(const std::string& directory) {
    std::error_code failed;
    std::vector<std::string> files;
    for (std::filesystem::directory_iterator entry(directory, failed), end; !failed && entry != end;
         entry.increment(failed)) {
        if (entry->path().extension() == kSuffix) files.push_back(entry->path());
    }
    if (failed)
        return Error{"The trace " + directory + " cannot be read: " + failed.message() +
                     ". Record one with `quarry run -- COMMAND`."};
    if (files.empty())
        return Error{"There is no trace in " + directory +
                     ": it has no *.qtrace files. Record one with `quarry run -- COMMAND`."};
    std::sort(files.begin(), files.end());
    return files;
}

}  // namespace quarry::trace
