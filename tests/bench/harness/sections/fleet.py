"""The queries of docs/tables.md over a folder of 10,000 profiles, in each database that is there."""

import csv
import io
import os
import shutil
import sys
import time

from ..figures import Section
from .ranks import QUERY

NAME = "fleet"
TITLE = "The queries of docs/tables.md over a fleet"
HOSTS = 100


def _engines(source):
    """The module that the tests ask the databases with."""
    folder = os.path.join(source, "tests", "e2e")
    if folder not in sys.path:
        sys.path.append(folder)
    import sql_engines  # pylint: disable=import-outside-toplevel
    sql_engines.csink_e2e.HANG_SECONDS = 1800
    return sql_engines


def _exports(ctx, count):
    """The tables of `count` recorded runs of sqlite3: [(column names, rows)]."""
    products = ctx.products
    for i in range(count):
        ctx.run(["sqlite3", ":memory:", QUERY.format(rows=20_000 + 1_000 * (i % 20))], products.spool_env(), keep_output=False)
    folder = products.take_spools(NAME)
    tables = []
    for name in sorted(os.listdir(folder)):
        path = products.path("table.csv")
        ctx.run([products.csink, "export", "--format=csv", "-o", path, os.path.join(folder, name)])
        with open(path, newline="", encoding="utf-8") as f:
            rows = list(csv.reader(f))
        tables.append((rows[0], rows[1:]))
    return tables


def write_fleet(folder, tables, profiles):
    """Copies of the tables in turn, half of them of release 1.0 and half of 1.1. Returns (rows, bytes)."""
    count = size = 0
    for number in range(profiles):
        columns, rows = tables[number // 2 % len(tables)]
        own = {"profile": f"{number:016x}", "label": ("1.0", "1.1")[number % 2], "host": f"node{number // 2 % HOSTS}",
               "pid": str(1000 + number), "start_time": f"2026-03-{1 + number % 28:02}T09:30:00.{number:06}Z"}
        changed = [(columns.index(name), value) for name, value in own.items()]
        text = io.StringIO()
        out = csv.writer(text)
        out.writerow(columns)
        for row in rows:
            row = list(row)
            for at, value in changed:
                row[at] = value
            out.writerow(row)
        path = os.path.join(folder, f"{number}.csv")
        with open(path, "w", newline="", encoding="utf-8") as f:
            f.write(text.getvalue())
        count, size = count + len(rows), size + os.path.getsize(path)
    return count, size


def measure(ctx):
    section = Section(NAME, TITLE, ["database", "tables made, s", "query", "s"])
    if not ctx.products.has_agent():
        section.notes = ["no libagent.so and csink in this build"]
        return section
    engines = _engines(ctx.products.source)
    page = engines.Page()
    profiles = ctx.pick(10_000, 300)
    work = ctx.products.path("fleet.work")
    os.makedirs(os.path.join(work, "fleet"))
    rows, size = write_fleet(os.path.join(work, "fleet"), _exports(ctx, ctx.pick(40, 5)), profiles)
    made = {"SQLite": lambda: engines.Sqlite(work, page), "DuckDB, the files": lambda: engines.DuckDb(work, page)}
    modules = None
    for name, make in made.items():
        begin = time.monotonic()
        try:
            engine = make()
        except engines.Missing as e:
            section.rows.append((name, f"not here: {e}", "", ""))
            continue
        took = time.monotonic() - begin
        # DuckDB has no table: each query reads the files. What npm took to bring it is no figure.
        section.rows.append((name, "" if name.startswith("DuckDB") else f"{took:.1f}", "", ""))
        modules = getattr(engine, "modules", modules)
        _ask(section, name, engine, page)
        engine.close()
    if modules:
        table = engines.DuckDb(work, page, modules)
        # As the page says: CREATE TABLE in place of CREATE VIEW reads the files once. The table is in memory, so that it is made for
        # each process; all queries are asked in one.
        table.before[0] = table.before[0].replace("CREATE VIEW", "CREATE TABLE", 1)
        begin = time.monotonic()
        table.ask_all(list(page.queries.values()))
        section.rows.append(("DuckDB, a table", "", f"the table and all {len(page.queries)} queries", f"{time.monotonic() - begin:.2f}"))
    shutil.rmtree(work)
    section.notes = [f"{profiles:,} profiles (tables of {ctx.pick(40, 5)} recorded runs of sqlite3, copied with profiles, hosts, processes, start times "
                     f"and releases of their own): {rows:,} rows, {size / 2**20:.0f} MiB of CSV. Wall time of one call; with DuckDB "
                     "including the start of node.",
                     "SQLite's table is made by the page's commands. DuckDB reads all files for each query, or once into a table in memory."]
    return section


def _ask(section, name, engine, page):
    for query, sql in page.queries.items():
        begin = time.monotonic()
        engine.ask(sql)
        section.rows.append((name, "", query, f"{time.monotonic() - begin:.2f}"))
