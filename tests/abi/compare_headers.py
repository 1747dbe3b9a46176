#!/usr/bin/env python3
"""Compares our papi.h with the one that Debian's libpapi-dev installed.

Names of macros come from the preprocessor, of types and members from debug information, of functions
from the compiler's own list, so that none is forgotten. Then one C program that prints every value,
size, offset and bit is built against each header, and the outputs must be the same. The function
prototypes of theirs must compile after ours. Extra or missing names fail unless REVIEWED has them.
"""

import argparse
import pathlib
import shutil
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT / "scripts")]

import check_papi_library  # noqa: E402
import header_facts  # noqa: E402
from lib import checks  # noqa: E402

# Names that only our header has: exports_35.txt says why.
REVIEWED = check_papi_library.names_in(HERE / "exports_35.txt")


def compare_names(what, ours, theirs):
    problems = [f"{what} {n} is not in ours" for n in sorted(set(theirs) - set(ours) - set(REVIEWED))]
    return problems + [f"{what} {n} is only in ours" for n in sorted(set(ours) - set(theirs) - set(REVIEWED))]


def compare_values(what, ours, theirs):
    return [f"{what} {n}: ours {ours[n]}, theirs {theirs[n]}"
            for n in sorted(set(ours) & set(theirs)) if ours[n] != theirs[n]]


def compare(ours, theirs):
    """(problems, facts compared)"""
    problems = compare_names("macro", ours.macros, theirs.macros)
    problems += compare_names("type", ours.types.records, theirs.types.records)
    problems += compare_names("typedef", ours.types.typedefs, theirs.types.typedefs)
    problems += compare_names("enumerator", ours.types.enumerators, theirs.types.enumerators)
    problems += compare_names("function", ours.prototypes, theirs.prototypes)
    for record in set(ours.types.records) & set(theirs.types.records):
        problems += compare_names(f"member of {record},", ours.types.records[record], theirs.types.records[record])
        problems += compare_values(f"member of {record},", ours.types.records[record], theirs.types.records[record])
    problems += compare_values("typedef", ours.types.typedefs, theirs.types.typedefs)
    problems += compare_values("function", ours.prototypes, theirs.prototypes)
    if complaint := ours.accepts(theirs.prototypes.values()):
        problems.append(f"their prototypes do not fit ours: {complaint}")
    text = {n for n, m in theirs.macros.items() if header_facts.textual(m)}
    problems += compare_values("macro", {n: ours.macros[n] for n in text & set(ours.macros)},
                               {n: theirs.macros[n] for n in text})
    if problems:
        return problems, 0  # the program below needs the same names on both sides
    program = header_facts.program_for(theirs.macros, theirs.types)
    our_facts, their_facts = ours.facts(program), theirs.facts(program)
    problems = compare_names("fact", our_facts, their_facts) + compare_values("fact", our_facts, their_facts)
    return problems, len(their_facts) + len(text) + len(theirs.prototypes) + len(theirs.types.typedefs)


def problems_of(folder, reference, compiler):
    with tempfile.TemporaryDirectory() as scratch:
        return compare(header_facts.Header("ours", folder, compiler, scratch),
                       header_facts.Header("theirs", reference, compiler, scratch))


def self_test(folder, compiler):
    """Our header against itself with one thing changed."""
    test = checks.SelfTest()
    planted = {
        "a value": ("#define PAPI_ECNFLCT (-8)", "#define PAPI_ECNFLCT (-9)", "PAPI_ECNFLCT: ours"),
        "a type of a value": ("0x80000000\n", "0x80000000L\n", "PAPI_DOM_HWSPEC: ours"),
        "a macro that is gone": ("#define PAPI_QUIET 0", "", "macro PAPI_QUIET is not in ours"),
        "a macro too many": ("#define PAPI_QUIET 0", "#define PAPI_QUIET 0\n#define PAPI_LOUD 3", "only in ours"),
        "a macro with arguments": ("(((x) >> 8) & 0xff)", "(((x) >> 7) & 0xff)", "PAPI_VERSION_REVISION"),
        "an enumerator's place": ("  PAPI_ENUM_FIRST,", "  PAPI_ENUM_FIRST = 7,", "PAPI_ENUM_FIRST: ours"),
        "a member's size": ("char note[PAPI_HUGE_STR_LEN]", "char note[PAPI_2MAX_STR_LEN]", "note"),
        "members swapped": ("int model;\n", "", "member of struct _papi_hw_info, model"),
        "a bit": ("unsigned int inherit : 1;\n  unsigned int reserved_bits : 19;",
                  "unsigned int reserved_bits : 19;\n  unsigned int inherit : 1;", ".inherit: ours"),
        "a member's type": ("void* pr_base;", "const char* pr_base;", "pr_base"),
        "a function's argument": ("PAPI_num_events(int EventSet)", "PAPI_num_events(long EventSet)", "PAPI_num_events"),
        "a function that is gone": ("int PAPI_multiplex_init(void);", "", "function PAPI_multiplex_init"),
    }
    test.expect("the same header", problems_of(folder, folder, compiler)[0])
    for what, (old, new, words) in planted.items():
        with tempfile.TemporaryDirectory() as changed:
            for name in ("papi.h", "papiStdEventDefs.h"):
                text = (folder / name).read_text()
                pathlib.Path(changed, name).write_text(text.replace(old, new, 1))
            found = problems_of(changed, folder, compiler)[0]
            test.expect(what, [p for p in found if words in p][:1] or found, words)
    test.exit()


def add_options(options):
    options.add_argument("--ours", type=pathlib.Path, default=ROOT / "compat/papi/include")
    options.add_argument("--reference", type=pathlib.Path, default=pathlib.Path("/usr/include"))
    options.add_argument("--compiler", default="gcc", help="gcc, for its -aux-info")


def check(args):
    if not (args.reference / "papi.h").is_file():
        checks.skip(f"no papi.h in {args.reference} (package libpapi-dev)")
    if not shutil.which(args.compiler):
        checks.skip(f"no {args.compiler}")
    return problems_of(args.ours, args.reference, args.compiler)


if __name__ == "__main__":
    checks.main(__doc__, check, lambda args: self_test(args.ours, args.compiler), add_options)
