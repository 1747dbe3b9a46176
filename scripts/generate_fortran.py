#!/usr/bin/env python3
"""Makes libpapi's Fortran interface out of compat/fortran/papif.table and the headers papi.h and papiStdEventDefs.h.

  generate_fortran.py --cpp FILE       the functions, each in four spellings
  generate_fortran.py --include DIR    fpapi.h, f77papi.h, f90papi.h and the module, papi.f90
  generate_fortran.py --names          every name that is exported, one a line
  generate_fortran.py --docs           writes the table in docs/papi-fortran.md; --check: only compares it

Exit codes: 0; 1 a table, header or page that is not right.
"""

import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "scripts"))

from lib import papi_constants, papif_cpp, papif_fortran, papif_table  # noqa: E402

TABLE = ROOT / "compat" / "fortran" / "papif.table"
EXTRAS = ROOT / "compat" / "fortran" / "module_extras.f90"
INCLUDE = ROOT / "compat" / "papi" / "include"
# A name that several have is what the first says; the last two add those of PAPI 3.5.
HEADERS = [INCLUDE / n for n in ("papiStdEventDefs.h", "papi.h", "papi35_abi.h", "papi35.h") if (INCLUDE / n).is_file()]
PAGE = ROOT / "docs" / "papi-fortran.md"
MARKS = re.compile(r"(<!-- calls -->\n).*(<!-- end of calls -->\n)", re.DOTALL)


def rows():
    return papif_table.read(TABLE.read_text())


def constants(abi=70):
    """PAPI 3.5's names stand beside those of 7.0 alone: they are 7.0's numbers."""
    texts = [path.read_text() for path in (HEADERS if abi == 70 else HEADERS[:2])]
    return {**papi_constants.constants(*texts, abi=abi), **papi_constants.dmem_indices(texts[1])}


def include_files(abi=70):
    """{name: text} of what a Fortran program includes."""
    values = constants(abi)
    return {"fpapi.h": papif_fortran.cpp_header(values), "f77papi.h": papif_fortran.f77_header(values),
            "f90papi.h": papif_fortran.f90_header(values),
            "papi.f90": papif_fortran.module(rows(), values, EXTRAS.read_text())}


def page_table():
    """The calls by section, as docs/papi-fortran.md has them. What a call writes is in italics."""
    lines, section = [], None
    for row in rows():
        if row.section != section:
            section = row.section
            lines += ["", f"**{section}**", ""]
        names = ((a, f"{a.name}{'(:)' if a.array else ''}") for a in row.arguments)
        arguments = ", ".join(name if a.mode == "in" else f"*{name}*" if a.mode == "out" else f"**{name}**" for a, name in names)
        ours = "" if row.of_papi and row.call == f"PAPI_{row.name}" else f": `{row.call}`" if row.of_papi else " +"
        lines.append(f"* `PAPIF_{row.name}`({arguments}){ours}")
    return "\n".join(lines[1:]) + "\n"


def docs(check):
    text = PAGE.read_text()
    wanted = MARKS.sub(lambda m: m.group(1) + page_table() + m.group(2), text)
    if not MARKS.search(text):
        sys.exit(f"{PAGE.name} has no place for the table")
    if check and wanted != text:
        sys.exit(f"{PAGE.name} is not what scripts/generate_fortran.py --docs would write")
    if not check:
        PAGE.write_text(wanted)


def write(path, text):
    """Leaves a file alone that says so already, so that nothing is built anew for it."""
    if not path.is_file() or path.read_text() != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cpp", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--include", type=pathlib.Path, metavar="DIR")
    parser.add_argument("--abi", type=int, default=70, choices=(70, 71, 72, 73), help="for --include: PAPI 7.0 to 7.3")
    parser.add_argument("--names", action="store_true")
    parser.add_argument("--docs", action="store_true")
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    try:
        if args.cpp:
            write(args.cpp, papif_cpp.source(rows()))
        if args.include:
            for name, text in include_files(args.abi).items():
                write(args.include / name, text)
        if args.names:
            print("\n".join(s for row in rows() for s in papif_table.spellings(row)))
        if args.docs:
            docs(args.check)
    except (papif_table.TableError, papi_constants.ConstantError, ValueError) as error:
        sys.exit(f"{parser.prog}: {error}")


if __name__ == "__main__":
    main()
