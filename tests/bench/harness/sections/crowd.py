"""Threads that come and go in a crowd: whether they pile up, and what that costs."""

from .. import peers
from ..figures import Figure, Section
from ..stats import bootstrap_interval, median, quartiles

NAME = "crowd"
TITLE = "Threads that come and go, 300 at a time"
ALIVE = 300
SHAPES = ((2_000, 2_000), (100_000, 100))  # threads, us of each
MOST_MORE_TASKS, MOST_COST, LEAST_RATE = 2, 1.03, 0.9


def measure(ctx):
    products = ctx.products
    section = Section(NAME, TITLE, ["threads", "", "CPU time over plain", "most tasks alive", "threads a second"])
    if not products.has_agent():
        section.notes = ["Not measured: there is no agent in this build."]
        return section
    rounds = ctx.pick(7, 3)
    for count, us in SHAPES:
        argv = [products.crowd, str(count), str(us), str(ALIVE)]

        def churn(command=argv, env=None):
            def run():
                done = ctx.run(command, env)
                values = dict(line.split() for line in done.stdout.splitlines())
                return done.cpu_s, int(values["most_tasks"]), int(values["threads"]) / (int(values["wall_ns"]) / 1e9)
            return run

        columns = ctx.rounds(rounds, {
            "plain": churn(), "Countersink": churn(env=products.agent_env(REPORT=0, EVENTS="task-clock")),
            "gperftools": churn(env=peers.gperftools_env(products.path("crowd.prof"), 1000)),
            "perf record": churn(peers.perf_record(products.path("perf.data"), 1000, argv))}, f"{NAME} {us} us")
        products.take_spools(NAME)

        def over_plain(index, name="Countersink", columns=columns):
            return lambda c=columns: median([v[index] for v in c[name]]) / median([v[index] for v in c["plain"]])

        for name, values in columns.items():
            low, mid, high = quartiles([v[2] for v in values])
            section.rows.append((f"{count:,} of {us / 1000:g} ms", name, f"{over_plain(0, name)():.3f}",
                                 f"{max(v[1] for v in values)}", f"{mid:,.0f} [{low:,.0f}..{high:,.0f}]"))
        tasks, plain_tasks = (max(v[1] for v in columns[name]) for name in ("Countersink", "plain"))
        section.figures.append(Figure(f"tasks alive, threads of {us / 1000:g} ms", f"<= plain + {MOST_MORE_TASKS}",
                                      f"{tasks} for {plain_tasks}", tasks <= plain_tasks + MOST_MORE_TASKS))
        for what, index, good in (("CPU time", 0, lambda r: r <= MOST_COST), ("rate", 2, lambda r: r >= LEAST_RATE)):
            value = over_plain(index)()
            low, high = bootstrap_interval(over_plain(index), columns)
            target = f"<= {MOST_COST} x plain" if index == 0 else f">= {LEAST_RATE} x plain"
            section.figures.append(Figure(f"... their {what}", target, f"{value:.3f} ({low:.3f}..{high:.3f})", good(value)))
    section.notes = [f"The main thread creates the next thread as soon as fewer than {ALIVE} are before the end of their "
                     f"routine; {rounds} rounds. The tasks are those of the process, Countersink's own thread included."]
    return section
