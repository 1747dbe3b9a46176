"""Samples obtained, as a share of the user CPU time there was."""

import os
import re

from .. import peers, workloads
from ..figures import Figure, Section
from ..stats import quartiles

NAME = "seen"
TITLE = "CPU time that samples account for"
# The kernel splits user and system time by ticks; a CPU-bound program of a second has
# next to no system time, so the sum, which is exact, is the better denominator.
HZ = 1000


def _programs(ctx):
    steps = str(ctx.steps_for(1.2))
    text = workloads.compressible(ctx.products.path("two.txt"), 4)
    return {"loop": [ctx.products.loop, steps],
            "loop, every signal blocked": [ctx.products.loop, steps, "block"],
            "xz -T2, workers block every signal":
                ["xz", "-6", "-T2", "--block-size=2MiB", "-k", "-c", text]}


def _agent(ctx, argv):
    """(samples x period / CPU time, threads with samples)"""
    cpu_s = ctx.run(argv, ctx.products.spool_env(EVENTS=f"task-clock@{HZ}Hz"),
                    keep_output=False).cpu_s
    folder = ctx.products.take_spools("seen")
    reports = ctx.products.report(folder)
    seen_s = sum(r["events"][0]["weight"] for r in reports) / 1e9
    threads = sum(1 for r in reports for t in r["threads"] if t["samples"] > 0)
    return seen_s / cpu_s, threads


def _perf(ctx, argv):
    """perf's own CPU time is in the tree's, so the program's comes from an own run."""
    data = ctx.products.path("seen.data")
    cpu_s = ctx.run(argv, keep_output=False).cpu_s
    ctx.run(peers.perf_record(data, HZ, argv), keep_output=False)
    return peers.perf_samples(data) / HZ / cpu_s, None


def _gperftools(ctx, argv):
    profile = ctx.products.path("seen.prof")
    cpu_s = ctx.run(argv, peers.gperftools_env(profile, 100), keep_output=False).cpu_s
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
                                    "threads with samples"])
    tools = {"perf record": _perf, "gperftools": _gperftools}
    if ctx.products.has_agent():
        tools = {"Countersink": _agent, **tools}
    for name, argv in _programs(ctx).items():
        variants = {tool: (lambda f=f: f(ctx, argv)) for tool, f in tools.items()}
        results = ctx.rounds(ctx.pick(5, 2), variants, name)
        for tool, pairs in results.items():
            low, mid, high = quartiles([share * 100 for share, _ in pairs])
            threads = sorted({str(t) for _, t in pairs if t is not None})
            section.rows.append((name, tool, f"{mid:.1f} % [{low:.1f}..{high:.1f}]",
                                 " ".join(threads)))
            if tool == "Countersink":
                limit = 95 if name.startswith("xz") else 98
                section.figures.append(Figure(f"CPU time seen: {name}", f">= {limit} %",
                                              f"{mid:.1f} %", mid >= limit))
        if name.startswith("xz"):
            share, function = _gperftools_top(ctx)
            section.notes.append(f"First row of gperftools' report of xz -T2: {share} % in "
                                 f"`{function}`.")
    section.notes.append(f"{ctx.pick(5, 2)} rounds. The denominator includes loading and exit, a few "
                         "tenths of a percent that nobody samples; system time is not sampled.")
    os.unlink(ctx.products.path("two.txt"))
    return section
