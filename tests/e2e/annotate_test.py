#!/usr/bin/env python3
"""csink annotate: the hot line and instruction of a program are named, and every sample is shown."""

import glob
import json
import os
import platform
import re
import sys

import csink_e2e
from csink_e2e import E2eTest, program_path

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../programs/slow_instruction.c")


def line_of(mark):
    """The number of the line of the workload that holds the mark."""
    with open(SOURCE, encoding="utf-8") as f:
        return next(i for i, text in enumerate(f, 1) if mark in text)


def samples(row):
    return row["events"][0]["samples"] if row["events"] else 0


def cells(list_of_cells):
    return list_of_cells[0]["samples"] if list_of_cells else 0


class Annotate(E2eTest):

    def spools_of(self, program, *args, **env):
        run = self.run_agent(program, *args, CSINK_REPORT="0", **env)
        self.assertEqual(run.status, 0, run.stderr)
        spools = glob.glob(run.spool_folder + "/*.csink")
        self.assertTrue(spools, run.stderr)
        return spools

    def annotate(self, *args, **env):
        status, out, err = self.run_tool("annotate", *args, **env)
        self.assertEqual(status, 0, err)
        self.assertEqual(err, "")
        return out

    def function(self, *args):
        functions = json.loads(self.annotate("--format", "json", *args))["functions"]
        self.assertEqual(len(functions), 1)
        self.assert_all_accounted(functions[0])
        return functions[0]

    def assert_all_accounted(self, function):
        everything = samples(function)
        lines = sum(samples(l) for s in function["sources"] for l in s["lines"])
        self.assertEqual(lines + cells(function["no_line"]), everything)
        code = sum(samples(l) for l in function["code"]["lines"])
        self.assertEqual(code + cells(function["code"]["elsewhere"]), everything)

    def test_the_slow_line_and_instruction_are_named(self):
        if platform.machine() != "x86_64":
            self.skipTest("the program's slow instruction is one of x86-64")
        function = self.function("SlowLoop", *self.spools_of("slow_instruction", 700))
        source = function["sources"][0]
        self.assertEqual(os.path.realpath(source["file"]), os.path.realpath(SOURCE))
        self.assertEqual(source["warnings"], [])
        hottest = max(source["lines"], key=samples)
        self.assertEqual(hottest["line"], line_of("// SLOW LINE"))
        self.assertIn("SLOW LINE", hottest["text"])
        self.assertGreater(samples(hottest), 0.6 * samples(function))
        code = function["code"]["lines"]
        division = next(i for i, l in enumerate(code) if l["text"].startswith("div"))
        # Where a clock's interrupt comes: at the division, or behind it when it has been waited for.
        near = samples(code[division]) + samples(code[division + 1])
        self.assertGreater(near, 0.5 * samples(function), [(l["text"], samples(l)) for l in code])

    def test_text_repeats_the_precision_and_marks_targets(self):
        out = self.annotate("SlowLoop", *self.spools_of("slow_instruction", 300))
        self.assertRegex(out, r"(?m)^function +SlowLoop$")
        self.assertRegex(out, r"(?m)^precision +task-clock\S* clock: ")
        self.assertRegex(out, r"L1 +\^")
        self.assertIn("SLOW LINE", out)
        self.assertIn("note", out)
        self.assertTrue(all(len(line) <= 100 for line in out.splitlines()), out)

    def test_names_that_mean_several_or_none(self):
        spools = self.spools_of("split", 600)
        status, out, err = self.run_tool("annotate", "ty", *spools)  # Sixty, Thirty
        self.assertEqual((status, out), (1, ""))
        self.assertIn("is ambiguous: split:work::Sixty", err)
        status, out, err = self.run_tool("annotate", "work::Sixti", *spools)
        self.assertEqual((status, out), (1, ""))
        self.assertIn("did you mean split:work::Sixty", err)
        self.assertGreater(samples(self.function("split:work::Sixty", *spools)), 100)
        self.assertGreater(samples(self.function("Thirty", *spools)), 50)

    def test_a_report_annotates_its_hottest_functions(self):
        spools = self.spools_of("split", 500)
        status, out, err = self.run_tool("report", "--annotate=2", "--show", "code", *spools)
        self.assertEqual((status, err), (0, ""))
        self.assertEqual(len(re.findall(r"(?m)^function  ", out)), 2)
        self.assertLess(out.index("verdict"), out.index("function  work::Sixty"))
        status, out, err = self.run_tool("report", "--annotate", "--format", "json", *spools)
        self.assertEqual((status, err), (0, ""))
        report = json.loads(out)
        self.assertEqual(report["format"], "csink-report")
        self.assertEqual(len(report["annotations"]), 1)
        self.assert_all_accounted(report["annotations"][0])
        self.assertEqual(report["annotations"][0]["function"], report["functions"][0]["function"])

    def test_sources_are_found_by_prefix(self):
        spools = self.spools_of("slow_instruction", 200)
        folder = os.path.dirname(os.path.realpath(SOURCE))
        moved = os.path.join(self.folder, "moved")
        os.mkdir(moved)
        with open(SOURCE, encoding="utf-8") as f, \
             open(os.path.join(moved, "slow_instruction.c"), "w", encoding="utf-8") as g:
            g.write(f.read().replace("// SLOW LINE", "// FOUND HERE"))
        maps = f"{folder}={moved}"
        recorded = json.loads(self.annotate("--format", "json", "SlowLoop", *spools))
        if not recorded["functions"][0]["sources"][0]["recorded"].startswith(folder):
            self.skipTest("the program was built under another path")
        out = self.annotate("--source-prefix", maps, "SlowLoop", *spools)
        self.assertIn("FOUND HERE", out)
        self.assertIn("newer than the binary", out)
        self.assertIn("FOUND HERE", self.annotate("SlowLoop", *spools, CSINK_SOURCE_PREFIX=maps))
        status, out, err = self.run_tool("annotate", "--source-prefix", "nonsense", "SlowLoop", *spools)
        self.assertEqual((status, out), (2, ""))
        self.assertIn("nonsense", err)

    def test_wall_time_off_the_cpu_is_told(self):
        code = ("import time; end = time.process_time() + 0.4\n"
                "while time.process_time() < end: pass\n"
                "time.sleep(0.7)")
        run = self.run_agent(sys.executable, "-c", code, CSINK_REPORT="0")
        self.assertEqual(run.status, 0, run.stderr)
        report = self.report_of_spool(run.spool_folder)
        self.assertEqual(len(report["verdict"]["wall"]), 1)
        wall = report["verdict"]["wall"][0]
        self.assertGreaterEqual(wall["off_cpu_seconds"], 0.69)  # a sleep is never shorter
        self.assertGreater(report["verdict"]["switches"], 0)
        self.assertGreaterEqual(wall["on_cpu_seconds"], 0.38)
        self.assertLessEqual(wall["on_cpu_seconds"], run.cpu + 0.01)
        status, out, err = self.run_tool("report", run.spool_folder)
        self.assertEqual((status, err), (0, ""))
        self.assertRegex(" ".join(out.split()), r"threads: .* blocked \(\d+ threads?, [\d.]+ s of wall time together\)")


if __name__ == "__main__":
    csink_e2e.main()
