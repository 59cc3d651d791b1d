"""Says which Python this is, what is installed for it, and which files programs load that are not.

Usage: python -c THIS [script|module|code WHAT DIRECTORY]...
"""

import sys

# What lies in the working directory is not asked.
sys.path[:] = [place for place in sys.path if place]

import ast
import importlib.machinery
import importlib.metadata
import importlib.util
import json
import os
import platform
import sysconfig
import warnings
import zipfile

warnings.simplefilter("ignore")

SUFFIXES = importlib.machinery.all_suffixes()
SYSTEM = ["/lib", "/lib64", "/usr/lib", "/usr/lib64"]
SYSTEM += [f"/usr/lib/{sysconfig.get_config_var('MULTIARCH')}"]

# Where packages of Debian and its like put modules.
OF_SYSTEM = "/usr/lib/python3/dist-packages"

# What gets code other than by `import`, and what it does with that.
OF_MODULES = {"__import__": "loads", "importlib.import_module": "loads", "runpy.run_module": "runs"}
OF_LIBRARIES = dict.fromkeys(
    (
        "ctypes.CDLL",
        "ctypes.PyDLL",
        "ctypes.cdll.LoadLibrary",
        "ctypes.pydll.LoadLibrary",
        "numpy.ctypeslib.load_library",
    ),
    "loads",
)
OF_FILES = {
    "exec": "runs",
    "eval": "runs",
    "runpy.run_path": "runs",
}
# The name comes first.
OF_NAMED_FILES = dict.fromkeys(
    (
        "imp.load_source",
        "importlib.util.spec_from_file_location",
        "importlib.machinery.SourceFileLoader",
        "importlib.machinery.ExtensionFileLoader",
    ),
    "loads",
)
OF_FOLDERS = dict.fromkeys(
    ("sys.path", "sys.path.append", "sys.path.extend", "sys.path.insert", "site.addsitedir"),
    "leads to",
)
LOADERS = {**OF_MODULES, **OF_LIBRARIES, **OF_FILES, **OF_NAMED_FILES, **OF_FOLDERS}


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
    return [place for place in places if not is_own(place) and os.path.exists(place)]


def files_at(path):
    candidates = [start + end for start in (path, path + "/__init__") for end in SUFFIXES]
    return [file for file in candidates if os.path.isfile(file)]


def is_in_archive(archive, name):
    """Whether a zip file, in which Python finds modules as in a folder, has one of this name."""
    try:
        with zipfile.ZipFile(archive) as opened:
            names = opened.namelist()
    except (OSError, zipfile.BadZipFile):
        return False
    starts = tuple(f"{name}{end}" for end in (*SUFFIXES, "/"))
    return any(one.startswith(starts) for one in names)


def folder_by_hook(name):
    """Where a module lies that only a hook of an editable installation leads to."""
    try:
        spec = importlib.util.find_spec(name)
    except (AttributeError, ImportError, OSError, RuntimeError, ValueError):
        return None
    origin = spec.origin if spec and spec.has_location else None
    folders = list(spec.submodule_search_locations or []) if spec else []
    if origin is None and not folders:
        return None
    holder = os.path.dirname(os.path.abspath(folders[0] if folders else origin))
    return None if is_own(os.path.join(holder, name)) else holder


def meanings_in(tree):
    """What names stand for that are imported."""
    meanings = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.asname:
                    meanings[alias.asname] = alias.name
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                meanings[alias.asname or alias.name] = f"{node.module}.{alias.name}"
    return meanings


def full_name(node, meanings):
    if isinstance(node, ast.Name):
        return meanings.get(node.id, node.id)
    if isinstance(node, ast.Attribute):
        return f"{full_name(node.value, meanings)}.{node.attr}"
    return ""


def names_called(node, meanings):
    return [full_name(one.func, meanings) for one in ast.walk(node) if isinstance(one, ast.Call)]


def is_of_system(call, meanings):
    """Whether what a call loads belongs to the system, or is in the process."""
    first = call.args[0] if call.args else ast.Constant(None)
    if isinstance(first, ast.Constant) and isinstance(first.value, str):
        places = [os.path.join(place, first.value) for place in SYSTEM]
        return any(os.path.dirname(one) in SYSTEM and os.path.exists(one) for one in places)
    is_found = any(name.endswith("find_library") for name in names_called(call, meanings))
    return is_found or (isinstance(first, ast.Constant) and first.value is None)


def loaders_in(tree):
    """The name of each, its line, and the call; or none, where something is assigned to it."""
    meanings = meanings_in(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = full_name(node.func, meanings)
            is_library = name in OF_LIBRARIES or name.endswith(".dlopen")
            if is_library and is_of_system(node, meanings):
                continue
            # Values are computed by it, too.
            if name == "eval" and not any("read" in one for one in names_called(node, meanings)):
                continue
            if is_library or name in LOADERS:
                yield name, node.lineno, node
        elif isinstance(getattr(node, "ctx", None), ast.Store):
            target = node.value if isinstance(node, ast.Subscript) else node
            if full_name(target, meanings) == "sys.path":
                yield "sys.path", node.lineno, None


def texts_in(loader, call):
    """In the argument that says what is loaded."""
    at = 1 if loader in OF_NAMED_FILES else 0
    nodes = [node for source in call.args[at : at + 1] for node in ast.walk(source)]
    texts = [node.value for node in nodes if isinstance(node, ast.Constant)]
    return [text for text in texts if isinstance(text, str) and "\0" not in text]


def sentence(name, lines):
    lines = sorted(lines)
    where = ("line " if len(lines) == 1 else "lines ") + ", ".join(map(str, lines[:3]))
    what = f"what {name} {LOADERS.get(name, 'loads')} is not looked for"
    return f"{where}{', ...' if len(lines) > 3 else ''}: {what}"


def sentences(loaders):
    by_line = sorted(loaders.items(), key=lambda one: min(one[1]))
    return "; ".join(sentence(*one) for one in by_line)


class Imports:
    """The files that a program loads, where reading its source tells them."""

    def __init__(self, root, shown_root, folder):
        self.root = root
        # A script that a link leads to finds what is beside itself; it is packed where the link is.
        self.shown_root = shown_root
        self.folder = folder
        self.places = list(dict.fromkeys([root, *places_elsewhere(folder)]))
        self.files = set()
        self.python_path = []
        self.hooked = {}  # where modules lie, or none, by name
        self.unread = []
        self.not_followed = {}  # of files, or of the code: the lines with each name

    def follow(self, tree, name):
        self.follow_tree(tree, name)
        while self.unread:
            file = self.unread.pop()
            tree = parsed(file)
            if tree is not None:
                self.follow_tree(tree, file)

    def follow_tree(self, tree, name):
        folder = os.path.dirname(name) if name else self.root
        self.follow_imports(tree, folder, name)
        for loader, line, call in loaders_in(tree):
            if not self.is_followed(loader, call, folder):
                self.note(name, loader, line)

    def note(self, name, loader, line):
        self.not_followed.setdefault(name, {}).setdefault(loader, set()).add(line)

    def is_followed(self, loader, call, folder):
        """Whether a call says in words what it loads."""
        if loader in OF_FOLDERS:
            return False
        texts = texts_in(loader, call)
        if loader in OF_MODULES:
            is_named = texts and isinstance(call.args[0], ast.Constant)
            if not is_named or texts[0].startswith("."):
                return False
            self.add_module([*texts[0].split("."), "__main__"])
            return True
        paths = [os.path.join(start, text) for start in (self.folder, folder) for text in texts]
        found = {os.path.normpath(path) for path in paths if os.path.isfile(path)}
        self.unread += found - self.files if loader in {**OF_FILES, **OF_NAMED_FILES} else []
        self.files.update(found)
        return bool(found)

    def follow_imports(self, tree, folder, name):
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                modules = [alias.name.split(".") for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                parts = node.module.split(".") if node.module else []
                # What is imported from a package may be a module of it.
                modules = [[*parts, alias.name] for alias in node.names]
                if node.level:
                    start = os.path.normpath(os.path.join(folder, *[".."] * (node.level - 1)))
                    for one in modules:
                        self.add_files(start, one)
                    continue
            else:
                continue
            for one in modules:
                if not self.add_module(one):
                    self.note(name, f"import {one[0]}", node.lineno)

    def add_module(self, parts):
        """Whether it can be found again: only a hook knows modules that have another name there."""
        first = parts[0]
        holders = [place for place in self.places if files_at(os.path.join(place, first))][:1]
        # Without a file of its own it may be a package in several places.
        found = [place for place in holders or self.places if self.add_from(place, parts)]
        if not found:
            if first not in self.hooked:
                self.hooked[first] = folder_by_hook(first)
            hooked = self.hooked[first]
            found = [hooked] if hooked and self.add_from(hooked, parts) else []
            if hooked and not found:
                return False
        for place in found:
            if place not in [self.shown_root, *self.python_path]:
                self.python_path.append(place)
        return True

    def add_from(self, place, parts):
        """What there is of a module in a folder, or the zip file that has it."""
        if os.path.isdir(place):
            return self.add_files(place, parts)
        is_there = is_in_archive(place, parts[0])
        self.files.update([place] if is_there else [])
        return is_there

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
    shown_root = os.path.dirname(what) if kind == "script" else folder
    root = os.path.dirname(os.path.realpath(what)) if os.path.islink(what) else shown_root
    imports = Imports(root, shown_root, folder)
    if kind == "module":
        # A package is run by a module of this name in it.
        imports.add_module([*what.split("."), "__main__"])
        tree = ast.parse("")
    else:
        tree = parsed(what) if kind == "script" else tree_of_code(what)
    if tree is not None:
        imports.follow(tree, what if kind == "script" else "")
    imports.files.discard(what)
    return {
        "modules": sorted(imports.files),
        "python_path": imports.python_path,
        "not_followed": {
            name or folder: ("" if name else "code given with -c, ") + sentences(loaders)
            for name, loaders in imports.not_followed.items()
        },
    }


def distributions():
    # The first that is found is the one that is imported.
    found = {}
    for one in importlib.metadata.distributions():
        if one.metadata and one.metadata["Name"]:
            found.setdefault(one.metadata["Name"], one)
    return [found[name] for name in sorted(found, key=str.lower)]


def system_file(distribution):
    """A file of one that a package of the system has brought; empty for others."""
    is_of_system = str(distribution.locate_file("")) == OF_SYSTEM
    return str(getattr(distribution, "_path", "")) if is_of_system else ""


def described(distribution):
    """Its name, its version, and whether it came from an index of packages."""
    is_indexed = distribution.read_text("direct_url.json") is None and not system_file(distribution)
    return distribution.metadata["Name"], distribution.version, is_indexed


words = sys.argv[1:]
known = distributions()
json.dump(
    {
        "version": platform.python_version(),
        "prefix": sys.prefix,
        "virtual": sys.prefix != sys.base_prefix,
        "of_system": sys.base_prefix == "/usr",
        "distributions": [described(one) for one in known],
        "system_files": [file for file in map(system_file, known) if file],
        "programs": [imports_of(*words[at : at + 3]) for at in range(0, len(words), 3)],
    },
    sys.stdout,
)
