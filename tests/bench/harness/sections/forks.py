"""A fork-heavy script: 12 compilations with gcc, 20 times /bin/true."""

import glob
import os

from .. import peers
from ..figures import Section
from ..stats import median, quartiles, ratios

NAME = "forks"
TITLE = "A fork-heavy script (12 gcc, 20 /bin/true, about 80 processes)"


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

    variants = {"plain": plain_run(argv), "gperftools": gperftools,
                "perf record": plain_run(peers.perf_record(products.path("cc.data"), 1000, argv))}
    if products.has_agent():
        variants["Countersink, CSINK_ENABLE=0"] = plain_run(argv, products.agent_env(ENABLE=0))
        variants["Countersink"] = plain_run(argv, products.agent_env())
        tool_env = {"CSINK_SPOOL_DIR": products.spools, "CSINK_OUTPUT": "/dev/null"}
        variants["csink run"] = plain_run([products.csink, "run", "--", *argv], tool_env)
    columns = ctx.rounds(ctx.pick(11, 3), variants, NAME)
    products.take_spools(NAME)

    section = Section(NAME, TITLE, ["", "CPU s", "overhead [quartiles]"])
    for name, values in columns.items():
        low, mid, high = ((r - 1) * 100 for r in quartiles(ratios(values, columns["plain"])))
        section.rows.append((name, f"{median(values):.3f}",
                             "" if name == "plain" else f"{mid:+.1f} % [{low:+.1f}..{high:+.1f}]"))
    section.notes = [f"{ctx.pick(11, 3)} rounds; the ratio to the plain run of the same round. "
                     "Reports at exit are included (Countersink), profiles written are not read "
                     "(gperftools, perf)."]
    return section
