"""Loading and unloading a library, again and again."""

import json

from ..figures import Figure, Section
from ..stats import bootstrap_interval, median, quartiles

NAME = "loads"
TITLE = "A storm of dlopen and dlclose"
LOADS = 10000
MOST = 1.1


def measure(ctx):
    products = ctx.products

    def storm(env=None):
        def run():
            out = json.loads(ctx.run([products.loads, products.empty, str(LOADS)], env).stdout)
            return out["cpu_ns"] / 1e3 / out["loads"]
        return run

    variants = {"plain": storm()}
    if products.agent:
        variants["Countersink, CSINK_ENABLE=0"] = storm(products.agent_env(ENABLE=0))
        variants["Countersink"] = storm(products.agent_env(REPORT=0))
    columns = ctx.rounds(ctx.pick(15, 4), variants, NAME)
    products.take_spools(NAME)

    plain = median(columns["plain"])
    section = Section(NAME, TITLE, ["", "CPU us a load and unload", "to plain"])
    for name, values in columns.items():
        low, mid, high = quartiles(values)
        section.rows.append((name, f"{mid:.1f} [{low:.1f}..{high:.1f}]", f"{mid / plain:.2f}"))
    section.notes = [f"{LOADS} times the smallest library there is (bench_empty), "
                     f"{ctx.pick(15, 4)} rounds; a real plugin costs more and the ratio is smaller."]
    if "Countersink" in columns:
        def total(c):
            return median(c["Countersink"]) / median(c["plain"])
        low, high = bootstrap_interval(total, columns)
        value = total(columns)
        section.figures.append(Figure(f"{LOADS} loads and unloads", f"<= {MOST} x plain",
                                      f"{value:.2f} ({low:.2f}..{high:.2f})", value <= MOST))
    return section
