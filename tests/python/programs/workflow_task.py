"""One task of a workflow: does with data.h5 and other files what a JSON file tells it to.

Usage: workflow_task.py STEPS.json
"""

import json
import sys

import h5py
import numpy as np


def slices(selection):
    return tuple(slice(*part) for part in selection)


def main():
    with open(sys.argv[1]) as file:
        steps = json.load(file)
    with h5py.File("data.h5", "a") as file:
        for step in steps:
            if step["do"] == "create":
                file.create_dataset(
                    step["dataset"], step["shape"], "f4", maxshape=[None] * len(step["shape"])
                )
            elif step["do"] == "resize":
                file[step["dataset"]].resize(step["shape"])
            elif step["do"] == "write":
                file[step["dataset"]][slices(step["selection"])] = np.float32(1)
            elif step["do"] == "read":
                file[step["dataset"]][slices(step["selection"])]
    for step in steps:
        if step["do"] == "write file":
            with open(step["name"], "w") as text:
                text.write("x" * step["size"])
        elif step["do"] == "read file":
            with open(step["name"]) as text:
                text.read()


if __name__ == "__main__":
    main()
