#!/usr/bin/env python3
"""Boots the arm64 guest with a PMU (scripts/pmu-vm) and checks what our programs measure there
against counts that are known exactly. One plan is one boot; scripts/build-guest must have run.

Exit codes: 0 every check holds, 1 one does not, 77 nothing to check, with the reason.
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

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "guest"
STAGE = BUILD / "stage"
MARK = "@@section "
SKIP = 77

# 300 periods and a tenth: what else the program executes after the event was opened (the loader, the
# agent's drains, the exit) is 200,000 to 600,000 instructions, less than what is left of the period.
PERIOD = 1000003
LONG_RUN = PERIOD * 300 + PERIOD // 10
ROUNDS = 5
FUNCTIONS = ("Sixty", "Thirty", "Ten")


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIP)


class Checks:
    """Collects the verdicts of one boot."""

    def __init__(self):
        self.failed = 0
        self.done = 0

    def that(self, holds, what, detail=""):
        self.done += 1
        self.failed += not holds
        print(f"{'ok' if holds else 'FAILED'} - {what}{': ' + str(detail) if detail != '' else ''}")
        return holds

    def exit(self):
        print(f"{self.done - self.failed} passed, {self.failed} failed")
        sys.exit(1 if self.failed or not self.done else 0)


# ---- the guest -----------------------------------------------------------------------------------

def boot(script, extra=(), overlay=None, **settings):
    """Runs a shell script in the guest; its output cut into {section: text}."""
    with tempfile.TemporaryDirectory(prefix="csink-guest-") as folder:
        program = pathlib.Path(folder, "main.sh")
        program.write_text(script)
        environment = dict(os.environ, EXTRA=" ".join(map(str, extra)), **settings)
        if overlay:
            environment["OVERLAY"] = str(overlay)
        done = subprocess.run([str(ROOT / "scripts" / "pmu-vm"), "run", str(program)],
                              env=environment, capture_output=True, text=True, errors="replace",
                              check=False, stdin=subprocess.DEVNULL)
    sys.stderr.write(done.stderr)
    if done.returncode == 125:
        print(done.stdout)
        print("the guest did not run")
        sys.exit(1)
    return sections(done.stdout)


def sections(text):
    found = {}
    for part in text.split(MARK)[1:]:
        name, _, body = part.partition("\n")
        found[name.strip()] = body
    return found


def needs_build(agent=False):
    if not (BUILD / "tests" / "guest" / "known_loop").is_file():
        skip("no cross build of known_loop; run scripts/build-guest")
    if agent and not (list(STAGE.glob("lib*/**/libagent.so")) and (STAGE / "bin" / "csink").is_file()):
        skip("the cross build has no libagent.so or no csink yet")


def profiled(name, arguments, environment, output_format="json"):
    """Shell lines: one run of known_loop under the agent; its report, stdout, stderr and status."""
    variables = " ".join(f"{k}={v}" for k, v in environment.items())
    return f"""
agent=$(find /app/stage -name libagent.so | head -n 1)
rm -f /tmp/report
env {variables} CSINK_FORMAT={output_format} CSINK_OUTPUT=/tmp/report LD_PRELOAD=$agent \\
    ./known_loop {arguments} >/tmp/out 2>/tmp/err
rc=$?
echo "{MARK}{name}.status"; echo $rc
echo "{MARK}{name}.out"; cat /tmp/out
echo "{MARK}{name}.err"; cat /tmp/err
echo "{MARK}{name}.report"; cat /tmp/report 2>/dev/null
"""


class Run:
    """One profiled run: its known counts and its report."""

    def __init__(self, found, name, checks):
        self.status = found.get(f"{name}.status", "missing").strip()
        self.err = found.get(f"{name}.err", "")
        self.text = found.get(f"{name}.report", "")
        out = found.get(f"{name}.out", "")
        self.known = {k.capitalize(): int(v) for k, v in re.findall(r"(\w+)=(\d+)", out)}
        checks.that(self.status == "0", f"{name}: the program ends as without us", f"status {self.status}")
        checks.that("Sixty" in self.known, f"{name}: its own output is there", out.strip())
        try:
            self.report = json.loads(self.text)
        except json.JSONDecodeError:
            self.report = {}

    def has_report(self, checks, name):
        return checks.that(bool(self.report), f"{name}: a JSON report",
                           "" if self.report else f"got {self.text[:200]!r}, stderr {self.err[-600:]!r}")

    @property
    def total(self):
        return sum(self.known[f] for f in FUNCTIONS)

    def event(self, name):
        for index, event in enumerate(self.report.get("events", [])):
            if event.get("name", "").split(":")[0].lower() == name:
                return index, event
        return None, {}

    def samples_of(self, function, index):
        return sum(row["events"][index]["samples"] for row in self.report["functions"]
                   if row["function"].startswith(f"known::{function}("))


# ---- the plans -----------------------------------------------------------------------------------

def plan_pmu(checks):
    """The machine itself: exact counts, every overflow recorded, without any agent."""
    needs_build()
    for shift in (0, 1):
        found = boot(f"""
echo "{MARK}count"; ./known_loop count 20000000
echo "{MARK}overflow"; ./known_loop overflow 20500000 1000000
""", extra=[BUILD / "tests/guest/known_loop"], ICOUNT=f"shift={shift},sleep=off")
        judge_counts(checks, found, shift)


def judge_counts(checks, found, shift):
    counts = re.findall(r"loop=(\d+) instructions=(\d+) cycles=(\d+)", found.get("count", ""))
    checks.that(len(counts) == 3 and len(set(counts)) == 1, f"shift {shift}: three runs count the same", counts)
    for loop, instructions, cycles in counts[:1]:
        around = int(instructions) - int(loop)
        checks.that(0 <= around <= 100, f"shift {shift}: instructions are exact", f"{around} around the loop")
        checks.that(int(cycles) == int(instructions) << shift,
                    f"shift {shift}: cycles are instructions << shift", cycles)
    rows = re.findall(r"config=(\d) loop=(\d+) period=(\d+) overflows=(\d+)", found.get("overflow", ""))
    checks.that(len(rows) == 2, f"shift {shift}: two overflow runs", rows)
    for config, loop, period, overflows in rows:
        counted = int(loop) << (shift if config == "0" else 0)
        checks.that(int(overflows) == counted // int(period),
                    f"shift {shift}: every overflow of {'instructions' if config == '1' else 'cycles'}",
                    f"{overflows} of {counted // int(period)}")


def plan_agent(checks):
    """The whole LD_PRELOAD run with 1 cycle = 1 instruction: two columns, every overflow, shares."""
    needs_build(agent=True)
    found = boot(
        profiled("columns", f"split {LONG_RUN} {ROUNDS}",
                 {"CSINK_EVENTS": f"cycles@{PERIOD},instructions@{PERIOD}"})
        + profiled("text", f"split {LONG_RUN} {ROUNDS}",
                   {"CSINK_EVENTS": f"cycles@{PERIOD},instructions@{PERIOD}"}, "text")
        + profiled("shares", f"split {LONG_RUN} {ROUNDS}", {"CSINK_EVENTS": "cycles@100003"})
        + profiled("default", f"split {LONG_RUN} {ROUNDS}", {}),
        extra=[BUILD / "tests/guest/known_loop", STAGE])
    columns = Run(found, "columns", checks)
    if columns.has_report(checks, "columns"):
        judge_overflows(checks, columns, "cycles", 0)
        judge_overflows(checks, columns, "instructions", 0)
        judge_ipc(checks, columns, 1.0)
    text = Run(found, "text", checks)
    judge_ipc_text(checks, text.text, "1.00")
    shares = Run(found, "shares", checks)
    if shares.has_report(checks, "shares"):
        judge_shares(checks, shares, "cycles")
        judge_rest(checks, shares, "cycles")
        judge_lines(checks, shares)
    default = Run(found, "default", checks)
    if default.has_report(checks, "default"):
        checks.that(default.event("cycles")[0] is not None, "default: cycles, since there is a PMU",
                    [e.get("name") for e in default.report.get("events", [])])


def plan_agent_half_ipc(checks):
    """An instruction takes two cycles: the arithmetic of IPC and of the columns."""
    needs_build(agent=True)
    events = {"CSINK_EVENTS": f"cycles@{PERIOD},instructions@{PERIOD}"}
    found = boot(profiled("half", f"split {LONG_RUN} {ROUNDS}", events)
                 + profiled("text", f"split {LONG_RUN} {ROUNDS}", events, "text"),
                 extra=[BUILD / "tests/guest/known_loop", STAGE], ICOUNT="shift=1,sleep=off")
    half = Run(found, "half", checks)
    if half.has_report(checks, "half"):
        judge_overflows(checks, half, "cycles", 1)
        judge_overflows(checks, half, "instructions", 0)
        judge_ipc(checks, half, 0.5)
    judge_ipc_text(checks, Run(found, "text", checks).text, "0.50")


def plan_agent_without_pmu(checks):
    """A machine without a PMU: task-clock and the reason; asking for cycles harms nobody."""
    needs_build(agent=True)
    found = boot(profiled("default", f"split {LONG_RUN} {ROUNDS}", {})
                 + profiled("asked", f"split {LONG_RUN} {ROUNDS}", {"CSINK_EVENTS": "cycles"}),
                 extra=[BUILD / "tests/guest/known_loop", STAGE], CPU="cortex-a57,pmu=off")
    default = Run(found, "default", checks)
    if default.has_report(checks, "default"):
        judge_fallback(checks, default)
    asked = Run(found, "asked", checks)
    lines = [l for l in asked.err.splitlines() if l.startswith("csink:")]
    checks.that(any("cycles" in l for l in lines), "asked: one line says that cycles are not to be had", lines)
    if asked.has_report(checks, "asked"):
        names = [e.get("name", "") for e in asked.report.get("events", [])]
        checks.that(names[0].startswith("task-clock"), "asked: task-clock instead", names)


def plan_unit(checks):
    """Every unit test of the cross build, on aarch64."""
    needs_build()
    listing = subprocess.run(["ctest", "--show-only=json-v1"], cwd=BUILD, capture_output=True,
                             text=True, check=True)
    tests = []
    for test in json.loads(listing.stdout)["tests"]:
        properties = {p["name"]: p["value"] for p in test.get("properties", [])}
        if "unit" not in properties.get("LABELS", []):
            continue
        command = test.get("command", [""])
        if command[0].startswith(f"{BUILD}/"):
            tests.append((test["name"], command, properties))
        else:
            print(f"left out, it needs a program of the host: {test['name']}")
    if not tests:
        skip("the cross build has no unit tests")
    with tempfile.TemporaryDirectory(prefix="csink-unit-") as folder:
        overlay = pathlib.Path(folder)
        # The same paths as here: tests name their data by absolute path.
        for source in (BUILD, ROOT / "tests"):
            shutil.copytree(source, overlay / source.relative_to("/"), symlinks=True, dirs_exist_ok=True,
                            ignore=shutil.ignore_patterns("CMakeFiles", "*.a", "*.o", ".ninja*", "stage",
                                                          "build.ninja", "__pycache__"))
        script = "".join(unit_test_lines(*test) for test in tests)
        # Real time: quicker, and nothing here counts instructions.
        found = boot(script, overlay=overlay, ICOUNT="none", POKE="0", MEM="1024", LIMIT="800")
    for name, _, _ in tests:
        body = found.get(f"unit {name}", "no output")
        status = re.search(r"^@@status (\d+)$", body, re.MULTILINE)
        good = status is not None and status.group(1) in ("0", "77")
        last = [l for l in body.splitlines() if "PASSED" in l or "SKIPPED" in l or "FAILED" in l]
        checks.that(good, name, last[-1].strip() if last else body[-300:].strip())
        if not good:
            print(body)


def unit_test_lines(name, command, properties):
    folder = properties.get("WORKING_DIRECTORY", str(BUILD))
    environment = " ".join(f"'{e}'" for e in properties.get("ENVIRONMENT", []))
    words = " ".join("'" + word.replace("'", "'\\''") + "'" for word in command)
    # The console is slow: only the end of what a failing test says is passed on.
    return f"""
echo "{MARK}unit {name}"
cd '{folder}' && env {environment} timeout 300 {words} >/tmp/log 2>&1
rc=$?
if [ $rc = 0 ]; then tail -n 3 /tmp/log; else tail -n 80 /tmp/log; fi
echo "@@status $rc"
"""


# ---- what is judged ------------------------------------------------------------------------------

def judge_overflows(checks, run, event_name, shift):
    """Samples and reported losses together are the overflows that the known count must give."""
    index, event = run.event(event_name)
    if not checks.that(index is not None, f"a column for {event_name}"):
        return
    period = event["period"]
    wanted = (run.total << shift) // period
    found = event["samples"] + event.get("lost_records", 0)
    checks.that(abs(found - wanted) <= 1 + shift, f"every overflow of {event_name} @{period} is accounted for",
                f"{event['samples']} samples + {event.get('lost_records', 0)} lost, known {wanted}")


def judge_ipc(checks, run, wanted):
    """Instructions by cycles of the whole run; one sample more or less in each."""
    cycles, instructions = run.event("cycles")[1], run.event("instructions")[1]
    if not cycles.get("weight") or not instructions.get("samples"):
        checks.that(False, "weights of cycles and instructions", (cycles, instructions))
        return
    ipc = instructions["weight"] / cycles["weight"]
    bound = wanted * (1.0 / cycles["samples"] + 1.0 / instructions["samples"])
    checks.that(abs(ipc - wanted) <= bound, f"IPC is {wanted:.2f}", f"{ipc:.4f}, bound {bound:.4f}")


def judge_ipc_text(checks, text, wanted):
    row = next((l for l in text.splitlines() if "known::Sixty(" in l), "")
    checks.that("IPC" in text and re.search(rf"(?<![\d.]){re.escape(wanted)}(?![\d%])", row) is not None,
                f"the text report reads IPC {wanted}", row.strip() or text[:200])


def judge_shares(checks, run, event_name):
    """Systematic sampling: a stretch of L events holds floor(L/P) or ceil(L/P) samples, wherever the
    first falls. A function that ran in K stretches is off by less than K; each drain in between
    cuts one stretch in two."""
    index, event = run.event(event_name)
    period = event["period"]
    drains = int(run.report.get("user_seconds", 0) / 0.1) + 2
    for function in FUNCTIONS:
        wanted = run.known[function] / period
        found = run.samples_of(function, index)
        bound = run.known["Rounds"] + drains
        checks.that(abs(found - wanted) <= bound, f"samples of known::{function}",
                    f"{found}, exact {wanted:.1f}, bound {bound}")


def judge_rest(checks, run, event_name):
    """What is not the known functions is the loader, the agent and the exit: hardly anything. And no
    sample is lost between the event and its functions."""
    index, event = run.event(event_name)
    listed = sum(row["events"][index]["samples"] for row in run.report["functions"])
    known = sum(run.samples_of(function, index) for function in FUNCTIONS)
    checks.that(listed == event["samples"], "the functions' samples add up to the event's",
                f"{listed} of {event['samples']}")
    checks.that(event["samples"] - known <= 0.01 * event["samples"], "hardly a sample elsewhere",
                f"{event['samples'] - known} of {event['samples']}")


def judge_lines(checks, run):
    lines = [row.get("line", "") for row in run.report["functions"] if row["function"].startswith("known::")]
    checks.that(bool(lines) and all("known_loop.cpp:" in line for line in lines),
                "the hottest lines are known_loop.cpp's", lines)


def judge_fallback(checks, run):
    names = [e.get("name", "") for e in run.report.get("events", [])]
    checks.that(len(names) == 1 and names[0].startswith("task-clock"), "falls back to task-clock", names)
    reason = " ".join([run.report.get("source_reason", ""), *run.report.get("verdict", {}).get("notes", []), run.err])
    checks.that(re.search(r"PMU|hardware", reason) is not None, "and says why", reason.strip()[:200])


# ---- the judges themselves -----------------------------------------------------------------------

def sample_run(**changes):
    """A run as a perfect agent would report it, with changes planted."""
    unit = LONG_RUN // ROUNDS // 10
    known = {"sixty": 6 * unit * ROUNDS, "thirty": 3 * unit * ROUNDS, "ten": unit * ROUNDS, "rounds": ROUNDS}
    event = {"cycles": 300, "instructions": 300, **changes.get("samples", {})}
    report = {
        "user_seconds": 0.3,
        "events": [{"name": name, "period": PERIOD, "samples": n, "weight": n * PERIOD, "lost_records": 0}
                   for name, n in event.items()],
        "functions": [{"function": f"known::{f}(unsigned long)", "line": "known_loop.cpp:33",
                       "events": [{"samples": round(known[f.lower()] / PERIOD) + changes.get(f, 0)}] * 2}
                      for f in FUNCTIONS],
        "verdict": {"notes": []},
    }
    quiet = Checks()
    return Run({"x.status": "0", "x.report": json.dumps(report),
                "x.out": " ".join(f"{k}={v}" for k, v in known.items())}, "x", quiet)


def self_test():
    def failures(judge, *args):
        checks = Checks()
        judge(checks, *args)
        return checks.failed

    print("-- verdicts below are the self-test's own --")
    good = sample_run()
    expectations = [
        ("a perfect run passes", failures(judge_overflows, good, "cycles", 0), 0),
        ("IPC 1 passes", failures(judge_ipc, good, 1.0), 0),
        ("true shares pass", failures(judge_shares, good, "cycles"), 0),
        ("a true sum passes", failures(judge_rest, good, "cycles"), 0),
        ("a sample that got lost on the way is found",
         failures(judge_rest, sample_run(samples={"cycles": 301}), "cycles"), 1),
        ("lost overflows are found", failures(judge_overflows, sample_run(samples={"cycles": 297}), "cycles", 0), 1),
        ("invented overflows are found", failures(judge_overflows, sample_run(samples={"cycles": 303}), "cycles", 0), 1),
        ("a missing column is found", failures(judge_overflows, good, "branches", 0), 1),
        ("a wrong IPC is found", failures(judge_ipc, good, 0.5), 1),
        ("a slightly wrong IPC is found", failures(judge_ipc, sample_run(samples={"instructions": 290}), 1.0), 1),
        ("a wrong share is found", failures(judge_shares, sample_run(Ten=20), "cycles"), 1),
        ("an IPC that is not printed is found", failures(judge_ipc_text, "IPC\n known::Sixty( 60.0%", "1.00"), 1),
        ("no fallback is found", failures(judge_fallback, good), 2),
        ("inexact counts are found", failures(judge_counts, {
            "count": "loop=100 instructions=300 cycles=300\n" * 3,
            "overflow": "config=1 loop=20 period=2 overflows=10\nconfig=0 loop=20 period=2 overflows=9"}, 0), 2),
    ]
    print("-- self-test --")
    result = Checks()
    for what, found, wanted in expectations:
        result.that(found == wanted, what, "" if found == wanted else f"{found} failed, wanted {wanted}")
    result.exit()


PLANS = {name[5:]: function for name, function in list(globals().items()) if name.startswith("plan_")}


def main():
    plans = "\n".join(f"  {name:18} {function.__doc__.splitlines()[0]}" for name, function in PLANS.items())
    parser = argparse.ArgumentParser(description=__doc__ + "\nPlans:\n" + plans,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("plan", nargs="?", choices=PLANS)
    parser.add_argument("--self-test", action="store_true", help="feed the judges wrong reports")
    args = parser.parse_args()
    if args.self_test:
        self_test()
    if not args.plan:
        parser.error("which plan?")
    checks = Checks()
    PLANS[args.plan](checks)
    checks.exit()


if __name__ == "__main__":
    main()
