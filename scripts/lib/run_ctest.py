#!/usr/bin/env python3
"""Runs ctest with the given arguments and ends with a summary people can use.

Shows ctest's lines as they come, holds its closing summary back, prints why tests (or cases of a
GoogleTest program that passed) were skipped, then the closing summary: so ctest's own lines are the
last on the screen. The exit code is ctest's.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree

CLOSING = re.compile(r"^\d+% tests passed|^No tests were found")
CASE = re.compile(r"^\[  SKIPPED \] (\S+?)(?: \(\d+ ms\))?$")


def reason_of(output):
    """The line that says why: "skipped: ..." if there is one, else the last one."""
    lines = [l.strip() for l in output.splitlines() if l.strip()]
    for line in lines:
        if line.lower().startswith(("skipped:", "skip:")):
            return line.split(":", 1)[1].strip()
    lines = [l for l in lines if not l.startswith("[")]
    return lines[-1] if lines else "no reason given"


def skipped_cases(output):
    """GoogleTest prints a skipped case's message between its RUN and SKIPPED lines."""
    cases, message = [], []
    for line in output.splitlines():
        match = CASE.match(line.strip())
        if line.startswith("[ RUN      ]"):
            message = []
        elif match and message is not None:
            text = [m for m in message if m.strip() and not re.match(r"^\S+:\d+: Skipped$", m.strip())]
            cases.append((match.group(1), text[0].strip() if text else "no reason given"))
            message = None  # the list at the end repeats the names
        elif message is not None:
            message.append(line)
    return cases


def skips(junit):
    if not junit.is_file():
        return []
    found = []
    for case in xml.etree.ElementTree.parse(junit).getroot().iter("testcase"):
        output = case.findtext("system-out") or ""
        if case.find("skipped") is not None or case.get("status") in ("notrun", "disabled"):
            found.append((case.get("name"), reason_of(output)))
        else:
            found += [(f"{case.get('name')}: {name}", why) for name, why in skipped_cases(output)]
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="the build folder")
    parser.add_argument("arguments", nargs="*", help="after --: handed to ctest")
    args = parser.parse_args()
    junit = args.build / "Testing" / "junit.xml"
    junit.unlink(missing_ok=True)
    command = ["ctest", "--test-dir", str(args.build), "--output-junit", str(junit.resolve()),
               "--output-on-failure", "--test-output-size-passed", "1000000", *args.arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          stdin=subprocess.DEVNULL, text=True, errors="replace") as ctest:
        closing = []
        for line in ctest.stdout:
            if closing or CLOSING.match(line):
                closing.append(line)
            else:
                sys.stdout.write(line)
                sys.stdout.flush()
    reasons = skips(junit)
    if reasons:
        print(f"Skipped, and why ({len(reasons)}):")
        for name, why in reasons:
            print(f"  {name}: {why}")
        print()
    sys.stdout.writelines(closing)
    sys.exit(ctest.returncode)


if __name__ == "__main__":
    main()
