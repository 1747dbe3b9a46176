"""Memory that the agent touches in an ordinary run, read from /proc/PID/smaps."""

import os
import re
import time

from .. import trees, workloads
from ..figures import Figure, Section
from ..stats import quartiles

NAME = "memory"
TITLE = "Memory touched in a run of python3"
LIMIT_KIB = 4096


def _mappings(text):
    """[(path, first address, behind the last, resident KiB, size KiB)] in order."""
    found = []
    for line in text.splitlines():
        head = re.match(r"([0-9a-f]+)-([0-9a-f]+) \S+ \S+ \S+ \S+\s*(.*)", line)
        if head:
            found.append([head.group(3), int(head.group(1), 16), int(head.group(2), 16), 0, 0])
        elif line.startswith("Rss:"):
            found[-1][3] = int(line.split()[1])
        elif line.startswith("Size:"):
            found[-1][4] = int(line.split()[1])
    return found


def agent_kib(text):
    """(library, spool, rings) in KiB. The kernel does not count ring pages as resident: their
    size counts, all of it. Zeroed data directly behind the library has no name and belongs to it."""
    library = spool = rings = 0
    library_end = None
    for path, start, end, resident, size in _mappings(text):
        if path.endswith("libagent.so") or (not path and start == library_end):
            library += resident
            library_end = end
        elif path.removesuffix(" (deleted)").endswith(".csink"):
            spool += resident
        elif "[perf_event]" in path:
            rings += size
    return library, spool, rings


def _observe(ctx, argv, env):
    """The last look at the running program that showed anything: ((library, spool, rings), RSS)."""
    pid = trees.start(argv, {**trees.base_environment(), **env}, "/dev/null",
                      ctx.products.path("stderr"))
    parts, resident = (0, 0, 0), 0
    while os.waitpid(pid, os.WNOHANG) == (0, 0):
        try:
            with open(f"/proc/{pid}/smaps") as f:
                text = f.read()
        except OSError:
            continue
        if text:
            parts = agent_kib(text)
            resident = max(resident, sum(m[3] for m in _mappings(text)))
        time.sleep(0.05)
    return parts, resident


def measure(ctx):
    argv = workloads.real_programs(ctx.products.scratch)["python3"]
    section = Section(NAME, TITLE, ["", "library KiB", "spool KiB", "rings KiB", "sum KiB",
                                    "RSS of the program KiB"])
    variants = {"plain": lambda: _observe(ctx, argv, {})}
    if ctx.products.has_agent():
        variants["Countersink"] = lambda: _observe(ctx, argv, ctx.products.spool_env())
    results = ctx.rounds(ctx.pick(5, 2), variants, NAME)
    for name, looks in results.items():
        columns = [*zip(*(parts for parts, _ in looks)), [sum(parts) for parts, _ in looks],
                   [resident for _, resident in looks]]
        middles = [quartiles(column)[1] for column in columns]
        section.rows.append((name, *(f"{m:.0f}" for m in middles)))
        if name == "Countersink":
            section.figures.append(Figure("memory touched, python3", f"<= {LIMIT_KIB} KiB",
                                          f"{middles[3]:.0f} KiB", middles[3] <= LIMIT_KIB))
    ctx.products.take_spools(NAME)
    section.notes = [f"{ctx.pick(5, 2)} rounds, one look every 50 ms, the last one counts (RSS: the "
                     "largest)."]
    return section
