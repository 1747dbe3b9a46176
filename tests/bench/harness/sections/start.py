"""Start and exit of a program that does nothing: /bin/true."""

from .. import peers, trees
from ..figures import Figure, Section
from ..stats import bootstrap_interval, median, quartiles

NAME = "start"
TITLE = "Start and exit of /bin/true"
PROGRAM = ["/bin/true"]


def _variants(ctx):
    """name -> (argv, environment, runs a round)"""
    products = ctx.products
    profile = products.path("true.prof")
    variants = {"plain": (PROGRAM, {}, 10),
                "LD_PRELOAD of an empty library": (PROGRAM, {"LD_PRELOAD": products.empty}, 10)}
    if products.agent:
        inert = {"LD_PRELOAD": products.agent, "CSINK_ENABLE": "0"}
        variants["Countersink, CSINK_ENABLE=0"] = (PROGRAM, inert, 10)
        variants["Countersink"] = (PROGRAM, products.agent_env(), 10)
    variants["gperftools, no CPUPROFILE"] = (PROGRAM, {"LD_PRELOAD": peers.libprofiler()}, 5)
    variants["gperftools"] = (PROGRAM, peers.gperftools_env(profile, 1000), 3)
    variants["perf record"] = (peers.perf_record(products.path("true.data"), 1000, PROGRAM), {}, 1)
    return variants


def _figure(columns, name, what, limit):
    def extra(c):
        return (median(c[name]) - median(c["plain"])) / median(c["plain"])

    value = extra(columns)
    low, high = bootstrap_interval(extra, columns)
    return Figure(what, f"<= {limit} x plain /bin/true on top of it",
                  f"{value:.2f} ({low:.2f}..{high:.2f})", value <= limit)


def measure(ctx):
    variants = _variants(ctx)

    def batch(argv, env, count):
        return lambda: trees.run_batch(argv, count, ctx.products.scratch, env)

    results = ctx.rounds(ctx.pick(30, 6), {n: batch(*v) for n, v in variants.items()}, NAME)
    columns = {name: [cpu_s for cpu_s, _ in pairs] for name, pairs in results.items()}
    plain = median(columns["plain"])
    section = Section(NAME, TITLE, ["", "CPU ms", "over plain, ms", "over plain, x", "page faults"])
    for name, values in columns.items():
        low, mid, high = quartiles(values)
        faults = median([f for _, f in results[name]])
        section.rows.append((name, f"{mid * 1e3:.3f} [{low * 1e3:.3f}..{high * 1e3:.3f}]",
                             f"{(mid - plain) * 1e3:+.3f}", f"{(mid - plain) / plain:+.2f}",
                             f"{faults:.0f}"))
    section.notes = [f"{ctx.pick(30, 6)} rounds; a round is the mean of 10 runs (gperftools 5 and 3, "
                     "perf 1).",
                     "perf record pays once for a whole tree, a preloaded library once a process."]
    if "Countersink" in columns:
        section.figures.append(_figure(columns, "Countersink", "start and exit, nothing to report",
                                       0.6))
    if "Countersink, CSINK_ENABLE=0" in columns:
        section.figures.append(_figure(columns, "Countersink, CSINK_ENABLE=0",
                                       "start and exit, inert", 0.25))
    return section
