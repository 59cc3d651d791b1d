#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <quarry/units.hpp>
#include <quarry/what_if.hpp>

#include "option_values.hpp"
#include "table.hpp"
#include "terminal.hpp"
#include "verb.hpp"

namespace quarry::cli {
namespace {

using Json = nlohmann::ordered_json;

Json traffic_json(const RawTraffic& traffic) {
    return {{"reads", traffic.reads},
            {"writes", traffic.writes},
            {"bytes_read", traffic.bytes_read},
            {"bytes_written", traffic.bytes_written}};
}

Result<std::vector<uint64_t>> shape_from(const std::string& text) {
    std::vector<uint64_t> shape;
    uint64_t size = 0;
    bool has_digits = false;
    for (const char character : text + "x") {
        if (character >= '0' && character <= '9' && size < uint64_t{1} << 48) {
            size = size * 10 + static_cast<uint64_t>(character - '0');
            has_digits = true;
        } else if (character == 'x' && has_digits && size > 0) {
            shape.push_back(size);
            size = 0;
            has_digits = false;
        } else {
            return Error{
                fmt::format("--chunks {}: write a size for each dimension, as in 100x20.", text)};
        }
    }
    return shape;
}

class WhatIfVerb : public Verb {
public:
    std::string_view name() const override { return "what-if"; }
    std::string_view summary() const override {
        return "Foretell what would be moved if a dataset were stored otherwise";
    }
    std::string_view usage() const override {
        return "--object PATH | --paged BYTES [options] [TRACE]";
    }
    std::string_view examples() const override {
        return "  quarry what-if --object /data --chunks 100x20\n"
               "  quarry what-if --object /data --file run.h5 --cache 64M\n"
               "  quarry what-if --object /data --contiguous --json flow\n"
               "  quarry what-if --file run.h5 --paged 1M";
    }
    void declare_options(CLI::App& app) override {
        app.add_option("trace", trace_, "directory of the trace")->type_name("TRACE");
        app.add_option("--object", object_, "path of the dataset in its file")->type_name("PATH");
        app.add_option("--file", file_, "the file, or the end of its path")->type_name("FILE");
        auto* chunks = app.add_option("--chunks", chunks_, "other chunks")->type_name("AxB");
        app.add_flag("--contiguous", other_.contiguous, "no chunks")->excludes(chunks);
        app.add_option("--cache", other_.cache_bytes, "another size of HDF5's cache of chunks")
            ->type_name("BYTES")
            ->transform(as_size());
        auto* paged =
            app.add_option("--paged", page_size_, "the whole file in pages of this size: 64K, 1M");
        paged->type_name("BYTES")->transform(as_size())->excludes(chunks);
        app.add_option("--page-buffer", page_buffer_, "how much of them HDF5 keeps (default: 16M)")
            ->type_name("BYTES")
            ->transform(as_size())
            ->needs(paged);
        app.add_flag("--json", json_, "print everything as JSON");
    }

    int execute(const Command&) override {
        if (page_size_ > 0) return foretell_pages();
        if (object_.empty()) {
            say("say which dataset with --object, or how large pages are to be with --paged.");
            return kWrongUsage;
        }
        if (!chunks_.empty()) {
            const auto shape = shape_from(chunks_);
            if (!shape) {
                say(shape.error().message);
                return kWrongUsage;
            }
            other_.chunks = *shape;
        }
        ProgressLine line;
        line.show("replaying " + trace_);
        const auto prediction = what_if(trace_, file_, object_, other_);
        line.clear();
        if (!prediction) return failed(prediction.error());
        json_ ? print_json(*prediction) : print_text(*prediction);
        return kSuccess;
    }

private:
    int foretell_pages() const {
        constexpr uint64_t kSmallest = 512;  // of HDF5
        if (page_size_ < kSmallest) {
            say(fmt::format("pages of {} bytes: HDF5's have at least {}.", page_size_, kSmallest));
            return kWrongUsage;
        }
        ProgressLine line;
        line.show("replaying " + trace_);
        const auto found = what_if_paged(trace_, file_, page_size_, page_buffer_);
        line.clear();
        if (!found) return failed(found.error());
        if (json_) {
            const Json json{{"file", found->file},
                            {"page_size", found->page_size},
                            {"page_buffer", found->buffer_size},
                            {"measured", traffic_json(found->measured)},
                            {"predicted", traffic_json(found->predicted)},
                            {"caution", found->caution}};
            fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
            return kSuccess;
        }
        using Align = Table::Align;
        Table table({{"", Align::Left}, {"reads", Align::Right}, {"read", Align::Right}});
        const auto add = [&](const char* title, const RawTraffic& traffic) {
            table.add({title, std::to_string(traffic.reads), bytes_text(traffic.bytes_read)});
        };
        add("as it was", found->measured);
        add("in pages, foretold", found->predicted);
        fmt::print(
            "{}, in pages of {}, of which HDF5 keeps {}\n\n{}\nMetadata and raw data. To have it "
            "so: "
            "h5repack -S PAGE -G {} IN OUT, and h5py.File(OUT, page_buf_size={}).\n{}",
            printable(found->file), bytes_text(found->page_size), bytes_text(found->buffer_size),
            table.text(Style::of_output()), found->page_size, found->buffer_size,
            found->caution.empty() ? "" : printable(found->caution) + "\n");
        return kSuccess;
    }

    static void print_text(const Prediction& found) {
        using Align = Table::Align;
        Table table({{"", Align::Left},
                     {"reads", Align::Right},
                     {"read", Align::Right},
                     {"writes", Align::Right},
                     {"written", Align::Right}});
        const auto add = [&](const std::string& title, const RawTraffic& traffic) {
            table.add({title, std::to_string(traffic.reads), bytes_text(traffic.bytes_read),
                       std::to_string(traffic.writes), bytes_text(traffic.bytes_written)});
        };
        add("as it was", found.measured);
        add("the same, foretold", found.replayed);
        add("as it would be, foretold", found.predicted);
        fmt::print(
            "{} in {}\n  as it was: {}\n  as it would be: {}\n\n{}\nRaw data only; metadata is "
            "not foretold.\n{}",
            printable(found.object), printable(found.file), found.layout, found.other_layout,
            table.text(Style::of_output()),
            found.caution.empty() ? "" : printable(found.caution) + "\n");
    }

    static void print_json(const Prediction& found) {
        const Json json{{"file", found.file},
                        {"object", found.object},
                        {"layout", found.layout},
                        {"other_layout", found.other_layout},
                        {"measured", traffic_json(found.measured)},
                        {"replayed", traffic_json(found.replayed)},
                        {"predicted", traffic_json(found.predicted)},
                        {"caution", found.caution}};
        fmt::print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
    }

    std::string trace_ = "quarry-trace";
    std::string object_;
    std::string file_;
    std::string chunks_;
    uint64_t page_size_ = 0;
    uint64_t page_buffer_ = 16 << 20;
    OtherLayout other_;
    bool json_ = false;
};

}  // namespace

std::unique_ptr<Verb> make_what_if_verb() {
    return std::make_unique<WhatIfVerb>();
}

}  // namespace quarry::cli
