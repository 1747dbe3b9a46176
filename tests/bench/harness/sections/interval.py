"""Periodic reading: libapapi's sampler beside a loop that only wakes up, and Debian's PAPI in a loop."""

from .. import peers
from ..figures import Figure, Section
from ..stats import bootstrap_interval, median

NAME = "interval"
TITLE = "Periodic reading: the cost of a measurement"

# measured -> what
ROWS = {
    "bare": "clock_nanosleep and nothing else",
    "apapi": "libapapi, counters of a thread that sleeps",
    "plain": "nanosleep and Debian's PAPI_read, counters of the loop's own thread",
    "apapi_follow": "libapapi, counters of a program that computes, and of its children",
    "plain_follow": "nanosleep and Debian's PAPI_read, the same counters",
}
WAKE_UP_LIMIT = 1.5
DEBIAN_LIMIT = 0.5


def parse(text):
    """The programs' lines "name ns": name -> [ns of a turn]."""
    found = {}
    for line in text.splitlines():
        words = line.split()
        if len(words) == 2 and words[0] in ROWS:
            found.setdefault(words[0], []).append(float(words[1]))
    return found


def beside_bare(columns):
    """Turn by turn: both ran in one process, one after the other."""
    return median(a / b for a, b in zip(columns["apapi"], columns["bare"]))


def beside_debian(columns):
    return median(columns["apapi"]) / median(columns["plain"])


def followed_beside_debian(columns):
    return median(columns["apapi_follow"]) / median(columns["plain_follow"])


def _figure(columns, what, limit, beside, ratio):
    value = ratio(columns)
    low, high = bootstrap_interval(ratio, columns)
    return Figure(what, f"<= {limit} x {beside}", f"{value:.2f} ({low:.2f}..{high:.2f})", value <= limit)


def figures(columns):
    """From {"bare": [ns a turn], "apapi": ..., "plain": ...}; those that were measured."""
    made = []
    if "apapi" in columns:
        made.append(_figure(columns, "16 counters at 1 ms by libapapi", WAKE_UP_LIMIT,
                            "a bare loop of wake-ups", beside_bare))
    if "apapi" in columns and "plain" in columns:
        made.append(_figure(columns, "16 counters at 1 ms by libapapi", DEBIAN_LIMIT,
                            "Debian's PAPI_read in a loop", beside_debian))
    if "apapi_follow" in columns and "plain_follow" in columns:
        made.append(_figure(columns, "the same of a program that computes", DEBIAN_LIMIT,
                            "Debian's PAPI_read in a loop", followed_beside_debian))
    return made


def floor_note(columns):
    """Of Debian's loop most is the wake-up, which both have."""
    bare, plain, apapi = (median(columns[name]) for name in ("bare", "plain", "apapi"))
    return (f"A wake-up alone is {bare / plain:.2f} of Debian's loop: no sampler that wakes as often can cost less. "
            f"Beyond the wake-up libapapi takes {(apapi - bare) / 1e3:.1f} us a measurement, with values and "
            f"statistics; Debian's loop takes {(plain - bare) / 1e3:.1f} us, the bare numbers.")


def measure(ctx):
    products = ctx.products
    section = Section(NAME, TITLE, ["each 1 ms", "CPU time a measurement"])
    if not products.interval_apapi:
        section.notes = ["Left out: libapapi was not built."]
        return section
    milliseconds = str(ctx.pick(2000, 500))
    variants = {"ours": lambda: ctx.run([products.interval_apapi, milliseconds, "2"]).stdout}
    if products.interval_papi:
        environment = peers.debian_papi_env(products)
        variants["Debian"] = lambda: ctx.run([products.interval_papi, milliseconds, "2"], environment).stdout
    else:
        section.notes.append("Debian's PAPI was not measured: no libpapi-dev on this machine.")
    columns = {}
    for outputs in ctx.rounds(ctx.pick(9, 2), variants, NAME).values():
        for name, values in parse("\n".join(outputs)).items():
            columns.setdefault(name, []).extend(values)
    section.rows = [(what, f"{median(columns[name]) / 1e3:.1f} us") for name, what in ROWS.items() if name in columns]
    section.figures = figures(columns)
    if "plain" in columns:
        section.notes.append(floor_note(columns))
        if "plain_follow" not in columns:
            section.notes.append("Debian's PAPI does not follow programs here: without a PMU it refuses PAPI_INHERIT.")
    section.notes.append("CPU time of the whole process, user and system, from CLOCK_PROCESS_CPUTIME_ID; 16 software "
                         "events of the kernel's, one system call a measurement in both.")
    return section
