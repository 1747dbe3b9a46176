"""What the observer of blocked threads (CSINK_WAIT) costs: its own CPU time, and the throughput of a program."""

import json
import os
import re
import subprocess

from ..figures import Figure, Section
from ..stats import bootstrap_interval, median, quartiles

NAME = "waits"
TITLE = "Observing blocked threads"
MS = 3000
OBSERVED_MS = 15_000  # the first looks at a thousand threads cost 30 ms each, whatever the rate
DURATION = {"us": 1e-6, "ms": 1e-3, "s": 1}


def measure(ctx):
    products = ctx.products
    section = Section(NAME, TITLE, ["", "", "to the same without --wait"])
    if not products.has_agent():
        section.notes.append("libagent.so or csink is not built")
        return section
    shares = {}
    for threads, most in ((8, 0.003), (1000, 0.01)):
        column = [_observer_share(ctx, threads) for _ in range(ctx.pick(5, 1))]
        shares[threads] = column
        low, mid, high = quartiles(column)
        section.rows.append((f"observer, {threads:,} threads that sleep 10 ms", f"{100 * mid:.2f} "
                             f"[{100 * low:.2f}..{100 * high:.2f}] % of a core", ""))
        section.figures.append(Figure(f"observer of {threads:,} threads", f"<= {100 * most:.1f} % of a core",
                                      f"{100 * mid:.2f} %", mid <= most))

    def turns(wait):
        def once():
            out = json.loads(ctx.run([products.waiting_threads, "lock", "16", str(MS)],
                                     products.agent_env(REPORT=0, WAIT=wait)).stdout)
            return out["turns"] / out["wall_ns"] * 1e9
        return once

    columns = ctx.rounds(ctx.pick(15, 3), {"without": turns(0), "with": turns(1)}, NAME)
    products.take_spools(NAME)

    def ratio(c):
        return median(c["with"]) / median(c["without"])

    low, high = bootstrap_interval(ratio, columns)
    value = ratio(columns)
    section.rows.append(("16 threads on one lock, turns a second", f"{median(columns['with']):,.0f}", f"{value:.3f}"))
    section.figures.append(Figure("throughput of 16 threads on one lock with --wait",
                                  ">= 0.99 x without", f"{value:.3f} ({low:.3f}..{high:.3f})", value >= 0.99))
    section.notes.append(f"{MS / 1000:.0f} s a run, {OBSERVED_MS / 1000:.0f} s for the observer's share. The observer's CPU time is that of the verdict (\"observing cost\").")
    return section


def _observer_share(ctx, threads):
    """CPU time of the observer over the wall time."""
    products = ctx.products
    ctx.run([products.waiting_threads, "sleep", str(threads), str(OBSERVED_MS)], products.agent_env(REPORT=0, WAIT=1, KEEP=1))
    spools = products.take_spools(NAME)
    text = subprocess.run([products.csink, "report", "--verbose", spools], capture_output=True, text=True, check=True,
                          env={**os.environ, "CSINK_CACHE": "0", "DEBUGINFOD_URLS": ""}).stdout
    found = re.search(r"observing\s+cost\s+([\d.]+)\s+(us|ms|s)", text)
    if not found:
        raise RuntimeError("no observing cost in the report:\n" + text)
    return float(found.group(1)) * DURATION[found.group(2)] / (OBSERVED_MS / 1e3)
