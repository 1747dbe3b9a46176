"""Creating and joining threads that do nothing."""

import json

from .. import peers
from ..figures import Figure, Section
from ..stats import bootstrap_interval, median, quartiles

NAME = "threads"
TITLE = "Creating and joining a thread"
THREADS = 10_000
MOST = 1.35  # x bare
BARE = "bare event, one-page ring, close"


def measure(ctx):
    products = ctx.products

    def churn(mode, env=None):
        def run():
            out = json.loads(ctx.run([products.churn, str(THREADS), mode], env).stdout)
            return out["cpu_ns"] / 1e3 / out["threads"]
        return run

    variants = {"plain": churn("plain"), "bare event, no ring, close": churn("open"),
                BARE: churn("ring"),
                "gperftools": churn("plain", peers.gperftools_env(products.path("churn.prof"), 1000))}
    if products.agent:
        variants["Countersink, CSINK_ENABLE=0"] = churn("plain", products.agent_env(ENABLE=0))
        variants["Countersink"] = churn("plain", products.agent_env(REPORT=0))
    columns = ctx.rounds(ctx.pick(9, 3), variants, NAME)
    for name in variants:
        if name.startswith("Countersink"):
            products.take_spools("threads")

    plain = median(columns["plain"])
    bare = median(columns[BARE])
    section = Section(NAME, TITLE, ["", "CPU us a thread", "over plain, us", "to the bare ring"])
    for name, values in columns.items():
        low, mid, high = quartiles(values)
        section.rows.append((name, f"{mid:.1f} [{low:.1f}..{high:.1f}]", f"{mid - plain:+.1f}",
                             f"{mid / bare:.2f}"))
    section.notes = [f"{THREADS} threads one after another, {ctx.pick(9, 3)} rounds; the CPU time "
                     "of the whole process, helper threads included.",
                     "perf record inherits events without a ring a thread and is not comparable."]
    if "Countersink" in columns:
        section.figures += _figures(columns)
    return section


def _figures(columns):
    def total(c):
        return median(c["Countersink"]) / median(c[BARE])

    def added(c):
        plain = median(c["plain"])
        return (median(c["Countersink"]) - plain) / (median(c[BARE]) - plain)

    figures = []
    for what, most, statistic in (("thread create + join", MOST, total),
                                  ("what a thread costs on top of a plain one", 1.5, added)):
        low, high = bootstrap_interval(statistic, columns)
        value = statistic(columns)
        figures.append(Figure(what, f"<= {most} x the same with a bare event and a one-page ring",
                              f"{value:.2f} ({low:.2f}..{high:.2f})", value <= most))
    return figures
