#!/usr/bin/env python3
"""Checks what libpapi.so shows to programs, against PAPI 7.0's own library.

* Exports: those of compat/papi/libpapi.map, without versions; with the names of exports_later.txt, and
  beside those of exports_35.txt, they are the reference's, no more and no less. Names of exports_pending.txt are still to come: one that is
  exported already fails, so that the list can only shrink. papif_* and PAPIF_* of the map stand for the
  names of compat/fortran/papif.table, four spellings each; papi_core_* for a second name of each PAPI_x,
  which is the same function. Both these and papi_abi_x are for libpapi.so.7.1 to 7.3 alone.
* File name, soname and links as a program that was linked with the reference wants them.
* NEEDED is libc and the loader alone, and nothing of the C++ runtime is taken from outside: a C program
  gets no libstdc++. No run path, text relocations or executable stack; a small thread-local block.
"""

import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT / "scripts")]

import check_exports  # noqa: E402
import generate_papi_abis  # noqa: E402
from lib import checks, papif_table  # noqa: E402

NEEDED = {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
SONAME = "libpapi.so.7.0"
FILE = "libpapi.so.7.0.0.0"
MAX_TLS = 512  # bytes; a library that is opened late gets its block out of libc's small surplus


def lines_of(path):
    lines = (line.split("#")[0].split() for line in path.read_text().splitlines())
    return [line for line in lines if line]


def names_in(path):
    """The names of a list; "fortran papif_x" stands for four spellings."""
    names = set()
    for words in lines_of(path):
        if words[0] != "fortran":
            names.update(words)
            continue
        name = words[1]
        names.update({name, name + "_", name + "__", words[2] if len(words) > 2 else name.upper()})
    return names


def reviewed_names(version_script, fortran_table):
    """The names of the map, and of the Fortran table for which its only wildcards stand."""
    names = check_exports.reviewed_names(version_script)
    if {"papif_*", "PAPIF_*"} <= names:
        names -= {"papif_*", "PAPIF_*"}
        for row in papif_table.read(fortran_table.read_text()):
            names.update(papif_table.spellings(row))
    if "papi_core_*" in names:
        names.discard("papi_core_*")
        names.update(generate_papi_abis.second_name(n) for n in generate_papi_abis.papi_names(version_script))
    return names


def is_for_abis(name):
    return name.startswith(("papi_core_", "papi_abi_"))


def problems_of_second_names(symbols):
    """`symbols`: name -> address."""
    return [f"{n} is another function than {n.removeprefix('papi_core_')}" for n in sorted(symbols)
            if n.startswith("papi_core_") and symbols[n] != symbols.get(n.removeprefix("papi_core_"))]


def problems_of_names(exported, reviewed, later, pending, reference, older=frozenset()):
    def each(names, text):
        return [f"{n} {text}" for n in sorted(names)]
    problems = each(exported - reviewed, "is exported, and libpapi.map does not list it")
    problems += each(reviewed - exported - pending, "is in libpapi.map, and not exported")
    problems += each(pending & exported, "is exported: take it off exports_pending.txt")
    problems += each(pending - reviewed, "of exports_pending.txt is not in libpapi.map")
    problems += each(later & reviewed, "of exports_later.txt is in libpapi.map: take it off the list")
    if reference is not None:
        problems += each(reference - reviewed - later, "is PAPI's, and on none of our lists")
        ours = {n for n in reviewed if not is_for_abis(n)}
        problems += each((ours | later) - reference - older, "is on our lists, and not PAPI's")
        problems += each(older & reference, "of exports_35.txt is PAPI 7.0's: take it off the list")
        problems += each(older - reviewed, "of exports_35.txt is not in libpapi.map")
    return problems


def addresses_of(library):
    """name -> address of every symbol that the library shows."""
    text = subprocess.run(["nm", "-D", "--defined-only", str(library)], capture_output=True, text=True,
                          check=True).stdout
    return {line.split()[2]: line.split()[0] for line in text.splitlines() if len(line.split()) == 3}


def problems_of_file(library):
    problems = []
    dynamic = check_exports.readelf("-d", library)
    needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic))
    problems += [f"NEEDS {n}" for n in sorted(needed - NEEDED)]
    soname = re.findall(r"\(SONAME\).*\[(.*)\]", dynamic)
    if soname != [SONAME]:
        problems.append(f"soname {soname}, not {SONAME}")
    if re.search(r"\((RPATH|RUNPATH)\)", dynamic):
        problems.append("has a run path")
    if "TEXTREL" in dynamic:
        problems.append("has text relocations")
    if re.search(r"\(VERDEF\)", dynamic):
        problems.append("its symbols have versions")
    imported = check_exports.dynamic_symbols(library)[1] - check_exports.HARMLESS
    problems += [f"takes {n} of the C++ runtime from outside" for n in sorted(imported)
                 if check_exports.FOREIGN.match(n)]
    headers = check_exports.readelf("-l", library)
    tls = re.search(r"^\s+TLS\s+\S+ \S+ \S+ \S+ (0x[0-9a-f]+)", headers, re.MULTILINE)
    if tls and int(tls.group(1), 16) > MAX_TLS:
        problems.append(f"thread-local block of {int(tls.group(1), 16)} bytes, more than {MAX_TLS}")
    if re.search(r"GNU_STACK.*RWE", headers):
        problems.append("asks for an executable stack")
    return problems


def problems_of_links(library):
    folder = library.parent
    problems = []
    if library.resolve().name != FILE:
        problems.append(f"{library.name} is {library.resolve().name}, not {FILE}")
    for name in ("libpapi.so", SONAME):
        if not (folder / name).is_symlink() or (folder / name).resolve() != library.resolve():
            problems.append(f"{name} does not lead to {FILE}")
    return problems


def self_test():
    test = checks.SelfTest()
    base = {"exported": {"a", "b"}, "reviewed": {"a", "b", "c"}, "later": {"d"}, "pending": {"c"},
            "reference": {"a", "b", "c", "d"}}
    planted = {
        "an export too many": ({"exported": {"a", "b", "x"}}, "x is exported"),
        "an export too few": ({"exported": {"a"}}, "b is in libpapi.map"),
        "a pending name with code": ({"exported": {"a", "b", "c"}}, "c is exported: take it off"),
        "a name that nobody reviewed": ({"reference": {"a", "b", "c", "d", "e"}}, "e is PAPI's"),
        "a name of our own": ({"reference": {"a", "b", "c"}}, "d is on our lists"),
        "a name of 3.5 that 7.0 has": ({"older": {"a"}}, "a of exports_35.txt is PAPI 7.0's"),
        "a name of 3.5 that we have not": ({"older": {"x"}}, "x of exports_35.txt is not in"),
        "a name on two lists": ({"later": {"a", "d"}}, "a of exports_later.txt"),
    }
    test.expect("the lists as they should be", problems_of_names(**base))
    for what, (change, words) in planted.items():
        test.expect(what, problems_of_names(**{**base, **change}), words)
    test.expect("a name of 3.5", problems_of_names(
        **{**base, "exported": {"a", "b", "x"}, "reviewed": {"a", "b", "c", "x"}}, older={"x"}))

    test.expect("a second name", problems_of_second_names({"PAPI_a": "1", "papi_core_PAPI_a": "1"}))
    test.expect("a second name of another function",
                problems_of_second_names({"PAPI_a": "1", "papi_core_PAPI_a": "2"}), "papi_core_PAPI_a is another")
    folder = test.tree({"x.c": "int f(void) { return 1; }", "y.c": "int g(void) { return 1; }",
                        "later": "fortran papif_a\nfortran papif_b PAPIF_b\nc\n"})
    here = pathlib.Path(folder.name)
    (here / "map").write_text("{ global: c; papif_*; PAPIF_*; local: *; };")
    (here / "table").write_text("PAPIF_d(out int check) also PAPIF_e\n    check = PAPI_d()\n")
    test.expect("names of the Fortran table", reviewed_names(here / "map", here / "table") ^ {
        "c", "papif_d", "papif_d_", "papif_d__", "PAPIF_D", "PAPIF_e"})
    test.expect("the spellings", names_in(here / "later") ^ {
        "papif_a", "papif_a_", "papif_a__", "PAPIF_A", "papif_b", "papif_b_", "papif_b__", "PAPIF_b", "c"})
    compile_shared = [os.environ.get("CC", "cc"), "-shared", "-fPIC"]
    subprocess.run([*compile_shared, str(here / "y.c"), "-Wl,-soname,liby.so", "-o", str(here / "liby.so")], check=True)
    subprocess.run([*compile_shared, str(here / "x.c"), "-Wl,-rpath,/opt", "-Wl,-soname,libpapi.so.6",
                    "-Wl,--no-as-needed", str(here / "liby.so"), "-o", str(here / "libx.so")], check=True)
    test.expect("a strange file", problems_of_file(here / "libx.so"), "NEEDS liby.so", "soname", "run path")
    test.expect("strange links", problems_of_links(here / "libx.so"), "not libpapi", "libpapi.so does", "libpapi.so.7.0 does")
    test.exit()


def add_options(options):
    options.add_argument("--library", type=pathlib.Path, help="libpapi.so of a build")
    options.add_argument("--reference", type=pathlib.Path, help="PAPI's libpapi.so")
    options.add_argument("--lists", type=pathlib.Path, default=HERE)
    options.add_argument("--table", type=pathlib.Path, default=ROOT / "compat/fortran/papif.table")
    options.add_argument("--map", type=pathlib.Path, default=ROOT / "compat/papi/libpapi.map")


def check(args):
    if not args.library or not args.library.is_file():
        checks.skip(f"no libpapi ({args.library or 'no --library given'})")
    if not args.reference or not args.reference.is_file():
        checks.skip("no libpapi.so.7.0 of PAPI to compare with (package libpapi-dev)")
    reference = check_exports.dynamic_symbols(args.reference)[0]
    exported = check_exports.dynamic_symbols(args.library)[0]
    pending = names_in(args.lists / "exports_pending.txt")
    later = names_in(args.lists / "exports_later.txt")
    older = names_in(args.lists / "exports_35.txt")
    print(f"{len(exported)} of {len(reference)} names; {len(pending)} pending, {len(later)} with later work")
    print("pending: " + (" ".join(sorted(pending)) or "none"))
    problems = problems_of_names(exported, reviewed_names(args.map, args.table), later, pending, reference,
                                 older)
    symbols = addresses_of(args.library)
    problems += problems_of_second_names(symbols)
    return problems + problems_of_file(args.library) + problems_of_links(args.library), len(reference)


if __name__ == "__main__":
    checks.main(__doc__, check, lambda args: self_test(), add_options)
