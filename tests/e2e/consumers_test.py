"""Other people's programs read what csink export writes, and print our totals."""

import collections
import csv
import io
import os
import re
import subprocess

import csink_e2e
from csink_e2e import E2eTest, plain_name
from exported_run import ExportedRun

FLAMEGRAPH = "/usr/share/perl5/Devel/NYTProf/flamegraph.pl"  # Debian: libdevel-nytprof-perl


class Consumers(ExportedRun):
    """One profiled run for all of them; each test exports it anew."""

    def consume(self, *command, stdin=None):
        done = subprocess.run(command, env=csink_e2e.clean_environment() | {"HOME": self.folder}, cwd=self.folder,
                              input=stdin, capture_output=True, check=False, timeout=csink_e2e.HANG_SECONDS)
        out, err = done.stdout.decode(), done.stderr.decode()
        self.assertEqual(done.returncode, 0, err)
        return out, err

    def by_function(self, key="weight", module=None):
        """What csink report says, by name: readers know no more of a function."""
        sums = collections.Counter()
        for row in self.report["functions"]:
            if module in (None, row["module"]):
                sums[row["function"]] += row["events"][0][key]
        return sums

    # --- pprof ----------------------------------------------------------------

    def top(self, path, index, *options):
        """{function: (flat, cumulated)} of `go tool pprof -top`, its total, the text above the table."""
        out, _ = self.consume("go", "tool", "pprof", "-symbolize=none", "-top", "-nodefraction=0", "-nodecount=0",
                              "-edgefraction=0", "-unit=nanoseconds" if index == "cpu" else "-unit=count",
                              "-sample_index=" + index, *options, path)
        head, table = re.split(r"\n\s+flat\s+flat%.*\n", out)
        rows = {}
        for line in table.splitlines():
            cells = line.split(None, 5)
            rows[cells[5]] = tuple(int(re.sub(r"\D", "", cell)) for cell in (cells[0], cells[3]))
        total = re.search(r"of (\d+)\D* total", head) or re.search(r"Total samples = (\d+)", head)
        return rows, int(total.group(1)), head

    def test_go_tool_pprof(self):
        self.need("go", "golang-go")
        path = self.export("pprof")
        rows, total, head = self.top(path, "cpu")
        self.assertEqual(total, self.event["weight"])
        self.assertIn("verdict ", head)
        self.assertEqual({n: flat for n, (flat, _) in rows.items() if flat}, dict(self.by_function()))
        self.assertEqual(rows["main"][1], self.below("main"))
        rows, total, _ = self.top(path, "samples")
        self.assertEqual(total, self.event["samples"])
        self.assertEqual({n: flat for n, (flat, _) in rows.items() if flat}, dict(self.by_function("samples")))

    def test_go_tool_pprof_finds_lines_and_code(self):
        self.need("go", "golang-go")
        path = self.export("pprof")
        out, _ = self.consume("go", "tool", "pprof", "-symbolize=none", "-list=^Spin$", path)
        hottest = [r for r in self.report["lines"] if r["function"] == "Spin"][0]
        self.assertRegex(out, rf"(?m)^\s+\d[\d.]*ms\s+\d[\d.]*ms\s+{hottest['line']}:")
        self.need("objdump", "binutils")
        out, _ = self.consume("go", "tool", "pprof", "-symbolize=none", "-unit=nanoseconds", "-disasm=Spin", path)
        flat = sum(int(ns) for ns in re.findall(r"(?m)^\s*(\d+)ns\s+\d+ns\s+[0-9a-f]+:", out))
        self.assertEqual(flat, self.by_function()["Spin"], out)

    def below(self, function):
        """Weight of the stacks that the function is in."""
        nodes, inside, total = self.report["stacks"], [], 0
        for node in nodes:
            above = node["parent"] is not None and inside[node["parent"]]
            inside.append(above or node["function"] == function)
            total += node["self"][0]["weight"] if inside[-1] else 0
        return total

    def test_google_pprof(self):
        self.need("google-pprof", "google-perftools")
        out, _ = self.consume("google-pprof", "--text", "--nodefraction=0", "--edgefraction=0", self.export("gperftools"))
        self.assertEqual(int(re.search(r"Total: (\d+) samples", out).group(1)), self.event["samples"])
        rows = {}
        for flat, name in re.findall(r"(?m)^\s*(\d+)\s+\S+%\s+\S+%\s+\d+\s+\S+%\s+(.*)$", out):
            rows[name] = int(flat)
        self.assertEqual(sum(rows.values()), self.event["samples"])
        plain = lambda sums: {n: s for n, s in sums.items() if s and re.fullmatch(r"\w+", n)}
        self.assertEqual(plain(rows), plain(self.by_function("samples")))  # it shortens C++ names

    # --- callgrind ------------------------------------------------------------

    def test_callgrind_annotate(self):
        self.need("callgrind_annotate", "valgrind")
        path = self.export("callgrind")
        out, err = self.consume("callgrind_annotate", "--threshold=100", "--auto=no", path)
        self.assertNotIn("WARNING", err)
        self.assertIn("verdict ", out)
        number = lambda text: int(text.replace(",", ""))
        self.assertEqual(number(re.search(r"(?m)^([\d,]+) \(100.0%\)  PROGRAM TOTALS", out).group(1)),
                         self.event["weight"])
        rows = collections.Counter()
        for cost, name in re.findall(r"(?m)^\s*([\d,]+) \(\s*[\d.]+%\)  \S+?:(\[csink agent\]|[^\[\n]*?)(?: \[.*\])?$",
                                     out):
            rows[name] += number(cost)
        self.assertEqual(dict(rows), dict(self.by_function()), out)
        out, _ = self.consume("callgrind_annotate", "--inclusive=yes", "--threshold=100", "--auto=no", path)
        main = re.search(r"(?m)^\s*([\d,]+) .*:main \[", out)
        self.assertEqual(number(main.group(1)), self.below("main"), out)

    # --- gprof ----------------------------------------------------------------

    def test_gprof(self):
        self.need("gprof", "binutils")
        program = csink_e2e.program_path("callers")
        path = self.export("gmon")
        out, _ = self.consume("gprof", "-b", "-p", program, path)
        rows = re.findall(r"(?m)^\s*([\d.]+)\s+([\d.]+)\s+([\d.]+)(?:\s+\d+\s+[\d.]+\s+[\d.]+)?\s+(\w+)\s*$", out)
        ours = self.by_function(module="callers")
        self.assertAlmostEqual(float(rows[-1][1]), sum(ours.values()) / 1e9, delta=0.0051, msg=out)
        for _, _, seconds, name in rows:
            self.assertAlmostEqual(float(seconds), ours[name] / 1e9, delta=0.0051, msg=out)
        out, _ = self.consume("gprof", "-b", "-q", program, path)
        callers = [r["callers"] for r in self.report["callers"] if r["function"] == "Spin"][0]
        ours = {c["function"]: c["events"][0]["samples"] for c in callers if c["module"] == "callers"}
        spin = [part for part in out.split("-" * 47) if re.search(r"(?m)^\[\d+\].* Spin \[", part)][0]
        self.assertEqual({name: int(n) for n, name in re.findall(r"(\d+)/\d+\s+(\w+) \[", spin)}, ours, out)

    # --- flame graphs ---------------------------------------------------------

    def flame(self, folded):
        """{frame: [weight, ...]} of a flame graph's titles."""
        self.need(FLAMEGRAPH, "libdevel-nytprof-perl")
        out, err = self.consume("perl", FLAMEGRAPH, "--countname", "ns", "--minwidth", "0", stdin=folded.encode())
        self.assertEqual(err, "")
        frames = collections.defaultdict(list)
        for name, ns in re.findall(r"<title>(.*?) \(([\d,]+) ns, [\d.]+%\)</title>", out):
            frames[name].append(int(ns.replace(",", "")))
        return frames

    def test_flame_graph_of_folded_stacks(self):
        with open(self.export("folded"), encoding="utf-8") as f:
            frames = self.flame(f.read())
        self.assertEqual(frames["all"], [self.event["weight"]])
        self.assertEqual(sum(frames["main"]), self.below("main"))
        self.assertEqual(sum(frames["Spin"]), self.by_function()["Spin"])
        self.assertGreaterEqual(len(frames["Spin"]), 2)  # below Ping and Pong

    def test_flame_graph_of_perf_script(self):
        with open(self.export("perf-script"), encoding="utf-8") as f:
            stacks = collapse(f.read())
        folded = "".join(f"{stack} {weight}\n" for stack, weight in stacks.items())
        frames = self.flame(folded)
        self.assertEqual(frames["all"], [self.event["weight"]])
        self.assertEqual(sum(frames["callers"]), self.event["weight"])
        self.assertEqual(sum(frames["Spin"]), self.by_function()["Spin"])

    def test_perf_script_and_folded_stacks_agree(self):
        with open(self.export("perf-script"), encoding="utf-8") as f:
            from_script = {stack.split(";", 1)[1]: weight for stack, weight in collapse(f.read()).items()}
        with open(self.export("folded"), encoding="utf-8") as f:
            folded = dict(line.rsplit(" ", 1) for line in f.read().splitlines()[1:])
        self.assertEqual(from_script, {stack: int(weight) for stack, weight in folded.items()})

    # --- tables ---------------------------------------------------------------

    def test_csv(self):
        with open(self.export("csv", "--table", "functions"), newline="", encoding="utf-8") as f:
            rows = list(csv.DictReader(f, strict=True))
        name = self.event["name"]
        self.assertEqual(sum(int(r[name + " weight"]) for r in rows), self.event["weight"])
        self.assertEqual([(r["function"], int(r[name + " samples"])) for r in rows],
                         [(r["function"], r["events"][0]["samples"]) for r in self.report["functions"]])
        for table in ("lines", "threads", "processes"):
            status, out, err = self.run_tool("export", "--format=csv", "--table", table, self.spool)
            self.assertEqual(status, 0, err)
            rows = list(csv.DictReader(io.StringIO(out, newline=""), strict=True))
            self.assertEqual(len(rows), len(self.report[table]))
            self.assertEqual(sum(int(r[name + " samples"]) for r in rows),
                             sum(r["events"][0]["samples"] for r in self.report[table]))


def collapse(text):
    """What stackcollapse-perf.pl does: one line a stack, program first, periods added up."""
    stacks = collections.Counter()
    for entry in text.split("\n\n"):
        lines = [l for l in entry.splitlines() if not l.startswith("#")]
        if not lines:
            continue
        comm, period = re.match(r"(\S.*?)\s+\d+/\d+\s.*?:\s*(\d+)?\s+\S+:\s*$", lines[0]).groups()
        frames = [re.match(r"\s*\w+\s*(.+) \(.*\)$", l).group(1) for l in lines[1:]]
        names = [re.sub(r"\+0x[\da-f]+$", "", f).replace(";", ":") for f in frames]
        stacks[";".join([comm] + names[::-1])] += int(period)
    return stacks


class Ways(E2eTest):
    """The same formats from csink run, csink report and at exit."""

    def test_at_exit(self):
        run = self.run_agent("split", 210, CSINK_FORMAT="folded", CSINK_OUTPUT=os.path.join(self.folder, "stacks"))
        self.assertEqual((run.status, run.stderr), (0, ""))
        with open(os.path.join(self.folder, "stacks"), encoding="utf-8") as f:
            lines = f.read().splitlines()
        self.assertTrue(lines[0].startswith("[verdict "), lines[0])
        self.assertTrue(any("Sixty" in plain_name(l.split(";")[-1]) for l in lines[1:]), lines)

    def test_at_exit_a_binary_format_wants_a_file(self):
        run = self.run_agent("split", 210, CSINK_FORMAT="pprof", CSINK_OUTPUT=None)
        self.assertEqual(run.status, 0)
        self.assertIn("csink: warn: CSINK_FORMAT is ignored: this format needs a file: set CSINK_OUTPUT", run.stderr)
        self.assertRegex(run.stderr, r"(?m)^verdict ")
        run = self.run_agent("split", 210, CSINK_FORMAT="pprof", CSINK_OUTPUT=os.path.join(self.folder, "%e.pb.gz"))
        self.assertEqual((run.status, run.stderr), (0, ""))
        with open(os.path.join(self.folder, "split.pb.gz"), "rb") as f:
            self.assertEqual(f.read(2), b"\x1f\x8b")

    def test_csink_run_and_report(self):
        path = os.path.join(self.folder, "out")
        split = csink_e2e.program_path("split")
        status, _, err = self.run_tool("run", "--format=callgrind", "-o", path, "--", split, "210")
        self.assertEqual((status, err), (0, ""))
        with open(path, encoding="utf-8") as f:
            self.assertEqual(f.readline(), "# callgrind format\n")
        status, _, err = self.run_tool("run", "--format=pprof", "--", split, "210")
        self.assertEqual(status, 2)
        self.assertIn("is binary and needs -o FILE", err)

    def test_wrong_use(self):
        spool = self.profile("split", 210, CSINK_REPORT="0", CSINK_KEEP="1").spools[0]
        for arguments, status, words in (
                (["--format=xml", spool], 2, "xml"),
                ([spool], 2, "the format is missing"),
                (["--format=csv"], 2, "no spool was given"),
                (["--format=csv", "--event=cycles", spool], 2,
                 "no event cycles in this profile; the events are: task-clock"),
                (["--format=gmon", "-o", os.path.join(self.folder, "x"), "--module=no", spool], 2, "no module no"),
                (["--format=csv", "/nowhere"], 1, "/nowhere"),
                (["--format=pprof", "-o", "/dev/full", spool], 1, "No space left")):
            with self.subTest(arguments=arguments):
                got, out, err = self.run_tool("export", *arguments)
                self.assertEqual((got, out), (status, ""), err)
                self.assertIn(words, err)
                self.assertEqual(len(err.splitlines()), 1, err)


if __name__ == "__main__":
    csink_e2e.main()
