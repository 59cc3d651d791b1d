"""Puts stories of two images and a text each into one file.

Usage: prepare.py contiguous|chunked
"""

import sys

import h5py
import numpy as np

STORIES, IMAGES = 5000, 2


def main():
    layout = sys.argv[1]
    rng = np.random.default_rng(7)
    with h5py.File("stories.h5", "w") as file:
        options = {"chunks": (STORIES,)} if layout == "chunked" else {}
        for number in range(IMAGES):
            name = f"image{number}"
            file.create_dataset(name, (STORIES,), h5py.vlen_dtype(np.uint8), **options)
        file.create_dataset("text", (STORIES,), h5py.string_dtype(), **options)
        opened = {name: file[name] for name in file}
        for story in range(STORIES):
            for number in range(IMAGES):
                size = rng.integers(100, 600)
                opened[f"image{number}"][story] = rng.integers(0, 255, size, dtype=np.uint8)
            opened["text"][story] = "a story " * int(rng.integers(2, 8))


if __name__ == "__main__":
    main()
