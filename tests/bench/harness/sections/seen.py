"""Samples obtained, as a share of the user CPU time there was."""

import os
import re

from .. import peers, workloads
from ..figures import Figure, Section
from ..stats import quartiles

NAME = "seen"
TITLE = "CPU time that samples account for"
HZ = 1000
# The kernel splits user and system time by ticks. The loops make no system calls, so
# for them the sum, which is exact, is the better denominator; xz needs the split.
SYSTEM_TIME_COUNTS = {"loop", "loop, every signal blocked"}
XZ = "xz -T2, workers block every signal"


def _programs(ctx):
    steps = str(ctx.steps_for(1.2))
    text = workloads.compressible(ctx.products.path("two.txt"), 5)
    return {"loop": [ctx.products.loop, steps],
            "loop, every signal blocked": [ctx.products.loop, steps, "block"],
            XZ: ["xz", "-6", "-T2", "--block-size=1MiB", "-k", "-c", text]}


def _cpu_s(usage, name):
    return usage.cpu_s if name in SYSTEM_TIME_COUNTS else usage.user_s


def _agent(ctx, name, argv):
    """(samples x period / CPU time, threads besides main with samples)"""
    cpu_s = _cpu_s(ctx.run(argv, ctx.products.spool_env(EVENTS=f"task-clock@{HZ}Hz"),
                           keep_output=False), name)
    folder = ctx.products.take_spools("seen")
    reports = ctx.products.report(folder)
    seen_s = sum(r["events"][0]["weight"] for r in reports) / 1e9
    workers = sum(1 for r in reports for t in r["threads"]
                  if t["samples"] > 0 and t["tid"] != t["pid"])
    return seen_s / cpu_s, workers


def _perf(ctx, name, argv):
    """perf's own CPU time is in the tree's, so the program's comes from an own run."""
    data = ctx.products.path("seen.data")
    cpu_s = _cpu_s(ctx.run(argv, keep_output=False), name)
    ctx.run(peers.perf_record(data, HZ, argv), keep_output=False)
    return peers.perf_samples(data) / HZ / cpu_s, None


def _gperftools(ctx, name, argv):
    profile = ctx.products.path("seen.prof")
    cpu_s = _cpu_s(ctx.run(argv, peers.gperftools_env(profile, 100), keep_output=False), name)
    return peers.gperftools_samples(profile) / 100 / cpu_s, None


def _gperftools_top(ctx):
    """The first row of google-pprof --text on the last profile: (share, name)."""
    out = ctx.run([peers.google_pprof(), "--text", "/usr/bin/xz", ctx.products.path("seen.prof")])
    for line in out.stdout.splitlines():
        row = re.match(r"\s*\d+\s+([0-9.]+)%\s+[0-9.]+%\s+\d+\s+[0-9.]+%\s+(.+)", line)
        if row:
            return row.group(1), row.group(2)
    return "0", "nothing"


def measure(ctx):
    section = Section(NAME, TITLE, ["program", "tool", "samples x period / CPU time",
                                    "workers with samples"])
    tools = {"perf record": _perf, "gperftools": _gperftools}
    if ctx.products.has_agent():
        tools = {"Countersink": _agent, **tools}
    for name, argv in _programs(ctx).items():
        variants = {tool: (lambda f=f: f(ctx, name, argv)) for tool, f in tools.items()}
        results = ctx.rounds(ctx.pick(5, 2), variants, name)
        for tool, pairs in results.items():
            low, mid, high = quartiles([share * 100 for share, _ in pairs])
            workers = sorted({str(w) for _, w in pairs if w is not None})
            section.rows.append((name, tool, f"{mid:.1f} % [{low:.1f}..{high:.1f}]",
                                 " ".join(workers)))
            if tool == "Countersink":
                limit = 95 if name == XZ else 98
                wanted = 2 if name == XZ else 0
                fewest = min(workers for _, workers in pairs)
                also = [f", {count} workers" if wanted else "" for count in (wanted, fewest)]
                section.figures.append(Figure(f"CPU time seen: {name}", f">= {limit} %{also[0]}",
                                              f"{mid:.1f} %{also[1]}",
                                              mid >= limit and fewest >= wanted))
        if name == XZ:
            share, function = _gperftools_top(ctx)
            section.notes.append(f"First row of gperftools' report of xz -T2: {share} % in "
                                 f"`{function}`.")
    section.notes.append(f"{ctx.pick(5, 2)} rounds. CPU time is wait4's, loading and exit included "
                         "(a few tenths of a percent that nobody samples); for xz its user part. perf's "
                         "denominator is a run without it, which lacks the interrupts' time.")
    os.unlink(ctx.products.path("two.txt"))
    return section
