"""Our libpapi beside Debian's: the same program, linked once, run with either."""

import os

from .. import peers
from ..figures import Figure, Section
from ..stats import bootstrap_interval, median

NAME = "libpapi"
TITLE = "libpapi: the cost of a call"

# mode -> how often a round runs it
MODES = {"calls": 1, "init": 5, "start": 5, "enumerate": 1, "overflow": 1, "profil": 1}

# measured -> (what, unit's divisor, unit, limit beside Debian's; None: shown, no promise)
ROWS = {
    "read1": ("PAPI_read of 1 event", 1, "ns", 0.80),
    "read4": ("PAPI_read of 4 events", 1, "ns", 0.98),
    "raw_group4": ("raw group read(2) of 4 events", 1, "ns", None),
    "accum1": ("PAPI_accum of 1 event", 1, "ns", None),
    "accum4": ("PAPI_accum of 4 events", 1, "ns", 0.5),
    "real_nsec": ("PAPI_get_real_nsec", 1, "ns", 0.2),
    "real_cyc": ("PAPI_get_real_cyc", 1, "ns", None),
    "virt_usec": ("PAPI_get_virt_usec", 1, "ns", None),
    "init": ("PAPI_library_init", 1e3, "us", 0.3),
    "start": ("init + name_to_code + add + start", 1e3, "us", 0.85),
    "set_life": ("create + add + cleanup + destroy", 1e3, "us", 0.6),
    "overflow": ("one overflow dispatch (task-clock, 100 us)", 1e3, "us", 0.55),
    "profil": ("one PAPI_profil hit (task-clock, 100 us)", 1e3, "us", 0.45),
    "enumerate": ("enumeration of all native events", 1e3, "us", 0.5),
}
RAW_READ_LIMIT = 1.02


def parse(text):
    """The program's lines "name number" as a dictionary."""
    found = {}
    for line in text.splitlines():
        words = line.split()
        if len(words) == 2:
            found[words[0]] = float(words[1])
    return found


def _one_round(ctx, environment):
    """All modes once: measured -> value; the median where a mode runs more than once."""
    seen = {}
    for mode, times in MODES.items():
        for _ in range(times):
            done = ctx.run([ctx.products.papi_calls, mode], environment)
            for name, value in parse(done.stdout).items():
                seen.setdefault(name, []).append(value)
    return {name: median(values) for name, values in seen.items()}


def _ratio_figure(columns, what, limit, numerator, denominator, beside):
    def ratio(c):
        return median(c[numerator]) / median(c[denominator])

    value = ratio(columns)
    low, high = bootstrap_interval(ratio, columns)
    return Figure(what, f"<= {limit} x {beside}", f"{value:.2f} ({low:.2f}..{high:.2f})",
                  value <= limit)


def figures(columns):
    """From {"ours read1": [a value a round], "Debian read1": ...}."""
    made = []
    for name, (what, _, _, limit) in ROWS.items():
        if limit is not None and f"ours {name}" in columns:
            made.append(_ratio_figure(columns, what, limit, f"ours {name}", f"Debian {name}", "Debian's"))
    if "ours read4" in columns:
        made.append(_ratio_figure(columns, "PAPI_read of 4 events", RAW_READ_LIMIT, "ours read4",
                                  "ours raw_group4", "one raw group read"))
    return made


def measure(ctx):
    products = ctx.products
    section = Section(NAME, TITLE, ["", "Debian's libpapi 7.0", "ours", "ratio"])
    if not products.papi_calls:
        section.notes = ["Left out: no libpapi-dev on this machine."]
        return section
    variants = {"Debian": peers.debian_papi_env(products)}
    if products.libpapi:
        variants["ours"] = {"LD_LIBRARY_PATH": os.path.dirname(products.libpapi)}
    count = ctx.pick(15, 3)
    results = ctx.rounds(count, {name: (lambda env=env: _one_round(ctx, env))
                                 for name, env in variants.items()}, NAME)
    columns = {f"{variant} {name}": [r[name] for r in rounds]
               for variant, rounds in results.items() for name in rounds[0]}
    for name, (what, divisor, unit, _) in ROWS.items():
        values = {v: median(columns[f"{v} {name}"]) for v in variants}
        ours = values.get("ours")
        section.rows.append((what, f"{values['Debian'] / divisor:.1f} {unit}",
                             f"{ours / divisor:.1f} {unit}" if ours is not None else "-",
                             f"{ours / values['Debian']:.2f}" if ours is not None else "-"))
    section.notes = [
        f"{count} rounds, in each both libraries, in an order shuffled anew. A call's figure is the best "
        "of nine short runs in a process, the median of the rounds is shown.",
        "Events enumerated: " + ", ".join(f"{v} {median(columns[f'{v} enumerated']):.0f}"
                                          for v in variants) + ".",
        "Reads without a system call need a PMU; the guest's test counts their instructions."]
    if products.papi_pmu_shim:
        section.notes.append("Debian's libpapi disables its perf_event where libpfm4 does not know the "
                             "CPU; tests/peers/known_cpu.c keeps it alive there, and does nothing elsewhere.")
    section.figures = figures(columns) if products.libpapi else []
    return section
