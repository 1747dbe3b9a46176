#!/usr/bin/env python3
"""Checks libpapi's Fortran interface with gfortran.

  check_fortran.py ... program NAME   builds and runs programs/NAME; its last line says that all held
  check_fortran.py ... names          the programs together call every PAPIF_ name there is
  check_fortran.py ... spellings      the four spellings of a name are one function
  check_fortran.py ... constants      the headers say what papi.h says, and all that PAPI's own fpapi.h says
  check_fortran.py ... underscores    programs of compilers with other names link and run
Exit codes: 0, 1 (what is wrong is printed), 77 no gfortran.
"""

import argparse
import ctypes
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
PROGRAMS = sorted(p for p in (HERE / "programs").iterdir() if p.stem != "expect")
PRESETS = ROOT / "core" / "counting" / "presets" / "data" / "presets-software.csv"
FLAGS = ("-g", "-O1", "-Wall", "-Werror", "-fopenmp", "-fallow-argument-mismatch", "-Wno-argument-mismatch",
         "-ffixed-line-length-132", "-ffree-line-length-132", "-Wno-unused-dummy-argument")
PEER = pathlib.Path("/usr/include/fpapi.h")
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "scripts"))

import generate_fortran  # noqa: E402
from lib import papi_constants, papif_table  # noqa: E402


def run(command, **options):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False, **options)
    if done.returncode:
        sys.exit(" ".join(map(str, command)) + f"\nexit status {done.returncode}\n" + done.stdout + done.stderr)
    return done.stdout


class Builder:
    """Compiles in a folder of its own: two tests may run at a time."""

    def __init__(self, args, folder, flags=()):
        self.include, self.library, self.folder = args.include, args.library, pathlib.Path(folder)
        self.flags = (*FLAGS, *flags, f"-I{self.include}", f"-J{self.folder}")

    def object(self, source, *more):
        target = self.folder / (source.stem + ".o")
        run(["gfortran", *self.flags, *more, "-c", source, "-o", target])
        return target

    def program(self, source):
        parts = [self.object(HERE / "programs" / "expect.f90")]
        if re.search(r"^\s*use papi\b", source.read_text(), re.MULTILINE):
            parts.append(self.object(self.include / "papi.f90"))
        parts.append(self.object(source))
        target = self.folder / source.stem
        run(["gfortran", "-fopenmp", *parts, f"-L{self.library}", f"-Wl,-rpath,{self.library}", "-lpapi", "-o", target])
        return target


def run_program(target):
    """Gives what it said on standard error, and the reports that it wrote."""
    kept = {n: v for n, v in os.environ.items() if not n.startswith(("PAPI_", "CSINK_", "LD_"))}
    with tempfile.TemporaryDirectory() as scratch:
        kept.update(PAPI_CSV_EVENT_FILE=str(PRESETS), PAPI_OUTPUT_DIRECTORY=scratch,
                    PAPI_EVENTS="perf::TASK-CLOCK,perf::PAGE-FAULTS", OMP_WAIT_POLICY="passive")
        done = subprocess.run([target], env=kept, cwd=target.parent, timeout=60, capture_output=True, text=True,
                              check=False)
        written = [p.read_text() for p in pathlib.Path(scratch).rglob("*.json")]
    print(done.stdout + done.stderr, end="")
    if done.returncode or not re.search(r"^\d+ held, 0 failed$", done.stdout.strip(), re.MULTILINE):
        sys.exit(f"exit status {done.returncode}; the last line says that all held")
    return done.stderr, written


def program(args):
    source = next((p for p in PROGRAMS if p.stem == args.name), None)
    if source is None:
        sys.exit(f"no program {args.name}")
    with tempfile.TemporaryDirectory() as folder:
        said, written = run_program(Builder(args, folder).program(source))
    if source.stem == "region_calls" and not any('"region of a fortran program"' in text for text in written):
        sys.exit("the regions' report does not name the region")
    if source.stem == "thread_calls" and "message of the program: " not in said:
        sys.exit("PAPIF_perror does not tell its message")


def names(args):
    called = set()
    with tempfile.TemporaryDirectory() as folder:
        builder = Builder(args, folder)
        builder.object(args.include / "papi.f90")
        for source in PROGRAMS:
            found = run(["nm", "--undefined-only", builder.object(source)])
            called |= set(re.findall(r"\bpapif_(\w+)_$", found, re.MULTILINE))
    there = {row.name for row in generate_fortran.rows()}
    print(f"{len(called & there)} of {len(there)} names are called")
    if called != there:
        sys.exit(f"not called: {sorted(there - called)}; not in the table: {sorted(called - there)}")


def spellings(args):
    library = ctypes.CDLL(str(args.library / "libpapi.so"))
    rows = generate_fortran.rows()
    for row in rows:
        places = {ctypes.cast(getattr(library, s), ctypes.c_void_p).value for s in papif_table.spellings(row)}
        if len(places) != 1:
            sys.exit(f"PAPIF_{row.name}: its spellings are different functions")
    print(f"{len(rows)} names")


def defined(path):
    pairs = re.findall(r"^#define (\w+)\s+(.*)$", path.read_text(), re.MULTILINE)
    return {name: eval(value, {"__builtins__": {}}) for name, value in pairs}  # pylint: disable=eval-used


def constants(args):
    ours = defined(args.include / "fpapi.h")
    of_seven = papi_constants.constants(*(h.read_text() for h in generate_fortran.HEADERS[:2]))
    older = ours.keys() - of_seven.keys()
    for header, names_there in (("papi.h", of_seven), ("papi35.h", older)):
        checks = "".join(f"_Static_assert((int){n} == (int)({ours[n]}), \"{n}\");\n" for n in names_there
                         if not n.startswith("PAPIF_"))
        if checks:
            run([os.environ.get("CC", "cc"), "-fsyntax-only", "-xc", "-"],
                input=f'#include "{generate_fortran.INCLUDE}/{header}"\n' + checks)
    for name in ("f77papi.h", "f90papi.h"):
        text = (args.include / name).read_text()
        found = dict(re.findall(r"(?:PARAMETER \(| :: )(\w+) ?= ?(.*?)\)?$", text, re.MULTILINE))
        if found.keys() != ours.keys():
            sys.exit(f"{name} has other names than fpapi.h: {sorted(found.keys() ^ ours.keys())}")
    print(f"{len(ours)} constants")
    if not PEER.is_file():
        print(f"not compared with PAPI's: no {PEER} (package libpapi-dev)")
        return
    peer = defined(PEER)
    wrong = [f"{n}: PAPI {v}, ours {ours.get(n)}" for n, v in peer.items() if ours.get(n) != v]
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"all {len(peer)} of PAPI's own")


def later_constants(_):
    """Those of PAPI 7.1 to 7.3 are what papi.h of the version says."""
    for abi in (71, 72, 73):
        values = generate_fortran.constants(abi)
        checks = "".join(f"_Static_assert((int){n} == (int)({v}), \"{n}\");\n" for n, v in values.items()
                         if not n.startswith("PAPIF_"))
        folder = generate_fortran.INCLUDE / f"papi-7.{abi % 10}"
        run([os.environ.get("CC", "cc"), "-fsyntax-only", "-xc", "-"], input=f'#include "{folder}/papi.h"\n' + checks)
        version = values["PAPI_VER_CURRENT"] >> 16
        if version != 0x700 + abi % 10 or (abi >= 72) != ("PAPI_PRESET_ENUM_CPU" in values) or \
                (abi >= 73) != ("PAPI_HP_OPS" in values):
            sys.exit(f"version {version:#x}, and the constants of another one")
        print(f"PAPI 7.{abi % 10}: {len(values)} constants")


def underscores(args):
    # -fno-underscoring would rename the program's own helper, too: all parts are built alike.
    for flags in (("-fno-underscoring",), ("-fsecond-underscore",)):
        with tempfile.TemporaryDirectory() as folder:
            source = HERE / "programs" / "fixed_form.F"
            run_program(Builder(args, folder, flags).program(source))


COMMANDS = {"program": program, "names": names, "spellings": spellings, "constants": constants,
            "later_constants": later_constants,
            "underscores": underscores}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--library", type=pathlib.Path, required=True, help="folder with libpapi.so")
    parser.add_argument("--include", type=pathlib.Path, required=True, help="folder with fpapi.h and papi.f90")
    parser.add_argument("what", choices=COMMANDS)
    parser.add_argument("name", nargs="?")
    args = parser.parse_args()
    args.library, args.include = args.library.resolve(), args.include.resolve()
    if args.what in ("program", "names", "underscores") and not shutil.which("gfortran"):
        print("skipped: no gfortran (package gfortran)")
        sys.exit(77)
    COMMANDS[args.what](args)


if __name__ == "__main__":
    main()
