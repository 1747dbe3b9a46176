#!/usr/bin/env python3
"""Checks libpapi.so.7.1, 7.2 and 7.3, the ABI libraries over libpapi.so.7.0.

* Exports: every name of exports_71_72.txt, which are those of PAPI's own; beside them those that
  exports_35.txt has, and nothing else.
* File name, soname and links as a program that was linked with PAPI's wants them.
* NEEDED: the core by its own name, and libc at most; the core by that name is libpapi.so.7.0's file.
* What the core shows for them is what they ask for.
"""

import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT / "scripts")]

import check_exports  # noqa: E402
import check_papi_library  # noqa: E402
from lib import checks  # noqa: E402

CORE = "libcsink_papi.so.0"
NEEDED = {CORE, "libc.so.6"}


def spellings(path, also_upper=False):
    """The names of a list; "fortran papif_x" stands for papif_x_, papif_x__ and PAPIF_X, or what follows."""
    names = set()
    for words in check_papi_library.lines_of(path):
        if words[0] != "fortran":
            names.update(words)
            continue
        upper = {words[2] if len(words) > 2 else words[1].upper()}
        names |= {words[1] + "_", words[1] + "__"} | upper | ({words[1].upper()} if also_upper else set())
    return names


def problems_of_names(exported, reference, allowed):
    return [f"{n} is PAPI's, and not exported" for n in sorted(reference - exported)] + \
        [f"{n} is exported, and on no list" for n in sorted(exported - reference - allowed)]


def problems_of_core(wanted, shown):
    return [f"{n} is asked for, and the core does not show it" for n in sorted(wanted - shown)]


def problems_of_file(library, version):
    problems = []
    dynamic = check_exports.readelf("-d", library)
    needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic))
    problems += [f"NEEDS {n}" for n in sorted(needed - NEEDED)]
    problems += [] if CORE in needed else [f"does not need {CORE}"]
    soname = re.findall(r"\(SONAME\).*\[(.*)\]", dynamic)
    if soname != [f"libpapi.so.{version}"]:
        problems.append(f"soname {soname}, not libpapi.so.{version}")
    if re.search(r"\(VERDEF\)", dynamic):
        problems.append("its symbols have versions")
    if "TEXTREL" in dynamic:
        problems.append("has text relocations")
    if "BIND_NOW" not in dynamic and "NOW" not in dynamic:
        problems.append("its functions are looked up at their first call, which a signal handler may make")
    if library.resolve().name != f"libpapi.so.{version}.0.0":
        problems.append(f"{library.name} is {library.resolve().name}")
    return problems


def self_test():
    test = checks.SelfTest()
    test.expect("names as they should be", problems_of_names({"a", "b"}, {"a"}, {"b"}))
    test.expect("a name too few", problems_of_names({"b"}, {"a"}, {"b"}), "a is PAPI's")
    test.expect("a name too many", problems_of_names({"a", "c"}, {"a"}, {"b"}), "c is exported, and on no list")
    test.expect("a name that the core lacks", problems_of_core({"papi_core_PAPI_a"}, set()), "papi_core_PAPI_a is")
    folder = test.tree({"list": "c\nfortran papif_a\nfortran papif_b PAPIF_b\n", "x.c": "int f(void) { return 1; }"})
    here = pathlib.Path(folder.name)
    test.expect("the spellings", spellings(here / "list") ^ {
        "c", "papif_a_", "papif_a__", "PAPIF_A", "papif_b_", "papif_b__", "PAPIF_b"})
    check_papi_library.subprocess.run([check_papi_library.os.environ.get("CC", "cc"), "-shared", "-fPIC", str(here / "x.c"),
                                       "-Wl,-soname,libpapi.so.6", "-Wl,-z,lazy", "-o", str(here / "libx.so")], check=True)
    test.expect("a strange file", problems_of_file(here / "libx.so", "7.2"), f"does not need {CORE}", "soname",
                "at their first call", "libx.so is")
    test.exit()


def add_options(options):
    options.add_argument("--core", type=pathlib.Path, help="libpapi.so of a build")
    options.add_argument("--abis", type=pathlib.Path, nargs="*", default=[], help="libpapi.so of each, by VERSION=FILE",
                         metavar="VERSION=FILE")


def check(args):
    if not args.core or not args.core.is_file() or not args.abis:
        checks.skip(f"no libpapi ({args.core or 'no --core given'})")
    reference = spellings(HERE / "exports_71_72.txt")
    # PAPI exports three names in another spelling than Fortran's; the upper-case one is ours beside it.
    allowed = spellings(HERE / "exports_35.txt") | spellings(HERE / "exports_71_72.txt", also_upper=True)
    shown = check_exports.dynamic_symbols(args.core)[0]
    problems = []
    if (args.core.parent / CORE).resolve() != args.core.resolve():
        problems.append(f"{CORE} beside {args.core.name} is another file")
    for abi in args.abis:
        version, _, path = str(abi).partition("=")
        library = pathlib.Path(path)
        exported, imported = check_exports.dynamic_symbols(library)[:2]
        found = problems_of_names(exported, reference, allowed) + problems_of_file(library, version)
        found += problems_of_core({n for n in imported if n.lower().startswith("papi")}, shown)
        problems += [f"{version}: {p}" for p in found]
    return problems, len(reference) * len(args.abis)


if __name__ == "__main__":
    checks.main(__doc__, check, lambda args: self_test(), add_options)
