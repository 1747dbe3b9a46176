"""Our libpapi beside Debian's: the same program, linked once, run with either."""

import os

from .. import guest_reads, instructions, peers
from ..figures import Figure, Section
from ..stats import bootstrap_interval, median

NAME = "libpapi"
TITLE = "libpapi: the cost of a call"

# mode -> how often a round runs it
MODES = {"calls": 1, "pairs": 1, "regions": 1, "init": 5, "start": 5, "start_pfm": 5, "enumerate": 1, "overflow": 1, "profil": 1}

# measured -> (what, unit's divisor, unit, limit beside Debian's; None: shown, no promise)
ROWS = {
    "read1": ("PAPI_read of 1 event", 1, "ns", 0.80),
    "raw1": ("plain read(2) of 1 event", 1, "ns", None),
    "read4": ("PAPI_read of 4 events", 1, "ns", 0.98),
    "raw4": ("plain group read(2) of 4 events", 1, "ns", None),
    "accum1": ("PAPI_accum of 1 event", 1, "ns", None),
    "accum4": ("PAPI_accum of 4 events", 1, "ns", 0.5),
    "real_nsec": ("PAPI_get_real_nsec", 1, "ns", 0.2),
    "real_cyc": ("PAPI_get_real_cyc", 1, "ns", None),
    "virt_usec": ("PAPI_get_virt_usec", 1, "ns", None),
    "lock": ("PAPI_lock + PAPI_unlock, nobody else", 1, "ns", None),
    "pair_low": ("PAPI_start + PAPI_stop of 2 events", 1, "ns", None),
    "region": ("PAPI_hl_region_begin + PAPI_hl_region_end, 2 events", 1, "ns", None),
    "init": ("PAPI_library_init", 1e3, "us", 0.3),
    "start": ("init + name_to_code + add + start", 1e3, "us", 0.85),
    "start_process": ("the same, since the process began", 1e3, "us", None),
    "start_pfm": ("the same, a name that needs libpfm4", 1e3, "us", 0.85),
    "start_pfm_process": ("the same, since the process began", 1e3, "us", None),
    "set_life": ("create + add + cleanup + destroy", 1e3, "us", 0.6),
    "overflow": ("one overflow dispatch (task-clock, 100 us)", 1e3, "us", 0.55),
    "profil": ("one PAPI_profil hit (task-clock, 100 us)", 1e3, "us", 0.45),
    "enumerate": ("enumeration of all native events", 1e3, "us", 0.5),
}
RAW_READ_LIMIT = 1.02
# What PAPI 7.0's library has not.
OURS = {"pair_high": ("PAPI_start_counters + PAPI_stop_counters of 2 events", 1, "ns")}
PAIR_LIMIT = 1.1
REGION_EVENTS = {"PAPI_EVENTS": "perf::TASK-CLOCK,perf::PAGE-FAULTS"}

# What `papi_calls repeat` knows -> (what, how often in the shorter run)
COUNTED = {
    "read1": ("PAPI_read of 1 event", 1000),
    "read4": ("PAPI_read of 4 events", 1000),
    "raw4": ("plain group read(2) of 4 events", 1000),
    "accum4": ("PAPI_accum of 4 events", 1000),
    "lock": ("PAPI_lock + PAPI_unlock", 1000),
    "set_life": ("create + add + cleanup + destroy", 100),
}


def parse(text):
    """The program's lines "name number" as a dictionary."""
    found = {}
    for line in text.splitlines():
        words = line.split()
        if len(words) == 2:
            found[words[0]] = float(words[1])
    return found


# Both libraries list the same PMU's events, which libpfm4 is told to believe in. Debian's finds its
# core PMU there by itself, too.
ENUMERATION = {"LIBPFM_FORCE_PMU": "skx", "LD_PRELOAD": ""}


EXTRA = {"enumerate": ENUMERATION, "regions": REGION_EVENTS}


def _one_round(ctx, environment):
    """All modes once: measured -> value; the median where a mode runs more than once."""
    seen = {}
    for mode, times in MODES.items():
        for _ in range(times):
            done = ctx.run([ctx.products.papi_calls, mode],
                           {**environment, **EXTRA.get(mode, {})})
            for name, value in parse(done.stdout).items():
                seen.setdefault(name, []).append(value)
    return {name: median(values) for name, values in seen.items()}


def _figure(columns, what, limit, ratio, beside):
    value = ratio(columns)
    low, high = bootstrap_interval(ratio, columns)
    return Figure(what, f"<= {limit} x {beside}", f"{value:.2f} ({low:.2f}..{high:.2f})",
                  value <= limit)


def _beside_debian(name):
    return lambda c: median(c[f"ours {name}"]) / median(c[f"Debian {name}"])


def _beside_the_raw_read(columns):
    """Round by round: both were read by turns in one process."""
    return median(a / b for a, b in zip(columns["ours read4"], columns["ours raw4"]))


def _beside_the_low_level(columns):
    """Round by round: both pairs took turns in one process."""
    return median(a / b for a, b in zip(columns["ours pair_high"], columns["ours pair_low"]))


def figures(columns):
    """From {"ours read1": [a value a round], "Debian read1": ...}."""
    made = []
    for name, (what, _, _, limit) in ROWS.items():
        if limit is not None and f"ours {name}" in columns:
            made.append(_figure(columns, what, limit, _beside_debian(name), "Debian's"))
    if "ours read4" in columns:
        made.append(_figure(columns, "PAPI_read of 4 events", RAW_READ_LIMIT, _beside_the_raw_read,
                            "one plain group read"))
    if "ours pair_high" in columns:
        made.append(_figure(columns, OURS["pair_high"][0], PAIR_LIMIT, _beside_the_low_level,
                            "PAPI_start + PAPI_stop"))
    return made


def _row(what, values, unit, digits=1):
    ours = values.get("ours")
    return (what, f"{values['Debian']:.{digits}f} {unit}",
            f"{ours:.{digits}f} {unit}" if ours is not None else "-",
            f"{ours / values['Debian']:.2f}" if ours is not None else "-")


def _counted_rows(ctx, variants):
    rows = []
    for name, (what, times) in COUNTED.items():
        values = {variant: instructions.of_one_call(ctx, ctx.products.papi_calls, environment, name, times)
                  for variant, environment in variants.items()}
        rows.append(_row(what, values, "instructions", 0))
    return rows


def measure(ctx):
    products = ctx.products
    section = Section(NAME, TITLE, ["", "Debian's libpapi 7.0", "ours", "ratio"])
    if not products.papi_calls:
        section.notes = ["Left out: no libpapi-dev on this machine."]
        return section
    variants = {"Debian": peers.debian_papi_env(products)}
    if products.libpapi:
        variants["ours"] = {"LD_LIBRARY_PATH": os.path.dirname(products.libpapi)}
    count = ctx.pick(11, 3)
    results = ctx.rounds(count, {name: (lambda env=env: _one_round(ctx, env))
                                 for name, env in variants.items()}, NAME)
    columns = {f"{variant} {name}": [r[name] for r in rounds]
               for variant, rounds in results.items() for name in rounds[0]}
    for name, (what, divisor, unit, _) in ROWS.items():
        values = {v: median(columns[f"{v} {name}"]) / divisor for v in variants}
        section.rows.append(_row(what, values, unit))
    for name, (what, divisor, unit) in OURS.items():
        if f"ours {name}" in columns:
            section.rows.append((what, "-", f"{median(columns[f'ours {name}']) / divisor:.1f} {unit}", "-"))
    section.notes = [
        f"{count} rounds, in each both libraries, in an order shuffled anew; medians of the rounds. A call's "
        "figure is the best of nine short runs in a process.",
        "PAPI_read and a plain read(2) of the same events take turns in one process, 50 calls each: the "
        "medians of 1000 turns. From process to process the same read differs by 3 %, with where its memory lies.",
        "Events enumerated (LIBPFM_FORCE_PMU=skx): " + ", ".join(
            f"{v} {median(columns[f'{v} enumerated']):.0f}" for v in variants) + ".",
        "Debian's libpapi has libpfm4 loaded before main; ours opens it when a name first needs it, which "
        "takes 0.7 ms here and then falls into the call. Since the process began, both have paid for it; "
        "pfm_initialize itself is 1.6 ms of either.",
        "Reads without a system call need a PMU; the guest's test counts their instructions."]
    if instructions.available():
        section.rows += _counted_rows(ctx, variants)
        section.notes.append("Instructions are user space's of one call, counted by callgrind: exact, and the "
                             "same under any load.")
    else:
        section.notes.append("Instructions were not counted: no valgrind on this machine.")
    if products.papi_pmu_shim:
        section.notes.append("Debian's libpapi disables its perf_event where libpfm4 does not know the "
                             "CPU; tests/peers/known_cpu.c keeps it alive there, and does nothing elsewhere.")
    section.figures = figures(columns) if products.libpapi else []
    add_guest(section, *guest_reads.measure(products.source))
    return section


def add_guest(section, costs, reason):
    """Reads without a system call need a PMU: the guest has one."""
    if not costs:
        section.notes.append(f"Reads in user space: not measured, {reason}.")
        return
    section.rows += guest_reads.rows(costs)
    section.figures += guest_reads.figures(costs)
    section.notes.append("In the arm64 guest (docs/hardware-pmu.md) instructions are counted exactly, the kernel's too; "
                         "runs differ by its clock ticks, less than 0.1 %.")
