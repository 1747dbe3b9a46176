"""Naming a known set of addresses: CPU time and peak memory beside the other symbolizers."""

import os

from .. import peers, subjects, symbolizers
from ..figures import Figure, Section
from ..stats import bootstrap_interval, median

NAME = "symbolize"
TITLE = "Naming addresses"
OURS, TIER1, GIMLI, LLVM = "csink, inlines", "csink, lines", "gimli addr2line", "llvm-symbolizer"
# These look at every symbol for every address, or never forget a line table: one run is enough.
SLOW = ("eu-addr2line", "addr2line")


def _subjects(ctx, folder):
    """[(title, kind, path)] and what could not be had."""
    wanted = [("A cppcheck, raw", "raw", lambda: subjects.cppcheck(folder, os.cpu_count())),
              ("C libc, zlib", "zlib", lambda: subjects.libc(folder)),
              ("D libstdc++, stripped", "stripped", subjects.libstdcxx)]
    if not ctx.quick or os.path.exists(os.path.join(folder, "ceph-osd.raw")):
        wanted[1:1] = [("B ceph-osd, raw", "raw", lambda: subjects.ceph(folder)[0]),
                       ("B ceph-osd, zlib", "zlib", lambda: subjects.ceph(folder)[1])]
    found, notes = [], []
    if ctx.quick and not os.path.exists(os.path.join(folder, "cppcheck")):
        notes.append("A is left out of a quick run: it has to be built first.")
        wanted = wanted[1:]
    for title, kind, get in wanted:
        try:
            found.append((title, kind, get()))
        except subjects.NotHere as why:
            notes.append(f"{title} is left out: {why}.")
    return found, notes


def _measured(ctx, argv, addresses):
    """(CPU seconds, peak MiB) of one run."""
    result = ctx.products.path("peak")
    # eu-addr2line ends with 1 when it knew nothing of an address, having answered all.
    expect = (0, 1) if argv[0] == "eu-addr2line" else (0,)
    ctx.run([ctx.products.peak, result, addresses, *argv],
            {"CSINK_CACHE": "0", "DEBUGINFOD_URLS": ""}, keep_output=False, expect=expect)
    with open(result) as f:
        microseconds, kib = f.read().split()
    return int(microseconds) / 1e6, int(kib) / 1024


def _ratio(columns, ours, other, index):
    values = {name: [run[index] for run in columns[name]] for name in (ours, other)}
    ratio = lambda c: median(c[ours]) / median(c[other])  # noqa: E731
    low, high = bootstrap_interval(ratio, values)
    return ratio(values), f"{ratio(values):.2f} ({low:.2f}..{high:.2f})"


def figures(subject, kind, addresses, columns):
    """The promises that the runs of one table are held to; columns: tool -> [(s, MiB)]."""
    promises = {
        "raw": [(OURS, GIMLI, 0.45, 0), (OURS, LLVM, 0.33, 0), (TIER1, LLVM, 0.1, 0),
                (OURS, LLVM, 0.25, 1)],
        "zlib": [(OURS, GIMLI, 0.6, 0)],
        "stripped": [],
    }[kind]
    if kind == "stripped":
        others = [t for t in columns if not t.startswith("csink") and len(columns[t]) > 1]
        best = min(others, key=lambda t: median([run[0] for run in columns[t]]), default=None)
        promises = [(OURS, best, 1.0, 0)]
    made = []
    for ours, other, limit, index in promises:
        if ours not in columns or other not in columns:
            continue
        value, text = _ratio(columns, ours, other, index)
        what = "peak memory" if index else "CPU time"
        made.append(Figure(f"{subject}, {addresses}: {what} of {ours}", f"<= {limit:g} x {other}",
                           text, value <= limit))
    return made


def _table(ctx, section, subject, kind, path, tools, folder):
    for addresses, listed in subjects.addresses(path, folder).items():
        fast = {name: (lambda argv=argv, listed=listed: _measured(ctx, argv, listed))
                for name, argv in tools(path).items() if name not in SLOW}
        columns = ctx.rounds(ctx.pick(9, 3), fast, f"{subject}, {addresses}")
        if addresses.startswith("200"):
            for name in SLOW:
                argv = tools(path).get(name)
                if argv:
                    columns[name] = [_measured(ctx, argv, listed)]
        base = median([run[0] for run in columns[LLVM]]) if LLVM in columns else None
        for name, runs in columns.items():
            seconds = median([run[0] for run in runs])
            section.rows.append((subject, addresses, name, f"{seconds:.3f}",
                                 f"{median([run[1] for run in runs]):.0f}",
                                 f"{seconds / base:.2f}" if base else ""))
        section.figures += figures(subject, kind, addresses, columns)


def measure(ctx):
    section = Section(NAME, TITLE, ["subject", "addresses", "tool", "CPU s", "peak MiB",
                                    "to llvm-symbolizer"])
    folder = os.path.join(ctx.products.build, "symbolize")
    os.makedirs(folder, exist_ok=True)
    llvm = symbolizers.llvm_package()
    if ctx.install:
        peers.install([*symbolizers.PACKAGES, *([llvm] if llvm else [])])
    gimli, why = symbolizers.build_gimli(
        os.path.join(ctx.products.source, "tests", "bench", "gimli"), os.path.join(folder, "gimli"))
    csink = ctx.products.csink if symbolizers.knows_symbolize(ctx.products.csink) else None
    found, notes = _subjects(ctx, folder)
    for subject, kind, path in found:
        _table(ctx, section, subject, kind, path,
               lambda module: symbolizers.commands(csink, gimli, module), folder)
    section.notes = [
        f"{ctx.pick(9, 3)} rounds, {', '.join(SLOW)} once (200 addresses alone). All read the same "
        f"addresses from their input and answer with demangled names, lines and inlined functions; "
        f"{symbolizers.llvm_symbolizer() or 'no llvm-symbolizer'}.",
        "200 hot: 5 addresses in each of 40 functions; random: uniform in .text; fixed seeds.",
        *notes]
    if why:
        section.notes.append(f"gimli's addr2line is left out: {why}.")
    if csink is None:
        section.notes.append("This csink has no command `symbolize`: peers alone.")
    return section
