# shellcheck shell=bash
# shellcheck disable=SC2034  # the scripts that source this use the names
# What the set-up scripts share. They are run from the top of the tree.

deps="$PWD/.deps"
log_dir="$deps/log"
export DEBIAN_FRONTEND=noninteractive

say() { printf 'set-up: %s\n' "$*"; }

# Ends the set-up with one sentence that says what to do.
fail() {
    printf 'set-up: %s\n' "$*" >&2
    exit 1
}

# logged NAME COMMAND...: keeps the long output in a log file and shows its end when the command fails.
logged() {
    local log="$log_dir/$1.log"
    shift
    mkdir -p "$log_dir"
    "$@" >"$log" 2>&1 && return
    tail -n 25 "$log" >&2
    return 1
}

# log_says NAME REGEX: tells why the command behind a log failed.
log_says() { grep -qE "$2" "$log_dir/$1.log"; }

no_network='Could not resolve|Temporary failure|Name or service not known|Network is unreachable'
no_network+='|Could not connect|Cannot initiate the connection|Connection refused|timed out'
no_network+='|NewConnectionError|Failed to establish'
no_rights='are you root|not in the sudoers|password is required|terminal is required|command not found'

# step NAME INPUT...: runs scripts/setup.d/NAME unless it already succeeded with the same script and
# inputs. An input is a file (its content counts) or any other word.
step() {
    local name="$1" stamp="$deps/stamps/$1" key input
    key=$(for input in "scripts/setup.d/$@"; do
        if [[ -f $input ]]; then cat "$input"; else printf '%s\n' "$input"; fi
    done | sha256sum)
    [[ -f $stamp && $(<"$stamp") == "$key" ]] && return
    rm -f "$stamp"
    "scripts/setup.d/$name"
    mkdir -p "${stamp%/*}"
    printf '%s\n' "$key" >"$stamp"
}

has_apt() { [[ -f /etc/debian_version ]] && command -v apt-get dpkg-query >/dev/null; }

as_root() {
    if [[ $EUID -eq 0 ]]; then "$@"; else sudo "$@"; fi
}

# A failed update shows itself in the install after it: sources of others may well be out of reach.
update_lists() {
    mkdir -p "$log_dir"
    as_root apt-get update >"$log_dir/apt-update.log" 2>&1 || true
}

# The Debian mirror this machine already uses, as `URI release` (after an `apt-get update`). apt
# itself reads all the forms a source can be written in.
debian_mirror() {
    # shellcheck disable=SC2016  # the names are apt's, not the shell's
    apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(COMPONENT)|$(REPO_URI) $(CODENAME)' \
        'Created-By: Packages' | sed -n '/-updates$/d; s/^Debian|Debian|main|//p' | head -n 1
}

# hdf5_version INCLUDE_DIR: the version that the headers there name, or nothing.
hdf5_version() {
    sed -nE 's/^#define H5_VERS_(MAJOR|MINOR|RELEASE)[[:space:]]+([0-9]+).*/\2/p' \
        "$1/H5public.h" 2>/dev/null | paste -sd.
}

at_least() { [[ $(printf '%s\n' "$2" "$1" | sort -V | head -n 1) == "$2" ]]; }
