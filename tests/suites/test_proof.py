"""The proof itself: it must fail wherever the connector was missing, or present uninvited."""

import json

from proof import LAYERS, Process, Witness, lacking_proof, read_processes, read_witnesses, unwanted

MAIN = Process(1, ("/lib/libhdf5.so", "/lib/libhdf5-2.so"))
CHILD = Process(2, ("/lib/libhdf5.so",), started_by="a.py::b")
WITNESSES = [
    Witness(1, "/lib/libhdf5.so", LAYERS),
    Witness(1, "/lib/libhdf5-2.so", LAYERS),
    Witness(2, "/lib/libhdf5.so", ()),
]


def test_complete_proof():
    assert lacking_proof([MAIN, CHILD], WITNESSES, main=1, beyond_reach={}) == []


def test_every_library_of_every_process_needs_a_witness():
    assert lacking_proof([MAIN, CHILD], WITNESSES[:1], main=1, beyond_reach={}) == [
        "no witness from process 1 (the first one) with /lib/libhdf5-2.so",
        "no witness from process 2 (a.py::b) with /lib/libhdf5.so",
    ]


def test_main_process_must_reach_both_layers():
    bound_only = [Witness(1, library, ("object-layer",)) for library in MAIN.libraries[:1]]
    assert lacking_proof([Process(1, MAIN.libraries[:1])], bound_only, main=1, beyond_reach={}) == [
        "the byte-layer was never reached in process 1 (the first one) with /lib/libhdf5.so"
    ]


def test_main_process_must_report():
    assert lacking_proof([CHILD], WITNESSES, main=1, beyond_reach={}) == [
        "the first process (1) did not report which HDF5 it had"
    ]


def test_exemptions_are_by_the_test_that_started_the_process():
    exempt = {"a.py::b": "a reason"}
    assert lacking_proof([MAIN, CHILD], WITNESSES[:2], main=1, beyond_reach=exempt) == []
    other = Process(3, ("/lib/libhdf5.so",), started_by="a.py::c", forked=True)
    assert lacking_proof([MAIN, other], WITNESSES, main=1, beyond_reach=exempt) == [
        "no witness from forked process 3 (a.py::c) with /lib/libhdf5.so"
    ]


def test_unselected_connector_is_found():
    mapped = Process(1, ("/lib/libhdf5.so",), connector=("/q/libquarry_connector.so",))
    assert unwanted([mapped], [], plugin_on_path=True) == []
    assert len(unwanted([mapped], [], plugin_on_path=False)) == 1
    assert len(unwanted([], WITNESSES, plugin_on_path=True)) == 3


def test_files_are_read_with_links_resolved(tmp_path):
    library = tmp_path / "root/usr/lib/libhdf5.so.310"
    library.parent.mkdir(parents=True)
    library.touch()
    (tmp_path / "root/lib").symlink_to("usr/lib")
    root = tmp_path / "root"
    for name in ("witness", "processes"):
        (tmp_path / name).mkdir()
    (tmp_path / "witness/7-0").write_text(
        "library /lib/libhdf5.so.310 1.14.5\nobject-layer\nbyte-layer\n"
    )
    record = {
        "pid": 7,
        "libraries": ["/usr/lib/libhdf5.so.310"],
        "connector": [],
        "started_by": "",
        "forked": False,
    }
    (tmp_path / "processes/7.json").write_text(json.dumps(record))
    processes = read_processes(tmp_path / "processes", root)
    witnesses = read_witnesses(tmp_path / "witness", root)
    assert processes == [Process(7, (str(library),))]
    assert witnesses == [Witness(7, str(library), LAYERS)]
    assert lacking_proof(processes, witnesses, main=7, beyond_reach={}) == []
