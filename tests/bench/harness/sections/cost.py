"""Cost of a sample: (CPU with - CPU without) / samples obtained, start-up taken out.

Each tool runs the same fixed work and, in the same round, no work at all; the second
run's time (loading, opening, writing the profile) is subtracted on both sides.
"""

import json
import os
from dataclasses import dataclass
from typing import Callable

from .. import peers
from ..figures import Figure, Section
from ..stats import bootstrap_interval, median, quartiles

NAME = "cost"
TITLE = "Cost of a sample"


@dataclass
class Tool:
    name: str
    base: str                      # the unprofiled variant it is compared with
    run: Callable                  # steps -> (cpu_s, samples)


def _tools(ctx, hz):
    products = ctx.products
    period = str(1_000_000_000 // hz)

    def program(binary, *mode, env=None):
        def run(steps):
            usage = ctx.run([binary, str(steps), *mode], env)
            return usage.cpu_s, json.loads(usage.stdout)["samples"]
        return run

    def agent(steps):
        cpu_s = ctx.run([products.loop, str(steps)],
                        products.spool_env(EVENTS=f"task-clock@{hz}Hz")).cpu_s
        return cpu_s, products.samples()

    def gperftools(steps):
        profile = products.path("gperftools.prof")
        cpu_s = ctx.run([products.loop, str(steps)], peers.gperftools_env(profile, hz)).cpu_s
        return cpu_s, peers.gperftools_samples(profile)

    def perf(steps):
        data = products.path("perf.data")
        cpu_s = ctx.run(peers.perf_record(data, hz, [products.loop, str(steps)])).cpu_s
        return cpu_s, peers.perf_samples(data) if steps else 0

    tools = [Tool("none", "none", program(products.loop)),
             Tool("interrupt alone", "none", program(products.loop, "irq", period)),
             Tool("ring that nobody drains", "none", program(products.loop, "ring", period))]
    if products.has_agent():
        tools.append(Tool("Countersink", "none", agent))
    tools.append(Tool("perf record -F", "none", perf))
    if hz <= 1000:  # it obtains 250 a second, whatever is asked
        tools.append(Tool("gperftools", "none", gperftools))
    if products.papi:
        debian = peers.debian_papi_env(products)
        tools += [Tool("PAPI program, not profiling", "PAPI program, not profiling",
                       program(products.papi, env=debian)),
                  Tool("PAPI_profil", "PAPI program, not profiling",
                       program(products.papi, period, env=debian))]
    return tools


def _extra_s(columns, tool):
    """CPU seconds that a tool adds to the work: medians over the rounds."""
    def at_work(name):
        return median(columns[f"{name}/work"]) - median(columns[f"{name}/idle"])
    return at_work(tool.name) - at_work(tool.base)


def _per_sample_us(columns, tool):
    return _extra_s(columns, tool) * 1e6 / median(columns[f"{tool.name}/samples"])


def _measure(ctx, hz, seconds, count):
    steps = ctx.steps_for(seconds)
    tools = _tools(ctx, hz)
    variants = {}
    for tool in tools:
        variants[f"{tool.name}/work"] = lambda tool=tool: tool.run(steps)
        variants[f"{tool.name}/idle"] = lambda tool=tool: tool.run(0)
    results = ctx.rounds(count, variants, f"cost at {hz} Hz")
    columns = {}
    for name, pairs in results.items():
        columns[name] = [cpu_s for cpu_s, _ in pairs]
        if name.endswith("/work"):
            columns[name.replace("/work", "/samples")] = [samples for _, samples in pairs]
    return tools, columns


def _interval_text(value, bounds, unit=""):
    return f"{value:.2f}{unit} ({bounds[0]:.2f}..{bounds[1]:.2f})"


def _rows(hz, tools, columns):
    rows = []
    by_name = {tool.name: tool for tool in tools}
    floor = by_name["interrupt alone"]
    for tool in tools:
        work_s = median(columns[f"{tool.name}/work"])
        base_s = median(columns[f"{tool.base}/work"]) - median(columns[f"{tool.base}/idle"])
        start_ms = (median(columns[f"{tool.name}/idle"])
                    - median(columns[f"{tool.base}/idle"])) * 1e3
        if tool.name == tool.base:
            low, mid, high = quartiles(columns[f"{tool.name}/work"])
            rows.append((f"{hz} Hz", tool.name, f"{mid * 1e3:.1f} [{low * 1e3:.1f}..{high * 1e3:.1f}]",
                         "", "", "", "", ""))
            continue
        samples = median(columns[f"{tool.name}/samples"])
        cost = _per_sample_us(columns, tool)
        bounds = bootstrap_interval(lambda c, t=tool: _per_sample_us(c, t), columns)
        ratio = cost / _per_sample_us(columns, floor)
        rows.append((f"{hz} Hz", tool.name, f"{work_s * 1e3:.1f}", f"{start_ms:+.2f}",
                     f"{_extra_s(columns, tool) / base_s * 100:+.2f} %", f"{samples:.0f}",
                     f"{cost:.1f} ({bounds[0]:.1f}..{bounds[1]:.1f})", f"{ratio:.2f}"))
    return rows


def _ratio_figure(what, limit, text, tools, columns, other):
    by_name = {tool.name: tool for tool in tools}

    def ratio(c):
        return _per_sample_us(c, by_name["Countersink"]) / _per_sample_us(c, by_name[other])

    value = ratio(columns)
    return Figure(what, f"<= {limit} x {text}",
                  _interval_text(value, bootstrap_interval(ratio, columns)), value <= limit)


def measure(ctx):
    section = Section(NAME, TITLE, ["rate", "tool", "CPU ms", "start-up ms", "overhead", "samples",
                                    "us a sample", "to the interrupt"])
    fast, fast_columns = _measure(ctx, 10_000, 0.35, ctx.pick(21, 5))
    slow, slow_columns = _measure(ctx, 1_000, 0.6, ctx.pick(21, 5))
    section.rows = _rows(10_000, fast, fast_columns) + _rows(1_000, slow, slow_columns)
    section.notes = [
        "Work: register arithmetic 22 calls deep, user code only. Overhead leaves start-up out.",
        "gperftools samples by a CPU timer and so at most at the kernel's tick; the cost of a "
        "sample there includes no timer interrupt of its own.",
        f"{ctx.pick(21, 5)} rounds. At 1 kHz the extra is a percent of the work and a single "
        "sample's cost is mostly noise: compare samples at 10 kHz.",
    ]
    if not ctx.products.papi:
        section.notes.append("PAPI_profil was not measured: libpapi-dev was missing at build time.")
    if ctx.products.has_agent():
        section.figures.append(_ratio_figure("cost of a sample, 10 kHz", 1.15, "the interrupt alone",
                                             fast, fast_columns, "interrupt alone"))
        if ctx.products.papi:
            section.figures.append(_ratio_figure("cost of a sample, 10 kHz", 0.5, "PAPI_profil",
                                                 fast, fast_columns, "PAPI_profil"))
        agent = next(t for t in slow if t.name == "Countersink")

        def overhead(c):
            base = median(c["none/work"]) - median(c["none/idle"])
            return _extra_s(c, agent) / base * 100

        value = overhead(slow_columns)
        section.figures.append(Figure("CPU-bound loop at 1 kHz", "<= 2 % more CPU time",
                                      _interval_text(value, bootstrap_interval(overhead,
                                                                               slow_columns), " %"),
                                      value <= 2))
    for leftover in ("gperftools.prof", "perf.data", "perf.data.old"):
        if os.path.exists(ctx.products.path(leftover)):
            os.unlink(ctx.products.path(leftover))
    return section
