"""atime -r, --idle and --openmetrics."""

import csv
import io
import json
import os
import re
import signal
import subprocess
import time

import apapi_run
import atime_runs
from atime_runs import program
from card_runs import CARD, COUNTER, CardTest


class Repeat(CardTest):
    def test_every_number_has_a_mean_and_an_interval(self):
        run = self.atime("-r", "4", "--format", "csv", "sh", "-c", "echo ran >>" + self.path("runs") + "; sleep 0.15",
                         env=self.environment())
        self.assertEqual(run.status, 0, run.stderr)
        self.assertEqual(self.read("runs"), 4 * "ran\n")
        rows = {(r["event"], r["type"]): r for r in csv.DictReader(io.StringIO(run.stdout))}
        for row in rows.values():
            self.assertEqual(row["runs"], "4")
            values = [float(row[k]) for k in ("low", "mean", "high")]
            self.assertEqual(values, sorted(values), row)
        self.assertAlmostEqual(float(rows[COUNTER, "power"]["mean"]), 50, delta=5)
        self.assertEqual(rows["total", "energy"]["mean"], rows[COUNTER, "energy"]["mean"])
        self.assertGreater(float(rows["wall", "time"]["mean"]), 0.15)

    def test_each_run_is_told(self):
        report = self.report("-r", "3", "sleep", "0.15")
        self.assertEqual(len(report["runs"]), 3)
        energies = [r["total"]["joules"] for r in report["runs"]]
        [total] = [s for s in report["statistics"] if (s["event"], s["type"]) == ("total", "energy")]
        self.assertAlmostEqual(total["mean"], sum(energies) / 3, places=9)
        self.assertEqual((total["min"], total["max"]), (min(energies), max(energies)))
        text = self.atime("-r", "2", "true", env=self.environment()).stdout
        self.assertEqual(len(re.findall(r"\nATIME: run \d: status 0, ", text)), 2, text)
        self.assertIn("\nATIME: mean of 2 runs, and its 95 % interval\n", text)

    def test_the_first_failure_is_the_status(self):
        count = self.path("count")
        run = self.atime("-r", "3", "sh", "-c", f"echo >>{count}; exit $(($(wc -l <{count}) - 1))", env=self.environment())
        self.assertEqual(run.status, 1)  # of 0, 1, 2

    def test_a_signal_ends_the_repetition(self):
        process = subprocess.Popen([atime_runs.ATIME, "-r", "1000", "--format", "json", "sleep", "0.2"],
                                   env=apapi_run.clean_environment() | self.environment(), stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        time.sleep(1)
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=apapi_run.HANG_SECONDS)
        self.assertEqual(process.returncode, 128 + signal.SIGTERM, err)
        self.assertRegex(err, r"\d+ of 1000 runs were made")
        self.assertLess(len(json.loads(out)["runs"]), 20)

    def test_a_card_that_hangs_in_a_run_is_left_out_of_the_next(self):
        script = CARD.replace("0.energy = 1000~50000", "0.energy =" + "".join(f" {1000 * i}" for i in range(20)) + " block")
        began = time.monotonic()
        run = self.atime("-t", "nvml:20ms", "-r", "3", "--format", "json", "sleep", "0.3", env=self.environment(script))
        self.assertLess(time.monotonic() - began, 30)
        self.assertEqual(run.status, 0, run.stderr)
        self.assertIn("component nvml is not measured", run.stderr)
        self.assertEqual(len(json.loads(run.stdout)["runs"]), 3)

    def test_a_program_that_cannot_be_run_is_not_repeated(self):
        run = self.atime("-r", "3", "./no-such-program", env=self.environment())
        self.assertEqual(run.status, 127)
        self.assertEqual(run.stderr.count("cannot run"), 1)

    def test_wrong_numbers_are_errors(self):
        for option in (["-r", "0"], ["-r", "x"], ["-r", "-1"], ["-r", "1e3"], ["-r", "99999999999"], ["--idle=0"],
                       ["--idle=x"], ["--idle=2h"]):
            run = self.atime(*option, "echo", "ran", env=self.environment())
            self.assertEqual((run.status, run.stdout), (1, ""), option)
            self.assertOneLine(run.stderr, "^atime: ")


class RepeatCounting(atime_runs.AtimeTest):
    def test_counters_follow_each_run(self):
        self.need_software_events()
        run = self.atime("-r", "3", "--format", "csv", program("faults"), "500", "alone", env=self.software_events())
        self.assertEqual(run.status, 0, run.stderr)
        rows = [r for r in csv.DictReader(l for l in run.stdout.splitlines() if "," in l)
                if r["event"].endswith("PAGE-FAULTS") and r["statistic"] == "acc"]
        self.assertEqual([r["runs"] for r in rows], ["3"], run.stdout)
        self.assertTrue(500 < float(rows[0]["min"]) <= float(rows[0]["max"]) < 1000, rows)


class Idle(CardTest):
    def test_the_energy_above_idle_is_shown(self):
        # The card uses as much as ever, so nothing is above idle.
        report = self.report("--idle=600ms", "sleep", "0.4")
        self.assertAlmostEqual(report["idle"]["watts"], 50, delta=3)
        self.assertGreater(report["idle"]["seconds"], 0.5)
        net, total = report["net"], report["total"]
        self.assertAlmostEqual(net["joules"], total["joules"] - report["idle"]["watts"] * total["seconds"], places=9)
        self.assertTrue(net["low"] < 0 < net["high"], net)
        self.assertLess(total["high"] - total["low"], net["high"] - net["low"])

    def test_text_and_csv_tell_it(self):
        text = self.atime("--idle=300ms", "sleep", "0.3", env=self.environment()).stdout
        self.assertRegex(text, r"\nATIME: idle: \S+ W \(\S+ to \S+\) over \S+ s: " + COUNTER)
        self.assertRegex(text, r"\nATIME: net of idle: \S+ J \(\S+ to \S+\)\n")
        run = self.atime("--idle=300ms", "--format", "csv", "sleep", "0.3", env=self.environment())
        rows = list(csv.DictReader(io.StringIO(run.stdout)))
        self.assertEqual([r["event"] for r in rows[-3:]], ["idle", "total", "net"])

    def test_without_energies_it_is_said(self):
        events = self.file("some", "nvml:::Tesla_K20c:temperature\n")
        environment = self.environment(CARD + "; 0.temperature = 40") | {"APAPI_EVENTLIST": events}
        run = self.atime("--idle=100ms", "--format", "json", "true", env=environment)
        self.assertEqual(run.status, 0)
        self.assertIn("--idle: no energy of packages, memory or GPUs is measured\n", run.stderr)
        self.assertNotIn("net", json.loads(run.stdout))

    def test_a_signal_ends_the_idle_time(self):
        process = subprocess.Popen([atime_runs.ATIME, "--idle=60s", "touch", self.path("ran")], text=True,
                                   env=apapi_run.clean_environment() | self.environment(), stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        time.sleep(1)
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=apapi_run.HANG_SECONDS)
        self.assertEqual(process.returncode, 128 + signal.SIGTERM, err)
        self.assertFalse(os.path.exists(self.path("ran")), out)


# The grammar of OpenMetrics 1.0, as far as gauges without timestamps and exemplars use it.
NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*"'
NUMBER = r"(?:[+-]?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|[+-]Inf|NaN)"
SAMPLE = re.compile(rf"({NAME})(?:\{{{LABEL}(?:,{LABEL})*\}})? {NUMBER}")
HEAD = re.compile(rf"# (TYPE|UNIT|HELP) ({NAME}) (.+)")


class OpenMetrics(CardTest):
    def families(self, text):
        """name -> samples. Checks the grammar."""
        self.assertTrue(text.endswith("\n# EOF\n"))
        families, seen = {}, None
        for line in text.splitlines()[:-1]:
            head, sample = HEAD.fullmatch(line), SAMPLE.fullmatch(line)
            self.assertTrue(head or sample, line)
            if head:
                kind, name, rest = head.groups()
                if name != seen:
                    self.assertNotIn(name, families, "the lines of a family are not together")
                    families[name], seen = [], name
                self.assertEqual(families[name], [], "a head after a sample")
                if kind == "TYPE":
                    self.assertEqual(rest, "gauge")
                if kind == "UNIT":
                    self.assertTrue(name.endswith("_" + rest), line)
            else:
                self.assertEqual(sample.group(1), seen, line)
                self.assertNotIn(line, families[seen])
                families[seen].append(line)
        return families

    def test_the_file_is_valid_and_complete(self):
        for options in ([], ["-r", "3"], ["--idle=200ms"]):
            run = self.atime(*options, "--openmetrics", self.path("a.prom"), "sleep", "0.25", env=self.environment())
            self.assertEqual(run.status, 0, run.stderr)
            families = self.families(self.read("a.prom"))
            self.assertTrue(all(families.values()), families)
            [total] = families["atime_total_energy_joules"]
            self.assertGreater(float(total.split()[1]), 10)
            self.assertIn(f'event="{COUNTER}"', "".join(families["atime_value"]))
            self.assertEqual("atime_idle_power_watts" in families, "--idle=200ms" in options)
            self.assertEqual(sorted(n for n in os.listdir(self.folder) if "prom" in n), ["a.prom"])

    def test_prometheus_own_parser_accepts_it(self):
        try:
            from prometheus_client.openmetrics.parser import text_string_to_metric_families
        except ImportError:
            self.skipTest("prometheus_client is not installed")
        self.atime("--idle=200ms", "--openmetrics", self.path("a.prom"), "sleep", "0.25", env=self.environment())
        families = {f.name: f for f in text_string_to_metric_families(self.read("a.prom"))}
        self.assertEqual(families["atime_total_energy_joules"].unit, "joules")
        self.assertEqual(families["atime_wall_seconds"].type, "gauge")

    def test_a_file_that_cannot_be_written_is_an_error(self):
        path = self.path("no-such-folder/a.prom")
        run = self.atime("--openmetrics", path, "true", env=self.environment())
        self.assertEqual(run.status, 1)
        self.assertIn(f"cannot write {path}: No such file or directory\n", run.stderr)
        run = self.atime("--openmetrics", path, "sh", "-c", "exit 3", env=self.environment())
        self.assertEqual(run.status, 3)


if __name__ == "__main__":
    apapi_run.main()
