"""Threads about as long as a period or shorter: what is found of them, and what that costs."""

import json
import os

from ..figures import Figure, Section
from ..stats import bootstrap_interval, median

NAME = "short_threads"
TITLE = "Threads shorter than a period"
LENGTHS_MS = (0.2, 0.7, 2, 20)
WORK = ("Steps", "Descend", "BurnSteps", "Body")  # however the compiler arranges them
SECONDS = 0.6  # of work a run
LIVE = 4
MOST_COST, MOST_ERROR = 1.2, 0.10


def _found(ctx, argv):
    """Sampled CPU time of the threads' work over what their own clocks say."""
    out = ctx.products.path("short.json")
    if os.path.exists(out):
        os.unlink(out)
    burned = json.loads(ctx.run(argv, ctx.products.agent_env(FORMAT="json", OUTPUT=out, TOP=1000,
                                                             EVENTS="task-clock")).stdout)["burned_ns"]
    with open(out) as f:
        report = json.load(f)
    weight = sum(row["events"][0]["weight"] for row in report["functions"]
                 if row["function"].partition(".")[0] in WORK)
    return weight / burned


def measure(ctx):
    products = ctx.products
    section = Section(NAME, TITLE, ["threads of", "a run", "found of their CPU time",
                                    "cost, whole first period", "random first period", "ratio"])
    if not products.has_agent():
        section.notes = ["Not measured: there is no agent in this build."]
        return section
    rounds = ctx.pick(15, 5)
    for length in LENGTHS_MS:
        threads = round(SECONDS * 1e3 / length)
        argv = [products.short_threads, str(threads), str(ctx.steps_for(length / 1e3)), str(LIVE)]

        def cost(**settings):
            return lambda: ctx.run(argv, products.agent_env(REPORT=0, EVENTS="task-clock",
                                                            **settings)).cpu_s

        columns = ctx.rounds(rounds, {
            "plain": lambda: ctx.run(argv).cpu_s, "whole": cost(RANDOM_START=0), "random": cost(),
            "found": lambda: _found(ctx, argv)}, f"{NAME} {length} ms")
        products.take_spools(NAME)
        plain = median(columns["plain"])

        def ratio(c):
            return median(c["random"]) / median(c["whole"])

        found, value = median(columns["found"]), ratio(columns)
        low, high = bootstrap_interval(ratio, columns)
        section.rows.append((f"{length} ms", threads, f"{found * 100:.1f} %",
                             f"{median(columns['whole']) / plain:.3f} x plain",
                             f"{median(columns['random']) / plain:.3f} x plain", f"{value:.3f}"))
        section.figures += [
            Figure(f"threads of {length} ms are found", f"100 % +- {MOST_ERROR * 100:.0f} %",
                   f"{found * 100:.1f} %", abs(found - 1) <= MOST_ERROR),
            Figure(f"... at the cost of whole first periods", f"<= {MOST_COST} x",
                   f"{value:.3f} ({low:.3f}..{high:.3f})", value <= MOST_COST)]
    section.notes = [f"Each run makes threads for {SECONDS} s of fixed work, {LIVE} at a time, "
                     f"{rounds} rounds; CPU time of the whole process, the agent's thread included.",
                     "Found: samples x period in the functions that work, over the threads' own "
                     "CPU clocks. With whole first periods threads shorter than one give nothing."]
    return section
