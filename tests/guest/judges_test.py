"""The judges themselves: wrong reports are planted, and each must be found."""

import json

from judges import (Checks, FUNCTIONS, LONG_RUN, PERIOD, ROUNDS, Run, judge_counts, judge_explained, judge_fallback,
                    judge_handlers, judge_ipc, judge_ipc_text, judge_overflows, judge_read_costs, judge_rest,
                    judge_shares, judge_throttle, judge_throttled)


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


def explained_run(part, said=1.0, grade=None):
    """A run whose samples stand for `part` of what is known, and whose report explains `said`."""
    run = sample_run()
    event = run.report["events"][0]
    event.update(weight=round(run.total * part), explained_share=said, scale=1 / said, throttled=3,
                 throttled_seconds=0.1)
    run.report["verdict"]["grade"] = grade or ("good" if said >= 0.95 else "poor")
    for row in run.report["functions"]:
        row["events"][0].update(low=0.5, high=0.7)
    return run


def handler_rows(count=20500014, told=20):
    """What known_overflow prints; the last of its twelve events with changes planted."""
    row = "known events=1 event=cycles source=sigtrap period=1000000 loop=20500000 count={} told={}\n"
    return row.format(20500014, 20) * 11 + row.format(count, told)


def read_line(fast, one, two):
    return f"reads fast={fast} one={one:.1f} two={two:.1f}\n"


def throttle_lines(**changes):
    """What hardware_throttle prints in the three runs, with lines replaced."""
    line = "throttle limit=1000 samples={} throttles={} unthrottles=9 counted={} due=50000268\n"
    return {"free": line.format(500, 0, 50000238), "throttled": line.format(56, 14, 5600000),
            "restarted": line.format(500, 124, 50023748)} | changes


def self_test():
    def failures(judge, *args):
        checks = Checks()
        judge(checks, *args)
        return checks.failed

    print("-- verdicts below are the self-test's own --")
    good = sample_run()
    expectations = [
        ("a total that is explained passes", failures(judge_explained, explained_run(1.0), "cycles", "x"), 0),
        ("a missing part that is told passes",
         failures(judge_explained, explained_run(0.5, said=0.5), "cycles", "x"), 0),
        ("a missing part that is not told is found",
         failures(judge_explained, explained_run(0.5), "cycles", "x") >= 2, True),
        ("a poor share that is called good is found",
         failures(judge_explained, explained_run(0.5, said=0.5, grade="good"), "cycles", "x"), 1),
        ("a throttled event without a rate that fits is found",
         failures(judge_throttled, explained_run(0.5, said=0.5), "cycles") >= 1, True),
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
        ("an IPC one sample off passes", failures(judge_ipc_text, "IPC\n 60.0% 1.01 known::Sixty(", "1.00"), 0),
        ("the row behind a finding of the function is read", failures(
            judge_ipc_text, "1  known::Sixty( has 60.0% +-5.5\nIPC\n 60.0% 1.01 known::Sixty(", "1.00"), 0),
        ("a wrong printed IPC is found", failures(judge_ipc_text, "IPC\n 60.0% 1.03 known::Sixty(", "1.00"), 1),
        ("no fallback is found", failures(judge_fallback, good), 2),
        ("a handler that was not called is found", failures(judge_handlers, {
            "handlers": handler_rows(told=18)}), 1),
        ("a handler that was called too often is found", failures(judge_handlers, {
            "handlers": handler_rows(told=21)}), 1),
        ("a count that lost is found", failures(judge_handlers, {
            "handlers": handler_rows(count=19900000, told=19)}), 1),
        ("a run that is missing is found", failures(judge_handlers, {"handlers": ""}), 1),
        ("right handlers pass", failures(judge_handlers, {"handlers": handler_rows()}), 0),
        ("cheap reads pass", failures(judge_read_costs, read_line(0, 1868, 2734), read_line(1, 250, 330)), 0),
        ("dear reads are found", failures(judge_read_costs, read_line(0, 1868, 2734), read_line(1, 400, 330)), 1),
        ("system calls all the same are found",
         failures(judge_read_costs, read_line(0, 1868, 2734), read_line(0, 250, 330)), 1),
        ("reads that were not measured are found",
         failures(judge_read_costs, read_line(0, 1868, 2734), read_line(1, -1, -1)), 1),
        ("a kernel that throttles passes", failures(judge_throttle, throttle_lines()), 0),
        ("a kernel that does not throttle is found",
         failures(judge_throttle, throttle_lines(throttled=throttle_lines()["free"])), 2),
        ("counts that a restart does not save are found",
         failures(judge_throttle, throttle_lines(restarted=throttle_lines()["throttled"])), 1),
        ("a run of the throttle that is missing is found", failures(judge_throttle, throttle_lines(free="")), 1),
        ("inexact counts are found", failures(judge_counts, {
            "count": "loop=100 instructions=300 cycles=300\n" * 3,
            "overflow": "config=1 loop=20 period=2 overflows=10\nconfig=0 loop=20 period=2 overflows=9"}, 0), 2),
    ]
    print("-- self-test --")
    result = Checks()
    for what, found, wanted in expectations:
        result.that(found == wanted, what, "" if found == wanted else f"{found} failed, wanted {wanted}")
    result.exit()
