"""Dispatching an overflow to a handler: (CPU with - CPU without) / calls of the handler."""

import json

from .. import peers
from ..figures import Figure, Section
from ..stats import bootstrap_interval, median

NAME = "overflow"
TITLE = "Dispatch of an overflow"
THRESHOLD_NS = "100000"
PEER = "Debian's PAPI_overflow"
OURS = "Countersink, sigtrap"


def _run(ctx, program, *arguments, env=None):
    def run():
        out = json.loads(ctx.run([program, *arguments], env).stdout)
        return out["cpu_ns"] / 1e3, out["samples"]
    return run


def measure(ctx):
    products = ctx.products
    steps = str(ctx.steps_for(0.35))
    variants = {"none": _run(ctx, products.core_overflow, steps),
                OURS: _run(ctx, products.core_overflow, steps, THRESHOLD_NS),
                "Countersink, signal": _run(ctx, products.core_overflow, steps, THRESHOLD_NS, "signal")}
    if products.papi_overflow:
        variants[PEER] = _run(ctx, products.papi_overflow, steps, THRESHOLD_NS,
                              env=peers.debian_papi_env(products))
    columns = {}
    for name, pairs in ctx.rounds(ctx.pick(21, 7), variants, NAME).items():
        columns[name] = [cpu_us for cpu_us, _ in pairs]
        columns[f"{name}/calls"] = [calls for _, calls in pairs]

    def cost_us(c, name):
        return (median(c[name]) - median(c["none"])) / median(c[f"{name}/calls"])

    section = Section(NAME, TITLE, ["", "CPU ms", "calls", "us a call"])
    for name in variants:
        calls = median(columns[f"{name}/calls"])
        low, high = (bootstrap_interval(lambda c, n=name: cost_us(c, n), columns) if calls else (0, 0))
        section.rows.append((name, f"{median(columns[name]) / 1e3:.1f}", f"{calls:.0f}",
                             f"{cost_us(columns, name):.1f} ({low:.1f}..{high:.1f})" if calls else ""))
    section.notes = [f"perf::TASK-CLOCK, threshold {THRESHOLD_NS} ns; the handler counts its calls. "
                     f"{ctx.pick(21, 7)} rounds.",
                     "Calls a fixed amount of work gets: a slower dispatch makes the work longer, and so "
                     "has more of them."]
    if PEER in variants:
        def ratio(c):
            return cost_us(c, OURS) / cost_us(c, PEER)

        low, high = bootstrap_interval(ratio, columns)
        section.figures.append(Figure("dispatch of an overflow", f"<= 0.55 x {PEER}",
                                      f"{ratio(columns):.2f} ({low:.2f}..{high:.2f})",
                                      ratio(columns) <= 0.55))
    else:
        section.notes.append("PAPI_overflow was not measured: libpapi-dev was missing at build time.")
    return section
