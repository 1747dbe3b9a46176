#!/usr/bin/env python3
"""The report of PAPI_hl_* beside that of PAPI 7.0's own library.

Runs one program (region_program.c) over both libraries with the same environment. With numbers
replaced, both reports are the same, line for line. Debian's papi_hl_output_writer reads ours.
"""

import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

VALUE = re.compile(r'(": ?|":)"-?\d+(\.\d+){0,3}"')
ENVIRONMENTS = (
    {"PAPI_EVENTS": "perf::TASK-CLOCK,perf::PAGE-FAULTS"},
    {"PAPI_EVENTS": " perf::PAGE-FAULTS=instant, perf::TASK-CLOCK=delta"},
    {"PAPI_EVENTS": "perf::CPU-CLOCK", "OMPI_COMM_WORLD_RANK": "7", "PAPI_REPORT": "1"},
)


def skip(why):
    print(f"skipped: {why}")
    sys.exit(77)


def run_over(program, library, environment, folder, shim=None):
    """-> (file's name, its text, what was printed)"""
    env = {k: v for k, v in os.environ.items() if not k.startswith("PAPI_")}
    env.update(environment, LD_LIBRARY_PATH=str(library))
    if shim:
        env["LD_PRELOAD"] = str(shim)
    done = subprocess.run([str(program)], cwd=folder, env=env, capture_output=True, text=True,
                          timeout=60, check=False)
    if done.returncode:
        raise RuntimeError(f"over {library}: status {done.returncode}: {done.stderr}")
    files = sorted((folder / "papi_hl_output").iterdir())
    if len(files) != 1:
        raise RuntimeError(f"over {library}: {len(files)} reports")
    return files[0].name, files[0].read_text(), done.stdout


def skeleton(text):
    """Every value that is a number as N. Ids and what stands beside them stay."""
    lines = []
    for line in text.splitlines():
        keep = '"parent_region_id"' in line or '"papi_version"' in line
        lines.append(line if keep else VALUE.sub(r'\1"N"', line))
    return lines


def compare(environment, ours, theirs):
    problems = []
    for what, a, b in (("file", ours[1], theirs[1]), ("stdout", ours[2], theirs[2])):
        for mine, other in zip(skeleton(a), skeleton(b)):
            if mine != other:
                problems.append(f"{environment}: {what}: ours {mine!r}, PAPI's {other!r}")
                break
        if len(a.splitlines()) != len(b.splitlines()):
            problems.append(f"{environment}: {what}: {len(a.splitlines())} lines, PAPI's {len(b.splitlines())}")
    named = [re.fullmatch(r"rank_\d{6}\.json", side[0]) for side in (ours, theirs)]
    if not all(named):
        problems.append(f"{environment}: files {ours[0]} and {theirs[0]}")
    if "OMPI_COMM_WORLD_RANK" in environment and ours[0] != theirs[0]:
        problems.append(f"{environment}: file {ours[0]}, PAPI's {theirs[0]}")
    return problems


OWN_WRITER = pathlib.Path(__file__).resolve().parents[4] / "compat/utils/papi_hl_output_writer.py"


def written_by_papis_tool(writer, folder):
    """What papi_hl_output_writer makes of the report in `folder`, in its four ways."""
    problems = []
    for notation in ("raw", "derived"):
        for kind, name in (("detail", "papi.json"), ("summary", "papi_sum.json")):
            call = [writer, "--source", "papi_hl_output", "--format", "json", "--type", kind, "--notation", notation]
            done = subprocess.run(call, cwd=folder, capture_output=True, text=True, timeout=60, check=False)
            path = folder / name
            ours = subprocess.run([OWN_WRITER, *call[1:]], cwd=folder, capture_output=True, text=True, timeout=60, check=False)
            if (ours.returncode, ours.stdout) != (done.returncode, done.stdout):
                problems.append(f"{' '.join(call[1:])}: ours: {ours.stdout}{ours.stderr}, PAPI's: {done.stdout}")
            if done.returncode or not path.is_file():
                problems.append(f"{' '.join(call[1:])}: status {done.returncode}: {done.stdout}{done.stderr}")
                continue
            found = json.loads(path.read_text())
            regions = set(found) if kind == "summary" else set(re.findall(r'"name": ?"(\w+)"', path.read_text()))
            if regions != {"outer", "inner", "again", "thread"}:
                problems.append(f"{' '.join(call[1:])}: regions {sorted(regions)}")
            if kind == "summary" and notation == "derived" and found["inner"].get("Region count") != 2:
                problems.append(f"inner: {found['inner']}")
            path.unlink()
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("program", "ours", "papis"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    parser.add_argument("--shim", type=pathlib.Path, help="preloaded for PAPI's library: tests/peers/known_cpu.c")
    args = parser.parse_args()
    writer = shutil.which("papi_hl_output_writer")
    if not (args.papis / "libpapi.so.7.0").is_file():
        skip(f"no libpapi.so.7.0 of PAPI in {args.papis} (package libpapi-dev)")
    if not writer:
        skip("no papi_hl_output_writer (package papi-tools)")
    problems = []
    for environment in ENVIRONMENTS:
        with tempfile.TemporaryDirectory() as mine, tempfile.TemporaryDirectory() as other:
            ours = run_over(args.program, args.ours, environment, pathlib.Path(mine))
            theirs = run_over(args.program, args.papis, environment, pathlib.Path(other), args.shim)
            problems += compare(environment, ours, theirs)
            problems += written_by_papis_tool(writer, pathlib.Path(mine))
    for problem in problems:
        print(problem)
    print(f"{len(problems)} difference(s) in {len(ENVIRONMENTS)} reports")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
