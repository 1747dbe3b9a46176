#!/usr/bin/env python3
"""Boots the arm64 guest with a PMU (scripts/pmu-vm) and checks what our programs measure there
against counts that are known exactly. One plan is one boot; scripts/build-guest must have run.

Exit codes: 0 every check holds, 1 one does not, 77 nothing to check, with the reason.
"""

import argparse
import re

import judges_test
from judges import (Checks, LONG_RUN, PERIOD, ROUNDS, Run, judge_counts, judge_explained, judge_fallback, judge_ipc,
                    judge_handlers, judge_ipc_text, judge_lines, judge_overflows, judge_read_costs, judge_rest,
                    judge_shares, judge_throttle, judge_throttled, profiled)
from machine import BUILD, MARK, STAGE, boot, needs_build, skip
from unit_plan import plan_unit, plan_unit_all


def plan_pmu(checks):
    """The machine itself: exact counts, every overflow recorded, without any agent."""
    needs_build()
    for shift in (0, 1):
        found = boot(f"""
echo "{MARK}count"; ./known_loop count 20000000
echo "{MARK}overflow"; ./known_loop overflow 20500000 1000000
""", extra=[BUILD / "tests/guest/known_loop"], ICOUNT=f"shift={shift},sleep=off")
        judge_counts(checks, found, shift)


def judge_counter_sets(checks, name, text, wanted):
    """Lines of tests/guest/counter_sets.cpp."""
    lines = re.findall(r"^check (good|BAD) (.*)$", text, re.MULTILINE)
    for verdict, what in lines:
        checks.that(verdict == "good", f"{name}: {what}")
    last = re.search(r"^checks (\d+)$", text, re.MULTILINE)
    checks.that(last is not None and int(last.group(1)) == len(lines) and len(lines) >= wanted,
                f"{name}: it came to its end", f"{len(lines)} checks" if last else text[-300:])


def plan_counting(checks):
    """Counter sets: exact counts, conflicts, multiplexing, with and without user-space reads."""
    needs_build()
    program = [BUILD / "tests/guest/counter_sets"]
    found = boot(f"""
echo 0 >/proc/sys/kernel/perf_user_access
echo "{MARK}kernel reads"; ./counter_sets exact
echo 1 >/proc/sys/kernel/perf_user_access
echo "{MARK}user reads"; ./counter_sets exact user
""", extra=program, POKE="0")
    judge_counter_sets(checks, "kernel reads", found.get("kernel reads", ""), 69)
    judge_counter_sets(checks, "user reads", found.get("user reads", ""), 69)
    found = boot(f"""
echo 0 >/proc/sys/kernel/perf_user_access
echo "{MARK}wide"; ./counter_sets wide
echo 1 >/proc/sys/kernel/perf_user_access
echo "{MARK}wide user"; ./counter_sets wide
""", extra=program, ICOUNT="none", POKE="0")
    judge_counter_sets(checks, "more cycles than 32 bits", found.get("wide", ""), 5)
    judge_counter_sets(checks, "the same in user space", found.get("wide user", ""), 5)


def plan_papi(checks):
    """libpapi by its public calls: counts, limits, presets, multiplexing, children, cost of a read."""
    needs_build()
    found = boot(f"""
echo 0 >/proc/sys/kernel/perf_user_access
echo "{MARK}kernel reads"; ./papi_counts exact
echo "{MARK}cost"; ./papi_counts reads
echo "{MARK}rates"; ./papi_counts rates
echo 1 >/proc/sys/kernel/perf_user_access
echo "{MARK}user reads"; ./papi_counts exact user
echo "{MARK}user cost"; ./papi_counts reads
""", extra=papi_files(), POKE="0")
    judge_counter_sets(checks, "kernel reads", found.get("kernel reads", ""), 88)
    judge_counter_sets(checks, "user reads", found.get("user reads", ""), 88)
    judge_counter_sets(checks, "rates", found.get("rates", ""), 45)
    judge_read_costs(checks, found.get("cost", ""), found.get("user cost", ""))


def plan_papi_sampled(checks):
    """PAPI_overflow and PAPI_profil: every multiple of the threshold, none twice."""
    needs_build()
    found = boot(f"""
echo "{MARK}sampled"; ./papi_counts sampled
echo "{MARK}handlers"; ./known_overflow 20500000
""", extra=[*papi_files(), BUILD / "tests/guest/known_overflow"])
    judge_counter_sets(checks, "sampled", found.get("sampled", ""), 50)
    judge_handlers(checks, found)


def plan_papi_throttled(checks):
    """PAPI_overflow and PAPI_profil far above the kernel's limit of interrupts: counts stay exact."""
    needs_build()
    found = boot(f"""
echo 25 >/proc/sys/kernel/perf_cpu_time_max_percent
echo 1000 >/proc/sys/kernel/perf_event_max_sample_rate
echo "{MARK}throttled"; ./papi_counts throttled
echo "{MARK}user reads"; echo 1 >/proc/sys/kernel/perf_user_access; ./papi_counts throttled
""", extra=papi_files(), POKE="0")
    judge_counter_sets(checks, "throttled", found.get("throttled", ""), 21)
    judge_counter_sets(checks, "throttled, with user-space reads", found.get("user reads", ""), 21)


def plan_papi_long(checks):
    """More instructions than 32 bits hold, by read(2), group read and user read, of one loop."""
    needs_build()
    found = boot(f"""
echo "{MARK}long"; ./papi_counts long
""", extra=papi_files(), POKE="0", LIMIT="800")
    judge_counter_sets(checks, "long", found.get("long", ""), 9)


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
        # The guest is a virtual machine: its default is what costs less, and the report says so.
        reason = default.report.get("source_reason", "")
        names = [e.get("name", "").split(":")[0] for e in default.report.get("events", [])]
        checks.that(names in (["cycles"], ["task-clock"]) and "cycles add" in reason,
                    "default: chosen by what a switch costs with cycles", [names, reason])


def plan_agent_throttled(checks):
    """A low kernel.perf_event_max_sample_rate: frequency mode stays below it, a fixed period is throttled,
    and the report says how much is missing."""
    needs_build(agent=True)
    # The limit can only be set while the kernel may lower it by itself.
    limit = ("echo 25 >/proc/sys/kernel/perf_cpu_time_max_percent\n"
             "echo 1000 >/proc/sys/kernel/perf_event_max_sample_rate\n")
    run = f"split {LONG_RUN} {ROUNDS}"
    found = boot(limit + profiled("default", run, {"CSINK_EVENTS": "cycles"})
                 + limit + profiled("above", run, {"CSINK_EVENTS": "cycles@4kHz"})
                 + limit + profiled("fixed", run, {"CSINK_EVENTS": "cycles@100003"}),
                 extra=[BUILD / "tests/guest/known_loop", STAGE], POKE="0")
    for name in ("default", "above"):
        run = Run(found, name, checks)
        if run.has_report(checks, name):
            judge_explained(checks, run, "cycles", name)
            checks.that(run.event("cycles")[1].get("frequency_hz") == 500, f"{name}: half of the limit",
                        run.event("cycles")[1].get("frequency_hz"))
            checks.that(run.event("cycles")[1].get("explained_share", 0) >= 0.95, f"{name}: next to nothing is missing")
    checks.that("cycles is sampled at 500 Hz, not at 4000" in Run(found, "above", checks).err,
                "a rate that is lowered is told")
    fixed = Run(found, "fixed", checks)
    if fixed.has_report(checks, "fixed"):
        judge_explained(checks, fixed, "cycles", "fixed")
        judge_throttled(checks, fixed, "cycles")


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


def plan_hardware(checks):
    """The programs of tests/hardware, which run natively where there is a PMU; and the kernel's throttling."""
    if not (BUILD / "tests/hardware/hardware_counts").is_file():
        skip("no cross build of hardware_counts; run scripts/build-guest")
    limit = "/proc/sys/kernel/perf_event_max_sample_rate"
    found = boot(f"""
echo "{MARK}counts"; ./hardware_counts counts
echo "{MARK}overflow"; ./hardware_counts overflow PAPI_TOT_CYC
echo "{MARK}free"; ./hardware_throttle 50000000 100000
echo 25 >/proc/sys/kernel/perf_cpu_time_max_percent; echo 1000 >{limit}
echo "{MARK}throttled"; ./hardware_throttle 50000000 100000
echo "{MARK}restarted"; ./hardware_throttle 50000000 100000 restart
""", extra=hardware_files(), POKE="0")
    judge_counter_sets(checks, "counts", found.get("counts", ""), 6)
    judge_counter_sets(checks, "overflow", found.get("overflow", ""), 8)
    judge_throttle(checks, found)


def hardware_files():
    return [*(BUILD / "tests/hardware" / name for name in ("hardware_counts", "hardware_throttle")),
            BUILD / "compat/papi/libpapi.so.7.0"]


def papi_files():
    return [BUILD / "tests/guest/papi_counts", BUILD / "compat/papi/libpapi.so.7.0"]


PLANS = {name[5:]: function for name, function in list(globals().items()) if name.startswith("plan_")}


def main():
    plans = "\n".join(f"  {name:18} {function.__doc__.splitlines()[0]}" for name, function in PLANS.items())
    parser = argparse.ArgumentParser(description=__doc__ + "\nPlans:\n" + plans,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("plan", nargs="?", choices=PLANS)
    parser.add_argument("--self-test", action="store_true", help="feed the judges wrong reports")
    args = parser.parse_args()
    if args.self_test:
        judges_test.self_test()
    if not args.plan:
        parser.error("which plan?")
    checks = Checks()
    PLANS[args.plan](checks)
    checks.exit()


if __name__ == "__main__":
    main()
