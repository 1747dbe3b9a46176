#!/usr/bin/env python3
"""Checks that unit tests lie where the code lies: tests/FOLDER/x_test.cpp for the code of FOLDER.

Holds for tests of the rooms in ROOMS. What tests whole programs has folders of its own below tests/
(e2e, conformance, install, ...).
"""

from lib import checks

ROOMS = ("agent", "core", "profil", "symbolizer", "compat")
SOURCES = {".h", ".cpp", ".c"}


def problems_in(root):
    names = [str(path) for path in checks.tracked_files(root, SOURCES)]
    folders = {name.rpartition("/")[0] for name in names if not name.startswith("tests/")}
    tests = [name for name in names
             if name.endswith("_test.cpp") and name.startswith(tuple(f"tests/{room}/" for room in ROOMS))]
    problems = []
    for name in tests:
        folder = name.rpartition("/")[0].removeprefix("tests/")
        if folder not in folders:
            problems.append(f"{name}: there is no folder {folder}/ that it could test")
    return problems, len(tests)


def self_test():
    test = checks.SelfTest()
    good = {
        "core/perf/x.cpp": "", "tests/core/perf/x_test.cpp": "", "tests/e2e/y_test.cpp": "",
        "tests/core/perf/helper.h": "",
    }
    folder = test.tree(good)
    test.expect("a mirrored tree", problems_in(checks.pathlib.Path(folder.name))[0])
    folder = test.tree({**good, "tests/core/overflow/x_test.cpp": ""})
    test.expect("a test of no folder", problems_in(checks.pathlib.Path(folder.name))[0], "no folder core/overflow/")
    test.exit()


if __name__ == "__main__":
    checks.main(__doc__, lambda args: problems_in(args.root), lambda args: self_test())
