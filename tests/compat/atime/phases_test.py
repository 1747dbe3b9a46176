"""atime --phases: the time and the energy between the marks of a program (csink_mark of csink.h), over a
fake card of 50 W by its counter."""

import csv
import io
import json
import os
import re

import apapi_run
import card_runs
from atime_runs import program

PHASED = ("--phases", "-t", "20ms", program("phased"))


class Phases(card_runs.CardTest):
    def phases_of(self, report):
        return {phase["name"]: phase for phase in report["phases"]}

    def test_each_phase_has_its_time_and_energy(self):
        report = self.report(*PHASED, "-", "0.2", "mesh", "0.3", "solve", "0.5", "mesh", "0.2")
        phases = self.phases_of(report)
        self.assertEqual(list(phases), ["", "mesh", "solve"])
        self.assertEqual([phase["marks"] for phase in phases.values()], [0, 2, 1])
        for name, seconds in (("", 0.2), ("mesh", 0.5), ("solve", 0.5)):
            phase, energy = phases[name], phases[name]["energy"]
            self.assertAlmostEqual(phase["seconds"], seconds, delta=0.15, msg=name)
            self.assertAlmostEqual(energy["watts"], 50, delta=5, msg=name)
            self.assertLessEqual(energy["low"], 50 * phase["seconds"], name)
            self.assertGreaterEqual(energy["high"], 50 * phase["seconds"], name)
        seconds = sum(phase["seconds"] for phase in phases.values())
        self.assertAlmostEqual(seconds, report["wall_seconds"], delta=0.02)
        joules = sum(phase["energy"]["joules"] for phase in phases.values())
        self.assertLessEqual(joules, report["total"]["joules"])
        self.assertGreater(joules, 0.9 * report["total"]["joules"])

    def test_text_has_a_line_for_each(self):
        run = self.atime(*PHASED, "mesh", "0.3", "solve", "0.2", "mesh", "0.1", env=self.environment())
        self.assertEqual(run.status, 0, run.stderr)
        number = r"[0-9.e-]+"
        line = rf": {number} s, {number} J \({number} to {number}\), {number} W"
        self.assertRegex(run.stdout, rf"(?m)^ATIME: phase mesh{line}, 2 times$")
        self.assertRegex(run.stdout, rf"(?m)^ATIME: phase solve{line}$")

    def test_csv_and_open_metrics_tell_it(self):
        run = self.atime("--format", "csv", "--openmetrics", self.path("metrics"), *PHASED, "so,lve", "0.3",
                         env=self.environment())
        self.assertEqual(run.status, 0, run.stderr)
        rows = list(csv.DictReader(io.StringIO(run.stdout)))
        [row] = [r for r in rows if r["component"] == "phase" and r["event"] == "so,lve"]
        self.assertAlmostEqual(float(row["energy_J"]) / float(row["seconds"]), 50, delta=5)
        self.assertLess(float(row["energy_low_J"]), float(row["energy_J"]))
        self.assertLess(float(row["energy_J"]), float(row["energy_high_J"]))
        text = self.read("metrics")
        for family, column in (("seconds", "seconds"), ("energy_joules", "energy_J"),
                               ("energy_low_joules", "energy_low_J"), ("energy_high_joules", "energy_high_J")):
            found = re.search(rf'(?m)^atime_phase_{family}{{phase="so,lve"}} (\S+)$', text)
            self.assertTrue(found, text)
            self.assertAlmostEqual(float(found[1]), float(row[column]), places=9)

    def test_runs_have_a_mean_of_each_phase(self):
        report = self.report("-r", "2", *PHASED, "solve", "0.2")
        found = {(s["component"], s["event"], s["type"]): s for s in report["statistics"]}
        self.assertEqual(found["phase", "solve", "time"]["runs"], 2)
        self.assertAlmostEqual(found["phase", "solve", "energy"]["mean"],
                               50 * found["phase", "solve", "time"]["mean"], delta=2)

    def test_a_program_without_marks_is_told(self):
        run = self.atime("--phases", "/bin/true", env=self.environment())
        self.assertEqual(run.status, 0)
        self.assertIn("--phases: the program has set no mark", run.stderr)
        self.assertNotIn("phase", run.stdout)

    def test_without_the_option_nothing_is_preloaded(self):
        self.report(program("phased"), "solve", "0", status=77)
        run = self.atime("sh", "-c", "env | grep -c -e LD_PRELOAD -e ATIME_MARKS", env=self.environment())
        self.assertIn("0\n", run.stdout)

    def test_what_is_no_name_is_refused(self):
        report = self.report(*PHASED, "", "0", "a" * 201, "0", "\x01", "0", "good", "0.05", status=3)
        self.assertEqual(list(self.phases_of(report)), ["", "good"])

    def test_marks_of_children_and_of_other_languages_count(self):
        script = ("import ctypes, subprocess, sys, time\n"
                  "mark = ctypes.CDLL(None).csink_mark\n"
                  "assert mark(b'python') == 0\ntime.sleep(0.1)\n"
                  "subprocess.run([sys.argv[1], 'child', '0.1'], check=True, close_fds=True)\n")
        report = self.report("--phases", "/usr/bin/python3", "-c", script, program("phased"))
        self.assertEqual(list(self.phases_of(report)), ["", "python", "child"])

    def test_a_loop_that_sets_one_mark_needs_no_room(self):
        script = ("import ctypes\nmark = ctypes.CDLL(None).csink_mark\n"
                  "assert all(mark(b'one') == 0 for i in range(100000))\n"
                  "results = [mark(b'a' if i % 2 else b'b') for i in range(40000)]\n"
                  "assert results[0] == 0 and results[-1] == 7, results[-1]\n")
        run = self.atime("--phases", "/usr/bin/python3", "-c", script, env=self.environment())
        self.assertEqual(run.status, 0, run.stderr)
        self.assertIn("--phases: marks after the first 32768 had no room", run.stderr)

    def test_a_program_cannot_shorten_the_memory_of_its_marks(self):
        run = self.atime("--phases", "-o", self.path("report"), "sh", "-c", 'truncate -s 0 "$ATIME_MARKS"; exit 5',
                         env=self.environment())
        self.assertEqual(run.status, 5, run.stderr)
        self.assertIn("ATIME: done", self.read("report"))

    def test_it_needs_a_program(self):
        run = self.atime("--phases", "-p", str(os.getpid()), env=self.environment())
        self.assertEqual(run.status, 1)
        self.assertIn("--phases needs a program to run", run.stderr)

    def test_the_agent_gets_the_marks_as_well(self):
        agent = os.environ["CSINK_E2E_AGENT"]
        if not os.path.exists(agent) or not os.path.exists(os.environ["CSINK_E2E_TOOL"]):
            self.skipTest("libagent.so or csink is not built")
        script = ("import ctypes, time\nmark = ctypes.CDLL(None).csink_mark\n"
                  "for name in (b'mesh', b'solve'):\n"
                  "    assert mark(name) == 0\n"
                  "    end = time.process_time() + 0.2\n"
                  "    while time.process_time() < end: pass\n")
        env = self.environment() | {"LD_PRELOAD": agent, "CSINK_OUTPUT": self.path("profile.%p"), "CSINK_FORMAT": "json",
                                    "CSINK_REPORTER": os.environ["CSINK_E2E_TOOL"], "CSINK_EVENTS": "task-clock"}
        run = self.atime("--phases", "-o", self.path("report"), "/usr/bin/python3", "-c", script, env=env)
        self.assertEqual(run.status, 0, run.stderr)
        self.assertRegex(self.read("report"), "(?s)ATIME: phase mesh: .*ATIME: phase solve: ")
        profiles = [name for name in os.listdir(self.path("")) if name.startswith("profile.")]
        self.assertTrue(any('"solve"' in self.read(name) for name in profiles), run.stderr)

    def test_marks_of_csink_ctl_count(self):
        agent, tool = os.environ["CSINK_E2E_AGENT"], os.environ["CSINK_E2E_TOOL"]
        if not os.path.exists(agent) or not os.path.exists(tool):
            self.skipTest("libagent.so or csink is not built")
        script = ("import subprocess, sys, time\n"
                  "time.sleep(0.2)\n"
                  "for name in ('mesh', 'solve', 'solve'):\n"
                  "    subprocess.run([sys.argv[1], 'ctl', sys.argv[2], 'mark', name], check=True, env={})\n"
                  "    time.sleep(0.3)\n")
        env = self.environment() | {"CSINK_CONTROL": self.path("ctl"), "CSINK_OUTPUT": self.path("profile"),
                                    "CSINK_REPORTER": tool, "CSINK_EVENTS": "task-clock"}
        # In the program alone: a preloaded atime would serve the fifo itself.
        run = self.atime("--phases", "-t", "20ms", "-o", self.path("report"), "--format", "json", "/bin/sh", "-c",
                         'LD_PRELOAD="$LD_PRELOAD:$0" exec /usr/bin/python3 -c "$@"', agent, script, tool,
                         self.path("ctl"), env=env)
        self.assertEqual(run.status, 0, run.stderr)
        phases = self.phases_of(json.loads(self.read("report")))
        self.assertEqual(list(phases), ["", "mesh", "solve"])
        self.assertAlmostEqual(phases["mesh"]["energy"]["watts"], 50, delta=5)
        self.assertGreater(phases["solve"]["seconds"], 0.6)


if __name__ == "__main__":
    apapi_run.main()
