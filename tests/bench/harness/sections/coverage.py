"""How often the 95 % interval of a report holds the true share."""

import json
import math
import os
import sys

from ..figures import Figure, Section

NAME = "coverage"
TITLE = "Coverage of the 95 % intervals"
MILLISECONDS = 300
NOMINAL = {"SpinSixty": 0.6, "SpinThirty": 0.3, "SpinTen": 0.1}
LOW, HIGH = 0.90, 0.99


def _one_run(ctx, seed):
    """(true shares, function -> (low, high, share), samples)"""
    out = ctx.products.path("split.json")
    if os.path.exists(out):
        os.unlink(out)
    env = ctx.products.agent_env(FORMAT="json", OUTPUT=out)
    usage = ctx.run([ctx.products.split, str(MILLISECONDS), str(seed)], env)
    with open(out) as f:
        report = json.load(f)
    bounds = {}
    for row in report["functions"]:
        event = row["events"][0]
        bounds[row["function"]] = (event["low"], event["high"], event["share"])
    return json.loads(usage.stdout), bounds, report["events"][0]["samples"]


def measure(ctx):
    section = Section(NAME, TITLE, ["function", "nominal", "mean reported share", "covered", "of",
                                    "coverage"])
    if not ctx.products.has_agent():
        section.notes = ["Not measured: there is no agent in this build."]
        return section
    runs = ctx.pick(200, 30)
    covered = dict.fromkeys(NOMINAL, 0)
    shares = dict.fromkeys(NOMINAL, 0.0)
    total_samples = 0
    for seed in range(1, runs + 1):
        truth, bounds, samples = _one_run(ctx, seed)
        total_samples += samples
        for name in NOMINAL:
            low, high, share = bounds.get(name, (0.0, 0.0, 0.0))
            covered[name] += low <= truth[name] <= high
            shares[name] += share / runs
        print(f"\rcoverage: run {seed} of {runs} ", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    for name, nominal in NOMINAL.items():
        section.rows.append((name, f"{nominal:.2f}", f"{shares[name]:.4f}", covered[name], runs,
                             f"{covered[name] / runs * 100:.1f} %"))
    rate = sum(covered.values()) / (runs * len(NOMINAL))
    section.figures.append(Figure(f"95 % intervals hold the true share, {runs} runs",
                                  f"{LOW * 100:.0f}-{HIGH * 100:.0f} %", f"{rate * 100:.1f} %",
                                  LOW <= rate <= HIGH))
    # The interval's own promise allows this much scatter of the three rates:
    scatter = 2 * math.sqrt(0.95 * 0.05 / runs)
    section.notes = [f"{runs} runs of {MILLISECONDS} ms with {total_samples / runs:.0f} samples each; "
                     "slices of 0.1 ms in a shuffled order. The true share is what the program "
                     "itself read from its CPU clock.",
                     f"A row may scatter by +-{scatter * 100:.0f} percentage points by chance."]
    return section
