// File-wide settings: format bounds, space strategies, metadata cache, page buffer.
#include "describe.hpp"
#include "scenario.hpp"

namespace scenario {
namespace {

// A file with a bit of everything that settings change the shape of.
void fill(hid_t file, int salt) {
    const Id group = ID(H5Gcreate2(file, "group", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    write(dataset(group, "contiguous", H5T_STD_I32LE, {500}), counted(500, salt));
    write(dataset(group, "chunked", H5T_STD_I32LE, {30, 30}, chunked({7, 7}), {H5S_UNLIMITED, 30}),
          counted(900, salt));
    attribute(group, "a", {salt});
}

}  // namespace

SCENARIO(settings_library_bounds) {
    constexpr H5F_libver_t kBounds[] = {H5F_LIBVER_EARLIEST, H5F_LIBVER_V18, H5F_LIBVER_V110,
                                        H5F_LIBVER_V112, H5F_LIBVER_V114};
    int salt = 0;
    for (const H5F_libver_t low : kBounds) {
        for (const H5F_libver_t high : kBounds) {
            const Id list = access();
            if (DO(H5Pset_libver_bounds(list, low, high)) < 0) continue;
            const std::string name = "bounds" + text(low) + text(high) + ".h5";
            const Id file = create(name.c_str(), list);
            fill(file, ++salt);
        }
    }
    const Id file = open("bounds04.h5");
    DO(H5Fset_libver_bounds(file, H5F_LIBVER_V110, H5F_LIBVER_LATEST));
    const Id late = ID(H5Gcreate2(file, "late", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    describe(file);
}

SCENARIO(settings_convert_to_earlier_format) {
    const Id list = access();
    DO(H5Pset_libver_bounds(list, H5F_LIBVER_V110, H5F_LIBVER_LATEST));
    const Id file = create("a.h5", list);
    const Id set = dataset(file, "x", H5T_STD_I32LE, {10}, chunked({2}), {H5S_UNLIMITED});
    write(set, counted(10));
    DO(H5Dformat_convert(set));
    DO(H5Fformat_convert(file));
    H5D_chunk_index_t kind{};
    DO(H5Dget_chunk_index_type(set, &kind));
    say("index", kind);
}

SCENARIO(settings_space_strategies) {
    for (const H5F_fspace_strategy_t strategy :
         {H5F_FSPACE_STRATEGY_FSM_AGGR, H5F_FSPACE_STRATEGY_PAGE, H5F_FSPACE_STRATEGY_AGGR,
          H5F_FSPACE_STRATEGY_NONE}) {
        for (const bool persist : {false, true}) {
            const Id creation = list(H5P_FILE_CREATE);
            DO(H5Pset_file_space_strategy(creation, strategy, persist, 1));
            DO(H5Pset_file_space_page_size(creation, 4096));
            const std::string name = "space" + text(strategy) + text(persist) + ".h5";
            Id file = create(name.c_str(), access(), creation);
            fill(file, 1);
            DO(H5Ldelete(file, "group/contiguous", H5P_DEFAULT));
            file.close();
            file = open(name.c_str());
            DO(H5Fget_freespace(file));
            H5F_sect_info_t sections[16];
            const ssize_t count = DO(H5Fget_free_sections(file, H5FD_MEM_DEFAULT, 16, sections));
            for (ssize_t i = 0; i < std::min<ssize_t>(count, 16); ++i) {
                say("  free", sections[i].addr, sections[i].size);
            }
            fill(ID(H5Gcreate2(file, "more", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)), 2);
        }
    }
}

SCENARIO(settings_page_buffer) {
    const Id creation = list(H5P_FILE_CREATE, [](hid_t list) {
        H5Pset_file_space_strategy(list, H5F_FSPACE_STRATEGY_PAGE, false, 1);
        H5Pset_file_space_page_size(list, 2048);
    });
    const Id buffered = access();
    DO(H5Pset_page_buffer_size(buffered, 16384, 10, 10));
    {
        const Id file = create("a.h5", buffered, creation);
        fill(file, 3);
    }
    const Id file = open("a.h5", H5F_ACC_RDONLY, buffered);
    DO(H5Freset_page_buffering_stats(file));
    describe(file);
    unsigned accesses[2] = {}, hits[2] = {}, misses[2] = {}, evictions[2] = {}, bypasses[2] = {};
    DO(H5Fget_page_buffering_stats(file, accesses, hits, misses, evictions, bypasses));
    say(accesses[0], accesses[1], hits[0], hits[1], misses[0], misses[1], evictions[0],
        bypasses[1]);
    // A page buffer is refused for a file that is not paged.
    {
        const Id plain = create("plain.h5");
    }
    const Id refused = open("plain.h5", H5F_ACC_RDWR, buffered);
}

SCENARIO(settings_metadata_cache) {
    const Id file = create("a.h5");
    H5AC_cache_config_t config{};
    config.version = H5AC__CURR_CACHE_CONFIG_VERSION;
    DO(H5Fget_mdc_config(file, &config));
    say(config.initial_size, config.max_size, config.min_size, config.evictions_enabled);
    config.set_initial_size = true;
    config.initial_size = size_t{512} << 10;
    config.min_size = size_t{256} << 10;
    DO(H5Fset_mdc_config(file, &config));
    fill(file, 4);
    double rate = 0;
    DO(H5Fget_mdc_hit_rate(file, &rate));
    size_t largest = 0, clean = 0, current = 0;
    int entries = 0;
    DO(H5Fget_mdc_size(file, &largest, &clean, &current, &entries));
    say(rate, largest, clean, current, entries);
    DO(H5Freset_mdc_hit_rate_stats(file));
    config.version = 77;
    DO(H5Fget_mdc_config(file, &config));
    DO(H5Fset_mdc_config(file, &config));
    H5F_retry_info_t retries{};
    DO(H5Fget_metadata_read_retry_info(file, &retries));
    say("retries", retries.nbins);
    DO(H5Fclear_elink_file_cache(file));
}

SCENARIO(settings_metadata_cache_image) {
    const Id list = access();
    H5AC_cache_image_config_t config{H5AC__CURR_CACHE_IMAGE_CONFIG_VERSION, true, false, -1};
    DO(H5Pset_mdc_image_config(list, &config));
    DO(H5Pset_libver_bounds(list, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST));
    {
        // Without chunks: HDF5 1.14.5 fails an assertion on reading an image with some of its
        // indexes.
        const Id file = create("a.h5", list);
        write(dataset(file, "x", H5T_STD_I32LE, {50}), counted(50));
        attribute(file, "a", {1});
    }
    const Id file = open("a.h5");
    haddr_t address = 0;
    hsize_t size = 0;
    DO(H5Fget_mdc_image_info(file, &address, &size));
    say("image", address, size);
    describe(file);
}

SCENARIO(settings_metadata_cache_logging) {
    const Id list = access();
    DO(H5Pset_mdc_log_options(list, true, "cache.log", false));
    const Id file = create("a.h5", list);
    bool enabled = false, logging = false;
    DO(H5Fget_mdc_logging_status(file, &enabled, &logging));
    say(enabled, logging);
    DO(H5Fstart_mdc_logging(file));
    DO(H5Fstop_mdc_logging(file));
    DO(H5Fstop_mdc_logging(file));
    H5Fclose(H5Freopen(file));
}

SCENARIO(settings_hold_metadata_flushes) {
    const Id file = create("a.h5");
    const Id group = ID(H5Gcreate2(file, "g", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    DO(H5Odisable_mdc_flushes(group));
    bool disabled = false;
    DO(H5Oare_mdc_flushes_disabled(group, &disabled));
    say("disabled", disabled);
    DO(H5Odisable_mdc_flushes(group));
    DO(H5Oenable_mdc_flushes(group));
    DO(H5Oenable_mdc_flushes(group));
    DO(H5Oflush(group));
    DO(H5Orefresh(group));
}

SCENARIO(settings_shared_messages) {
    const Id creation = list(H5P_FILE_CREATE, [](hid_t list) {
        H5Pset_shared_mesg_nindexes(list, 2);
        H5Pset_shared_mesg_index(list, 0, H5O_SHMESG_DTYPE_FLAG | H5O_SHMESG_FILL_FLAG, 20);
        H5Pset_shared_mesg_index(list, 1, H5O_SHMESG_ATTR_FLAG, 20);
        H5Pset_shared_mesg_phase_change(list, 2, 1);
        H5Pset_sym_k(list, 8, 8);
        H5Pset_istore_k(list, 16);
        H5Pset_sizes(list, 8, 8);
        H5Pset_link_creation_order(list, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
        H5Pset_attr_phase_change(list, 2, 1);
    });
    {
        const Id file = create("a.h5", access(), creation);
        for (const char* name : {"one", "two", "three"}) {
            const Id set = dataset(file, name, H5T_IEEE_F64BE, {3});
            attribute(set, "units in metres", {1, 2, 3});
        }
    }
    const Id file = open("a.h5", H5F_ACC_RDONLY);
    H5F_info2_t info{};
    DO(H5Fget_info2(file, &info));
    say("shared", info.sohm.hdr_size, info.sohm.msgs_info.heap_size,
        info.sohm.msgs_info.index_size);
    describe(file);
}

SCENARIO(settings_evict_on_close_and_small_blocks) {
    const Id list = access();
    DO(H5Pset_evict_on_close(list, true));
    DO(H5Pset_meta_block_size(list, 1 << 16));
    DO(H5Pset_small_data_block_size(list, 1 << 12));
    DO(H5Pset_sieve_buf_size(list, 64));
    DO(H5Pset_cache(list, 0, 7, 2000, 0.5));
    DO(H5Pset_gc_references(list, 1));
    DO(H5Pset_metadata_read_attempts(list, 3));
    const Id file = create("a.h5", list);
    fill(file, 6);
    describe(file);
}

}  // namespace scenario
