"""What the benchmarks share: running a workload in an environment, and comparing runs."""

import json
import os
import random
import re
import statistics
import subprocess
import sys


def environment(connector, plugin):
    env = {k: v for k, v in os.environ.items() if not k.startswith("HDF5_")}
    env["HDF5_PLUGIN_PATH"] = str(plugin)
    if connector:
        env["HDF5_VOL_CONNECTOR"] = connector
    return env


def milliseconds(program, workload, env, directory):
    result = subprocess.run(
        [program, f"--benchmark_filter={workload}/", "--benchmark_format=json"],
        env=env,
        cwd=directory,
        check=True,
        capture_output=True,
        text=True,
    )
    return json.loads(result.stdout)["benchmarks"][0]["real_time"]


def instructions(program, verb, count, env, directory):
    result = subprocess.run(
        [
            "valgrind",
            "--tool=callgrind",
            "--callgrind-out-file=/dev/null",
            program,
            verb,
            str(count),
        ],
        env=env,
        cwd=directory,
        check=True,
        capture_output=True,
        text=True,
    )
    return int(re.search(r"Collected : (\d+)", result.stderr).group(1))


def interval(ratios, rounds=4000):
    """Median and its 95 % interval by bootstrap."""
    medians = sorted(
        statistics.median(random.choices(ratios, k=len(ratios))) for _ in range(rounds)
    )
    return statistics.median(ratios), medians[int(rounds * 0.025)], medians[int(rounds * 0.975)]


def show_progress(text):
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def compared(times, base="native"):
    """For each column the ratio to the base, repetition by repetition."""
    return {
        name: interval([mine / its for mine, its in zip(column, times[base])])
        for name, column in times.items()
        if name != base
    }


def in_turn(columns, repetitions, measure, title):
    """The measured times of each column, whose order is shuffled for every repetition."""
    times = {name: [] for name in columns}
    for name in columns:
        measure(name)  # warms the page cache
    for repetition in range(repetitions):
        show_progress(f"{title}: repetition {repetition + 1} of {repetitions}")
        for name in random.sample(list(columns), len(columns)):
            times[name].append(measure(name))
    show_progress("")
    return times


def cell(ratio):
    return "{:.3f} [{:.3f}, {:.3f}]".format(*ratio)
