"""csink export --format csv and ndjson, and the queries of docs/tables.md, which are taken from docs/sql.

With CSINK_E2E_LONG the queries also run in ClickHouse, whose server takes seconds to start."""

import collections
import csv
import json
import math
import os
import random
import shutil
import tempfile

import csink_e2e
from csink_e2e import E2eTest
from exported_run import ExportedRun
from sql_engines import ClickHouse, DuckDb, Missing, Page, Sqlite

WHOLE = {"UBIGINT": int, "DOUBLE": float, "VARCHAR": str}


def typed(row, columns):
    """A row of CSV as the page's types have it; an empty field is None."""
    return {name: WHOLE[columns[name]](value) if value != "" else None for name, value in row.items()}


class Recorded(ExportedRun):
    """One run, exported to both forms."""

    def setUp(self):
        super().setUp()
        self.page = Page()

    def read_csv(self, path):
        with open(path, newline="", encoding="utf-8") as f:
            return [typed(row, self.page.columns) for row in csv.DictReader(f, strict=True)]

    def read_ndjson(self, path):
        with open(path, encoding="utf-8", newline="\n") as f:
            return [json.loads(line) for line in f]

    def test_both_forms_have_the_same_rows(self):
        from_csv = self.read_csv(self.export("csv", "--label", "1.0, \"beta\""))
        from_ndjson = self.read_ndjson(self.export("ndjson", "--label", "1.0, \"beta\""))
        self.assertGreater(len(from_csv), 3)
        self.assertEqual(list(from_csv[0]), list(self.page.columns))
        self.assertEqual(list(from_ndjson[0]), list(self.page.columns))
        self.assertEqual(from_csv, from_ndjson)
        self.assertEqual({row["label"] for row in from_csv}, {"1.0, \"beta\""})

    def test_rows_add_up_to_the_report(self):
        rows = self.read_csv(self.export("csv"))
        self.assertEqual({r["label"] for r in rows}, {None})
        keys = [(r["host"], r["pid"], r["tid"], r["function"], r["module"], r["file"], r["line"], r["event"]) for r in rows]
        self.assertEqual(len(set(keys)), len(keys))
        for event, totals in enumerate(self.report["events"]):
            own = [r for r in rows if r["event"] == totals["name"]]
            self.assertEqual({(r["event_samples"], r["event_weight"]) for r in own}, {(totals["samples"], totals["weight"])})
            for key in ("samples", "weight"):
                self.assertEqual(sum(r[key] for r in own), totals[key])
                for table, columns in (("functions", ("function", "module")), ("lines", ("file", "line")),
                                       ("threads", ("pid", "tid")), ("processes", ("pid",))):
                    ours, theirs = collections.Counter(), collections.Counter()
                    for r in own:
                        ours[tuple(r[c] for c in columns)] += r[key]
                    for r in self.report[table]:
                        theirs[tuple(r[c] for c in columns)] += r["events"][event][key]
                    if table == "lines":
                        ours.pop((None, None), None)
                    self.assertEqual(ours, theirs, f"{table}, {key}")
            for r in own:
                self.assertAlmostEqual(r["share"], r["weight"] / r["event_weight"], places=12)
                self.assertTrue(0 <= r["share_low"] <= r["share"] <= r["share_high"] <= 1, r)
                self.assertTrue(r["weight_low"] <= r["weight"] <= r["weight_high"], r)
        self.assertEqual({r["command"] for r in rows}, {self.report["command"]})
        self.assertEqual({r["host"] for r in rows}, {self.report["host"]})
        own_module = [m for m in self.report["modules"] if m["module"] == "callers"][0]
        self.assertEqual({r["build_id"] or "" for r in rows if r["module"] == "callers"}, {own_module["build_id"]})
        self.assertRegex(rows[0]["start_time"], r"^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$")
        self.assertRegex(rows[0]["profile"], "^[0-9a-f]{16}$")

    def test_threads_have_rows_of_their_own(self):
        run = self.profile("callers", "threads", 200, CSINK_REPORT="0", CSINK_KEEP="1")
        path = os.path.join(self.folder, "threads.csv")
        status, _, err = self.run_tool("export", "--format=csv", "-o", path, run.spools[0])
        self.assertEqual(status, 0, err)
        sums = collections.Counter()
        for row in self.read_csv(path):
            sums[row["tid"]] += row["samples"]
        report = self.report_of_spool(run.spools[0])
        self.assertGreaterEqual(len(sums), 2)
        self.assertEqual(sums, {t["tid"]: t["events"][0]["samples"] for t in report["threads"]})

    def test_texts_with_signs_of_the_formats(self):
        odd = "a,\"b\" ;\n\tc\r\nd'é"
        run = self.run_agent("callers", "frames", 100, odd, CSINK_REPORT="0", CSINK_KEEP="1")
        self.assertEqual(run.status, 0, run.stderr)
        report = self.report_of_spool(run.spools[0])
        for form, read in (("csv", self.read_csv), ("ndjson", self.read_ndjson)):
            path = os.path.join(self.folder, "odd." + form)
            status, _, err = self.run_tool("export", "--format=" + form, "-o", path, run.spools[0])
            self.assertEqual(status, 0, err)
            self.assertEqual({row["command"] for row in read(path)}, {report["command"]})

    def test_ids_tell_runs_apart(self):
        other = self.profile("callers", "frames", 50, CSINK_REPORT="0", CSINK_KEEP="1").spools[0]
        ids = []
        for spool in (self.spool, self.spool, other):
            status, out, err = self.run_tool("export", "--format=ndjson", spool)
            self.assertEqual(status, 0, err)
            ids.append({json.loads(line)["profile"] for line in out.splitlines()})
        self.assertEqual([len(i) for i in ids], [1, 1, 1])
        self.assertEqual(ids[0], ids[1])
        self.assertNotEqual(ids[0], ids[2])

    def test_the_ways_to_write_it(self):
        status, out, err = self.run_tool("report", "--format=ndjson", self.spool)
        self.assertEqual((status, err), (0, ""))
        self.assertEqual([json.loads(l) for l in out.splitlines()], self.read_ndjson(self.export("ndjson")))
        run = self.run_agent("callers", "frames", 100, CSINK_FORMAT="ndjson", CSINK_OUTPUT=os.path.join(self.folder, "exit"))
        self.assertEqual((run.status, run.stderr), (0, ""))
        self.assertTrue(self.read_ndjson(os.path.join(self.folder, "exit")))
        status, out, err = self.run_tool("export", "--format=pprof", "--label=x", "-o", "/dev/null", self.spool)
        self.assertEqual((status, out), (2, ""))
        self.assertIn("--label is only possible with", err)
        status, _, err = self.run_tool("export", "--format=csv", "--table=lines", "--label=x", self.spool)
        self.assertEqual(status, 2)
        self.assertIn("--label is only possible with", err)

    def test_sqlite(self):
        os.mkdir(os.path.join(self.folder, "fleet"))
        self.export("csv", name="fleet/run 1")
        base = Sqlite(self.folder, self.page)
        self.addCleanup(base.close)
        self.assertEqual(base.ask("SELECT sum(weight), sum(samples), max(event_weight) FROM samples WHERE event = "
                                  f"'{self.event['name']}'"),
                         [[self.event["weight"], self.event["samples"], self.event["weight"]]])
        ours = {tuple(row[:2]): row[2] for row in
                base.ask("SELECT function, module, sum(samples) FROM samples GROUP BY function, module")}
        theirs = collections.Counter()
        for row in self.report["functions"]:
            theirs[row["function"], row["module"]] += row["events"][0]["samples"]
        self.assertEqual(ours, theirs)


# --- a fleet that was made up ---------------------------------------------------

EVENT = "task-clock:u"
PERIOD = 1_000_003
PROFILES = 24
ODD_NAME = "Table<\"a,b\">::operator()\n[é]"


def shares_of(release, number, rng):
    """True shares of one profile. `Parse` gets slower. `Noisy` differs much from host to host, and happens to be higher
    on those of 1.1: its samples alone would call it slower."""
    noisy = 0.02 + 0.48 * ((number * 7) % PROFILES) / PROFILES + (0.06 if release == "1.1" else 0)
    # What Noisy has is missing in Rest, so that the share of Parse does not follow it.
    parts = {"Parse": 0.20 if release == "1.0" else 0.26, "Noisy": noisy, "Rest": 0.6 - noisy, ODD_NAME: 0.05}
    parts["Parse"] += rng.gauss(0, 0.01)
    for i in range(20):
        parts[f"Part{i}"] = 0.02 + 0.001 * i
    total = sum(parts.values())
    return {name: share / total for name, share in parts.items()}


def fleet(columns, same=False):
    """Rows by file: made of the page's columns, so that a column without a value is an error here. `same`: both
    releases are 1.0 in truth."""
    rng = random.Random(20260301)
    files = {}
    for release in ("1.0", "1.1"):
        for number in range(PROFILES):
            shares = shares_of("1.0" if same else release, number, rng)
            samples = 1000 + 100 * (number % 7)
            drawn = collections.Counter(rng.choices(list(shares), list(shares.values()), k=samples))
            rows = []
            for name, count in drawn.items():
                common = {
                    "profile": f"{'ab'[release == '1.1']}{number:015x}", "label": release, "command": "server --all",
                    "wall_seconds": 60.0, "cpu_seconds": samples * PERIOD / 1e9, "verdict": "good", "phase": None,
                    "host": f"node{number}", "pid": 100 + number, "generation": 0, "processes": 1, "rank": None,
                    "program": "server", "start_time": f"2026-03-{1 + number % 3:02}T09:30:00.000001Z", "merged": 0,
                    "thread": "worker", "function": name, "module": "server", "module_path": "/opt/server/bin/server",
                    # Digits alone: guessed types would make a number of it.
                    "build_id": "0012" if release == "1.0" else "0013", "name_source": "symbol", "file": "server.cpp",
                    "event": EVENT, "unit": "ns", "event_samples": samples, "event_weight": samples * PERIOD,
                    "effective_samples": float(samples), "missing": 0.0}
                # Two threads and two lines: the queries must add them up.
                for tid, line, part in ((7, 10, count // 2), (8, None, count - count // 2)):
                    if not part:
                        continue
                    own = {"tid": tid, "line": line, "samples": part, "weight": part * PERIOD,
                           "weight_low": part * PERIOD * 0.9, "weight_high": part * PERIOD * 1.1,
                           "share": part / samples, "share_low": part / samples * 0.9, "share_high": part / samples * 1.1}
                    rows.append({column: (common | own)[column] for column in columns})
            files[f"{release}-{number}"] = rows
    return files


def write_fleet(folder, files, columns):
    os.mkdir(os.path.join(folder, "fleet"))
    for name, rows in files.items():
        with open(os.path.join(folder, "fleet", name + ".csv"), "w", newline="", encoding="utf-8") as f:
            out = csv.DictWriter(f, list(columns))
            out.writeheader()
            out.writerows(rows)
        with open(os.path.join(folder, "fleet", name + ".ndjson"), "w", encoding="utf-8") as f:
            f.writelines(json.dumps(row) + "\n" for row in rows)


def expected_scores(files):
    """{function: (share in 1.0, share in 1.1, score, score of sampling alone)}, computed profile by profile."""
    releases = collections.defaultdict(list)
    for name, rows in files.items():
        spent = collections.Counter()
        for row in rows:
            spent[row["function"]] += row["weight"]
        releases[name.split("-")[0]].append((spent, rows[0]["event_weight"], rows[0]["effective_samples"]))
    found = {}
    for function in {row["function"] for rows in files.values() for row in rows}:
        sides = []
        for release in ("1.0", "1.1"):
            profiles = releases[release]
            k, total = len(profiles), sum(weight for _, weight, _ in profiles)
            share = sum(spent[function] for spent, _, _ in profiles) / total
            between = k / (k - 1) * sum((spent[function] - share * weight) ** 2 for spent, weight, _ in profiles) / total ** 2
            n = total ** 2 / sum(weight ** 2 / effective for _, weight, effective in profiles)
            p = (share * n + 2) / (n + 4)
            sides.append((share, between, p * (1 - p) / (n + 4)))
        (a, between_a, sampling_a), (b, between_b, sampling_b) = sides
        t = (b - a) / math.sqrt(max(between_a, sampling_a) + max(between_b, sampling_b))
        freedom = PROFILES - 1
        score = t * (1 - 1 / (4 * freedom)) / math.sqrt(1 + t * t / (2 * freedom))
        found[function] = (a, b, score, (b - a) / math.sqrt(sampling_a + sampling_b))
    return found


class DefaultExport(E2eTest):
    """The queries as the page has them, over exports of csink's own event."""

    def test_queries_find_rows(self):
        page = Page()
        os.mkdir(os.path.join(self.folder, "fleet"))
        for number, label in enumerate(("1.0", "1.0", "1.1", "1.1")):
            run = self.run_agent("split", 150, CSINK_REPORT="0", CSINK_KEEP="1", CSINK_EVENTS="task-clock")
            self.assertEqual(run.status, 0, run.stderr)
            status, _, err = self.run_tool("export", "--format=csv", "--label", label, "-o",
                                           os.path.join(self.folder, "fleet", f"{number}.csv"), *run.spools)
            self.assertEqual(status, 0, err)
            for spool in run.spools:
                os.remove(spool)
        base = Sqlite(self.folder, page)
        self.addCleanup(base.close)
        [[hottest]] = base.ask("SELECT function FROM samples WHERE label = '1.1' GROUP BY function "
                               "ORDER BY sum(weight) DESC LIMIT 1")
        ask = lambda name: base.ask(page.queries[name].replace("'Parse'", "'" + hottest.replace("'", "''") + "'"))
        for name in ("hottest", "lines", "hosts", "builds", "days"):
            self.assertTrue(ask(name), name)
        self.assertEqual(ask("hottest")[0][0], hottest)
        [[_, share]] = ask("days")
        self.assertGreater(share, 0.2)
        # Equal programs: the query runs, and every function of both releases has a score.
        scored = base.ask(page.queries["slower"].replace("WHERE score > 4", "WHERE score > -1000"))
        self.assertIn(hottest, [row[0] for row in scored])
        self.assertEqual(ask("twice"), [])
        # How many of such short runs can be trusted is not known: the query runs.
        self.assertLessEqual(len(ask("trust")), 4)


class Fleet(E2eTest):
    """The queries of the page over two releases on 24 hosts."""

    node_modules = None  # DuckDB, fetched once

    @classmethod
    def tearDownClass(cls):
        if cls.node_modules:
            shutil.rmtree(os.path.dirname(cls.node_modules), ignore_errors=True)

    def setUp(self):
        super().setUp()
        self.page = Page()

    def duckdb(self, folder):
        cls = type(self)
        if not cls.node_modules:
            kept = tempfile.mkdtemp(prefix="csink-e2e-duckdb-", dir="/dev/shm")
            try:
                cls.node_modules = DuckDb.fetch(kept)
            finally:
                if not cls.node_modules:
                    shutil.rmtree(kept, ignore_errors=True)
        return DuckDb(folder, self.page, cls.node_modules)

    def open(self, make):
        try:
            engine = make()
        except Missing as e:
            self.skipTest(str(e))
        self.addCleanup(engine.close)
        return engine

    def check(self, ask, files):
        """What every engine must answer; `ask` takes the name of a query or SQL."""
        expected = expected_scores(files)
        self.assertGreater(expected["Noisy"][3], 4, "the made-up fleet is no trap")
        self.assertEqual(ask("SELECT count(*) FROM samples"), [[sum(len(rows) for rows in files.values())]])
        rows = ask("slower")
        self.assertEqual([row[0] for row in rows], ["Parse"])
        a, b, score, _ = expected["Parse"]
        _, module, profiles_a, profiles_b, share_a, share_b, change, low, high, got = rows[0]
        self.assertEqual((module, profiles_a, profiles_b), ("server", PROFILES, PROFILES))
        for ours, theirs in ((share_a, a), (share_b, b), (change, b - a), (got, score)):
            self.assertAlmostEqual(ours, theirs, places=7)
        self.assertTrue(0 < low < change < high < 0.2)
        everything = self.page.queries["slower"].replace("WHERE score > 4", "WHERE score > -1000")
        self.assertNotEqual(everything, self.page.queries["slower"])
        scores = {row[0]: row[9] for row in ask(everything)}
        self.assertEqual(set(scores), set(expected))
        for name, got in scores.items():
            self.assertAlmostEqual(got, expected[name][2], places=6, msg=name)

        hottest = ask("hottest")
        self.assertEqual(len(hottest), 20)
        self.assertEqual([row[2] for row in hottest], sorted((row[2] for row in hottest), reverse=True))
        for name, _, share, _, _, in_profiles in hottest:
            self.assertAlmostEqual(share, expected[name][1], places=9, msg=name)
            self.assertTrue(0 < in_profiles <= PROFILES)
        self.assertTrue(all(low < share < high for _, _, share, low, high, _ in hottest))
        weight = lambda release: sum(r["weight"] for rows in files.values() for r in rows
                                     if r["label"] == release and r["function"] == "Parse" and r["line"] == 10)
        lines = ask("lines")
        self.assertEqual({(row[1], row[2]): row[3] for row in lines if row[1]},
                         {(10, "1.0"): weight("1.0"), (10, "1.1"): weight("1.1")})
        self.assertEqual(len(lines), 4)
        hosts = ask("hosts")
        self.assertEqual({row[0] for row in hosts}, {f"node{i}" for i in range(PROFILES)})
        self.assertTrue(all(abs(row[3]) < 8 for row in hosts))
        self.assertGreater(hosts[0][3], hosts[-1][3])
        builds = ask("builds")
        self.assertEqual(sorted(row[:4] for row in builds),
                         [["server", "0012", PROFILES, PROFILES], ["server", "0013", PROFILES, PROFILES]])
        self.assertEqual([row[0] for row in ask("days")], ["2026-03-01", "2026-03-02", "2026-03-03"])
        self.assertEqual(ask("trust"), [])
        self.assertEqual(ask("twice"), [])
        self.assertEqual(ask("SELECT DISTINCT function FROM samples WHERE function LIKE 'Table%'"), [[ODD_NAME]])

    def asker(self, engine):
        return lambda sql: engine.ask(self.page.queries.get(sql, sql))

    def assert_same(self, rows, expected):
        """Equal rows. An engine with threads adds up in any order, so that last digits differ."""
        self.assertEqual(len(rows), len(expected))
        for row, wanted in zip(rows, expected):
            for cell, other in zip(row, wanted, strict=True):
                if isinstance(other, float):
                    self.assertAlmostEqual(cell, other, places=9)
                else:
                    self.assertEqual(cell, other)

    def test_sqlite(self):
        files = fleet(self.page.columns)
        write_fleet(self.folder, files, self.page.columns)
        self.check(self.asker(self.open(lambda: Sqlite(self.folder, self.page))), files)

    def test_duckdb(self):
        files = fleet(self.page.columns)
        write_fleet(self.folder, files, self.page.columns)
        engine = self.open(lambda: self.duckdb(self.folder))
        self.check(self.asker(engine), files)
        slower = engine.ask(self.page.queries["slower"])
        # The other form, as the page says it.
        of_csv = self.page.tables["duckdb"]
        columns = of_csv[of_csv.index("columns = {"):]
        engine.before[0] = ("CREATE VIEW samples AS SELECT * FROM read_json('fleet/*.ndjson', "
                            "format = 'newline_delimited', " + columns)
        self.assert_same(engine.ask(self.page.queries["slower"]), slower)
        self.assertEqual(engine.ask("SELECT DISTINCT function FROM samples WHERE function LIKE 'Table%'"), [[ODD_NAME]])

    def test_clickhouse(self):
        if "CSINK_E2E_LONG" not in os.environ:
            self.skipTest("runs in the long tier")
        files = fleet(self.page.columns)
        write_fleet(self.folder, files, self.page.columns)
        self.check(self.asker(self.open(lambda: ClickHouse(self.folder, self.page))), files)

    def test_nothing_got_slower_between_equal_releases(self):
        files = fleet(self.page.columns, same=True)
        write_fleet(self.folder, files, self.page.columns)
        base = self.open(lambda: Sqlite(self.folder, self.page))
        self.assertEqual(base.ask(self.page.queries["slower"]), [])

    def test_few_profiles_prove_nothing(self):
        files = {name: rows for name, rows in fleet(self.page.columns).items() if int(name.split("-")[1]) < 9}
        write_fleet(self.folder, files, self.page.columns)
        base = self.open(lambda: Sqlite(self.folder, self.page))
        self.assertEqual(base.ask(self.page.queries["slower"]), [])

    def test_profiles_that_need_a_look(self):
        files = fleet(self.page.columns)
        for row in files["1.1-3"]:
            row["verdict"] = "poor"
        files["1.1-4 again"] = files["1.1-4"]
        write_fleet(self.folder, files, self.page.columns)
        base = self.open(lambda: Sqlite(self.folder, self.page))
        self.assertEqual([row[0] for row in base.ask(self.page.queries["trust"])], ["b" + f"{3:015x}"])
        self.assertEqual([row[0] for row in base.ask(self.page.queries["twice"])], ["b" + f"{4:015x}"])

    def test_the_page_has_all_it_says(self):
        self.assertEqual(set(self.page.queries), {"slower", "hottest", "lines", "hosts", "builds", "days", "trust", "twice"})
        self.assertEqual(set(self.page.tables), set(Page.ENGINES))
        self.assertEqual(len(self.page.views), 2)
        for text in self.page.tables.values():
            for column in self.page.columns:
                self.assertRegex(text, rf"\b{column}\b")


if __name__ == "__main__":
    csink_e2e.main()
