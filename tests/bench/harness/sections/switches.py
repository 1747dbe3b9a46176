"""What a record of each context switch would cost: the reason why blocked threads are looked at instead."""

import json

from ..figures import Section
from ..stats import median, quartiles

NAME = "switches"
TITLE = "A record of each context switch"
TRIPS = 60_000
RATE = 30_000  # switches a second of the program for which a decision was asked


def measure(ctx):
    def run(mode):
        def once():
            out = json.loads(ctx.run([ctx.products.switches, str(TRIPS), mode]).stdout)
            return out["cpu_ns"] / out["switches"]
        return once

    columns = ctx.rounds(ctx.pick(15, 3), {mode: run(mode) for mode in
                                           ("plain", "records", "clock", "clock+records")}, NAME)
    section = Section(NAME, TITLE, ["", "CPU ns a switch", "over the one without records, ns",
                                    f"of a core at {RATE:,} switches a second"])
    for mode, values in columns.items():
        low, mid, high = quartiles(values)
        base = {"records": "plain", "clock+records": "clock"}.get(mode)
        more = "", ""
        if base:
            extra = median([a - b for a, b in zip(values, columns[base])])
            more = f"{extra:+.0f}", f"{extra * RATE / 1e7:.1f} %"
        section.rows.append((mode, f"{mid:.0f} [{low:.0f}..{high:.0f}]", *more))
    section.notes = [f"Two processes on one processor hand a byte to and fro {TRIPS:,} times, {ctx.pick(15, 3)} rounds. "
                     "`records`: PERF_RECORD_SWITCH with the time, in a ring that nobody drains, so reading them "
                     "comes on top. The observer of CSINK_WAIT takes less than 1 % of a core at any rate."]
    return section
