"""Cost of a sample with its callers, start-up taken out, in the way of the section "cost".

The work is 22 calls deep. What follows frame pointers is measured on a build with frame
pointers, what follows unwind tables on one without, each against its own bare interrupt.
"""

import json
import os

from .. import peers
from ..figures import Figure, Section
from ..stats import bootstrap_interval, median

NAME = "stacks"
TITLE = "Cost of a sample with its callers"
FP_LIMIT, UNWIND_LIMIT = 1.25, 1.40


def _runs(ctx, hz):
    """{name: (program without an event, run(steps) -> (cpu_s, samples))}"""
    products = ctx.products
    period = str(1_000_000_000 // hz)

    def bare(binary, *mode):
        def run(steps):
            usage = ctx.run([binary, str(steps), *mode])
            return usage.cpu_s, json.loads(usage.stdout)["samples"]
        return run

    def agent(binary, stacks):
        def run(steps):
            cpu_s = ctx.run([binary, str(steps)],
                            products.spool_env(EVENTS=f"task-clock@{hz}Hz", STACKS=stacks)).cpu_s
            return cpu_s, products.samples()
        return run

    def perf(binary, graph):
        def run(steps):
            data = products.path("perf.data")
            argv = peers.perf_record(data, hz, [binary, str(steps)], ["--call-graph", graph])
            return ctx.run(argv, keep_output=False).cpu_s, peers.perf_samples(data) if steps else 0
        return run

    def gperftools(binary):
        def run(steps):
            profile = products.path("gperftools.prof")
            cpu_s = ctx.run([binary, str(steps)], peers.gperftools_env(profile, hz)).cpu_s
            return cpu_s, peers.gperftools_samples(profile)
        return run

    frames, plain = products.loop_frames, products.loop
    runs = {"no event, frame pointers": ("no event, frame pointers", bare(frames)),
            "interrupt alone, frame pointers": ("no event, frame pointers",
                                                bare(frames, "irq", period)),
            "no event": ("no event", bare(plain)),
            "interrupt alone": ("no event", bare(plain, "irq", period)),
            "Countersink": ("no event", agent(plain, "off")),
            "Countersink, fp": ("no event, frame pointers", agent(frames, "fp")),
            "Countersink, unwind": ("no event", agent(plain, "unwind")),
            "Countersink, unwind, 32 KiB copied": ("no event", agent(products.loop_20kb, "unwind")),
            "Countersink, unwind, 60 KiB copied": ("no event", agent(products.loop_40kb, "unwind")),
            "perf record -g (fp)": ("no event, frame pointers", perf(frames, "fp")),
            "perf record --call-graph dwarf": ("no event", perf(plain, "dwarf"))}
    if hz <= 1000:
        runs["gperftools"] = ("no event", gperftools(plain))
    return runs


def _extra_s(columns, runs, name):
    def at_work(which):
        return median(columns[f"{which}/work"]) - median(columns[f"{which}/idle"])
    return at_work(name) - at_work(runs[name][0])


def _us(columns, runs, name):
    return _extra_s(columns, runs, name) * 1e6 / median(columns[f"{name}/samples"])


def _measure(ctx, hz, seconds, count):
    steps = ctx.steps_for(seconds)
    runs = _runs(ctx, hz)
    variants = {}
    for name, (_, run) in runs.items():
        variants[f"{name}/work"] = lambda run=run: run(steps)
        variants[f"{name}/idle"] = lambda run=run: run(0)
    columns = {}
    for name, pairs in ctx.rounds(count, variants, f"stacks at {hz} Hz").items():
        columns[name] = [cpu_s for cpu_s, _ in pairs]
        if name.endswith("/work"):
            columns[name.replace("/work", "/samples")] = [samples for _, samples in pairs]
    return runs, columns


def _floor(runs, name):
    return "interrupt alone" + (", frame pointers" if "frame" in runs[name][0] else "")


def _rows(hz, runs, columns):
    rows = []
    for name, (base, _) in runs.items():
        if name == base:
            continue
        start_ms = (median(columns[f"{name}/idle"]) - median(columns[f"{base}/idle"])) * 1e3
        cost = _us(columns, runs, name)
        low, high = bootstrap_interval(lambda c, n=name: _us(c, runs, n), columns)
        rows.append((f"{hz} Hz", name, f"{start_ms:+.2f}",
                     f"{median(columns[f'{name}/samples']):.0f}",
                     f"{cost:.1f} ({low:.1f}..{high:.1f})",
                     f"{cost / _us(columns, runs, _floor(runs, name)):.2f}"))
    return rows


def _figure(runs, columns, name, limit):
    def ratio(c):
        return _us(c, runs, name) / _us(c, runs, _floor(runs, name))

    value = ratio(columns)
    low, high = bootstrap_interval(ratio, columns)
    return Figure(f"{name}, 10 kHz", f"<= {limit} x the interrupt alone",
                  f"{value:.2f} ({low:.2f}..{high:.2f})", value <= limit)


def measure(ctx):
    section = Section(NAME, TITLE, ["rate", "tool", "start-up ms", "samples", "us a sample",
                                    "to the interrupt"])
    if not ctx.products.has_agent():
        section.notes = ["Not measured: there is no agent in this build."]
        return section
    fast, fast_columns = _measure(ctx, 10_000, 0.35, ctx.pick(21, 5))
    slow, slow_columns = _measure(ctx, 1_000, 0.6, ctx.pick(21, 5))
    section.rows = _rows(10_000, fast, fast_columns) + _rows(1_000, slow, slow_columns)
    section.notes = [
        "Work: register arithmetic 22 calls deep. With frame pointers where those are followed, "
        "without where unwind tables are; each ratio is to the bare interrupt of the same build.",
        "The copies of 32 and 60 KiB are those of programs with frames of 20 and 40 kB; the first "
        "samples of each run have 8 KiB.",
        "perf record only stores what it finds: its unwinding by tables comes with perf report.",
        "At 1 kHz the extra is a percent of the work: compare samples at 10 kHz."]
    section.figures = [_figure(fast, fast_columns, "Countersink, fp", FP_LIMIT),
                       _figure(fast, fast_columns, "Countersink, unwind", UNWIND_LIMIT)]
    for leftover in ("gperftools.prof", "perf.data", "perf.data.old"):
        if os.path.exists(ctx.products.path(leftover)):
            os.unlink(ctx.products.path(leftover))
    return section
