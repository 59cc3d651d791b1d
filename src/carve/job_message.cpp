#include "carve/job_message.hpp"

#include <cstring>

namespace quarry::carve_files {
namespace {

// Numbers of eight bytes, and texts behind their sizes: a file may have a million datasets.
class Writer {
public:
    void number(uint64_t value) {
        bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    void text(const std::string& value) {
        number(value.size());
        bytes_ += value;
    }
    std::string take() { return std::move(bytes_); }

private:
    std::string bytes_;
};

// Gives zeros and empty texts when there is nothing left.
class Reader {
public:
    explicit Reader(std::string_view bytes) : bytes_(bytes) {}

    uint64_t number() {
        uint64_t value = 0;
        const std::string_view found = next(sizeof value);
        if (found.size() == sizeof value) std::memcpy(&value, found.data(), sizeof value);
        return value;
    }
    std::string text() { return std::string(next(number())); }

    bool is_fine() const { return is_fine_; }
    bool is_at_end() const { return is_fine_ && bytes_.empty(); }

private:
    std::string_view next(uint64_t size) {
        is_fine_ = is_fine_ && size <= bytes_.size();
        if (!is_fine_) return {};
        const std::string_view found = bytes_.substr(0, size);
        bytes_.remove_prefix(size);
        return found;
    }

    std::string_view bytes_;
    bool is_fine_ = true;
};

void write_dataset(Writer& out, const DatasetFate& dataset) {
    out.number(dataset.paths.size());
    for (const std::string& path : dataset.paths) out.text(path);
    out.number(dataset.stored);
    out.number(dataset.kept);
    out.number(static_cast<uint64_t>(dataset.remains));
    out.text(dataset.why);
}

DatasetFate read_dataset(Reader& in) {
    DatasetFate dataset;
    for (uint64_t left = in.number(); left > 0 && in.is_fine(); --left)
        dataset.paths.push_back(in.text());
    dataset.stored = in.number();
    dataset.kept = in.number();
    dataset.remains = static_cast<Remains>(in.number());
    dataset.why = in.text();
    return dataset;
}

}  // namespace

std::string message_of(const Job& job) {
    Writer out;
    out.text(job.fate.problem);
    out.text(job.fate.why_whole);
    out.number(job.fate.size_after);
    out.number(job.fate.checksum);
    out.number(job.fate.datasets.size());
    for (const DatasetFate& dataset : job.fate.datasets) write_dataset(out, dataset);
    out.number(job.needs.size());
    for (const Need& need : job.needs) {
        out.text(need.file);
        out.text(need.dataset);
        out.text(need.token);
    }
    return out.take();
}

bool read_message(std::string_view message, Job& job) {
    Reader in(message);
    FileFate& fate = job.fate;
    fate.problem = in.text();
    fate.why_whole = in.text();
    fate.size_after = in.number();
    fate.checksum = in.number();
    fate.datasets.clear();
    for (uint64_t left = in.number(); left > 0 && in.is_fine(); --left)
        fate.datasets.push_back(read_dataset(in));
    job.needs.clear();
    for (uint64_t left = in.number(); left > 0 && in.is_fine(); --left) {
        Need& need = job.needs.emplace_back();
        need.file = in.text();
        need.dataset = in.text();
        need.token = in.text();
    }
    return in.is_at_end();
}

}  // namespace quarry::carve_files
