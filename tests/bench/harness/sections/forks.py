"""A fork-heavy script: 12 compilations with gcc, 20 times /bin/true."""

import glob
import json
import os

from .. import peers
from ..figures import Figure, Section
from ..stats import bootstrap_interval, median, quartiles, ratios

NAME = "forks"
TITLE = "A fork-heavy script (12 gcc, 20 /bin/true, about 80 processes)"


TREE = "csink run: the tree"
REPORT = "csink run: starting it and the final report"
LIMIT_PERCENT = 10
FLOOR = "interrupts alone, in the whole tree"
PERIOD_NS = 1000003


def _csink_run(ctx, argv):
    """CPU seconds of one run: (the tree under it, csink itself with its report)."""
    products = ctx.products
    path = products.path("cc.json")
    env = {"CSINK_SPOOL_DIR": products.spools}
    command = [products.csink, "run", "--format", "json", "-o", path, "--", *argv]
    all_s = ctx.run(command, env).cpu_s
    with open(path, encoding="utf-8") as f:
        report = json.load(f)
    os.unlink(path)
    tree_s = report["user_seconds"] + report["system_seconds"]  # wait4's, of the whole tree
    return tree_s, all_s - tree_s


def _figure(columns):
    def percent(c):
        return (median(ratios(c[TREE], c["plain"])) - 1) * 100

    low, high = bootstrap_interval(percent, {k: columns[k] for k in (TREE, "plain")})
    value = percent(columns)
    return Figure("a fork-heavy script under csink run, without its final report",
                  f"<= +{LIMIT_PERCENT} % CPU", f"{value:+.1f} % ({low:+.1f}..{high:+.1f})",
                  value <= LIMIT_PERCENT)


def measure(ctx):
    products = ctx.products
    script = os.path.join(products.source, "tests", "bench", "programs", "cc.sh")
    work = products.path("cc")
    os.makedirs(work, exist_ok=True)
    argv = ["/bin/sh", script, work]
    profile = products.path("cc.prof")

    def plain_run(command, env=None):
        return lambda: ctx.run(command, env).cpu_s

    def gperftools():
        cpu_s = ctx.run(argv, peers.gperftools_env(profile, 1000)).cpu_s
        for leftover in glob.glob(profile + "*"):
            os.unlink(leftover)
        return cpu_s

    variants = {"plain": plain_run(argv), FLOOR: plain_run([products.interrupt_tree, str(PERIOD_NS), *argv]),
                "gperftools": gperftools,
                "perf record": plain_run(peers.perf_record(products.path("cc.data"), 1000, argv))}
    if products.has_agent():
        variants["Countersink, CSINK_ENABLE=0"] = plain_run(argv, products.agent_env(ENABLE=0))
        variants["Countersink"] = plain_run(argv, products.agent_env())
        variants[TREE] = lambda: _csink_run(ctx, argv)
    columns = ctx.rounds(ctx.pick(21, 3), variants, NAME)
    if TREE in columns:
        pairs = columns[TREE]
        columns[TREE] = [tree_s for tree_s, _ in pairs]
        columns[REPORT] = [report_s for _, report_s in pairs]
    products.take_spools(NAME)

    section = Section(NAME, TITLE, ["", "CPU s", "overhead [quartiles]"])
    for name, values in columns.items():
        if name == REPORT:
            share = median(ratios(values, columns["plain"])) * 100
            section.rows.append((name, f"{median(values):.3f}", f"once a tree; {share:.1f} %"))
            continue
        low, mid, high = ((r - 1) * 100 for r in quartiles(ratios(values, columns["plain"])))
        section.rows.append((name, f"{median(values):.3f}",
                             "" if name == "plain" else f"{mid:+.1f} % [{low:+.1f}..{high:+.1f}]"))
    if TREE in columns:
        section.figures.append(_figure(columns))
    section.notes = [f"{ctx.pick(21, 3)} rounds; the ratio to the plain run of the same round. "
                     "Reports at exit are included (Countersink), profiles written are not read "
                     "(gperftools, perf).",
                     f"{FLOOR}: one inherited task-clock event at the same rate, without a ring; nobody who samples "
                     "each process at that rate can take less."]
    return section
