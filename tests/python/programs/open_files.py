"""Opens each of the files that are named on stdin, and reads datasets that are named after them.

A line is a path and, after tabs, paths of datasets in it. What cannot be opened is passed over.
"""

import sys

import h5py


def main():
    for line in sys.stdin:
        path, *datasets = line.rstrip("\n").split("\t")
        try:
            with h5py.File(path, "r") as file:
                for dataset in datasets:
                    file[dataset][...]
        except (OSError, KeyError, RuntimeError, ValueError, TypeError):
            pass


if __name__ == "__main__":
    main()
