"""The price of a text report of runs of xz, python3 and sqlite3."""

import os

from .. import peers, workloads
from ..figures import Figure, Section
from ..stats import median, quartiles

NAME = "report"
TITLE = "Text report of real runs"
LIMIT_S = 0.05


def _profiles(ctx, name, argv):
    """Runs the program once under each profiler: tool -> (samples, bytes, report command, environment)."""
    products = ctx.products
    slug = name.split()[0]
    out = {}
    if products.has_agent():
        ctx.run(argv, products.spool_env(), keep_output=False)
        folder = products.take_spools(slug)
        files = [os.path.join(folder, f) for f in os.listdir(folder)]
        samples = sum(r["events"][0]["samples"] for r in products.report(folder))
        command = [products.csink, "report", "--format", "text", "-o", products.path("report.txt"), *files]
        size = sum(map(os.path.getsize, files))
        out["csink report"] = (samples, size, command, {"CSINK_CACHE": "0"})
        cache = {"CSINK_CACHE": products.path("names")}
        ctx.run(command, cache)  # what is worth it is kept now
        out["csink report, again"] = (samples, size, command, cache)
    profile = products.path(f"{slug}.prof")
    ctx.run(argv, peers.gperftools_env(profile, 1000), keep_output=False)
    program = os.path.realpath(next(p for p in (argv[0], f"/usr/bin/{argv[0]}")
                                    if os.path.exists(p)))
    out["google-pprof --text"] = (peers.gperftools_samples(profile), os.path.getsize(profile),
                                  [peers.google_pprof(), "--text", program, profile], None)
    data = products.path(f"{slug}.data")
    ctx.run(peers.perf_record(data, 1000, argv), keep_output=False)
    out["perf report --stdio"] = (peers.perf_samples(data), os.path.getsize(data),
                                  ["perf", "report", "--stdio", "-i", data], None)
    return out


def measure(ctx):
    section = Section(NAME, TITLE, ["program", "tool", "samples", "profile KiB", "report, CPU s"])
    for name, argv in workloads.real_programs(ctx.products.scratch).items():
        profiles = _profiles(ctx, name, argv)

        def timed(command, env):
            return lambda: ctx.run(command, env).cpu_s

        columns = ctx.rounds(ctx.pick(9, 3), {t: timed(*p[2:]) for t, p in profiles.items()},
                             f"report of {name}")
        for tool, values in columns.items():
            samples, size = profiles[tool][:2]
            low, mid, high = quartiles(values)
            section.rows.append((name, tool, samples, f"{size / 1024:.0f}",
                                 f"{mid:.3f} [{low:.3f}..{high:.3f}]"))
        if "csink report" in columns:
            value = median(columns["csink report"])
            section.figures.append(Figure(f"text report of {name}", f"<= {LIMIT_S} s of CPU",
                                          f"{value:.3f} s", value <= LIMIT_S))
    section.notes = [f"{ctx.pick(9, 3)} rounds on the same stored profiles; every tool asked for "
                     "1000 samples a second."]
    return section
