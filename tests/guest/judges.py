"""What is judged in the guest: one profiled run, and whether its report says what is known."""

import json
import re
import sys

from machine import MARK

# 300 periods and a tenth: what else the program executes after the event was opened (the loader, the
# agent's drains, the exit) is 200,000 to 600,000 instructions, less than what is left of the period.
PERIOD = 1000003
LONG_RUN = PERIOD * 300 + PERIOD // 10
ROUNDS = 5
FUNCTIONS = ("Sixty", "Thirty", "Ten")


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


def judge_handlers(checks, found):
    """Handlers are told of each multiple of the period that the event itself has counted."""
    rows = re.findall(r"events=(\d) event=(\w+) source=(\w+) period=(\d+) loop=(\d+) count=(\d+) told=(\d+)",
                      found.get("handlers", ""))
    checks.that(len(rows) == 12, "eight runs, twelve armed events", found.get("handlers", "nothing"))
    for events, event, source, period, loop, count, told in rows:
        due = int(count) // int(period)
        what = f"{event} @{period} by {source}, {events} armed"
        checks.that(int(loop) <= int(count) <= 2 * int(loop), f"{what}: the count is whole", count)
        # The last one may fall due inside the call that stops the set.
        checks.that(due - 1 <= int(told) <= due, f"{what}: every overflow", f"{told} of {due}")


def read_cost(text):
    """Of papi_counts reads: (whether system calls were spared, instructions for 1 event, for 2)."""
    row = re.search(r"^reads fast=([01]) one=([\d.]+) two=([\d.]+)$", text, re.MULTILINE)
    return (row.group(1) == "1", float(row.group(2)), float(row.group(3))) if row else None


def judge_read_costs(checks, kernel_text, user_text):
    """The issue's figure: in user space PAPI_read takes a fifth of the instructions, or fewer."""
    kernel, user = read_cost(kernel_text), read_cost(user_text)
    if not checks.that(kernel and user and not kernel[0] and user[0], "PAPI_read was measured both ways",
                       (kernel_text[-200:], user_text[-200:])):
        return
    for events in (1, 2):
        ratio = kernel[events] / user[events]
        checks.that(user[events] > 10 and ratio >= 5, f"PAPI_read of {events} takes >= 5 x fewer instructions",
                    f"{user[events]:.0f} instead of {kernel[events]:.0f}, {ratio:.1f} x")


def judge_overflows(checks, run, event_name, shift):
    """Samples and reported losses together are the overflows that the known count must give."""
    index, event = run.event(event_name)
    if not checks.that(index is not None, f"a column for {event_name}"):
        return
    period = event["period"]
    wanted = (run.total << shift) // period
    found = event["samples"] + event.get("lost_records", 0)
    # The loop's count is exact. Beside it: the first overflow comes after a random part of a period,
    # and the program's start, its end and what the agent does in it are about another period.
    extra = found - wanted
    checks.that(-1 <= extra <= 1 + (1 << shift), f"every overflow of {event_name} @{period} is accounted for",
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
    """The number that is printed. Each column has about 180 samples in that row, the first of each at a
    random moment: one more or less in each, and the rounding."""
    rows = [l.strip() for l in text.splitlines() if "known::Sixty(" in l]  # A finding names it, too
    printed = [float(number) for row in rows for number in re.findall(r"(?<![\d.])\d+\.\d\d(?![\d%])", row)]
    bound = float(wanted) * 2 / 180 + 0.005
    checks.that("IPC" in text and any(abs(number - float(wanted)) <= bound for number in printed),
                f"the text report reads IPC {wanted}", rows or text[:200])


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


def judge_explained(checks, run, event_name, what):
    """Either the report's total is the known one, or it says how much is missing: weight x scale is right."""
    index, event = run.event(event_name)
    if not checks.that(index is not None and event.get("explained_share"), f"{what}: a share is explained", event):
        return
    share, weight = event["explained_share"], event["weight"]
    checks.that(abs(weight / run.total - share) <= 0.02, f"{what}: it explains what it says",
                f"{share:.4f} said, {weight / run.total:.4f} true")
    estimate = weight * event["scale"] / run.total
    # Throttled nine tenths of the time: interrupts, in which no user cycle passes, are a tenth of the rest.
    bound = 0.03 if share >= 0.95 else 0.15
    checks.that(abs(estimate - 1) <= bound, f"{what}: the estimated total", f"{estimate:.4f} of the known")
    good = run.report["verdict"]["grade"] == "good"
    checks.that(good == (share >= 0.95), f"{what}: good at 95 % and more alone",
                f"{run.report['verdict']['grade']} at {share:.4f}")


def judge_throttled(checks, run, event_name):
    """A fixed period far above the kernel's limit: a part is missing, told with the rate that fits."""
    _, event = run.event(event_name)
    checks.that(event.get("throttled", 0) > 0 and event.get("throttled_seconds", 0) > 0,
                "the kernel throttled it", (event.get("throttled"), event.get("throttled_seconds")))
    notes = " ".join(run.report.get("verdict", {}).get("notes", []))
    checks.that(re.search(rf"{event_name} was throttled: .*{event_name}@\d+Hz", notes) is not None,
                "the verdict names a rate that fits", notes)
    rows = [row["events"][0] for row in run.report["functions"] if row["function"].startswith("known::Sixty(")]
    checks.that(bool(rows) and rows[0]["low"] <= 0.6 <= rows[0]["high"],
                "the interval holds the true share", rows[:1])


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


def judge_throttle(checks, found):
    """Lines of tests/hardware/hardware_throttle.cpp: a low limit stops the counter, a handler can start it again."""
    runs = {}
    for name in ("free", "throttled", "restarted"):
        row = re.search(r"^throttle (.*)$", found.get(name, ""), re.MULTILINE)
        runs[name] = {k: int(v) for k, v in re.findall(r"(\w+)=(\d+)", row.group(1))} if row else {}
        if not checks.that(runs[name].get("due", 0) > 0, f"{name}: it counts", found.get(name, "nothing")[-300:]):
            return
    free, throttled, restarted = (runs[name] for name in ("free", "throttled", "restarted"))
    checks.that(free["throttles"] == 0 and free["samples"] >= free["due"] // 100_000 - 1,
                "below the limit nothing is throttled", free)
    checks.that(throttled["throttles"] > 0 and throttled["samples"] < throttled["due"] // 200_000,
                "above it THROTTLE records come and half of the samples and more are missing", throttled)
    checks.that(throttled["counted"] < throttled["due"] // 2, "and counts, too", throttled)
    checks.that(restarted["throttles"] > 0 and restarted["counted"] >= restarted["due"] * 99 // 100,
                "an event that is started again at each THROTTLE record loses none", restarted)
