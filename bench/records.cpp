// Writes COUNT records into a trace, and nothing else: for counting the instructions of one.
//
//   records write COUNT
#include <cstdlib>
#include <span>

#include "trace/process_record.hpp"

int main(int count, char** words) {
    if (count != 3) return 2;
    quarry::trace::WriterOptions options;
    options.directory = "/proc/self/cwd/records";
    quarry::trace::Writer* writer = quarry::trace::Writer::create(options);
    if (writer == nullptr) return 1;
    const long wanted = std::strtol(std::span(words, 3)[2], nullptr, 10);
    for (long i = 0; i < wanted; ++i) {
        quarry::trace::Io record{};
        record.start = quarry::trace::monotonic_now();
        record.address = static_cast<uint64_t>(i);
        record.duration = quarry::trace::monotonic_now() - record.start;
        writer->append(record);
    }
    writer->end();
    return 0;
}
