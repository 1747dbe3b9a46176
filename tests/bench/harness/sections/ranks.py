"""The profiles of an MPI job's ranks: their sum as a tree of csink merge, and the report of it.

The tree is that of agent/mpi/rank_tree.h, without MPI: what is sent there are files here. Ranks are copies of
recorded spools, each with a rank, host and process of its own."""

import os
import shutil
import time
from dataclasses import dataclass

from ..figures import Figure, Section
from ..stats import median, quartiles

NAME = "ranks"
TITLE = "The sum of the ranks of a job, and its report"

CHILDREN = 16  # kChildren of rank_tree.h
RANKS = (1, 10, 100, 1_000, 10_000)
MERGE_LIMIT_S = 1
MERGE_LIMIT_MIB = 64
REPORT_LIMIT_S = 2
# About 0.2 s of CPU time; the rows differ from rank to rank.
QUERY = ("CREATE TABLE t(a INTEGER, b TEXT); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < "
         "{rows}) INSERT INTO t SELECT i * 7919 % 1400017, hex(i * 31337) FROM n; CREATE INDEX t_b ON t(b); "
         "SELECT count(*), sum(length(b)) FROM t WHERE b LIKE '%7F%'; SELECT a % 97, count(*) FROM t GROUP BY 1;")


def children_of(rank, ranks):
    first = rank * CHILDREN + 1
    return range(first, min(first + CHILDREN, ranks))


def depth_of(rank):
    depth = 0
    while rank > 0:
        rank = (rank - 1) // CHILDREN
        depth += 1
    return depth


@dataclass
class Cost:
    """What one command took."""
    wall_s: float
    cpu_s: float
    peak_mib: float


def _run(ctx, argv, env=None):
    result = ctx.products.path("cost")
    begin = time.monotonic()
    ctx.run([ctx.products.peak, result, "/dev/null", *argv], env)
    wall_s = time.monotonic() - begin
    with open(result, encoding="utf-8") as f:
        cpu_us, peak_kib = map(int, f.read().split())
    return Cost(wall_s, cpu_us / 1e6, peak_kib / 1024)


@dataclass
class Tree:
    """The reduction of a job."""
    depth: int = 0
    slowest_s: float = 0     # of the path of csink merge from a leaf to rank 0
    cpu_s: float = 0         # of all of them
    peak_mib: float = 0      # of the largest one
    sent_mib: float = 0      # all messages
    received_mib: float = 0  # by rank 0
    file: str = ""           # the job's


def reduce(ctx, spools, folder):
    """Adds up the spools as the ranks do, deepest ranks first."""
    ranks = len(spools)
    tree = Tree(depth=depth_of(ranks - 1))
    profile, ready = dict(enumerate(spools)), {}
    for rank in reversed(range(ranks)):
        children = children_of(rank, ranks)
        if not children and rank > 0:
            continue
        received = sum(os.path.getsize(profile[child]) for child in children) / 2**20
        tree.sent_mib += received
        merged = os.path.join(folder, f"sum{rank}.csink")
        cost = _run(ctx, [ctx.products.csink, "merge", "-o", merged, spools[rank], *(profile[child] for child in children)])
        ready[rank] = max((ready.get(child, 0) for child in children), default=0) + cost.cpu_s
        tree.cpu_s += cost.cpu_s
        tree.peak_mib = max(tree.peak_mib, cost.peak_mib)
        for child in children:
            if profile[child] != spools[child]:
                os.unlink(profile[child])
        profile[rank], tree.received_mib = merged, received
    tree.slowest_s, tree.file = ready[0], profile[0]
    return tree


def _record(ctx, count):
    """Spools of `count` runs of sqlite3, as ranks with different loads."""
    for i in range(count):
        ctx.run(["sqlite3", ":memory:", QUERY.format(rows=200_000 + 2_500 * (i % 20))], ctx.products.spool_env(),
                keep_output=False)
    folder = ctx.products.take_spools(NAME)
    return [os.path.join(folder, name) for name in sorted(os.listdir(folder))]


def measure(ctx):
    products = ctx.products
    section = Section(NAME, TITLE, ["ranks", "levels below rank 0", "slowest path, CPU s", "CPU s of all ranks", "peak MiB of a csink merge",
                                    "sent, MiB", "received by rank 0, MiB", "one csink merge of all: CPU s, peak MiB",
                                    "report of the job: CPU s, peak MiB"])
    if not products.has_agent() or not os.path.exists(products.many_ranks):
        section.notes = ["no libagent.so, csink or bench_many_ranks in this build"]
        return section
    recorded = _record(ctx, ctx.pick(40, 10))
    size_kib = sum(map(os.path.getsize, recorded)) / len(recorded) / 1024
    rounds = ctx.pick(5, 1)
    for ranks in RANKS:
        folder = os.path.join(products.spools, f"job{ranks}")
        os.mkdir(folder, 0o700)
        spools = ctx.run([products.many_ranks, folder, str(ranks), *recorded]).stdout.split()
        # The largest job's tree has 625 inner ranks.
        trees = [reduce(ctx, spools, folder) for _ in range(rounds if ranks <= 1_000 else 1)]
        report = [_run(ctx, [products.csink, "report", "--format", "text", "-o", products.path("report.txt"), trees[0].file],
                       {"CSINK_CACHE": "0"}) for _ in range(rounds)]
        whole = [_run(ctx, [products.csink, "merge", "-o", os.path.join(folder, "all.sum"), *spools]) for _ in range(rounds)]
        tree = trees[0]
        reports_s, wholes_s = median([c.cpu_s for c in report]), median([c.cpu_s for c in whole])
        section.rows.append((f"{ranks:,}", tree.depth, f"{median([t.slowest_s for t in trees]):.3f}",
                             f"{median([t.cpu_s for t in trees]):.2f}", f"{max(t.peak_mib for t in trees):.0f}",
                             f"{tree.sent_mib:.1f}", f"{tree.received_mib:.1f}",
                             f"{wholes_s:.3f}, {max(c.peak_mib for c in whole):.0f}",
                             f"{reports_s:.3f}, {max(c.peak_mib for c in report):.0f}"))
        if ranks == 1_000:
            peak = max(c.peak_mib for c in whole)
            low, middle, high = quartiles([c.cpu_s for c in whole])
            wall_s = median([c.wall_s for c in whole])
            section.figures += [
                Figure(f"csink merge of 1,000 ranks of {size_kib:.0f} KiB", f"<= {MERGE_LIMIT_S} s of CPU",
                       f"{middle:.2f} s [{low:.2f}..{high:.2f}], {wall_s:.2f} s of wall time", middle <= MERGE_LIMIT_S),
                Figure("memory of it", f"<= {MERGE_LIMIT_MIB} MiB", f"{peak:.0f} MiB", peak <= MERGE_LIMIT_MIB)]
        if ranks == 10_000:
            section.figures.append(Figure("text report of 10,000 ranks", f"<= {REPORT_LIMIT_S} s of CPU", f"{reports_s:.2f} s",
                                          reports_s <= REPORT_LIMIT_S))
        shutil.rmtree(folder)
    section.notes = [f"{len(recorded)} recorded runs of sqlite3, {size_kib:.0f} KiB each, copied with ranks, hosts and processes of their "
                     f"own; {rounds} round(s), of the largest tree one.",
                     f"Each rank with children ({CHILDREN} at most) runs one csink merge; the slowest path is the CPU time of those from "
                     "the deepest rank to rank 0, which wait for each other. Sent are the bytes of the profiles; the network's time is not in "
                     "it."]
    return section
