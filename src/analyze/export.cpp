#include "analyze/export.hpp"

namespace quarry {

Result<TraceFacts> export_text(const std::string& directory, TextFormat format, std::FILE* out,
                               const Progress& progress) {
    auto index = analyze::index_trace(directory);
    if (!index) return index.error();
    switch (format) {
        case TextFormat::Jsonl:
            analyze::write_jsonl(*index, out, progress);
            break;
        case TextFormat::Csv:
            analyze::write_csv(*index, out, progress);
            break;
        case TextFormat::Chrome:
            analyze::write_chrome(*index, out, progress);
            break;
    }
    return std::move(index->facts);
}

}  // namespace quarry
