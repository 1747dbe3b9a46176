"""From the start of atime to the exec of the program that it measures."""

import re
import shutil

from ..figures import Figure, Section
from ..stats import bootstrap_interval, median, quartiles

NAME = "atime"
TITLE = "From the start of atime to the program's"
LIMIT_MS = 5


def _variants(ctx):
    """name -> (command before the program, environment)"""
    products = ctx.products
    events = products.path("atime-events")
    with open(events, "w") as f:
        f.write("perf::TASK-CLOCK\nperf::PAGE-FAULTS\n")
    report = products.path("atime-report")
    variants = {"the program alone": ([], {})}
    if products.atime:
        atime = [products.atime, "-o", report]
        variants["atime, default components absent"] = (atime, {})
        variants["atime, perf with two events"] = (atime, {
            "APAPI_CMPLIST": "perf", "APAPI_EVENTLIST": events, "APAPI_SOFTFAIL": "1"})
    if shutil.which("perf"):
        perf = ["perf", "stat", "-o", report, "-e", "task-clock,page-faults", "--"]
        variants["perf stat, the same two"] = (perf, {})
    return variants


def _milliseconds(ctx, command, env):
    done = ctx.run([ctx.products.start_time, *command, ctx.products.start_time], env)
    return int(re.search(r"^ns (\d+)$", done.stdout, re.M).group(1)) / 1e6


def measure(ctx):
    variants = _variants(ctx)
    count = ctx.pick(100, 15)
    columns = ctx.rounds(count, {n: lambda v=v: _milliseconds(ctx, *v) for n, v in variants.items()},
                         NAME)
    alone = median(columns["the program alone"])
    section = Section(NAME, TITLE, ["", "wall ms", "over the program alone, ms"])
    for name, values in columns.items():
        low, mid, high = quartiles(values)
        section.rows.append((name, f"{mid:.2f} [{low:.2f}..{high:.2f}]", f"{mid - alone:+.2f}"))
    section.notes = [f"{count} rounds; wall time from just before exec of the command to main of the "
                     "program that it runs."]
    name = "atime, default components absent"
    if name in columns:
        value = median(columns[name])
        low, high = bootstrap_interval(lambda c: median(c[name]), columns)
        section.figures.append(Figure("start of atime to main of the program", f"<= {LIMIT_MS} ms",
                                      f"{value:.2f} ({low:.2f}..{high:.2f}) ms", value <= LIMIT_MS))
    return section
