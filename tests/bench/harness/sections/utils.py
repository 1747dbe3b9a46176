"""CPU time of PAPI's utilities, ours over our libpapi and Debian's over Debian's."""

import os
import shutil

from .. import peers, trees
from ..figures import Figure, Section
from ..stats import bootstrap_interval, median, quartiles

NAME = "utils"
TITLE = "PAPI's utilities, start to exit"
# The same events for both, on every machine: libpfm4 is told which processor it sees. Then it asks
# the processor nothing, which is most of what papi_avail pays elsewhere.
FORCED = {"LIBPFM_FORCE_PMU": "skx"}
RUNS = 5  # a round


def _pairs():
    """row -> (tool, options of ours, environment of both, limit or None)"""
    return {"papi_avail": ("papi_avail", [], {}, 0.8),
            "papi_avail, a known PMU": ("papi_avail", [], FORCED, None),
            "papi_native_avail": ("papi_native_avail", [], FORCED, 0.5),
            "papi_native_avail, without groups": ("papi_native_avail", ["--nogroups"], FORCED, None)}


def _variants(ctx):
    """(row, whose) -> (argv, environment)"""
    variants = {}
    for row, (tool, options, env, _) in _pairs().items():
        theirs = shutil.which(tool, path="/usr/bin")
        ours = os.path.join(ctx.products.build, "compat", "utils", tool)
        if not theirs or not os.path.exists(ours):
            continue
        variants[row, "Countersink"] = ([ours, *options], env | {"LD_LIBRARY_PATH": ""})
        variants[row, "PAPI 7.0"] = ([theirs, *options],
                                     env | peers.debian_tools_env(ctx.products, bool(env)))
    return variants


def measure(ctx):
    variants = _variants(ctx)
    rounds = ctx.pick(30, 6)

    def batch(argv, env):
        return lambda: trees.run_batch(argv, RUNS, ctx.products.scratch, env)

    results = ctx.rounds(rounds, {key: batch(*variant) for key, variant in variants.items()}, NAME)
    columns = {key: [cpu_s for cpu_s, _ in pairs] for key, pairs in results.items()}
    section = Section(NAME, TITLE, ["", "Countersink, CPU ms", "PAPI 7.0, CPU ms", "ratio"])
    for row, (tool, _, _, limit) in _pairs().items():
        if (row, "Countersink") not in columns:
            continue

        def ratio(c, row=row):
            return median(c[row, "Countersink"]) / median(c[row, "PAPI 7.0"])

        cells = []
        for whose in ("Countersink", "PAPI 7.0"):
            low, mid, high = quartiles(columns[row, whose])
            cells.append(f"{mid * 1e3:.2f} [{low * 1e3:.2f}..{high * 1e3:.2f}]")
        value = ratio(columns)
        low, high = bootstrap_interval(ratio, columns)
        section.rows.append((row, *cells, f"{value:.2f}"))
        if limit:
            section.figures.append(Figure(f"CPU time of {row}", f"<= {limit} x PAPI's",
                                          f"{value:.2f} ({low:.2f}..{high:.2f})", value <= limit))
    section.notes = [f"{rounds} rounds; a round is the mean of {RUNS} runs. Debian's papi-tools with "
                     "Debian's libpapi.",
                     "Events of papi_native_avail and of the known PMU: LIBPFM_FORCE_PMU=skx for both."]
    return section
