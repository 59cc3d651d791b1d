"""Says which Python this is, what is installed for it, and which modules beside scripts these import.

Usage: python -c THIS SCRIPT...
"""

import sys

# What lies in the working directory is not asked.
sys.path[:] = [place for place in sys.path if place]

import ast
import importlib.metadata
import json
import os
import platform
import warnings

warnings.simplefilter("ignore")


def names_in(tree, folder, root):
    """Of each import: the folder that it starts from, and the parts of the name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((root, alias.name.split(".")) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = os.path.normpath(os.path.join(folder, *[".."] * (node.level - 1)))
            parts = node.module.split(".") if node.module else []
            # What is imported from a package may be a module of it.
            for alias in node.names:
                yield (start if node.level else root, [*parts, alias.name])


def files_of(start, parts):
    """The files of a module and of the packages that it is in, where these are there."""
    for end in range(1, len(parts) + 1):
        path = os.path.join(start, *parts[:end])
        for file in (path + ".py", os.path.join(path, "__init__.py")):
            if os.path.isfile(file):
                yield file


def modules_of(script):
    root = os.path.dirname(script)
    found, unread = {script}, [script]
    while unread:
        file = unread.pop()
        try:
            with open(file, "rb") as source:
                tree = ast.parse(source.read())
        except (OSError, SyntaxError, ValueError):
            continue
        for start, parts in names_in(tree, os.path.dirname(file), root):
            for module in files_of(start, parts):
                if module not in found:
                    found.add(module)
                    unread.append(module)
    return found - {script}


def distributions():
    """Of each: its name, its version, and whether it came from an index of packages."""
    found = {}
    for one in importlib.metadata.distributions():
        # The first that is found is the one that is imported.
        if one.metadata and one.metadata["Name"]:
            is_indexed = one.read_text("direct_url.json") is None
            found.setdefault(one.metadata["Name"], (one.version, is_indexed))
    return [(name, *found[name]) for name in sorted(found, key=str.lower)]


json.dump(
    {
        "version": platform.python_version(),
        "prefix": sys.prefix,
        "virtual": sys.prefix != sys.base_prefix,
        "of_system": sys.base_prefix == "/usr",
        "distributions": distributions(),
        "modules": {script: sorted(modules_of(script)) for script in sys.argv[1:]},
    },
    sys.stdout,
)
