#!/usr/bin/env python3
"""Checks papi.h of PAPI 7.1, 7.2 and 7.3 against what PAPI's own papi.h of these versions says.

Debian 12 has no package of them. later_headers has a list a version of how PAPI's header of the version
differs from that of PAPI 7.0: values, sizes, offsets and bits as programs printed them, types of members,
prototypes. Our headers must differ in the same way from our papi.h, which compare_headers.py holds against
PAPI 7.0's. Where PAPI's own header of the version is at hand, --record writes its list anew, and
compare_headers.py --ours FOLDER --reference FOLDER compares every fact.
"""

import pathlib
import shutil
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(HERE), str(ROOT / "scripts")]

import header_facts  # noqa: E402
from lib import checks  # noqa: E402

INCLUDE = ROOT / "compat/papi/include"
VERSIONS = ("7.1", "7.2", "7.3")


def facts_of(folder, compiler, scratch, name):
    """{"fact = value"} of one header."""
    header = header_facts.Header(name, folder, compiler, scratch)
    found = {f"{k} = {v}" for k, v in header.facts(header_facts.program_for(header.macros, header.types)).items()}
    found |= {f"macro {n} = {m[0] or ''} {m[1]}" for n, m in header.macros.items() if header_facts.textual(m)}
    found |= {f"typedef {n} = {t}" for n, t in header.types.typedefs.items()}
    found |= {f"function {n} = {p}" for n, p in header.prototypes.items()}
    found |= {f"type of {r}.{m} = {t[0]}" for r, members in header.types.records.items() for m, t in members.items()}
    return found


def difference(older, newer):
    return {f"- {f}" for f in older - newer} | {f"+ {f}" for f in newer - older}


def recorded(version):
    path = HERE / "later_headers" / f"{version}.txt"
    return {line for line in path.read_text().splitlines() if line[:2] in ("+ ", "- ")}


def differences(folders, compiler):
    """For each folder but the first, how it differs from the first."""
    with tempfile.TemporaryDirectory() as scratch:
        first, *later = [facts_of(f, compiler, scratch, str(i)) for i, f in enumerate(folders)]
    return [difference(first, facts) for facts in later], len(first)


def problems_of(version, ours, theirs):
    return [f"{version}: PAPI's has `{f}`, ours not" for f in sorted(theirs - ours)] + \
        [f"{version}: only ours has `{f}`" for f in sorted(ours - theirs)]


def self_test(compiler):
    test = checks.SelfTest()
    test.expect("the same", problems_of("7.1", {"+ a = 1"}, {"+ a = 1"}))
    test.expect("a fact too few", problems_of("7.1", set(), {"+ a = 1"}), "PAPI's has `+ a = 1`")
    test.expect("a fact too many", problems_of("7.1", {"+ a = 1"}, set()), "only ours has `+ a = 1`")
    planted = {
        "a constant": ("#define PAPI_PARTIAL (-28)", "#define PAPI_PARTIAL (-29)", "PAPI_PARTIAL = -28 int`, ours not"),
        "a member's place": ("  int partially_disabled; ", "  long partially_disabled; ", "partially_disabled = 2564"),
        "a size": ("#define PAPI_MAX_COMP_QUALS 8", "#define PAPI_MAX_COMP_QUALS 9", "sizeof PAPI_event_info_t = 23068"),
        "a modifier": ("  PAPI_PRESET_ENUM_CPU, ", "  PAPI_PRESET_ENUM_CPU = 20, ", "PAPI_PRESET_ENUM_CPU = 16"),
    }
    for what, (old, new, words) in planted.items():
        with tempfile.TemporaryDirectory() as changed:
            shutil.copytree(INCLUDE, changed, dirs_exist_ok=True)
            header = pathlib.Path(changed, "papi.h")
            header.write_text(header.read_text().replace(old, new, 1))
            (found,), _ = differences([INCLUDE, pathlib.Path(changed, "papi-7.2")], compiler)
            problems = problems_of("7.2", found, recorded("7.2"))
            test.expect(what, [p for p in problems if words in p][:1] or problems, words)
    test.exit()


def record(args):
    (found,), _ = differences([args.older, args.reference], args.compiler)
    print(f"# How papi.h of PAPI {args.record} differs from that of PAPI 7.0, on x86-64. Written by\n"
          f"# check_later_headers.py --record from {args.source}.")
    print("\n".join(sorted(found, key=lambda f: (f[2:], f[0]))))
    sys.exit(0)


def add_options(options):
    options.add_argument("--compiler", default="gcc", help="gcc, for its -aux-info")
    options.add_argument("--record", choices=VERSIONS, help="print the list for --reference")
    options.add_argument("--source", help="with --record: where the headers are from")
    options.add_argument("--older", type=pathlib.Path, default=pathlib.Path("/usr/include"),
                         help="with --record: the folder with papi.h of PAPI 7.0")
    options.add_argument("--reference", type=pathlib.Path, help="with --record: the folder with PAPI's papi.h")


def check(args):
    if not shutil.which(args.compiler):
        checks.skip(f"no {args.compiler}")
    if args.record:
        record(args)
    found, facts = differences([INCLUDE, *(INCLUDE / f"papi-{v}" for v in VERSIONS)], args.compiler)
    problems = [p for v, f in zip(VERSIONS, found) for p in problems_of(v, f, recorded(v))]
    return problems, facts * (1 + len(VERSIONS))


if __name__ == "__main__":
    checks.main(__doc__, check, lambda args: self_test(args.compiler), add_options)
