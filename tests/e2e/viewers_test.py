"""Viewers and their importers read what csink export writes for them, and find our totals.

perf is Debian's. speedscope comes from the npm registry and runs in Debian's Chromium, where those can be had;
without them its file is compared with what its schema says, as the unit tests do.
"""

import base64
import collections
import html
import json
import os
import re
import subprocess
import xml.etree.ElementTree

import csink_e2e
import npm_package
from exported_run import ExportedRun

SVG = "{http://www.w3.org/2000/svg}"
UNITS = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9}


def schema_problems(schema, value, root, where="file"):
    """What a value has against a JSON schema: the keywords that speedscope's schema uses."""
    if "$ref" in schema:
        target = root
        for key in schema["$ref"].removeprefix("#/").split("/"):
            target = target[key]
        return schema_problems(target, value, root, where)
    if "anyOf" in schema:
        tried = [schema_problems(choice, value, root, where) for choice in schema["anyOf"]]
        return [] if any(not problems for problems in tried) else tried[-1]
    if "const" in schema and value != schema["const"]:
        return [f"{where} is not {schema['const']}"]
    if "enum" in schema and value not in schema["enum"]:
        return [f"{where} is none of {schema['enum']}"]
    types = {"object": dict, "array": list, "string": str, "number": (int, float)}
    if "type" in schema and not isinstance(value, types[schema["type"]]):
        return [f"{where} is no {schema['type']}"]
    problems = [f"{where} has no {key}" for key in schema.get("required", ()) if key not in value]
    for key, rule in schema.get("properties", {}).items():
        if key in value:
            problems += schema_problems(rule, value[key], root, f"{where}.{key}")
    if "items" in schema:
        for i, item in enumerate(value):
            problems += schema_problems(schema["items"], item, root, f"{where}[{i}]")
    return problems


class Viewers(ExportedRun):
    """One profiled run with stacks for all of them; each test exports it anew."""

    package = None  # of speedscope: its folder, or why there is none
    profiler = None  # Firefox Profiler's command, likewise

    def exported_json(self, form, *options):
        with open(self.export(form, *options), encoding="utf-8") as f:
            return json.load(f)

    def by_function(self, key="weight"):
        """What csink report says, by name."""
        sums = collections.Counter()
        for row in self.report["functions"]:
            sums[row["function"]] += row["events"][0][key]
        return sums

    def below(self, function):
        """Weight of the stacks that the function is in."""
        nodes, inside, total = self.report["stacks"], [], 0
        for node in nodes:
            above = node["parent"] is not None and inside[node["parent"]]
            inside.append(above or node["function"] == function)
            total += node["self"][0]["weight"] if inside[-1] else 0
        return total

    # --- perf -----------------------------------------------------------------

    def perf(self, *command):
        env = csink_e2e.clean_environment() | {"HOME": self.folder, "PERF_BUILDID_DIR": self.folder}
        done = subprocess.run(["perf", *command], env=env, cwd=self.folder, stdin=subprocess.DEVNULL,
                              capture_output=True, check=False, timeout=csink_e2e.HANG_SECONDS)
        err = done.stderr.decode("utf-8", "replace")
        self.assertEqual(done.returncode, 0, err)
        return done.stdout.decode("utf-8", "replace"), err

    def test_perf_report(self):
        self.need("perf", "linux-perf")
        path = self.export("perf-data")
        out, err = self.perf("report", "-i", path, "--stdio", "--no-children", "-g", "none", "--percent-limit", "0",
                             "-F", "period,sym", "-t", "|")
        self.assertNotIn("WARNING", err)
        self.assertIn(f"of event '{self.event['name']}'", out)
        self.assertIn(f"# Event count (approx.): {self.event['weight']}\n", out)
        rows = collections.Counter()
        for period, symbol in re.findall(r"(?m)^\s*(\d+)\s*\|(?:\[\S\] )?(.*?)\s*$", out):
            rows[symbol] += int(period)
        self.assertEqual(sum(rows.values()), self.event["weight"], out)
        # perf names the functions from the same files. It has no name of ours for the agent's code.
        for function, weight in self.by_function().items():
            if re.fullmatch(r"[A-Z]\w+|main", function):
                self.assertEqual(rows[function], weight, out)
        out, _ = self.perf("report", "-i", path, "--stdio", "--children", "-g", "none", "--percent-limit", "0",
                           "-F", "overhead_children,sym", "-t", "|")
        share = float(re.search(r"(?m)^\s*([\d.]+)%?\s*\|(?:\[\S\] )?main\s*$", out).group(1))
        self.assertAlmostEqual(share, 100 * self.below("main") / self.event["weight"], delta=0.01, msg=out)

    def test_perf_script(self):
        self.need("perf", "linux-perf")
        out, err = self.perf("script", "-i", self.export("perf-data"), "-F", "comm,pid,tid,time,event,period,ip,sym,dso")
        self.assertEqual(err, "")
        heads = re.findall(r"(?m)^(\S.*?)\s+(\d+)/(\d+)\s+([\d.]+):\s+(\d+)\s+(\S+):", out)
        self.assertEqual(sum(int(h[4]) for h in heads), self.event["weight"])
        self.assertEqual({h[0] for h in heads}, {"callers"})
        self.assertEqual({h[1] for h in heads}, {str(self.report["pid"])})
        self.assertEqual([h[3] for h in heads], sorted((h[3] for h in heads), key=float))
        self.assertRegex(out, r"(?m)^\s+[0-9a-f]+ Spin \(.*/callers\)$\n^\s+[0-9a-f]+ \w+ \(.*/callers\)$")

    def test_perf_header(self):
        self.need("perf", "linux-perf")
        out, _ = self.perf("report", "-i", self.export("perf-data"), "--header-only")
        self.assertRegex(out, r"(?m)^# event : name = " + re.escape(self.event["name"]) + ",")
        self.assertRegex(out, r"(?m)^#  verdict ")
        self.assertIn("callers frames 300", out)

    def test_hotspot(self):
        """The program with which KDAB's hotspot reads perf.data."""
        parser = "/usr/lib/x86_64-linux-gnu/libexec/hotspot-perfparser"
        self.need(parser, "hotspot")
        path = self.export("perf-data")
        done = subprocess.run([parser, "--input", path, "--print-stats"], env=csink_e2e.clean_environment(),
                              cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, check=False,
                              timeout=csink_e2e.HANG_SECONDS)
        out = (done.stdout + done.stderr).decode("utf-8", "replace")
        self.assertEqual(done.returncode, 0, out)
        with open(self.export("perf-script"), encoding="utf-8") as f:
            entries = sum(line.endswith(self.event["name"] + ":\n") for line in f)
        self.assertRegex(out, rf"(?m)^samples: {entries}$")
        self.assertRegex(out, r"(?m)^samples time violations: 0$")

    # --- speedscope -----------------------------------------------------------

    def speedscope(self):
        """The folder of the npm package."""
        cls = type(self)
        if cls.package is None:
            self.need("npm", "npm")
            package = npm_package.unpacked("speedscope@1", cls.kept[0], csink_e2e.HANG_SECONDS)
            cls.package = os.path.join(package, "dist", "release") if package else ""
        if not cls.package:
            self.skipTest("the npm registry cannot be reached")
        return cls.package

    def test_speedscope_schema(self):
        with open(os.path.join(self.speedscope(), "file-format-schema.json"), encoding="utf-8") as f:
            schema = json.load(f)
        file = self.exported_json("speedscope")
        self.assertEqual(schema_problems(schema | {"$ref": "#/definitions/FileFormat.File"}, file, schema), [])
        del file["shared"]
        self.assertEqual(schema_problems(schema | {"$ref": "#/definitions/FileFormat.File"}, file, schema),
                         ["file has no shared"])

    def sandwich(self, path):
        """{function: (total, self)} in ns: the table of speedscope's view "Sandwich", and the page's text."""
        page = os.path.join(self.speedscope(), "index.html")
        self.need("chromium", "chromium")
        with open(path, "rb") as f:
            source = base64.b64encode(f.read()).decode()
        script = path + ".js"
        with open(script, "w", encoding="utf-8") as f:
            f.write(f"speedscope.loadFileFromBase64({json.dumps(os.path.basename(path))}, {json.dumps(source)})")
        done = subprocess.run(["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--use-gl=swiftshader",
                               f"--user-data-dir={self.folder}/browser", "--window-size=1600,4000",
                               "--virtual-time-budget=15000", "--dump-dom",
                               f"file://{page}#view=sandwich&localProfilePath={script}"],
                              stdin=subprocess.DEVNULL, capture_output=True, check=False,
                              timeout=csink_e2e.HANG_SECONDS)
        text = re.sub(r"(?s)<(style|script).*?</\1>|<[^>]+>", "\n", done.stdout.decode("utf-8", "replace"))
        words = [html.unescape(line) for line in re.sub(r"\n+", "\n", text).split("\n")]
        value = re.compile(r"([\d.]+)(ns|µs|ms|s) \(.*%\)")
        rows = {}
        for total, own, name in zip(words, words[1:], words[2:]):
            if value.fullmatch(total) and value.fullmatch(own):
                amounts = [float(n) * UNITS[u] for n, u in map(lambda t: value.fullmatch(t).groups(), (total, own))]
                # Two functions may have one name: clock_gettime of the C library and of the vDSO.
                rows[name] = tuple(map(sum, zip(rows.get(name, (0, 0)), amounts)))
        self.assertTrue(rows, done.stderr.decode("utf-8", "replace")[-2000:] + "\n".join(words))
        return rows, words

    def expect_rows(self, rows):
        for function, weight in self.by_function().items():
            if weight < 0.01 * self.event["weight"]:
                continue  # the table has the rows that the window has room for
            self.assertAlmostEqual(rows[function][1], weight, delta=0.006 * weight, msg=function)
        self.assertAlmostEqual(rows["main"][0], self.below("main"), delta=0.006 * self.below("main"))

    def test_speedscope_in_a_browser(self):
        rows, words = self.sandwich(self.export("speedscope"))
        self.expect_rows(rows)
        self.assertTrue(any("; verdict " in w and w.endswith(" - speedscope") for w in words), words)

    def test_speedscope_reads_cpuprofile(self):
        rows, _ = self.sandwich(self.export("cpuprofile"))
        self.expect_rows(rows)

    def test_speedscope_reads_perf_script(self):
        """speedscope takes the time between two records for their cost; the program runs all the time."""
        rows, _ = self.sandwich(self.export("perf-script"))
        own = {name: amount for name, (_, amount) in rows.items()}
        total = sum(own.values())
        for function, weight in self.by_function().items():
            if weight > 0.05 * self.event["weight"]:
                self.assertAlmostEqual(own[function] / total, weight / self.event["weight"], delta=0.01, msg=function)

    def test_perf_script_counted_by_records(self):
        """As Firefox Profiler counts: each record is one sample."""
        with open(self.export("perf-script"), encoding="utf-8") as f:
            entries = [entry.splitlines() for entry in f.read().split("\n\n")]
        counted = collections.Counter()
        for lines in entries:
            frames = [line for line in lines if line.startswith("\t")]
            if frames:
                counted[re.fullmatch(r"\s*[0-9a-f]+ (.*?)(?:\+0x[0-9a-f]+)? \(.*\)", frames[0]).group(1)] += 1
        self.assertEqual(counted, self.by_function("samples"))

    # --- files that are read here ---------------------------------------------

    def test_firefox(self):
        profile = self.exported_json("firefox")
        shared = profile["shared"]
        strings, stacks = shared["stringArray"], shared["stackTable"]
        own = collections.Counter()
        for thread in profile["threads"]:
            samples = thread["samples"]
            for stack, weight in zip(samples["stack"], samples["weight"]):
                if stack is None:
                    self.assertEqual(weight, 0)
                    continue
                function = shared["frameTable"]["func"][stacks["frame"][stack]]
                own[strings[shared["funcTable"]["name"][function]]] += round(weight * 1e6)
            # It is drawn until its end, not until its last sample.
            self.assertIsNone(samples["stack"][-1])
        self.assertEqual(dict(own), dict(self.by_function()))
        self.assertEqual(profile["meta"]["preprocessedProfileVersion"], 70)
        hottest = [r for r in self.report["lines"] if r["function"] == "Spin"][0]
        self.assertIn(hottest["line"], shared["frameTable"]["line"])

    def firefox_cli(self, *command):
        """Mozilla's own loader of these profiles, from the npm registry."""
        cls = type(self)
        if cls.profiler is None:
            self.need("npm", "npm")
            package = npm_package.unpacked("@firefox-devtools/profiler-cli@0", cls.kept[0], csink_e2e.HANG_SECONDS)
            cls.profiler = os.path.join(package, "dist", "profiler-cli.js") if package else ""
        if not cls.profiler:
            self.skipTest("the npm registry cannot be reached")
        env = csink_e2e.clean_environment() | {"HOME": self.folder, "XDG_RUNTIME_DIR": self.folder}
        done = subprocess.run(["node", cls.profiler, *command], env=env, cwd=self.folder, stdin=subprocess.DEVNULL,
                              capture_output=True, check=False, timeout=csink_e2e.HANG_SECONDS)
        out, err = done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")
        self.assertEqual(done.returncode, 0, out + err)
        return out

    def test_firefox_profiler_opens_it(self):
        path = self.export("firefox")
        self.firefox_cli("load", path)
        self.addCleanup(self.firefox_cli, "stop", "--all")
        self.assertIn("callers", self.firefox_cli("profile", "info"))
        out = self.firefox_cli("thread", "functions")
        own = {name: float(share) for name, share in re.findall(r"f-\d+\. (?:[^!\s]+!)?(.+?) - self: .*?\(([\d.]+)%\)", out)}
        for function, weight in self.by_function().items():
            if re.fullmatch(r"[A-Z]\w+", function) and weight > 0.05 * self.event["weight"]:
                self.assertAlmostEqual(own[function], 100 * weight / self.event["weight"], delta=0.5, msg=out)

    def test_cpuprofile(self):
        profile = self.exported_json("cpuprofile")
        nodes = {node["id"]: node for node in profile["nodes"]}
        hits, ticks = collections.Counter(), collections.Counter()
        for node in nodes.values():
            hits[node["callFrame"]["functionName"]] += node["hitCount"]
            for tick in node.get("positionTicks", ()):
                ticks[node["callFrame"]["functionName"], tick["line"]] += tick["ticks"]
        self.assertEqual({n: h for n, h in hits.items() if h}, dict(self.by_function("samples")))
        for row in self.report["lines"]:
            if row["function"] == "Spin":
                self.assertEqual(ticks["Spin", row["line"]], row["events"][0]["samples"])
        self.assertEqual(profile["endTime"], self.event["weight"] // 1000)

    def test_svg(self):
        root = xml.etree.ElementTree.parse(self.export("svg")).getroot()
        self.assertEqual(root.tag, SVG + "svg")
        ns = collections.Counter()
        for title in root.iter(SVG + "title"):
            found = re.fullmatch(r"(.*?)(?: \([^()]*\))?: (?:.*, )?([\d,]+) ns in .*", title.text)
            if found:
                ns[found.group(1)] += int(found.group(2).replace(",", ""))
        self.assertEqual(ns["all"], self.event["weight"])
        self.assertEqual(ns["main"], self.below("main"))
        self.assertEqual({e.tag.removeprefix(SVG) for e in root.iter()} - {"svg", "title", "desc", "g", "rect", "text"},
                         set())
        self.assertIn("\nverdict ", root.find(SVG + "desc").text)

    def test_svg_is_drawn(self):
        self.need("chromium", "chromium")
        picture = os.path.join(self.folder, "flame.png")
        subprocess.run(["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1200,400",
                        f"--user-data-dir={self.folder}/browser", f"--screenshot={picture}",
                        "file://" + self.export("svg")], stdin=subprocess.DEVNULL, capture_output=True, check=False,
                       timeout=csink_e2e.HANG_SECONDS)
        with open(picture, "rb") as f:
            data = f.read()
        self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
        self.assertGreater(len(data), 5000)  # a white page has 2 kB

    def test_markdown(self):
        with open(self.export("markdown", "--top", "2"), encoding="utf-8") as f:
            text = f.read()
        rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines() if line.startswith("|")]
        functions = [f"`{f['function']}`" for f in self.report["functions"]]
        if len(functions) > 2:
            functions[2:] = ["1 more function" if len(functions) == 3 else f"{len(functions) - 2} more functions"]
        self.assertEqual([row[4] for row in rows[2:]], functions)
        samples = [int(row[3].replace(",", "")) for row in rows[2:]]
        self.assertEqual(sum(samples), self.event["samples"])
        self.assertIn("`verdict ", text)

    # --- other ways -----------------------------------------------------------

    def test_at_exit_and_report(self):
        path = os.path.join(self.folder, "flame.svg")
        run = self.run_agent("split", 210, CSINK_FORMAT="svg", CSINK_OUTPUT=path)
        self.assertEqual((run.status, run.stderr), (0, ""))
        xml.etree.ElementTree.parse(path)
        status, out, err = self.run_tool("report", "--format=markdown", "--top=1", self.spool)
        self.assertEqual((status, err), (0, ""))
        self.assertRegex(out, r"\| \d+ more functions? \|")
        run = self.run_agent("split", 210, CSINK_FORMAT="perf-data", CSINK_OUTPUT=None)
        self.assertIn("CSINK_FORMAT is ignored: this format needs a file: set CSINK_OUTPUT", run.stderr)

    def test_a_truncated_spool(self):
        short = os.path.join(self.folder, "short.csink")
        with open(self.spool, "rb") as whole, open(short, "wb") as cut:
            cut.write(whole.read()[: os.path.getsize(self.spool) * 3 // 4])
        for form in ("speedscope", "firefox", "cpuprofile", "svg", "markdown", "perf-data"):
            with self.subTest(form=form):
                path = os.path.join(self.folder, "short." + form)
                status, _, err = self.run_tool("export", "--format=" + form, "-o", path, short)
                # What could be read is written; a spool of which nothing could be read is an error.
                self.assertIn(status, (0, 1), err)
                if status == 0 and form in ("speedscope", "firefox", "cpuprofile"):
                    with open(path, encoding="utf-8") as f:
                        json.load(f)
                elif status == 1:
                    self.assertTrue(err)


if __name__ == "__main__":
    csink_e2e.main()
