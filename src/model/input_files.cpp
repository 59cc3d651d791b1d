#include "model/input_files.hpp"

#include <algorithm>
#include <quarry/inputs.hpp>

namespace quarry {
namespace {

constexpr const char* kReadInside =
    "HDF5 has also read it by itself, and it is not known for which dataset";

}  // namespace

void add_uses(InputFile& known, const InputFile& more) {
    known.was_written = known.was_written || more.was_written;
    known.was_carved = known.was_carved || more.was_carved;
    known.is_chosen = known.is_chosen || more.is_chosen;
    if (known.why_whole.empty()) known.why_whole = more.why_whole;
    if (known.is_raw != more.is_raw) known.why_whole = kIsRawToo;
    // Of raw data, HDF5 does not tell which file it is.
    if (known.is_raw && !more.is_raw) {
        known.device = more.device;
        known.inode = more.inode;
        known.size = more.size;
    }
    if (known.is_inside != more.is_inside) known.why_whole = kReadInside;
    known.is_raw = known.is_raw && more.is_raw;
    known.is_inside = known.is_inside && more.is_inside;
    known.opened = std::min(known.opened, more.opened);
    known.modified.insert(more.modified.begin(), more.modified.end());
    known.touched.insert(more.touched.begin(), more.touched.end());
    known.was_opened_for_writing |= more.was_opened_for_writing;
    if (is_spread(more.driver)) known.driver = more.driver;
    known.also_by.insert(more.also_by.begin(), more.also_by.end());
    known.gone_names.insert(more.gone_names.begin(), more.gone_names.end());
    if (more.path != known.path) known.also_by.insert(more.path);
    known.read.insert(known.read.end(), more.read.begin(), more.read.end());
    known.tasks.insert(known.tasks.end(), more.tasks.begin(), more.tasks.end());
}

void add_inputs(std::vector<InputFile>& all, std::vector<InputFile> more) {
    for (InputFile& input : more) {
        const auto known = std::find_if(all.begin(), all.end(), [&](const InputFile& one) {
            return one.path == input.path &&
                   (one.inode == input.inode || one.is_raw || input.is_raw);
        });
        if (known == all.end()) {
            all.push_back(std::move(input));
            continue;
        }
        add_uses(*known, input);
    }
}

}  // namespace quarry
