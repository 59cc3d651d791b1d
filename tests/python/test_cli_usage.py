"""Help, versions, completion, and what is said to somebody who has mistyped."""

import shutil
import subprocess
from pathlib import Path

import pytest

from cli import QUARRY, REPOSITORY, quarry

VERBS = [
    "run", "env", "ls", "summary", "export", "report", "live", "advise", "what-if",
    "diff", "carve", "explain", "verify", "pack", "unpack", "doctor", "completion",
]  # fmt: skip


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["doctr"], "`doctor`"),
        (["rnu", "--", "ls"], "`run`"),
        (["--versoin"], "`--version`"),
        (["run", "--witnes", "d", "--", "ls"], "`--witness`"),
        (["run", "--requier", "ls"], "`--require`"),
        (["doctor", "--jsn"], "`--json`"),
        (["env", "--shel", "sh"], "`--shell`"),
    ],
)
def test_suggests_what_was_meant(words: list[str], meant: str) -> None:
    done = quarry(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"Did you mean {meant}?" in done.stderr


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["frobnicate"],
        ["run"],
        ["run", "--"],
        ["run", "--witness"],
        ["env", "extra"],
        ["env", "--shell", "cobol"],
        ["completion"],
        ["completion", "powershell"],
        ["run", "--carved", "", "--", "true"],
        ["run", "--carved=", "--", "true"],
        ["unpack", "app.tar.zst", "-C", ""],
        ["unpack", "app.tar.zst", "--max-size", "-1"],
        ["carve", "-o", "small", "--keep-below", "-5"],
        ["carve", "-o", "small", "--keep-below=-5K"],
        ["pack", "-o", "app.tar.zst", "--outputs-below", "-1"],
        ["run", "--max-size", "-1", "--", "true"],
    ],
)
def test_wrong_usage_is_exit_code_2(words: list[str]) -> None:
    done = quarry(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr


def test_help_shows_every_verb_with_examples() -> None:
    overview = quarry("--help")
    assert overview.returncode == 0
    assert "Examples:" in overview.stdout
    for verb in VERBS:
        assert f"  {verb} " in overview.stdout
        done = quarry(verb, "--help")
        assert done.returncode == 0
        assert f"Usage: quarry {verb}" in done.stdout
        assert "Examples:" in done.stdout
        assert quarry("help", verb).stdout == done.stdout


def test_help_of_options_that_may_be_given_again() -> None:
    lines = {
        line.split()[0]: line for line in quarry("carve", "--help").stdout.splitlines() if line
    }
    for option in ("--task", "--file", "--keep", "--drop"):
        assert "..." not in lines[option] and "may be given several times" in lines[option]
    assert "several times" not in lines["--jobs"]
    assert "..." in lines["traces"], "of which several are given at once"


def test_what_there_is_to_run_is_asked_for() -> None:
    done = quarry("run", "--carved", "small")
    assert "needs a command to run: `quarry run [options] -- COMMAND...`. See" in done.stderr


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["explain", "nope"], "nope cannot be opened: No such file or directory. `quarry carve"),
        (["unpack", "nope.tar.zst"], "nope.tar.zst cannot be read: No such file or directory.\n"),
    ],
)
def test_what_is_not_there_is_said_to_be_missing(words: list[str], why: str) -> None:
    done = quarry(*words)
    assert done.returncode == 125 and done.stderr.startswith(f"quarry: {why}")


def test_version_names_the_plugin() -> None:
    done = quarry("--version")
    assert done.returncode == 0
    assert done.stdout.startswith("quarry ")
    assert str(QUARRY.parents[1] / "lib/quarry/libquarry_connector.so") in done.stdout


def complete(*words: str) -> list[str]:
    """What bash would offer for the last word."""
    script = f"""
        eval "$("{QUARRY}" completion bash)"
        COMP_WORDS=({" ".join(f"'{word}'" for word in words)}); COMP_CWORD={len(words) - 1}
        _quarry; printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    done = subprocess.run(
        ["bash", "--norc", "-c", script], capture_output=True, text=True, check=True
    )
    return done.stdout.split()


def test_bash_completes_verbs_and_options() -> None:
    assert complete("quarry", "do") == ["doctor"]
    assert set(VERBS) <= set(complete("quarry", ""))
    assert complete("quarry", "run", "--wi") == ["--witness"]
    assert complete("quarry", "env", "--shell", "f") == ["fish"]
    assert complete("quarry", "completion", "z") == ["zsh"]
    assert "env" in complete("quarry", "run", "--", "en")


@pytest.mark.parametrize("verb", VERBS)
def test_completion_and_manual_know_every_option(verb: str) -> None:
    text = quarry(verb, "--help").stdout
    options = {
        word.split(",")[-1]
        for line in text.splitlines()
        for word in line.split()[:1]
        if word.startswith("-")
    }
    manual = (REPOSITORY / "docs/man/quarry.1").read_text()
    zsh = quarry("completion", "zsh").stdout
    for option in options:
        assert option in complete("quarry", verb, "--"), option
        assert option == "--help" or option in zsh, option
        assert f"Fl -{option.removeprefix('--')}" in manual, option


def test_zsh_script_is_valid() -> None:
    if shutil.which("zsh") is None:
        pytest.skip("needs zsh")
    script = quarry("completion", "zsh").stdout
    subprocess.run(["zsh", "-n", "-c", script], check=True)


def test_manual_is_well_formed() -> None:
    page = REPOSITORY / "docs/man/quarry.1"
    if shutil.which("mandoc"):
        subprocess.run(["mandoc", "-T", "lint", "-W", "warning", str(page)], check=True)
    if shutil.which("man") is None:
        pytest.skip("needs man")
    done = subprocess.run(
        ["man", "--warnings", "-l", str(page)], check=False, capture_output=True, text=True
    )
    assert done.stderr == ""


def test_env_works_in_a_shell(tmp_path: Path) -> None:
    proof = tmp_path / "a 'strange' $place"
    script = f'eval "$("{QUARRY}" env --witness "$1")"; printenv HDF5_VOL_CONNECTOR'
    done = subprocess.run(
        ["sh", "-c", script, "sh", str(proof)], capture_output=True, text=True, check=True
    )
    assert f"witness={{{proof}}}" in done.stdout
    assert proof.is_dir()


def test_env_says_what_it_cannot_express(tmp_path: Path) -> None:
    done = quarry("env", "--witness", tmp_path / "brace}")
    assert (done.returncode, done.stdout) == (125, "")
    assert "braces" in done.stderr


@pytest.mark.parametrize("words", (["--help"], ["ls", "--help"], ["completion", "bash"]))
def test_output_that_cannot_be_written_is_a_failure(words: list[str]) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [QUARRY, *words], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 125
    assert done.stderr == "quarry: The output cannot be written: No space left on device.\n"


def test_names_do_not_reach_the_terminal_as_they_are(tmp_path: Path) -> None:
    done = quarry("explain", "a\x1b[31m\n", cwd=tmp_path)
    assert done.returncode == 125
    assert "quarry: a\\x1b[31m\\x0a " in done.stderr and "\x1b" not in done.stderr
