"""Whichever way a program finds its own modules, they are in its archive, and it finds them again."""

import json
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import h5py
import numpy as np
import pytest
from packing import entries_of, unpack

from cli import quarry, record

HELPING = "def doubled(x):\n    return 2 * x\n"
MAIN = """
import h5py
from {module} import doubled
with h5py.File("in.h5") as f:
    open("out.txt", "w").write(str(doubled(f["used"][7])))
"""
CODE = MAIN.format(module="pkg.helping")


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def recorded(
    folder: Path, *words: str, python_path: str = "", python: object = sys.executable
) -> subprocess.CompletedProcess:
    """What packing a run says that only reads `in.h5`; then all of it is gone."""
    with h5py.File(folder / "in.h5", "w") as f:
        f["used"] = np.arange(5000)
    env = {"PYTHONPATH": python_path}
    record(folder, python, *words, env=env)
    done = quarry("pack", "t", "-o", "../app.tar.zst", "--json", cwd=folder, env=env)
    assert done.returncode == 0, done.stderr
    return done


def programs_in(done: subprocess.CompletedProcess, folder: Path) -> set[str]:
    return {str(Path(one).relative_to(folder)) for one in json.loads(done.stdout)["programs"]}


def repeats(folder: Path) -> None:
    shutil.rmtree(folder)
    done = unpack(folder.parent / "app.tar.zst", "--run")
    assert done.returncode == 0, done.stdout + done.stderr


PACKAGE = {"pkg/__init__.py": "", "pkg/helping.py": HELPING, "pkg/unused.py": ""}
WAYS = {
    "module": (
        ["-u", "-m", "pkg.main"],
        {"pkg/main.py": MAIN.format(module=".helping")},
    ),
    "package": (["-mpkg"], {"pkg/__main__.py": MAIN.format(module="pkg.helping")}),
    "code": (["-X", "utf8", "-Bc", CODE], {}),
    "script": (["tool/run.py"], {"tool/run.py": MAIN.format(module="pkg.helping")}),
}


@pytest.mark.parametrize("way", WAYS)
def test_modules_of_programs(way: str, tmp_path: Path) -> None:
    words, more = WAYS[way]
    work = tmp_path / "work"
    write(work, PACKAGE | more)
    # A script does not look into the working directory.
    done = recorded(work, *words, python_path="." if way == "script" else "")
    assert programs_in(done, work) == {"pkg/__init__.py", "pkg/helping.py", *more}
    repeats(work)


def test_modules_that_only_python_path_leads_to(tmp_path: Path) -> None:
    """Told when it is packed, and known when it is repeated, by hand, too."""
    work, library = tmp_path / "work", tmp_path / "my lib"
    write(library, {"deep/helping.py": HELPING, "other.py": ""})
    write(work, {"main.py": MAIN.format(module="deep.helping")})
    done = recorded(work, "main.py", python_path=f"/nowhere:{library}")
    assert json.loads(done.stdout)["python_path"] == [str(library)]
    assert f"beside what runs, but in {library}: " in done.stderr
    assert json.loads(done.stdout)["programs"] == [
        f"{library}/deep/helping.py",
        f"{work}/main.py",
    ]
    texts = {one.name: content for one, content in entries_of(tmp_path / "app.tar.zst")}
    shell = texts["run.sh"].split(b"cd ")[0] + b"echo $PYTHONPATH"
    for before, after in ({}, f"{library}\n"), ({"PYTHONPATH": "/x"}, f"{library}:/x\n"):
        said = subprocess.run(["sh", "-c", shell], env=before, capture_output=True, check=True)
        assert said.stdout.decode() == after
    assert json.loads(texts["pack.json"])["python_path"] == [str(library)]
    shutil.rmtree(library)
    repeats(work)


HOOK = """
import sys
from importlib.util import spec_from_file_location

class Finder:
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name in {mapping}:
            folder = {mapping}[name]
            file = folder + "/__init__.py"
            return spec_from_file_location(name, file, submodule_search_locations=[folder])

sys.meta_path.append(Finder)
"""


def environment_with_hook(folder: Path, mapping: dict[str, str]) -> Path:
    """A Python that finds modules as an editable installation by setuptools lets it."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    (library,) = folder.glob("lib/*/site-packages")
    (library / "base.pth").write_text(sysconfig.get_path("purelib"))
    (library / "__editable___finder.py").write_text(HOOK.format(mapping=mapping))
    (library / "__editable__.pth").write_text("import __editable___finder")
    return folder / "bin/python"


def test_modules_of_editable_installations(tmp_path: Path) -> None:
    work, project = tmp_path / "work", tmp_path / "project/src"
    write(project, PACKAGE)
    write(work, {"main.py": MAIN.format(module="pkg.helping")})
    python = environment_with_hook(tmp_path / "env", {"pkg": f"{project}/pkg"})
    done = recorded(work, "main.py", python=python)
    wanted = [f"{project}/pkg/__init__.py", f"{project}/pkg/helping.py", f"{work}/main.py"]
    assert json.loads(done.stdout)["programs"] == wanted
    shutil.rmtree(project)
    repeats(work)


def test_modules_that_are_found_under_another_name_are_told(tmp_path: Path) -> None:
    work, project = tmp_path / "work", tmp_path / "project"
    write(project, {"src/__init__.py": "", "src/helping.py": HELPING})
    write(work, {"main.py": MAIN.format(module="pkg.helping")})
    python = environment_with_hook(tmp_path / "env", {"pkg": f"{project}/src"})
    (one,) = json.loads(recorded(work, "main.py", python=python).stdout)["left_out"]
    why = "line 3: what import pkg loads is not looked for"
    assert one == {"path": f"{work}/main.py", "why": why}


def test_modules_beside_a_script_that_a_link_leads_to(tmp_path: Path) -> None:
    work, tools = tmp_path / "work", tmp_path / "tools"
    write(tools, {"main.py": MAIN.format(module="helping"), "helping.py": HELPING})
    work.mkdir()
    (work / "main.py").symlink_to(tools / "main.py")
    done = recorded(work, "main.py")
    assert json.loads(done.stdout)["programs"] == [f"{tools}/helping.py", f"{work}/main.py"]
    shutil.rmtree(tools)
    repeats(work)


def test_modules_in_a_zip_file(tmp_path: Path) -> None:
    work, library = tmp_path / "work", tmp_path / "library.zip"
    with zipfile.ZipFile(library, "w") as opened:
        opened.writestr("pkg/__init__.py", "")
        opened.writestr("pkg/helping.py", HELPING)
    write(work, {"main.py": MAIN.format(module="pkg.helping")})
    done = recorded(work, "main.py", python_path=str(library))
    assert json.loads(done.stdout)["programs"] == [str(library), f"{work}/main.py"]
    assert json.loads(done.stdout)["python_path"] == [str(library)]
    library.unlink()
    repeats(work)


def test_what_is_installed_is_not_packed(tmp_path: Path) -> None:
    work = tmp_path / "work"
    write(work, {"main.py": MAIN.format(module="helping"), "lib/site-packages/helping.py": HELPING})
    done = recorded(work, "main.py", python_path=f"{work}/lib/site-packages")
    assert programs_in(done, work) == {"main.py"} and "PYTHONPATH" not in done.stderr


LOADS = """
import h5py, sys, runpy
import ctypes as c
import importlib.util as found
from importlib import import_module
from cffi_like import ffi

names = sys.argv[1:]
if names:
    c.CDLL(names[0]); c.CDLL(names[1])
    ffi.dlopen(names[0])
    import_module(names[0])
    runpy.run_path(names[0])
    found.spec_from_file_location("x", names[0])
    sys.path.insert(0, "lib")
    sys.path[0:0] = names
    exec(open(names[0]).read())
    eval(open(names[0]).read())
c.CDLL(None); c.CDLL("libc.so.6")
eval("1 + 1")
import_module("pkg.helping")
exec(open("more.py").read())
if names:
    c.CDLL("./beside.so"); c.CDLL("./gone.so")
h5py.File("in.h5")["used"][0]
"""
# By line.
NOT_FOLLOWED = {
    "10, 24": "ctypes.CDLL loads",
    "11": "cffi_like.ffi.dlopen loads",
    "12": "importlib.import_module loads",
    "13": "runpy.run_path runs",
    "14": "importlib.util.spec_from_file_location loads",
    "15": "sys.path.insert leads to",
    "16": "sys.path leads to",
    "17": "exec runs",
    "18": "eval runs",
}


def test_what_reading_the_source_does_not_tell_is_named(tmp_path: Path) -> None:
    work = tmp_path / "work"
    files = PACKAGE | {"main.py": LOADS, "more.py": "import pkg.unused", "beside.so": "no library"}
    write(work, files | {"cffi_like.py": "ffi = None\n"})
    done = recorded(work, "main.py")
    assert programs_in(done, work) == {*files, "cffi_like.py"}
    (one,) = json.loads(done.stdout)["left_out"]
    assert one["path"] == f"{work}/main.py"
    told = [
        f"{'lines' if ',' in lines else 'line'} {lines}: what {loader} is not looked for"
        for lines, loader in NOT_FOLLOWED.items()
    ]
    assert one["why"].split("; ") == told
    pack = json.loads(entries_of(tmp_path / "app.tar.zst")[0][1])
    assert pack["left_out"] == [one]
    done = quarry("pack", "t", "-o", "../app.tar.zst", cwd=work, env={"PYTHONPATH": ""})
    assert f"Not in it, though loaded by: {work}/main.py ({'; '.join(told)}).\n" in done.stdout


def test_what_installed_modules_load_is_not_named(tmp_path: Path) -> None:
    work = tmp_path / "work"
    library = work / "lib/site-packages"
    write(work, {"main.py": MAIN.format(module="helping")})
    write(library, {"helping.py": HELPING + "eval(open(__file__).read()) if 0 else 0\n"})
    done = recorded(work, "main.py", python_path=str(library))
    assert json.loads(done.stdout)["left_out"] == []


def test_code_on_the_command_line_is_named(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    code = "import h5py, sys\nh5py.File('in.h5')['used'][0]\n__import__(sys.argv[1])"
    done = recorded(work, "-c", code, "json")
    why = "code given with -c, line 3: what __import__ loads is not looked for"
    assert json.loads(done.stdout)["left_out"] == [{"path": str(work), "why": why}]
