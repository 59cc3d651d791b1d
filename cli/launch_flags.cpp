#include "launch_flags.hpp"

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
    app.add_flag("--require", require_, "fail (125) where Quarry would otherwise step aside");
    app.add_flag("-q,--quiet", quiet_, "do not say when Quarry steps aside");
}

LaunchOptions LaunchFlags::options() const {
    LaunchOptions options;
    if (no_bytes_) options.bytes = false;
    options.under = under_;
    options.witness = witness_;
    return options;
}

}  // namespace quarry::cli
