"""Every view of the HTML report of a real profile, compared with the JSON report of the same spool."""

import base64
import collections
import functools
import json
import math
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import urllib.parse
import xml.etree.ElementTree

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(os.path.dirname(HERE), "e2e")]
import npm_package  # noqa: E402
from browser import BrowserTest  # noqa: E402

TOOL = os.environ["CSINK_E2E_TOOL"]
AGENT = os.environ["CSINK_E2E_AGENT"]
PROGRAMS = os.environ["CSINK_E2E_PROGRAMS"]
VIEWS = ("summary", "functions", "lines", "modules", "threads", "flame", "source", "time", "calls")


def environment(**changes):
    """The environment without what steers csink, and without files of the network."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("CSINK_", "LD_"))}
    return kept | {"LC_ALL": "C", "DEBUGINFOD_URLS": "", "CSINK_CACHE": "0", "CSINK_AGENT": AGENT} | changes


def tool(*arguments, **changes):
    return subprocess.run([TOOL, *arguments], env=environment(**changes), stdin=subprocess.DEVNULL, capture_output=True,
                          check=True, timeout=300)


class ProfileTest(BrowserTest):
    """Compares what a page shows with a JSON report of the same spools."""

    def tearDown(self):
        self.assert_quiet()

    @staticmethod
    def percent(share):
        return f"{100 * share:.1f} %"

    def cell_percent(self, share):
        """A share in a table has two significant digits below 0.1 %."""
        if not 0 < share < 0.001:
            return self.percent(share)
        decimals = 1 - math.floor(math.log10(float(f"{100 * share:.1e}")))
        return f"{100 * share:.{decimals}f} %"

    def assert_shares(self, table, name_of):
        """Names, shares and samples of the first rows are those of the JSON report."""
        shown = {}
        for row in self.rows():
            shown.setdefault(row[1], []).append(" | ".join(row))
        for row in table[:15]:
            cell = row["events"][0]
            name = name_of(row)
            self.assertIn(name, shown)
            # Of a share that lies in the middle of two (31.25 %) JavaScript shows the upper and Python the lower one.
            shares = {self.cell_percent(cell["share"]), self.cell_percent(cell["share"] + 1e-9)}
            samples = f"{cell['samples']:,}"
            self.assertTrue(any(samples in line and any(share in line for share in shares) for line in shown[name]),
                            (shares, samples, shown[name]))

    @staticmethod
    def name_of_thread(row):
        """As the table of threads shows it."""
        if not row["merged"]:
            return f"{row['tid']} {row['name']}"
        return f"{row['name']}, {row['threads']} short threads" if row["tid"] else "(sum of others)"

    def assert_tables(self, page, report):
        """The tables of all four kinds."""
        self.open(page, "#view=functions")
        self.assert_shares(report["functions"], lambda row: row["function"] + self.aliases(row["aliases"]))
        self.open(page, "#view=lines")
        self.assert_shares(report["lines"], lambda row: "/".join(row["file"].split("/")[-2:]) + f":{row['line']}")
        self.open(page, "#view=modules")
        self.assert_shares(report["modules"], lambda row: row["module"])
        self.open(page, "#view=threads")
        self.assert_shares(report["threads"], self.name_of_thread)

    @staticmethod
    @functools.lru_cache(maxsize=1)
    def axe():
        """The script of axe-core: CSINK_AXE (.../axe-core/axe.min.js), or the npm package; None where it cannot be had."""
        path = os.environ.get("CSINK_AXE")
        if path:
            with open(path, encoding="utf-8") as file:
                return file.read()
        with tempfile.TemporaryDirectory(prefix="csink-axe-") as folder:
            package = npm_package.unpacked("axe-core@4", folder)
            if package is None:
                return None
            with open(os.path.join(package, "axe.min.js"), encoding="utf-8") as file:
                return file.read()

    def assert_accessible(self, view):
        """No serious finding of axe-core."""
        script = self.axe()
        if script is None:
            self.skipTest("axe-core cannot be had from the npm registry, and CSINK_AXE is not set")
        self.settle()
        self.js(script)
        findings = self.driver.execute_async_script(
            "const done = arguments[0]; axe.run(document).then(result => done(result.violations"
            ".filter(v => v.impact === 'serious' || v.impact === 'critical').map(v => v.id + ' ' + v.nodes[0].html)));")
        self.assertEqual(findings, [], view)

    @staticmethod
    def aliases(count):
        return f" (+{count} alias{'es' if count > 1 else ''})" if count else ""

    @staticmethod
    def profile_of(page):
        """The data that the page holds."""
        with open(page, encoding="utf-8") as file:
            text = file.read().split('id="csink-data">', 1)[1].split("</script>", 1)[0]
        return json.loads(text)["profiles"][0]

    def assert_data(self, page, report):
        """Every cell: the sums of the page's rows are those of the JSON report."""
        profile = self.profile_of(page)
        rows = profile["samples"]
        functions, lines, modules = profile["functions"], profile["lines"], profile["modules"]
        names = [(profile["names"][name], modules["name"][module], modules["path"][module])
                 for name, module in zip(functions["name"], functions["module"])]
        places = [(profile["files"][file], line, profile["names"][name], modules["name"][module]) for file, line, name, module
                  in zip(lines["file"], lines["line"], lines["name"], lines["module"])]
        for e, event in enumerate(rows["events"]):
            by_function, by_line, by_module = collections.Counter(), collections.Counter(), collections.Counter()
            for function, line, samples in zip(rows["function"], rows["line"], event["samples"]):
                by_function[names[function]] += samples
                by_module[names[function][1:]] += samples
                if line >= 0:
                    by_line[places[line]] += samples
            for table, sums, keys in (("functions", by_function, ("function", "module", "module_path")),
                                      ("lines", by_line, ("file", "line", "function", "module")),
                                      ("modules", by_module, ("module", "module_path"))):
                expected = collections.Counter()
                for row in report[table]:
                    expected[tuple(row[key] for key in keys)] += row["events"][e]["samples"]
                self.assertEqual(+sums, +expected, table)


class Programs(ProfileTest):
    """Programs of several languages, and a tree of processes."""

    def look_at(self, *command, **changes):
        with tempfile.TemporaryDirectory(prefix="csink-browser-") as folder:
            page = os.path.join(folder, "app.html")
            spools = os.path.join(folder, "spools")
            os.mkdir(spools, 0o700)
            tool("run", "--keep", "--stacks=unwind", "-o", page, "--", *command, CSINK_SPOOL_DIR=spools, **changes)
            report = json.loads(tool("report", "--format", "json", "--by", "lines", spools).stdout)
            self.assertGreater(report["verdict"]["samples"], 50)
            self.assert_data(page, report)
            self.assert_tables(page, report)
            for view in VIEWS:
                self.open(page, "#view=" + view)
                self.settle()
                self.assertGreater(len(self.text("#view")), 20, view)
            if report["openmp"]:
                self.assert_regions(page, report["openmp"])
            return report

    def assert_regions(self, page, openmp):
        """The rows of the view of parallel programs are the regions of the JSON report."""
        self.open(page, "#view=parallel")
        self.settle()
        rows = self.js("return [...document.querySelectorAll('#view tbody tr')].map(row => [...row.cells].map(cell => cell.textContent))")
        self.assertEqual(len(rows), len(openmp["regions"]))
        for row, region in zip(rows, openmp["regions"]):
            self.assertIn(f"{os.path.basename(region['file'])}:{region['line']}" if region["line"] else region["function"], row[0])
            self.assertEqual(row[3:5], [self.cell_percent(region[part]["share"]) for part in ("work", "barrier")])

    def test_c_plus_plus(self):
        self.look_at(os.path.join(PROGRAMS, "split"))

    def test_openmp(self):
        report = self.look_at(os.path.join(PROGRAMS, "openmp"), "200", OMP_NUM_THREADS="3")
        self.assertGreater(len(report["threads"]), 1)
        self.assertTrue(report["openmp"]["regions"])

    def compiled(self, compiler, name, *options):
        """A program of tests/browser/programs, compiled with debug information."""
        path = shutil.which(compiler)
        if path is None:
            self.skipTest(compiler + " is not installed")
        folder = tempfile.mkdtemp(prefix="csink-browser-")
        self.addCleanup(shutil.rmtree, folder)
        program = os.path.join(folder, name.split(".")[0])
        subprocess.run([path, *options, "-g", "-o", program, os.path.join(HERE, "programs", name)], check=True, timeout=120)
        return program

    def test_rust(self):
        report = self.look_at(self.compiled("rustc", "primes.rs", "-O"))
        self.assertIn("primes::count_primes", [row["function"] for row in report["functions"]])

    def test_fortran_openmp(self):
        program = self.compiled("gfortran", "heat.f90", "-O2", "-fopenmp")
        report = self.look_at(program, OMP_NUM_THREADS="3")
        self.assertGreater(len(report["threads"]), 1)
        self.assertIn("heat.f90", {row["file"].rsplit("/", 1)[-1] for row in report["lines"]})

    def test_python(self):
        self.look_at("/usr/bin/python3", "-c", "sum(i * i % 7 for i in range(4000000))")

    def test_a_tree_of_81_processes(self):
        report = self.look_at("sh", "-c", "for i in $(seq 80); do awk 'BEGIN { while (++i < 400000) x += i % 7 }'; done; exit 0")
        self.assertGreaterEqual(len(report["processes"]), 80)


class Views(ProfileTest):
    """Every view of one profile."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder = tempfile.TemporaryDirectory(prefix="csink-browser-")
        cls.page = os.path.join(cls.folder.name, "app.html")
        program = os.path.join(PROGRAMS, "callers")
        subprocess.run([program, "frames", "300"], check=True, timeout=120, stdout=subprocess.DEVNULL, env=environment(
            LD_PRELOAD=AGENT, CSINK_STACKS="fp", CSINK_REPORT="0", CSINK_KEEP="1", CSINK_SPOOL_DIR=cls.folder.name,
            CSINK_EVENTS="task-clock@4kHz"))
        spools = [name for name in os.listdir(cls.folder.name) if name.endswith(".csink")]
        assert len(spools) == 1, spools
        spool = os.path.join(cls.folder.name, spools[0])
        tool("report", "--format", "html", "-o", cls.page, spool)
        cls.report = json.loads(tool("report", "--format", "json", "--by", "lines", spool).stdout)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()
        super().tearDownClass()

    def test_summary(self):
        self.open(self.page)
        self.assertIn(self.report["verdict"]["grade"], self.text(".verdict").lower())
        self.assertIn(f"{self.report['verdict']['samples']:,}", self.text(".facts"))
        self.assertIn(self.report["functions"][0]["function"], self.text("#view"))
        self.assertIn("Hottest functions", self.text("#view"))
        # Notes are lines of the verdict, and nowhere else.
        for note in self.report["verdict"]["notes"]:
            self.assertEqual(self.text("#view").count(note), 1, note)

    def test_findings_lead_to_their_views(self):
        for i, finding in enumerate(self.report["findings"]):
            self.open(self.page)
            self.assertEqual(self.js("return document.querySelectorAll('.findings a')[arguments[0]].textContent", i), finding["text"])
            self.js("document.querySelectorAll('.findings a')[arguments[0]].click()", i)
            self.settle()
            self.assertNotEqual(self.text("[aria-current=page]"), "Summary", finding)
            if finding["kind"] == "function":
                self.assertIn(finding["function"], self.text(".grid-row[aria-current]"))

    def test_the_time_of_the_run(self):
        self.open(self.page)
        time = self.report["verdict"]["thread_time"]
        if time is None:
            self.skipTest("the kernel does not say how long threads waited")
        shares = self.js("return [...document.querySelectorAll('.wall-bar span')].map(span => parseFloat(span.style.width))")
        self.assertAlmostEqual(sum(shares), 100, delta=0.5)
        self.assertIn(self.percent(time["running_seconds"] / time["seconds"]), self.text(".wall-key li"))
        # All of the first screen is above the fold.
        self.emulate(1440, False)
        self.assertLess(self.js("return document.querySelector('.verdict').getBoundingClientRect().bottom"), 900)
        self.emulate(1280, False)

    def test_folds_stay_open(self):
        self.open(self.page)
        self.driver.find_element("css selector", ".verdict summary").click()
        self.driver.find_element("css selector", "#find").send_keys("x")
        self.settle()
        self.assertTrue(self.js("return document.querySelector('.verdict').open"))

    def test_intervals(self):
        self.open(self.page, "#view=functions")
        # The interval of the hottest function, from its tooltip.
        cell = self.report["functions"][0]["events"][0]
        title = self.js("return document.querySelector('.grid-body .share').title")
        self.assertIn(f"95 % interval {self.percent(cell['low'])} to {self.percent(cell['high'])}", title)
        self.assertIn(f"{cell['samples']:,} samples", title)

    def test_tables(self):
        self.assert_data(self.page, self.report)
        self.assert_tables(self.page, self.report)

    def totals(self, name_of=lambda node: (node["function"], node["module"])):
        """The share of each function with all that it called, from the call paths of the JSON report."""
        stacks, totals = self.report["stacks"], collections.Counter()
        for node in stacks:
            name, above, at = name_of(node), [], node["parent"]
            while at is not None:
                above.append(name_of(stacks[at]))
                at = stacks[at]["parent"]
            if name not in above:
                totals[name] += node["total"][0]["share"]
        return totals

    def test_totals(self):
        self.open(self.page, "#view=functions&sort=total")
        totals = self.totals()
        rows = self.rows()
        self.assertIn("main", [row[1] for row in rows])
        for row in rows:
            # Rounding may end at either side.
            expected = totals[row[1].split(" (+")[0], row[2]]
            self.assertIn(row[4], {self.cell_percent(expected - 1e-9), self.cell_percent(expected), self.cell_percent(expected + 1e-9)}, row)
        shares = [float(row[4].strip("< %").split(" ")[0]) for row in rows]
        self.assertEqual(shares, sorted(shares, reverse=True))

    def test_totals_of_modules(self):
        self.open(self.page, "#view=modules&sort=total")
        totals = self.totals(lambda node: node["module"])
        rows = self.rows()
        self.assertIn("callers", [row[1] for row in rows])
        for row in rows:
            expected = totals[row[1]]
            self.assertIn(row[5], {self.cell_percent(expected - 1e-9), self.cell_percent(expected), self.cell_percent(expected + 1e-9)}, row)
        shares = [float(row[5].strip("< %").split(" ")[0]) for row in rows]
        self.assertEqual(shares, sorted(shares, reverse=True))
        heads = "return [...document.querySelectorAll('.grid-head .cell')].map(cell => cell.textContent)"
        self.assertIn("self, task-clock:u", self.js(heads))
        # A stretch of time has no paths.
        self.open(self.page, "#view=threads")
        self.assertNotIn("total", self.js(heads))

    def test_amounts_on_a_narrow_screen(self):
        self.emulate(390, False)
        self.open(self.page, "#view=functions")
        self.settle()
        head = self.js("return [...document.querySelectorAll('.grid-head .cell')].map(cell => [cell.textContent, cell.getBoundingClientRect().right])")
        right = self.js("return document.querySelector('.grid').getBoundingClientRect().right")
        for title in ("function", "self", "total", "self amount"):
            self.assertLess(min(at for text, at in head if text.startswith(title)), right, title)
        self.assertEqual(self.js("return [...document.querySelectorAll('.grid-body .number')].filter(cell => cell.scrollHeight > 28).length"), 0)
        self.emulate(1280, False)

    def test_sorting_and_typing(self):
        self.open(self.page, "#view=functions")
        name = self.report["functions"][0]["function"]
        self.driver.find_element("css selector", "#find").send_keys(name.upper())
        self.settle()
        self.assertEqual(self.rows()[0][1], name)
        self.assertIn("find=", self.js("return location.hash"))
        self.open(self.page, "#view=functions&sort=name&up=1")
        # Rows with one name and other aliases have no order of their own.
        names = [row[1].split(' (+')[0] for row in self.rows()]
        self.assertEqual(names, sorted(names))

    def test_a_filter_counts_its_samples_alone(self):
        thread = self.report["threads"][0]
        # The page's threads are in the order of the profile, which may begin with a sum of threads without samples.
        number = self.profile_of(self.page)["threads"]["tid"].index(thread["tid"])
        self.open(self.page, f"#view=functions&thread={number}")
        self.assertIn("Shares are of these samples", self.text(".filters"))
        self.assertIn(str(thread["tid"]), self.text(".chips"))
        shares = [float(row[3].split(" ")[0]) for row in self.rows()]
        self.assertAlmostEqual(sum(shares), 100, delta=0.1 * len(shares))

    def test_flame_graph(self):
        self.open(self.page, "#view=flame")
        self.assertIn("all: 100.0 %", self.text("[role=status]"))
        canvas = self.driver.find_element("css selector", "canvas.flame")
        height = canvas.size["height"]
        self.assertGreater(height, 60)
        self.js("arguments[0].focus()", canvas)
        canvas.send_keys("\ue015")  # arrow down: the heaviest child
        total = max((node["total"][0]["share"] for node in self.report["stacks"] if node["parent"] is None), default=0)
        self.assertIn(self.percent(total), self.text("[role=status]"))
        canvas.send_keys("\ue007")  # Enter zooms
        self.settle()
        self.assertIn("zoom=", self.js("return location.hash"))
        self.driver.back()
        self.settle()

    def test_names_in_the_flame_graph(self):
        self.open(self.page, "#view=flame")
        self.settle()
        names = self.js("return [...document.querySelectorAll('.flame-names span')].map(span => [span.textContent, span.scrollWidth, span.offsetLeft])")
        self.assertEqual(names[0][0], "all")
        self.assertTrue(any(name == "main" for name, _, _ in names), names)
        width = self.js("return document.querySelector('canvas.flame').clientWidth")
        for name, wide, left in names:
            self.assertLessEqual(left + wide, width, name)
        # The browser finds them, and copies the whole name.
        self.assertTrue(self.js("return window.find('main')"))
        copied = self.js("""let text = '';
            const span = [...document.querySelectorAll('.flame-names span')].find(span => span.textContent === 'main');
            getSelection().selectAllChildren(span);
            const event = new ClipboardEvent('copy', {clipboardData: new DataTransfer(), bubbles: true, cancelable: true});
            span.dispatchEvent(event);
            return event.clipboardData.getData('text/plain');""")
        self.assertEqual(copied, "main")
        self.assertIn(self.report["functions"][0]["module"], self.text(".flame-legend"))

    def test_callers(self):
        # Of a function whose direct callers the JSON report has.
        callee = self.report["callers"][0]
        self.open(self.page, "#view=flame&callers=1&fn=" + urllib.parse.quote(callee["module"] + ":" + callee["function"]))
        self.assertIn("callers of " + callee["function"], self.text(".modes"))
        canvas = self.driver.find_element("css selector", "canvas.flame")
        self.js("arguments[0].focus()", canvas)
        canvas.send_keys("\ue015")
        self.assertRegex(self.text("[role=status]"), r": \d+\.\d %, 95 % interval")

    def test_calls(self):
        """The callers of a function are those of the JSON report, and a click goes on to one."""
        callee = max(self.report["callers"], key=lambda row: len(row["callers"]))
        place = "#view=calls&fn=" + urllib.parse.quote(callee["module"] + ":" + callee["function"])
        self.open(self.page, place)
        lists = self.lists_of_calls()
        shown = dict(lists["Callers"])
        for row in callee["callers"]:
            if row["function"] != "[not known]":
                self.assertIn(row["function"], shown)
        self.assertEqual(self.text(".calls-function h2"), callee["function"])
        name = self.driver.find_element("css selector", ".calls-list a").get_attribute("title").split(" in ")[0]
        self.driver.find_element("css selector", ".calls-list a").click()
        self.settle()
        self.assertIn(name, self.js("return document.querySelector('.calls-function h2 bdi').title"))
        self.assertIn(callee["function"], dict(self.lists_of_calls()["Callees"]))
        self.driver.back()
        self.settle()
        self.assertEqual(self.text(".calls-function h2"), callee["function"])

    def lists_of_calls(self):
        rows = self.js("""return [...document.querySelectorAll('.calls-list')].map(list => [list.getAttribute('aria-label'),
            [...list.querySelectorAll('tbody tr')].map(row => [...row.cells].map(cell => cell.firstChild.title && cell.cellIndex === 0 ?
              cell.firstChild.title.split(' in ')[0] : cell.textContent))])""")
        return {title: [(cells[0], cells[1:]) for cells in lines] for title, lines in rows}

    def test_hiding_and_focusing(self):
        hottest = self.report["functions"][0]
        key = urllib.parse.quote(hottest["module"] + ":" + hottest["function"])
        self.open(self.page, "#view=functions&hide=" + key)
        self.assertNotIn(hottest["function"], [row[1] for row in self.rows()])
        samples = self.report["verdict"]["samples"]
        hidden = int(self.text(".chips").split("Hidden: ")[1].split(" ")[0].replace(",", ""))
        self.assertTrue(hottest["events"][0]["samples"] <= hidden <= samples, hidden)
        self.open(self.page, "#view=flame&focus=" + key)
        canvas = self.driver.find_element("css selector", "canvas.flame")
        self.js("arguments[0].focus()", canvas)
        canvas.send_keys("\ue015")
        self.assertTrue(self.text("[role=status]").startswith(hottest["function"]), self.text("[role=status]"))
        # By keyboard: the focus is on the function; h takes its samples away, the chip brings them back.
        canvas.send_keys("h")
        self.settle()
        self.assertIn("hide=", self.js("return location.hash"))
        self.driver.find_element("css selector", ".chip").click()
        self.settle()
        self.assertNotIn("hide=", self.js("return location.hash"))

    def test_collapsing(self):
        self.open(self.page, "#view=flame")
        self.driver.find_element("link text", "libraries as one frame").click()
        self.settle()
        self.assertIn("collapse=libraries", self.js("return location.hash"))
        self.assertRegex(self.text(".chips"), r"Call paths: \d+ of \d+ frames are merged")
        self.driver.find_element("link text", "bottom-up").click()
        self.settle()
        self.assertIn("all: 100.0 %", self.text("[role=status]"))

    def test_source(self):
        self.open(self.page, "#view=source")
        self.assertIn("Instructions", self.text("#view"))
        texts = self.js("return [...document.querySelectorAll('table.code tbody tr')].map(row => row.textContent)")
        self.assertGreater(len(texts), 5)
        self.assertTrue(any("%" in text for text in texts))

    def test_source_opens_at_the_hottest_line(self):
        self.js("document.documentElement.scrollTop = 0")
        self.emulate(390, False)
        self.open(self.page, "#view=source")
        hottest = "return document.querySelectorAll('tr.hottest-row').length === 1 && document.querySelector('tr.hottest-row').textContent"
        marked = self.js(hottest)
        source = self.profile_of(self.page)["sources"][0]
        number, text, _ = max((line for file in source["sources"] for line in file["lines"] if line[2]), key=lambda line: line[2][1])
        self.assertIn(f"{number}{text}", marked)
        place = "const box = document.querySelector('tr.hottest-row').getBoundingClientRect(); return [box.top, box.bottom]"
        top, bottom = self.js(place)
        self.assertTrue(0 <= top < bottom <= 900, (top, bottom))
        # It stays where the reader scrolled to, also while typing, until the view is opened again.
        self.js("document.documentElement.scrollTop = 0")
        self.driver.find_element("css selector", "#find").send_keys("x")
        self.settle()
        self.assertEqual(self.js("return document.documentElement.scrollTop"), 0)
        self.emulate(1280, False)

    def test_source_without_lines_opens_at_the_hottest_instruction(self):
        with open(self.page, encoding="utf-8") as file:
            text = file.read()
        before, rest = text.split('id="csink-data">', 1)
        data, after = rest.split("</script>", 1)
        block = json.loads(data)
        source = block["profiles"][0]["sources"][0]
        source["sources"] = []
        path = os.path.join(self.folder.name, "no-lines.html")
        with open(path, "w", encoding="utf-8") as file:
            file.write(before + 'id="csink-data">' + json.dumps(block).replace("<", "\\u003c") + "</script>" + after)
        self.open(path, "#view=source")
        address = max((line for line in source["code"]["lines"] if line[-1]), key=lambda line: line[-1][1])[0]
        self.assertIn(address, self.text("tr.hottest-row"))

    def test_time(self):
        self.open(self.page, "#view=time")
        self.assertIn("Processes", self.text("#view"))
        self.assertGreaterEqual(self.js("return document.querySelectorAll('.time-row').length"), 2)

    def test_links_keys_and_the_back_button(self):
        self.open(self.page)
        body = self.driver.find_element("css selector", "body")
        for key, view in (("2", "functions"), ("6", "flame"), ("8", "time")):
            body.send_keys(key)
            self.settle()
            self.assertEqual(self.js("return new URLSearchParams(location.hash.slice(1)).get('view')"), view)
        self.driver.back()
        self.settle()
        self.assertEqual(self.text("[aria-current=page]"), "Flame graph")
        body = self.driver.find_element("css selector", "body")
        body.send_keys("/")
        self.assertEqual(self.js("return document.activeElement.id"), "find")

    def test_it_is_readable_without_scripts(self):
        self.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
        try:
            self.driver.get("about:blank")
            self.driver.get("file://" + self.page)
        finally:
            self.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
        self.assertIn(self.report["functions"][0]["function"], self.text("#first-view table"))
        self.assertIn(self.percent(self.report["functions"][0]["events"][0]["share"]), self.text("#first-view table"))

    def test_printing(self):
        """Paper shows the rows and the verdict, without the controls."""
        self.emulate(1280, False)
        for view, shown in (("summary", self.report["verdict"]["grade"]), ("functions", self.report["functions"][0]["function"])):
            self.open(self.page, "#view=" + view)
            self.settle()
            self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
            try:
                self.assertIn(shown.lower(), self.text("body").lower())
                self.assertEqual(self.js("return getComputedStyle(document.querySelector('.tabs')).display"), "none")
                pdf = base64.b64decode(self.driver.execute_cdp_cmd("Page.printToPDF", {})["data"])
                self.assertTrue(pdf.startswith(b"%PDF-"), pdf[:20])
            finally:
                self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})

    def test_every_view_on_paper(self):
        """A4, from a dark screen: light, no wider than the sheet, with headings, nothing folded or cut."""
        functions = len(self.report["functions"])
        for view in VIEWS:
            self.emulate(718, True)
            self.open(self.page, "#view=" + view)
            self.settle()
            self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
                "media": "print", "features": [{"name": "prefers-color-scheme", "value": "dark"}]})
            try:
                self.js("window.dispatchEvent(new Event('beforeprint'))")
                self.assertEqual(self.js("return getComputedStyle(document.documentElement).backgroundColor"), "rgb(255, 255, 255)", view)
                self.assertLessEqual(self.js("return document.documentElement.scrollWidth"), 718, view)
                self.assertEqual(self.text(".print-heading"), view.capitalize() if view != "flame" else "Flame graph")
                self.assertIn("callers", self.text("h1"))
                self.assertEqual(self.js("return document.querySelectorAll('details:not([open])').length"), 0, view)
                cut = self.js("""return [...document.querySelectorAll('.cell, #view td')]
                    .filter(cell => cell.getClientRects().length && cell.getBoundingClientRect().right > 719).length""")
                self.assertEqual(cut, 0, view)
                if view == "functions":
                    self.assertGreaterEqual(len(self.rows()), functions)
                    self.assertEqual(self.js("return getComputedStyle(document.querySelector('.grid-top')).display"), "table-header-group")
                if view == "flame":
                    self.assertIn("main", self.js("return [...document.querySelectorAll('.flame-paper svg text')].map(text => text.textContent)"))
                    self.assertEqual(self.js("return getComputedStyle(document.querySelector('canvas.flame')).display"), "none")
                pdf = base64.b64decode(self.driver.execute_cdp_cmd("Page.printToPDF", {"paperWidth": 8.27, "paperHeight": 11.69})["data"])
                self.assertTrue(pdf.startswith(b"%PDF-"), view)
            finally:
                self.js("window.dispatchEvent(new Event('afterprint'))")
                self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
            self.assertEqual(self.js("return document.querySelectorAll('svg').length"), 0, view)
        self.emulate(1280, False)

    def saved(self, label, ending):
        """The file that a button gives, chosen by keyboard."""
        folder = tempfile.mkdtemp(prefix="csink-saved-", dir=self.folder.name)
        self.driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": folder})
        button = self.driver.find_element("xpath", f"//button[text()='{label}']")
        self.js("arguments[0].focus()", button)
        button.send_keys("\ue007")
        path = os.path.join(folder, "callers-flame." + ending)
        self.wait(lambda: os.path.exists(path) and os.path.getsize(path) > 0, label)
        with open(path, "rb") as file:
            return file.read()

    def test_the_flame_graph_as_files(self):
        for dark in (False, True):
            self.emulate(1280, dark)
            self.open(self.page, "#view=flame&find=main")
            self.settle()
            shown = self.js("return [...document.querySelectorAll('.flame-names span')].map(span => span.textContent)")
            svg = xml.etree.ElementTree.fromstring(self.saved("Save as SVG", "svg"))
            texts = [element.text for element in svg.iter("{http://www.w3.org/2000/svg}text")]
            self.assertEqual(sorted(texts[2:]), sorted(shown))
            self.assertIn("callers frames 300", texts[0])
            # Each frame has the colour of the canvas in its middle.
            rects = [rect for rect in svg.iter("{http://www.w3.org/2000/svg}rect") if rect.get("x") and float(rect.get("width")) > 4]
            self.assertGreater(len(rects), 3)
            places = [[int(float(rect.get("x")) + float(rect.get("width")) - 2), int(rect.get("y")) + 2] for rect in rects]
            # Read at once: the browser warns of several reads.
            colours = self.js("""const {width, height} = document.querySelector('canvas.flame');
                const {data} = document.querySelector('canvas.flame').getContext('2d').getImageData(0, 0, width, height);
                return arguments[0].map(([x, y]) => [...data.subarray(4 * (y * width + x), 4 * (y * width + x) + 3)]);""", places)
            for colour, rect in zip(colours, rects):
                self.assertEqual("#%02x%02x%02x" % tuple(colour), rect.get("fill"))
            self.assertTrue(any(rect[0].text.startswith("main") for rect in rects), "frames have their descriptions")
            png = self.saved("Save as PNG", "png")
            self.assertTrue(png.startswith(b"\x89PNG"))
            width, height = struct.unpack(">II", png[16:24])
            self.assertEqual((width, height), (2 * int(svg.get("width")), 2 * int(svg.get("height"))))
        self.emulate(1280, False)

    def test_accessibility(self):
        """No serious finding in any view."""
        for dark in (False, True):
            self.emulate(1280, dark)
            for view in VIEWS:
                self.open(self.page, "#view=" + view)
                self.assert_accessible(view)
        self.emulate(1280, False)

    def test_screens(self):
        """All views in both colours and two widths: nothing is wider than the screen. Pictures: CSINK_SCREENSHOTS."""
        folder = os.environ.get("CSINK_SCREENSHOTS")
        for dark in (False, True):
            for width in (1440, 390, 320):
                self.emulate(width, dark)
                for view in VIEWS:
                    self.open(self.page, "#view=" + view)
                    self.settle()
                    self.assertLessEqual(self.js("return document.documentElement.scrollWidth"), width, view)
                    if folder:
                        self.driver.save_screenshot(os.path.join(
                            folder, f"{view}_{width}_{'dark' if dark else 'light'}.png"))
        self.emulate(1280, False)


class Stretch(ProfileTest):
    """A stretch of the time line filters the tables: Alpha runs for 1.2 s, then Beta for 0.4 s."""

    def test_the_tables_count_the_stretch(self):
        with tempfile.TemporaryDirectory(prefix="csink-browser-") as folder:
            page = os.path.join(folder, "app.html")
            subprocess.run([os.path.join(PROGRAMS, "phases"), "marks", "400", "1"], check=True, timeout=120,
                           stdout=subprocess.DEVNULL, env=environment(
                               LD_PRELOAD=AGENT, CSINK_REPORT="0", CSINK_KEEP="1", CSINK_SPOOL_DIR=folder,
                               CSINK_EVENTS="task-clock"))
            spool, = (os.path.join(folder, name) for name in os.listdir(folder) if name.endswith(".csink"))
            tool("report", "--format", "html", "-o", page, spool)
            line = json.loads(tool("report", "--format", "json", spool).stdout)["timeline"]
            width = line["slice_seconds"]
            # Whole slices, in which Alpha alone runs.
            first, last = round(0.3 / width), round(0.9 / width)
            alpha, = (f for f in line["functions"] if f["function"].startswith("Alpha"))
            # Samples of a slice need not be whole: some lie in two.
            expected = sum(alpha["samples"][first:last])
            taken = sum(sum(thread["samples"][first:last]) for thread in line["threads"])
            self.assertGreater(expected, 100)

            # Slices need not be whole milliseconds wide, and parts of them would count in proportion.
            stretch = f"stretch={first * width:.9f}-{last * width:.9f}"
            self.open(page, "#view=functions&" + stretch)
            row = self.rows()[0]
            self.assertTrue(row[1].startswith("Alpha"), row)
            # The slices of functions are wider than those of threads, so that at the ends of a stretch a function may
            # have more than all threads together.
            self.assertAlmostEqual(float(row[3].split(" ")[0]), min(100, 100 * expected / taken), delta=0.11)
            self.assertNotIn("Beta", self.text("#view"))
            self.assertIn(f"Shares are of the {round(taken):,} samples of the stretch", self.text(".filters"))
            for view in ("lines", "flame"):
                self.open(page, f"#view={view}&" + stretch)
                self.assertIn("This view shows the whole run", self.text(".filters"))
            self.open(page, "#view=functions&" + stretch)
            self.driver.find_element("css selector", ".chip").click()
            self.settle()
            self.assertNotIn("stretch", self.js("return location.hash"))
            self.assertIn("Beta", self.text("#view"))
            self.assert_quiet()


class Comparison(ProfileTest):
    """The page of three runs of a program and three in which one function does twice the work."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder = tempfile.TemporaryDirectory(prefix="csink-browser-")
        cls.sides = {"a": [], "b": []}
        # The sides take turns, so that a machine that becomes slower is no change of the program.
        for run in range(3):
            for side, weight in (("a", "7"), ("b", "14")):
                spools = os.path.join(cls.folder.name, f"{side}{run}")
                os.mkdir(spools, 0o700)
                subprocess.run([os.path.join(PROGRAMS, "split"), "300", "1", weight], check=True, timeout=120,
                               stdout=subprocess.DEVNULL, env=environment(
                                   LD_PRELOAD=AGENT, CSINK_STACKS="unwind", CSINK_REPORT="0", CSINK_KEEP="1", CSINK_SPOOL_DIR=spools))
                cls.sides[side].append(spools)
        cls.page = os.path.join(cls.folder.name, "changes.html")
        runs = ("--a", *cls.sides["a"], "--b", *cls.sides["b"])
        tool("diff", "-o", cls.page, *runs)
        cls.diff = json.loads(tool("diff", "--format", "json", *runs).stdout)
        assert cls.diff["own_runs_test"] == "welch" and cls.diff["order"] == "in turns"

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()
        super().tearDownClass()

    @staticmethod
    def change_text(ratio):
        if ratio is None:
            return "any"
        if ratio >= 10:
            return f"x{ratio:.0f}"
        size = 100 * abs(ratio - 1)
        return ("\u2212" if ratio <= 0.9995 else "+") + (f"{size:.1f} %" if size < 9.95 else f"{size:.0f} %")

    def change(self, row):
        if row["share"] is None or row["was"] is None:
            return "gone" if row["share"] is None else "new"
        return self.change_text(row["ratio"])

    def interval(self, row):
        if row["share"] is None or row["was"] is None:
            return ""
        return f"{self.change_text(row['ratio_low'])} to {self.change_text(row['ratio_high'])}"

    @staticmethod
    def p_text(row):
        p = row["adjusted_p_value"]
        if p is None:
            return "few"
        return "<1e-4" if p < 1e-4 else f"{p:.4f}" if p < 0.01 else f"{p:.2f}"

    @staticmethod
    def mark(row):
        return "t" if row["significant"] else ""

    def cells(self, row):
        """What the table shows of a row of the JSON comparison, without the amounts."""
        return [self.mark(row), row["function"] + (f" ({row['moved']})" if row["moved"] else ""), row["module"],
                "new" if row["was"] is None else self.cell_percent(row["was"]),
                "gone" if row["share"] is None else self.cell_percent(row["share"]),
                self.change(row), self.interval(row), self.p_text(row)]

    @staticmethod
    def seconds(text):
        number, unit = text.split()
        return float(number) * {"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}[unit]

    def test_cells_are_those_of_the_json_comparison(self):
        self.open(self.page)
        shown = self.rows()
        self.assertGreater(len(shown), 3)
        for cells, row in zip(shown, self.diff["rows"]):
            self.assertEqual(cells[:8], self.cells(row))
            for text, amount in zip(cells[8:], (row["was_amount"], row["amount"])):
                self.assertAlmostEqual(self.seconds(text), amount, delta=0.006 * amount + 1e-9)
        self.assertTrue(any(cells[0] for cells in shown), "the function that grew has a mark")
        # What is no more than chance is faint, and nothing else.
        grey = self.js("""return [...document.querySelectorAll('.grid-body .grid-row')].filter(row => !row.hidden)
            .sort((a, b) => a.getAttribute('aria-rowindex') - b.getAttribute('aria-rowindex'))
            .map(row => row.querySelectorAll('.chance').length > 0)""")
        self.assertEqual(grey, [not cells[0] for cells in shown])
        bars = self.js("""return [...document.querySelectorAll('.grid-body .grid-row')].filter(row => !row.hidden)
            .sort((a, b) => a.getAttribute('aria-rowindex') - b.getAttribute('aria-rowindex'))
            .map(row => row.querySelector('.fill').className)""")
        for name, row in zip(bars, self.diff["rows"]):
            self.assertEqual(" faint" in name, not self.mark(row), row)
            more = row["amount"] - row["was_amount"]
            if abs(more) >= 0.0006 * self.diff["a"]["amount"] and not self.mark(row):
                self.assertIn("more" if more > 0 else "less", name)
        self.assertIn("faint: no more than chance", self.text(".key"))
        title = self.js("return document.querySelector('.grid-body .share').title")
        first = self.diff["rows"][0]
        self.assertIn(f"95 % interval {self.interval(first)}", title)

    def test_it_says_what_the_text_says(self):
        self.open(self.page)
        text = " ".join(tool("diff", "--a", *self.sides["a"], "--b", *self.sides["b"]).stdout.decode().split())
        for line in self.js("return [...document.querySelectorAll('.lines dd')].map(dd => dd.textContent)"):
            self.assertIn(" ".join(line.split()), text)
        facts = self.text(".sides-facts")
        for side in ("a", "b"):
            self.assertIn(f"{self.diff[side]['effective_samples']:,.0f}", facts)

    def test_cpu_time_stands_at_the_top(self):
        self.open(self.page)
        facts = self.js("return [...document.querySelectorAll('.cpu dd')].map(dd => dd.textContent)")
        for text, side in zip(facts, ("a", "b")):
            self.assertAlmostEqual(self.seconds(text), self.diff[side]["cpu_seconds"], delta=0.006 * self.diff[side]["cpu_seconds"])
        self.assertEqual(facts[2], f"{self.diff['ratio']:.3f}")
        low, high = (float(text) for text in re.search(r"interval ([\d.]+) to ([\d.]+)", facts[3]).groups())
        self.assertTrue(low <= self.diff["ratio"] <= high, facts)
        self.assertAlmostEqual(low, self.diff["ratio_low"], delta=0.001)
        self.assertAlmostEqual(high, self.diff["ratio_high"], delta=0.001)

    def test_a_renamed_function_is_one_row(self):
        compiler = shutil.which("gcc")
        if compiler is None:
            self.skipTest("gcc is not installed")
        sides = {"a": [], "b": []}
        for side, name in (("a", "OldName"), ("b", "NewName")):
            folder = os.path.join(self.folder.name, "renamed-" + side)
            os.mkdir(folder, 0o700)
            program = os.path.join(folder, "renamed")
            subprocess.run([compiler, "-O1", "-g", "-DWORK=" + name, "-o", program, os.path.join(HERE, "programs", "renamed.c")],
                           check=True, timeout=120)
            for run in range(3):
                spools = os.path.join(folder, str(run))
                os.mkdir(spools, 0o700)
                subprocess.run([program, "100000000"], check=False, timeout=120, env=environment(
                    LD_PRELOAD=AGENT, CSINK_STACKS="fp", CSINK_REPORT="0", CSINK_KEEP="1", CSINK_SPOOL_DIR=spools))
                sides[side].append(spools)
        page = os.path.join(self.folder.name, "renamed.html")
        tool("diff", "-o", page, "--a", *sides["a"], "--b", *sides["b"])
        self.open(page)
        names = [row[1] for row in self.rows()]
        self.assertIn("renamed (likely): OldName \u2192 NewName", names)
        self.assertEqual(sum("OldName" in name or "NewName" in name for name in names), 1, names)
        row = next(row for row in self.rows() if "OldName" in row[1])
        self.assertNotIn("new", row[3])
        self.assertNotIn("gone", row[4])
        self.assertIn("renamed.c: lines", self.js("return [...document.querySelectorAll('a.name')].find(a => a.textContent.includes('OldName')).title"))
        # The text field finds both names, and the flame graphs of both sides know the row.
        self.open(page, "#view=compare&find=oldname")
        self.assertEqual(len(self.rows()), 1)
        for side in ("a", "b"):
            self.open(page, "#view=changes&side=" + side)
            canvas = self.driver.find_element("css selector", "canvas.flame")
            self.js("arguments[0].focus()", canvas)
            texts = []
            for key in ("\ue015",) * 12 + ("\ue014",):  # down the heaviest path, then beside
                canvas.send_keys(key)
                texts.append(self.text("[role=status]"))
            self.assertTrue(any("renamed (likely): OldName in A" in text for text in texts), texts)

    def test_sorting_and_typing(self):
        self.open(self.page, "#view=compare&sort=change&up=1")
        # Rows of equal growth (one more sample, say) may stand in any order.
        growth = {tuple(self.cells(row)[1:3]): row["amount"] - row["was_amount"] for row in self.diff["rows"]}
        rows = {tuple(self.cells(row)[1:3]): row for row in self.diff["rows"]}
        self.assertEqual(len(rows), len(self.diff["rows"]))
        shown = [tuple(cells[1:3]) for cells in self.rows()]
        least = sorted(growth.values())[:len(shown)]
        for name, expected in zip(shown, least):
            self.assertAlmostEqual(growth[name], expected, delta=1e-9, msg=name)
        self.assertEqual([cells[5] for cells in self.rows()], [self.change(rows[name]) for name in shown])
        self.driver.find_element("css selector", "#find").send_keys("SIXTY")
        self.settle()
        self.assertEqual([row[1] for row in self.rows()], [row["function"] for row in self.diff["rows"] if "Sixty" in row["function"]])

    def test_flame_graph_of_changes(self):
        rows = {row["function"]: row for row in self.diff["rows"]}
        for side in ("a", "b"):
            self.open(self.page, "#view=changes&side=" + side)
            self.assertIn("all: 100.0 %", self.text("[role=status]"))
            self.assertIn("Width: samples of side " + side.upper(), self.text(".modes"))
            canvas = self.driver.find_element("css selector", "canvas.flame")
            self.assertGreater(canvas.size["height"], 60)
            self.js("arguments[0].focus()", canvas)
            compared = 0
            for _ in range(60):  # down the heaviest path
                canvas.send_keys("\ue015")
                text = self.text("[role=status]")
                row = rows.get(text.split(" (")[0].split(": ")[0])
                if row is None or row["share"] is None or row["was"] is None:
                    continue
                self.assertIn(f"A {self.cell_percent(row['was'])}, B {self.cell_percent(row['share'])}, CPU time {self.change(row)}", text)
                self.assertIn("beyond chance" if self.mark(row) else "not tested" if row["adjusted_p_value"] is None else "no more than chance", text)
                compared += 1
            self.assertGreater(compared, 0, "no function of the path is in the comparison")
            # Names of functions with a change to see have their sign, however short they are.
            names = self.js("return [...document.querySelectorAll('.flame-names span')].map(span => span.textContent)")
            changed = [word for word in ("Sixty", "Thirty", "Ten") for row in self.diff["rows"] if word in row["function"] and
                       (row["significant"] or abs(row["amount"] - row["was_amount"]) >= 0.0006 * self.diff["a"]["amount"])]
            marked = [name for name in names if any(word in name for word in changed)]
            for name in marked:
                self.assertRegex(name, "^(\\+|\u2212|\\(\\+\\)|\\(\u2212\\)) ")
            self.assertTrue(marked, names)
            # Red pixels: the function that grew.
            colours = self.js("""const c = document.querySelector('canvas.flame');
                const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
                const seen = {}; for (let i = 0; i < d.length; i += 4) { const k = [d[i], d[i + 1], d[i + 2]].join(); seen[k] = (seen[k] || 0) + 1; }
                return seen;""")
            grown = any(row["significant"] and row["amount"] - row["was_amount"] >= 0.03 * self.diff["a"]["amount"] for row in self.diff["rows"])
            self.assertEqual(colours.get("242,138,112", 0) > 500, grown)

    def test_the_views_of_both_sides(self):
        for side in ("a", "b"):
            for view in VIEWS:
                self.open(self.page, f"#view={view}&side={side}")
                self.settle()
                self.assertGreater(len(self.text("#view")), 20, view)
            report = json.loads(tool("report", "--format", "json", *self.sides[side]).stdout)
            self.open(self.page, "#view=functions&side=" + side)
            self.assert_shares(report["functions"], lambda row: row["function"] + self.aliases(row["aliases"]))

    def test_keys_sides_and_the_back_button(self):
        self.open(self.page)
        body = self.driver.find_element("css selector", "body")
        for key, part, value in (("0", "view", "changes"), ("x", "side", "a"), ("2", "view", "functions"), ("x", "side", None),
                                 ("9", "view", "compare")):
            body.send_keys(key)
            self.settle()
            self.assertEqual(self.js("return new URLSearchParams(location.hash.slice(1)).get(arguments[0])", part), value)
        self.driver.back()
        self.settle()
        self.assertEqual(self.text(".tabs [aria-current=page]"), "Functions")
        self.assertTrue(self.text(".sides [aria-current=true]").startswith("B: "))

    def test_one_run_each_is_faint(self):
        page = os.path.join(self.folder.name, "one.html")
        tool("diff", "-o", page, self.sides["a"][0], self.sides["b"][0])
        self.open(page)
        self.assertIn("not tested", self.text("#view"))
        self.assertEqual({row[0] for row in self.rows()}, {""})
        coloured = "return document.querySelectorAll('.grid-body .fill.more' + arguments[0]).length"
        self.assertEqual(self.js(coloured, ":not(.faint)"), 0)
        self.assertGreater(self.js(coloured, ".faint"), 0)
        self.assertIn("faint: not tested", self.text(".key"))
        self.assertIn("no interval: a side has fewer than three runs", self.text(".cpu"))
        self.open(page, "#view=compare&sampling=1")
        self.assertGreater(self.js(coloured, ":not(.faint)"), 0)

    def test_json_reports_have_no_views(self):
        paths = []
        for side in ("a", "b"):
            paths.append(os.path.join(self.folder.name, side + ".json"))
            tool("report", "--format", "json", "-o", paths[-1], self.sides[side][0])
        page = os.path.join(self.folder.name, "json.html")
        tool("diff", "-o", page, *paths)
        self.open(page)
        # Colder functions than the workers have samples in some runs only.
        self.assertGreaterEqual(len(self.rows()), 2)
        for view in ("changes", "functions"):
            self.open(page, "#view=" + view)
            self.assertIn("JSON report", self.text("#view"))

    def test_screens(self):
        """As Views.test_screens."""
        folder = os.environ.get("CSINK_SCREENSHOTS")
        for dark in (False, True):
            for width in (1440, 390, 320):
                self.emulate(width, dark)
                for view in ("compare", "changes"):
                    self.open(self.page, "#view=" + view)
                    self.settle()
                    self.assertLessEqual(self.js("return document.documentElement.scrollWidth"), width, view)
                    if folder:
                        self.driver.save_screenshot(os.path.join(folder, f"{view}_{width}_{'dark' if dark else 'light'}.png"))
        self.emulate(1280, False)

    def test_accessibility(self):
        """As Views.test_accessibility."""
        for dark in (False, True):
            self.emulate(1280, dark)
            for view in ("compare", "changes", "functions"):
                self.open(self.page, "#view=" + view)
                self.assert_accessible(view)
        self.emulate(1280, False)


if __name__ == "__main__":
    unittest.main(verbosity=2)
