#!/usr/bin/env python3
"""Checks that every header compiles alone: alone, twice (so it has #pragma once) and, for headers
that say `extern "C"`, as C too. Warnings count as errors.

A header that a C++ source of the build includes first has been compiled alone by the build itself, with the same
warnings; of such a header only the #pragma once is looked for. That is most of them. The others are compiled through
ccache where there is one: a header whose text and whose includes are unchanged is found there.
"""

import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile

from lib import checks

CXX_FLAGS = ["-std=c++20", "-x", "c++"]
C_FLAGS = ["-std=c11", "-x", "c"]
# Compiles to an (almost empty) object, because ccache does not store results of -fsyntax-only.
FLAGS = ["-c", "-O0", "-Wall", "-Wextra", "-Werror"]
LAUNCHER = ["ccache"] if shutil.which("ccache") else []
# Public headers are included as users do it; those of an installed tree are not meant.
PUBLIC = ["compat/papi/include", "compat/apapi/include", "compat/events/include"]
DEFINITIONS = ["-D_GNU_SOURCE"]


FIRST_INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
PRAGMA_ONCE = re.compile(r"^#pragma once$", re.MULTILINE)


def commands(build):
    path = build / "compile_commands.json" if build else None
    return json.loads(path.read_text()) if path and path.is_file() else []


def included_first(root, build):
    """The headers that some C++ source of the build includes before all others."""
    found = set()
    for entry in commands(build):
        source = pathlib.Path(entry["file"])
        # A precompiled header comes before the first one; a generated source may not be there yet.
        if source.suffix != ".cpp" or "cmake_pch" in entry["command"] or not source.is_file():
            continue
        first = FIRST_INCLUDE.search(before_angle_brackets(source.read_text(errors="replace")))
        if first and (root / first.group(1)).is_file():
            found.add(pathlib.PurePosixPath(first.group(1)))
    return found


def before_angle_brackets(text):
    """What stands before the first `#include <`, which would come before the header."""
    return re.split(r"^\s*#\s*(?:include\s+<|define)", text, maxsplit=1, flags=re.MULTILINE)[0]


def definitions(build):
    """folder -> the -D options of its sources, from the build's compile_commands.json. A folder that has
    headers alone (what several folders of tests share) has the options of the sources below it."""
    found, below = {}, {}
    for entry in commands(build):
        words = entry.get("arguments") or shlex.split(entry["command"])
        options = {w.split("=")[0]: w for w in words if w.startswith("-D")}
        folder = pathlib.Path(entry["file"]).parent
        found.setdefault(folder, {}).update(options)
        for above in folder.parents:
            below.setdefault(above, {}).update(options)
    return {folder: list(options.values()) for folder, options in {**below, **found}.items()}


def compile_alone(compiler, root, header, language, folder):
    # ccache does not support sources on standard input.
    name = str(header).replace("/", ".")
    suffix = ".c" if language[-1] == "c" else ".cpp"
    source = pathlib.Path(folder, name + suffix)
    source.write_text(f'#include "{header}"\n#include "{header}"\n')
    folders = [f"-I{root / folder}" for folder in ("", *PUBLIC)]
    command = [*LAUNCHER, compiler, *FLAGS, *language, *folders, source.name, "-o", source.name + ".o"]
    # The same settings as in the build (scripts/lib/compiler_cache.sh).
    environment = {"CCACHE_BASEDIR": str(root), "CCACHE_NOHASHDIR": "1", **os.environ}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return None
    errors = [l for l in done.stderr.splitlines() if "error" in l] or [done.stderr.strip()]
    return f"{header}: does not compile alone: {errors[0]}"


def problems_in(root, compiler, c_compiler, build=None):
    jobs, options, compiled = [], definitions(build), included_first(root, build)
    by_the_build = 0
    for path in checks.tracked_files(root, {".h", ".hpp"}):
        text = (root / path).read_text(errors="replace")
        extra = options.get((root / path).parent, DEFINITIONS)
        if path in compiled and PRAGMA_ONCE.search(text):
            by_the_build += 1
        else:
            jobs.append((compiler, root, path, [*CXX_FLAGS, *extra]))
        if "__cplusplus" in text:
            jobs.append((c_compiler, root, path, [*C_FLAGS, *extra]))
    # In the build folder: paths relative to it are the same in each clone, as ccache needs it.
    with (tempfile.TemporaryDirectory(prefix="headers-", dir=build) as folder,
          concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool):
        answers = list(pool.map(lambda job: compile_alone(*job, folder), jobs))
    return [a for a in answers if a], len(jobs) + by_the_build


def self_test(compiler, c_compiler):
    test = checks.SelfTest()
    good = "#pragma once\n#include <string>\nstd::string Name();\n"
    c_good = "#pragma once\n#ifdef __cplusplus\nextern \"C\" {\n#endif\nint f(void);\n#ifdef __cplusplus\n}\n#endif\n"
    planted = {
        "a missing include": "#pragma once\nstd::string Name();\n",
        "no include guard": "struct Twice {};\n",
        "an unused parameter": "#pragma once\ninline int f(int unused) { return 0; }\n",
        "a C header that is not C": c_good + "bool g(int& x);\n",
    }
    folder = test.tree({"a/good.h": good, "a/c_good.h": c_good})
    test.expect("clean headers", problems_in(checks.pathlib.Path(folder.name), compiler, c_compiler)[0])
    for what, text in planted.items():
        folder = test.tree({"a/good.h": good, "a/bad.h": text})
        found = problems_in(checks.pathlib.Path(folder.name), compiler, c_compiler)[0]
        test.expect(what, found, "a/bad.h")
    self_test_of_a_build(test, compiler, c_compiler)
    test.exit()


def self_test_of_a_build(test, compiler, c_compiler):
    """Only what a source includes first is left to the build, and only with its #pragma once."""
    bad = "#pragma once\nstd::string Name();\n"
    folder = test.tree({
        "a/first.h": bad, "a/first.cpp": '// why\n#include "a/first.h"\n',
        "a/second.h": bad, "a/second.cpp": '#include <string>\n\n#include "a/second.h"\n',
        "a/twice.h": "#include <string>\nstruct Twice {};\n", "a/twice.cpp": '#include "a/twice.h"\n'})
    root = pathlib.Path(folder.name)
    build = root / "build"
    build.mkdir()
    (build / "compile_commands.json").write_text(json.dumps(
        [{"file": str(root / f"a/{name}.cpp"), "command": "c++ -c"} for name in ("first", "second", "twice")]))
    found = problems_in(root, compiler, c_compiler, build)[0]
    test.expect("a header that comes second", [f for f in found if "twice" not in f], "a/second.h")
    test.expect("a header without #pragma once", [f for f in found if "second" not in f], "a/twice.h")


def add_options(options):
    options.add_argument("--compiler", default=os.environ.get("CXX", "c++"))
    options.add_argument("--c-compiler", default=os.environ.get("CC", "cc"))
    options.add_argument("--build", type=pathlib.Path, help="a build folder with compile_commands.json")


if __name__ == "__main__":
    checks.main(__doc__, lambda args: problems_in(args.root, args.compiler, args.c_compiler, args.build),
                lambda args: self_test(args.compiler, args.c_compiler), add_options)
