#!/usr/bin/env python3
"""Runs ctest with the given arguments and ends with a summary people can use.

Shows ctest's lines as they come, holds its closing summary back, prints why tests (or cases of a
GoogleTest program that passed) were skipped, then the closing summary: so ctest's own lines are the
last on the screen. The exit code is ctest's.

With --again-alone, tests that failed are run once more when all others are done, one at a time: a
test of sampling that had the machine to share, with other tests or with the host's other guests,
then has it to itself. What passed only then is named, and counts as passed; junit.xml says so too.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree

CLOSING = re.compile(r"^\d+% tests passed|^No tests were found")
# Of a failed test's output: what passed. The whole output is in the build folder (Testing/).
PASSED = re.compile(r"^\[(?: RUN      |       OK |-{10}|={10})\]|^test_\w+ \(.*\.\.\. ok$")
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


def run_ctest(build, junit, arguments):
    """(exit code, closing lines); everything before them is on the screen."""
    junit.unlink(missing_ok=True)
    command = ["ctest", "--test-dir", str(build), "--output-junit", str(junit.resolve()),
               "--output-on-failure", "--test-output-size-passed", "1000000", *arguments]
    closing = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          stdin=subprocess.DEVNULL, text=True, errors="replace") as ctest:
        for line in ctest.stdout:
            if closing or CLOSING.match(line):
                closing.append(line)
            elif not PASSED.match(line):
                sys.stdout.write(line)
                sys.stdout.flush()
    return ctest.returncode, closing


def failed_of(suite):
    return {c.get("name"): c for c in suite.iter("testcase") if c.get("status") == "fail"}


def again_alone(build, junit):
    """Runs what failed once more, alone, and puts the results in their places in `junit`:
    (exit code, closing lines)."""
    tree = xml.etree.ElementTree.parse(junit)
    suite = tree.getroot()
    failed = list(failed_of(suite))
    print(f"\nOnce more, alone: {', '.join(failed)}", flush=True)
    second = junit.with_name("again.xml")
    code, _ = run_ctest(build, second, ["--rerun-failed", "-j", "1"])
    if not second.is_file():
        return code or 1, ["the second run has no result\n"]
    newer = {c.get("name"): c for c in xml.etree.ElementTree.parse(second).getroot().iter("testcase")}
    suite[:] = [newer.get(child.get("name"), child) for child in suite]
    total, left = len(list(suite.iter("testcase"))), list(failed_of(suite))
    suite.set("failures", str(len(left)))
    tree.write(junit)
    saved = [name for name in failed if name not in left]
    closing = [f"passed when run alone: {', '.join(saved)}\n"] if saved else []
    closing.append(f"{100 * (total - len(left)) // total}% tests passed, {len(left)} tests failed out of {total}\n")
    return code, closing + [f"failed: {name}\n" for name in left]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True, help="the build folder")
    parser.add_argument("--again-alone", action="store_true", help="run what failed once more, one at a time")
    parser.add_argument("arguments", nargs="*", help="after --: handed to ctest")
    args = parser.parse_args()
    junit = args.build / "Testing" / "junit.xml"
    code, closing = run_ctest(args.build, junit, args.arguments)
    if code and args.again_alone and junit.is_file() and failed_of(xml.etree.ElementTree.parse(junit).getroot()):
        sys.stdout.writelines(closing)
        code, closing = again_alone(args.build, junit)
    reasons = skips(junit)
    if reasons:
        print(f"Skipped, and why ({len(reasons)}):")
        for name, why in reasons:
            print(f"  {name}: {why}")
        print()
    sys.stdout.writelines(closing)
    sys.exit(code)


if __name__ == "__main__":
    main()
