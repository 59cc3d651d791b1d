"""For programs under test: does something that fails and prints all that a user could see of it."""

import re

# HDF5 puts the time into some messages.
CHANCE = re.compile(r"(?<=time = ).*\n")


def attempt(label, action):
    try:
        said = f"{label} -> {action()}"
    except BaseException as error:  # noqa: BLE001, whatever it is, it is compared
        said = " | ".join(
            map(str, (label, type(error).__name__, getattr(error, "errno", None), error))
        )
    print(CHANCE.sub("...", said))
