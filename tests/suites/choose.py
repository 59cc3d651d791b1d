"""Makes the lists of `make test` anew, after a run with --whole: fast tests, of every kind a few.

Usage: python tests/suites/choose.py
"""

import json
from collections import Counter, defaultdict

from suites import HERE, REPOSITORY

SECONDS = 0.5  # a test that takes longer waits for `make test-all`
INSTANCES = {"netcdf4-python": 100, "h5netcdf": 3, "xarray": 2}  # of each test function


def choose(outcomes: dict[str, str], seconds: dict[str, float], instances: int) -> list[str]:
    """Some instances of every test function, drawn from the classes that have given least so far."""
    functions = defaultdict(list)
    for test in sorted(outcomes):
        if (
            outcomes[test].startswith(("passed", "xfailed"))
            and seconds.get(test, SECONDS) < SECONDS
        ):
            file_and_class, _, function = test.partition("[")[0].rpartition("::")
            functions[file_and_class.partition("::")[0], function].append((file_and_class, test))
    given = Counter()
    chosen = []
    for candidates in functions.values():
        for _ in range(min(instances, len(candidates))):
            pick = min(candidates, key=lambda candidate: given[candidate[0]])
            candidates.remove(pick)
            given[pick[0]] += 1
            chosen.append(pick[1])
    return sorted(chosen)


def main() -> None:
    for name, instances in INSTANCES.items():
        run = json.loads((REPOSITORY / f"build/suites/{name}-baseline-1.json").read_text())
        tests = choose(run["outcomes"], run["seconds"], instances)
        (HERE / "lists" / f"{name}.txt").write_text("\n".join(tests) + "\n")
        print(f"{name}: {len(tests)} of {len(run['outcomes'])} tests")


if __name__ == "__main__":
    main()
