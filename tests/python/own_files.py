"""HDF5's own test files (the fixture `corpus`): which of them are copied whole, and why."""

# Damaged on purpose, most of them, or as old as HDF5 reads but no longer writes.
WHY_WHOLE = {
    "its format is one that HDF5 reads but no longer writes": {
        "aggr.h5",
        "fsm_aggr_persist.h5",
        "none.h5",
        "paged_nopersist.h5",
        "paged_persist.h5",
    },
    "HDF5 has read it by itself": {
        "3790_infinite_loop.h5",
        "cve_2020_10810.h5",
        "cve_2020_10812.h5",
    },
    "cannot be copied": {
        "h5repack_CVE-2018-14460.h5",
        "h5repack_CVE-2018-17432.h5",
        "h5stat_err_old_fill.h5",
        "h5stat_err_old_layout.h5",
        "tCVE_2018_11206_fill_new.h5",
        "tCVE_2018_11206_fill_old.h5",
        "th5s.h5",
        "tmisc38a.h5",
        "tmisc38b.h5",
        "trefer_ext2.h5",
    },
    "cannot be read": {
        "bad_offset.h5",
        "corrupt_stab_msg.h5",
        "h5clear_fsm_persist_noclose.h5",
        "h5stat_err_refcount.h5",
        "tbogus.h5",
    },
    "cannot be listed": {"err_attr_dspace.h5", "tCVE-2021-37501_attr_decode.h5"},
    "cannot be opened": {"bad_compound.h5", "memleak_H5O_dtype_decode_helper_H5Odtype.h5"},
    "cannot be looked at": {"h5clear_fsm_persist_less.h5", "h5clear_fsm_persist_user_less.h5"},
}
# Its datasets share their messages: where HDF5 copies one and another is made anew, it loses that.
WHOLE_IN_PART = {"h5stat_tsohm.h5"}
MAY_BE_WHOLE = set().union(*WHY_WHOLE.values(), WHOLE_IN_PART)


def reasons_of(fates: list[dict]) -> dict[str, set[str]]:
    """The names of files that were copied whole, by the words of `WHY_WHOLE`, or those that are new."""
    found: dict[str, set[str]] = {}
    for fate in fates:
        why = fate["why_whole"]
        if why:
            reason = next((known for known in WHY_WHOLE if known in why), why)
            found.setdefault(reason, set()).add(fate["original"].rpartition("/")[2])
    return found
