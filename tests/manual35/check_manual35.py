#!/usr/bin/env python3
"""Compiles the examples of the PAPI 3.5 manual against papi.h with PAPI_API_35 and against papi35.h, as
every C and C++ of programs from 2006 to now, and runs them over libpapi.

Each file of pages/ is one page of the manual, with the page's examples in it and checks of what they
give; its first comment says which typing mistakes of the manual were mended. Lines of a page:
  /* presets: clock */   PAPI_TOT_INS counts nanoseconds; without it, page faults
  /* prints: REGEX */    is found in the program's standard output
  /* errors: REGEX */    is found in its standard error; without it, nothing is printed there
Every function of the manual's C interface (functions.txt) must be used by a page.
"""

import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT / "scripts")]

from lib import checks  # noqa: E402

WARNINGS = ["-Wall", "-Wextra", "-Werror"]
BY_SWITCH, BY_HEADER = ["-DPAPI_API_35"], ["-include", "papi35.h"]
# The ends of what programs are written in, each by one of the two ways; tests/abi compiles the headers in
# what lies between. The first of a language is the one that is run.
C = [("gnu99", BY_SWITCH), ("gnu2x", BY_HEADER)]
CXX = [("gnu++20", BY_HEADER), ("gnu++11", BY_SWITCH)]

PRESETS = """CPU,perf
PRESET,PAPI_TOT_CYC,NOT_DERIVED,perf::CPU-CLOCK
PRESET,PAPI_TOT_INS,NOT_DERIVED,{tot_ins}
PRESET,PAPI_L1_LDM,NOT_DERIVED,perf::MINOR-FAULTS
PRESET,PAPI_FP_INS,NOT_DERIVED,perf::CPU-CLOCK:u=1:k=1
PRESET,PAPI_FP_OPS,NOT_DERIVED,perf::TASK-CLOCK:u=1:k=1
EVENT,PM_CYC,NOT_DERIVED,perf::CPU-CLOCK
"""
TOT_INS = {"faults": "perf::PAGE-FAULTS,NOTE,'page faults'", "clock": "perf::TASK-CLOCK"}

# What must not compile, with the words that say why.
REFUSED = {
    "papi35.h after 7.0's papi.h": ("#include <papi.h>\n#include <papi35.h>\n", "define PAPI_API_35"),
    "the switch after 7.0's papi.h": ("#include <papi.h>\n#define PAPI_API_35\n#include <papi.h>\n",
                                      "define PAPI_API_35"),
    "7.0's PAPI_perror in a program of 3.5": ('#include <papi35.h>\nvoid f(void) { PAPI_perror("f"); }\n',
                                              "PAPI_perror|argument"),
    "3.5's PAPI_perror in a program of 7.0": (
        "#include <papi.h>\nvoid f(char* d) { PAPI_perror(-1, d, 8); }\n", "PAPI_perror|argument"),
}


class Page:
    def __init__(self, path):
        self.path, self.name, self.text = path, path.stem, path.read_text()

    def lines(self, word):
        return re.findall(rf"^/\* {word}: (.*) \*/$", self.text, re.MULTILINE)

    def presets(self):
        return (self.lines("presets") or ["faults"])[0]


class Work:
    def __init__(self, args, scratch):
        self.args, self.scratch = args, pathlib.Path(scratch)
        for name, native in TOT_INS.items():
            (self.scratch / f"{name}.csv").write_text(PRESETS.format(tot_ins=native))

    def compile(self, page, language, standard, way, *more):
        compiler = self.args.cxx if language == "c++" else self.args.cc
        done = subprocess.run(
            [compiler, "-x", language, f"-std={standard}", *way, *WARNINGS, "-I", str(self.args.include),
             str(page.path), *more], capture_output=True, text=True, check=False)
        if done.returncode == 0:
            return []
        errors = [line for line in done.stderr.splitlines() if "error" in line] or [done.stderr.strip()]
        return [f"{page.name}: {pathlib.Path(compiler).name} -std={standard} {way[0]}: {errors[0]}"]

    def run(self, page, program):
        environment = {**os.environ, "PAPI_CSV_EVENT_FILE": str(self.scratch / f"{page.presets()}.csv")}
        environment.pop("PAPI_EVENTS", None)
        folder = self.scratch / f"in_{program.name}"  # pages write files into the folder where they are
        folder.mkdir()
        try:
            done = subprocess.run([str(program)], env=environment, cwd=folder, capture_output=True, text=True,
                                  timeout=60, check=False)
        except subprocess.TimeoutExpired:
            return [f"{program.name}: still running after a minute"]
        problems = []
        if done.returncode != 0:
            problems.append(f"{program.name}: exit status {done.returncode}: {done.stderr.strip()[:300]}")
        for wanted in page.lines("prints"):
            if not re.search(wanted, done.stdout, re.MULTILINE):
                problems.append(f"{program.name}: does not print {wanted}: {done.stdout[:200]!r}")
        for wanted in page.lines("errors"):
            if not re.search(wanted, done.stderr, re.MULTILINE):
                problems.append(f"{program.name}: no {wanted} on standard error: {done.stderr[:200]!r}")
        if not page.lines("errors") and done.returncode == 0 and done.stderr:
            problems.append(f"{program.name}: says on standard error {done.stderr[:200]!r}")
        return problems

    def page(self, page):
        """Its problems, and how often it was compiled and run."""
        problems, compiled, ran = [], 0, 0
        folder = self.args.library.resolve()
        library = ["-L", str(folder), f"-Wl,-rpath,{folder}", "-lpapi", "-pthread"]
        for language, standards in (("c", C), ("c++", CXX)):
            program = self.scratch / f"{page.name}_{'c' if language == 'c' else 'cpp'}"
            for i, (standard, way) in enumerate(standards):
                more = ["-O1", "-o", str(program), "-x", "none", *library] if i == 0 else ["-fsyntax-only"]
                found = self.compile(page, language, standard, way, *more)
                problems += found
                compiled += 1
                if i == 0 and not found:
                    problems += self.run(page, program)
                    ran += 1
        return problems, compiled, ran

    def refused(self, what, source, words):
        problems = []
        for language, compiler in (("c", self.args.cc), ("c++", self.args.cxx)):
            done = subprocess.run([compiler, "-x", language, "-fsyntax-only", "-I", str(self.args.include), "-"],
                                  input=source, capture_output=True, text=True, check=False)
            if done.returncode == 0 or not re.search(words, done.stderr):
                problems.append(f"{what}: {language} takes it, or does not say why not: {done.stderr[:200]!r}")
        return problems


def unused(functions, pages):
    words = set(re.findall(r"\w+", "\n".join(p.text for p in pages)))
    return [f"{name} of the manual is used by no page" for name in functions if name not in words]


def problems_of(args, paths, functions, refused):
    pages = [Page(p) for p in paths]
    problems = unused(functions, pages)
    with tempfile.TemporaryDirectory(prefix="csink-manual35-") as scratch:
        work = Work(args, scratch)
        with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            for page, (found, compiled, ran) in zip(pages, pool.map(work.page, pages)):
                print(f"{'FAILED' if found else 'ok'} - {page.name}: compiled {compiled} times, run {ran} times")
                problems += found
        for what, (source, words) in refused.items():
            problems += work.refused(what, source, words)
    return problems


def self_test(args):
    test = checks.SelfTest()
    good = '#include <papi.h>\n#include <stdio.h>\nint main(void) { puts(PAPI_strerror(0)); return 0; }\n'
    planted = {
        "a page as it should be": (good, []),
        "another output": ("/* prints: ^Error$ */\n" + good, ["page_c: does not print", "page_cpp: does not print"]),
        "no word on standard error": ("/* errors: x */\n" + good, ["page_c: no x", "page_cpp: no x"]),
        "a word too many": (good.replace("puts(", "fputs(").replace("(0)", "(0), stderr"),
                            ["page_c: says", "page_cpp: says"]),
        "an exit status": (good.replace("return 0", "return 3"), ["page_c: exit status 3", "page_cpp: exit status 3"]),
        "what is C alone": (good.replace("return 0", "int new = 0; return new"), ["gnu++"] * len(CXX)),
        "what 3.5 does not have": (good.replace("PAPI_strerror(0)", "(PAPI_perror(\"\"), \"\")"),
                                   ["page: "] * (len(C) + len(CXX))),
    }
    for what, (text, words) in planted.items():
        folder = test.tree({"page.c": text})
        path = pathlib.Path(folder.name, "page.c")
        test.expect(what, problems_of(args, [path], ["PAPI_strerror"] if "PAPI_strerror" in text else [], {}), *words)
    folder = test.tree({"page.c": good})
    path = pathlib.Path(folder.name, "page.c")
    test.expect("a function that no page uses", problems_of(args, [path], ["PAPI_x"], {}), "PAPI_x")
    test.expect("what compiles though it must not", problems_of(args, [path], [], {"good": (good, "x")}),
                "good: c takes it", "good: c++ takes it")
    test.exit()


def add_options(options):
    options.add_argument("--cc", default=os.environ.get("CC", "cc"))
    options.add_argument("--cxx", default=os.environ.get("CXX", "c++"))
    options.add_argument("--include", type=pathlib.Path, default=ROOT / "compat/papi/include")
    options.add_argument("--library", type=pathlib.Path, help="the folder of libpapi.so")
    options.add_argument("--only", help="pages whose name has this in it")


def check(args):
    if not args.library or not list(args.library.glob("libpapi.so*")):
        checks.skip(f"no libpapi.so ({args.library or 'no --library given'})")
    paths = [p for p in sorted((HERE / "pages").glob("*.c")) if not args.only or args.only in p.stem]
    functions = [] if args.only else (HERE / "functions.txt").read_text().split()
    return problems_of(args, paths, functions, REFUSED), len(paths)


if __name__ == "__main__":
    checks.main(__doc__, check, self_test, add_options)
