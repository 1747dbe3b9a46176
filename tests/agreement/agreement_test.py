#!/usr/bin/env python3
"""Chains and lines of csink symbolize on programs of many compilers, held against llvm-symbolizer and addr2line.

  agreement_test.py CSINK [PART OF A BUILD'S NAME]

CSINK_AGREEMENT_ADDRESSES: addresses of each program (5000). A chain or line is wrong where csink differs from
llvm-symbolizer, unless addr2line agrees with csink. Prints a line for each build, then each kind of disagreement
with examples. A build whose tools are missing is skipped; one that fails is a failure.
"""

import collections
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts" / "lib"))
import builds  # noqa: E402  pylint: disable=wrong-import-position
import symbolizer_agreement as agreement  # noqa: E402  pylint: disable=wrong-import-position

ADDRESSES = int(os.environ.get("CSINK_AGREEMENT_ADDRESSES", "5000"))
SEED = 7


def counted_as_wrong(one):
    return agreement.is_wrong(one.kind) and one.with_third != "csink"


def check(csink, llvm, build):
    """How many chains and lines are wrong; None: a tool is missing. CalledProcessError: a tool failed."""
    missing = build.missing()
    if missing:
        print(f"{build.name:34} skipped: no {', '.join(missing)}", flush=True)
        return None
    with tempfile.TemporaryDirectory(prefix="csink-agreement-") as folder:
        path = build.make(folder)
        addresses = agreement.random_addresses(path, ADDRESSES, SEED)
        found = agreement.compare(csink, llvm, path, addresses)
    kinds = collections.Counter(one.kind.split(":")[0] for one in found if agreement.is_wrong(one.kind))
    borrowed = sum(one.kind == "line: none there" for one in found)
    wrong = sum(map(counted_as_wrong, found))
    print(f"{build.name:34} {len(addresses):5} addresses: {kinds['chain']} chains and "
          f"{kinds['line'] + kinds['folder of the line']} lines differ, {wrong} counted as wrong; "
          f"{borrowed} lines where llvm has 0", flush=True)
    agreement.show([one for one in found if agreement.is_wrong(one.kind)])
    return wrong


def main():
    csink = sys.argv[1]
    wanted = sys.argv[2] if len(sys.argv) > 2 else ""
    llvm = agreement.newest_llvm()
    if not llvm:
        print("skipped: no llvm-symbolizer here")
        return 77
    print(f"csink beside {llvm}")
    results, failed = {}, []
    for build in builds.BUILDS:
        if wanted not in build.name:
            continue
        try:
            results[build.name] = check(csink, llvm, build)
        except subprocess.CalledProcessError as error:
            print(f"{build.name:34} failed: {' '.join(error.cmd)}\n{(error.output or '')[-2000:]}", flush=True)
            failed.append(build.name)
    wrong = {name: number for name, number in results.items() if number}
    made = [name for name, number in results.items() if number is not None]
    print(f"{len(made)} of {len(results)} builds compared; wrong answers: {wrong or 'none'}; failed: "
          f"{', '.join(failed) or 'none'}")
    if not made and not failed:
        print("skipped: no compiler of the table is here")
        return 77
    return 1 if wrong or failed else 0


if __name__ == "__main__":
    sys.exit(main())
