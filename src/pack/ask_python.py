"""Says which Python this is, what is installed for it, and which modules programs import that are not.

Usage: python -c THIS [script|module|code WHAT DIRECTORY]...
"""

import sys

# What lies in the working directory is not asked.
sys.path[:] = [place for place in sys.path if place]

import ast
import importlib.machinery
import importlib.metadata
import json
import os
import platform
import sysconfig
import warnings

warnings.simplefilter("ignore")

SUFFIXES = importlib.machinery.all_suffixes()


def is_own(place):
    """Whether it is the interpreter's, or one where packages are installed."""
    library = sysconfig.get_path("stdlib")
    return not {"site-packages", "dist-packages"}.isdisjoint(place.split(os.sep)) or (
        place + os.sep
    ).startswith(library + os.sep)


def python_path(folder):
    """What PYTHONPATH is for a program that works in this folder."""
    given = os.environ.get("PYTHONPATH")
    return [os.path.abspath(os.path.join(folder, one)) for one in given.split(":")] if given else []


def places_elsewhere(folder):
    added = set(sys.path).difference(python_path(os.getcwd()))
    places = [*python_path(folder), *(place for place in sys.path if place in added)]
    return [place for place in places if not is_own(place) and os.path.isdir(place)]


def files_at(path):
    candidates = [start + end for start in (path, path + "/__init__") for end in SUFFIXES]
    return [file for file in candidates if os.path.isfile(file)]


class Imports:
    """The files that a program imports, where reading its source tells them."""

    def __init__(self, root, folder):
        self.root = root
        self.places = list(dict.fromkeys([root, *places_elsewhere(folder)]))
        self.files = set()
        self.python_path = []
        self.unread = []

    def follow(self, tree, folder):
        self.follow_tree(tree, folder)
        while self.unread:
            file = self.unread.pop()
            tree = parsed(file)
            if tree is not None:
                self.follow_tree(tree, os.path.dirname(file))

    def follow_tree(self, tree, folder):
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    self.add_module(alias.name.split("."))
            elif isinstance(node, ast.ImportFrom):
                parts = node.module.split(".") if node.module else []
                # What is imported from a package may be a module of it.
                for alias in node.names:
                    if node.level:
                        start = os.path.normpath(os.path.join(folder, *[".."] * (node.level - 1)))
                        self.add_files(start, [*parts, alias.name])
                    else:
                        self.add_module([*parts, alias.name])

    def add_module(self, parts):
        first = parts[0]
        holders = [place for place in self.places if files_at(os.path.join(place, first))][:1]
        # Without a file of its own it may be a package in several places.
        for place in holders or self.places:
            if self.add_files(place, parts) and place not in [self.root, *self.python_path]:
                self.python_path.append(place)

    def add_files(self, start, parts):
        """Those of a module and of the packages that it is in; whether there are any."""
        paths = [os.path.join(start, *parts[:end]) for end in range(1, len(parts) + 1)]
        found = [file for path in paths for file in files_at(path)]
        self.unread += [file for file in found if file not in self.files and file.endswith(".py")]
        self.files.update(found)
        return bool(found)


def parsed(file):
    try:
        with open(file, "rb") as source:
            return ast.parse(source.read())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return None


def tree_of_code(code):
    try:
        return ast.parse(code)
    except (SyntaxError, ValueError, RecursionError):
        return None


def imports_of(kind, what, folder):
    root = os.path.dirname(what) if kind == "script" else folder
    imports = Imports(root, folder)
    if kind == "module":
        # A package is run by a module of this name in it.
        imports.add_module([*what.split("."), "__main__"])
        tree = ast.parse("")
    else:
        tree = parsed(what) if kind == "script" else tree_of_code(what)
    if tree is not None:
        imports.follow(tree, root)
    imports.files.discard(what)
    return {"modules": sorted(imports.files), "python_path": imports.python_path}


def distributions():
    """Of each: its name, its version, and whether it came from an index of packages."""
    found = {}
    for one in importlib.metadata.distributions():
        # The first that is found is the one that is imported.
        if one.metadata and one.metadata["Name"]:
            is_indexed = one.read_text("direct_url.json") is None
            found.setdefault(one.metadata["Name"], (one.version, is_indexed))
    return [(name, *found[name]) for name in sorted(found, key=str.lower)]


words = sys.argv[1:]
json.dump(
    {
        "version": platform.python_version(),
        "prefix": sys.prefix,
        "virtual": sys.prefix != sys.base_prefix,
        "of_system": sys.base_prefix == "/usr",
        "distributions": distributions(),
        "programs": [imports_of(*words[at : at + 3]) for at in range(0, len(words), 3)],
    },
    sys.stdout,
)
