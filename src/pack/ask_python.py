"""Says which Python this is, what is installed for it, and which files programs load that are not.

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
SYSTEM = ["/lib", "/lib64", "/usr/lib", "/usr/lib64"]
SYSTEM += [f"/usr/lib/{sysconfig.get_config_var('MULTIARCH')}"]

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
    return [place for place in places if not is_own(place) and os.path.isdir(place)]


def files_at(path):
    candidates = [start + end for start in (path, path + "/__init__") for end in SUFFIXES]
    return [file for file in candidates if os.path.isfile(file)]


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

    def __init__(self, root, folder):
        self.root = root
        self.folder = folder
        self.places = list(dict.fromkeys([root, *places_elsewhere(folder)]))
        self.files = set()
        self.python_path = []
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
        self.follow_imports(tree, folder)
        for loader, line, call in loaders_in(tree):
            if not self.is_followed(loader, call, folder):
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

    def follow_imports(self, tree, folder):
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
