#include "launch_flags.hpp"

#include "option_values.hpp"

namespace quarry::cli {

void LaunchFlags::declare(CLI::App& app) {
    app.add_flag("--no-bytes", no_bytes_, "leave out the byte layer (the file driver)");
    app.add_option("--under", under_,
                   "stand on another connector, given as in HDF5_VOL_CONNECTOR: \"NAME its "
                   "options\"; by default the one that the variable names already")
        ->type_name("CONNECTOR");
    app.add_option("--witness", witness_,
                   "have each process leave proof of the connector in this directory")
        ->type_name("DIR");
    app.add_option("--trace", trace_,
                   "record into this directory (default: ./quarry-trace, or that of an outer "
                   "`quarry run`)")
        ->type_name("DIR");
    app.add_option("--task", task_,
                   "name of this step of a workflow (default: the command, or what a workflow "
                   "manager calls it)")
        ->type_name("NAME");
    app.add_option("--level", level_,
                   "what to record: objects, also accesses to their data, or also every io "
                   "(default)")
        ->type_name("LEVEL")
        ->check(CLI::IsMember({"objects", "accesses", "io"}));
    app.add_option("--max-size", max_size_,
                   "stop recording when the trace has this size, as in 500M or 2G")
        ->type_name("SIZE")
        ->transform(as_size());
    app.add_flag("--no-files", no_files_, "do not record the use of files other than HDF5");
    app.add_flag("--no-trace", no_trace_, "record nothing")->excludes("--trace");
    app.add_flag("--require", require_, "fail (125) where Quarry would otherwise step aside");
    app.add_flag("-q,--quiet", quiet_, "do not say when Quarry steps aside");
}

LaunchOptions LaunchFlags::options() const {
    LaunchOptions options;
    if (no_bytes_) options.bytes = false;
    options.under = under_;
    options.witness = witness_;
    options.recording = no_trace_ ? LaunchOptions::Recording::Off : LaunchOptions::Recording::On;
    options.trace = trace_;
    options.task = task_;
    options.level = level_;
    options.max_size = max_size_;
    options.files = !no_files_;
    return options;
}

}  // namespace quarry::cli
