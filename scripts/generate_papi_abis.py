#!/usr/bin/env python3
"""Makes what libpapi.so.7.1 to libpapi.so.7.3 are linked with, of compat/papi/libpapi.map and
compat/fortran/papif.table:

* forwarded.inc: the functions that the ABI libraries pass on as they are, FORWARD(name, target) each;
* second_names.ld: for libpapi.so.7.0, a second name papi_core_PAPI_x for each PAPI_x. An ABI library has
  functions of PAPI's names itself and could not name those of the core otherwise;
* core_names.c: a library with the core's names and nothing else. The ABI libraries are linked with it, because
  its soname is what they are to look for.

Functions that abi7/abi.cpp translates are in second_names.ld alone. A Fortran name goes to the core's
plain spelling papif_x, which PAPI 7.1 to 7.3 do not have, and so the ABI libraries neither.
"""

import argparse
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "scripts")]

import check_exports  # noqa: E402
from lib import papif_table  # noqa: E402

# Their structures, numbers or versions differ: abi7/abi.cpp has them.
TRANSLATED = {
    "PAPI_library_init", "PAPI_get_opt", "PAPI_get_cmp_opt", "PAPI_enum_event", "PAPI_enum_cmp_event",
    "PAPI_get_event_info", "PAPI_get_component_info", "PAPI_strerror",
}
TRANSLATED_FORTRAN = {"papif_library_init", "papif_enum_event"}


def papi_names(version_script):
    names = check_exports.reviewed_names(version_script)
    return sorted(n for n in names if n.startswith(("PAPI_", "papi_sde_")) and not n.endswith("*"))


def fortran_names(table):
    """(name, target) of the spellings that the ABI libraries have."""
    for row in papif_table.read(table.read_text()):
        low, *others = papif_table.spellings(row)
        if low not in TRANSLATED_FORTRAN:
            yield from ((name, low) for name in others)


def second_name(name):
    return f"papi_core_{name}"


def forwarded(version_script, table):
    for name in papi_names(version_script):
        if name not in TRANSLATED:
            yield name, second_name(name)
    yield from fortran_names(table)


def core_names(version_script, table):
    names = {target for _, target in forwarded(version_script, table)}
    names |= {n for n in check_exports.reviewed_names(version_script) if n.startswith("papi_abi_")}
    return sorted(names)


def write(path, text):
    if not path.is_file() or path.read_text() != text:
        path.write_text(text)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--map", type=pathlib.Path, default=ROOT / "compat/papi/libpapi.map")
    options.add_argument("--table", type=pathlib.Path, default=ROOT / "compat/fortran/papif.table")
    options.add_argument("--out", type=pathlib.Path, required=True, help="folder for these files")
    args = options.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    lines = [f"FORWARD({name}, {target})" for name, target in forwarded(args.map, args.table)]
    write(args.out / "forwarded.inc", "\n".join(lines) + "\n")
    write(args.out / "core_names.c", "".join(f"void {n}(void) {{}}\n" for n in core_names(args.map, args.table)))
    names = papi_names(args.map)
    write(args.out / "second_names.ld", "".join(f"{second_name(n)} = {n};\n" for n in names))


if __name__ == "__main__":
    main()
