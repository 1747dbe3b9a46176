"""Many short processes: make -j3 with recipes that run /bin/true."""

import json
import os

from ..figures import Figure, Section
from ..stats import bootstrap_interval, median, quartiles, ratios

NAME = "processes"
TITLE = "Many short processes (make -j3, recipes of /bin/true)"
JOBS = 3
TREE = "csink run: the tree"
LIMIT_PERCENT = 8


def _makefile(path, recipes):
    with open(path, "w", encoding="utf-8") as f:
        f.write(f"all: {' '.join(f't{i}' for i in range(recipes))}\nt%:\n\t@/bin/true\n.PHONY: all\n")


def _tree_s(ctx, argv):
    """CPU seconds of the tree under csink run, without csink itself."""
    products = ctx.products
    path = products.path("processes.json")
    ctx.run([products.csink, "run", "--format", "json", "-o", path, "--", *argv], {"CSINK_SPOOL_DIR": products.spools})
    with open(path, encoding="utf-8") as f:
        report = json.load(f)
    os.unlink(path)
    return report["user_seconds"] + report["system_seconds"]


def measure(ctx):
    products = ctx.products
    recipes, rounds = ctx.pick(5000, 500), ctx.pick(7, 3)
    makefile = products.path("processes.mk")
    _makefile(makefile, recipes)
    argv = ["make", "-r", "-s", f"-j{JOBS}", "-f", makefile]

    def run(env=None):
        return lambda: ctx.run(argv, env).cpu_s

    variants = {"plain": run(), "LD_PRELOAD of an empty library": run({"LD_PRELOAD": products.empty})}
    if products.has_agent():
        variants["Countersink, CSINK_ENABLE=0"] = run(products.agent_env(ENABLE=0))
        variants["Countersink"] = run(products.agent_env(REPORT=0))
        variants[TREE] = lambda: _tree_s(ctx, argv)
    columns = ctx.rounds(rounds, variants, NAME)
    products.take_spools(NAME)

    section = Section(NAME, TITLE, ["", "CPU s", "a recipe", "overhead [quartiles]"])
    for name, values in columns.items():
        low, mid, high = ((r - 1) * 100 for r in quartiles(ratios(values, columns["plain"])))
        section.rows.append((name, f"{median(values):.3f}", f"{median(values) / recipes * 1e6:.0f} us",
                             "" if name == "plain" else f"{mid:+.1f} % [{low:+.1f}..{high:+.1f}]"))
    if TREE in columns:
        def percent(c):
            return (median(ratios(c[TREE], c["plain"])) - 1) * 100
        value = percent(columns)
        low, high = bootstrap_interval(percent, {k: columns[k] for k in (TREE, "plain")})
        section.figures.append(Figure(f"make -j{JOBS} of short processes under csink run", f"<= +{LIMIT_PERCENT} % CPU",
                                      f"{value:+.1f} % ({low:+.1f}..{high:+.1f})", value <= LIMIT_PERCENT))
    section.notes = [f"{recipes:,} recipes, {rounds} rounds; the ratio to the plain run of the same round. The empty library "
                     "is what the loader, the kernel and the C library take for any LD_PRELOAD."]
    return section
