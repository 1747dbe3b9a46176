"""What atime measures: perf events of the program and all that it starts, samples, series, formats."""

import csv
import io
import json
import os

import apapi_run
import atime_runs
from atime_runs import event_of, program


class Counting(atime_runs.AtimeTest):
    def setUp(self):
        super().setUp()
        self.need_software_events()

    def test_counters_follow_the_program_and_its_children(self):
        run = self.atime("-o", self.path("report"), "--format", "json", program("faults"), 4000,
                         env=self.software_events())
        counted = event_of(json.loads(self.read("report")), "PAGE-FAULTS")["value0"]["acc"]
        told = int(run.stdout.split()[1])
        # The kernel counts a few for exec and for what it does itself; getrusage those before exec too.
        self.assertGreater(counted, 12000)
        self.assertAlmostEqual(counted / told, 1, delta=0.05, msg=f"{counted} of {told}")

    def test_nothing_of_atime_itself_is_counted(self):
        few = event_of(self.measured("/bin/true"), "PAGE-FAULTS")["value0"]["acc"]
        self.assertLess(few, 400)
        self.assertGreater(few, 20)

    def test_cpu_time_is_that_of_the_program(self):
        report = self.measured(program("spin"), 300)
        clock = event_of(report, "TASK-CLOCK")["value0"]["acc"]
        used = report["user_seconds"] + report["system_seconds"]
        self.assertAlmostEqual(clock / used, 1, delta=0.08, msg=f"{clock} s of {used} s")

    def test_a_program_that_ends_at_once_has_two_samples(self):
        component = self.measured("/bin/true", options=["-t", "perf:1s"])["components"][0]
        self.assertEqual(component["samples"], 2)

    def test_a_killed_program_is_measured_until_then(self):
        run = self.atime("--format", "json", "-o", self.path("report"), "sh", "-c",
                         f"ulimit -c 0; {program('spin')} 100; kill -KILL $$", env=self.software_events())
        report = json.loads(self.read("report"))
        self.assertEqual((run.status, report["signal"], report["exit_status"]), (137, 9, None))
        self.assertGreater(event_of(report, "TASK-CLOCK")["value0"]["acc"], 0.09)

    def test_samples_come_at_the_interval_of_the_component(self):
        for text, interval in (("perf:20ms", 0.02), ("perf_event:50000000", 0.05), ("10ms", 0.01)):
            component = self.measured("sleep", "0.4", options=["-t", text])["components"][0]
            self.assertEqual(component["interval_ns"], round(interval * 1e9))
            wanted = component["seconds"] / interval
            self.assertLess(abs(component["samples"] + component["missed"] - wanted), 3, component)

    def test_a_component_named_twice_is_measured_once(self):
        run = self.atime("/bin/true", env=self.software_events(APAPI_CMPLIST="perf:perf_event:perf"))
        self.assertEqual(run.status, 0)
        self.assertEqual(run.stderr.count("is given twice; it is measured once"), 2, run.stderr)
        self.assertEqual(run.stdout.count("ATIME: Use PAPI component"), 1)

    def test_a_missing_event_is_left_out_with_softfail(self):
        events = self.file("some", "perf::PAGE-FAULTS\nperf::NO-SUCH-EVENT\n")
        run = self.atime("--format", "csv", "/bin/true",
                         env=self.software_events(APAPI_EVENTLIST=events, APAPI_SOFTFAIL="1"))
        self.assertEqual(run.status, 0, run.stderr)
        self.assertEqual(len(run.stdout.splitlines()), 2, run.stdout)


class Formats(atime_runs.AtimeTest):
    def setUp(self):
        super().setUp()
        self.need_software_events()

    def test_text_is_as_upstream_prints_it(self):
        run = self.atime("-t", "perf:200000000", program("spin"), 50, env=self.software_events())
        self.assertEqual(run.stderr, "")
        lines = run.stdout.splitlines()
        self.assertEqual(lines[:8], [f"ATIME: Program: {program('spin')} 50 ", "ATIME: Use PAPI component perf",
                                     "ATIME: cmp perf event_num 2 interval 0.200000000", "ATIME: papi_start",
                                     "perf: 2 events", "------", lines[6], "  faults # 1.000000"])
        self.assertRegex(lines[6], r"^perf::PAGE-FAULTS \d+$")
        self.assertRegex(run.stdout, r"\n    min: +\S+\n    max: +\S+\n    avg: +\S+\n    acc: +\S+\n")
        self.assertTrue(run.stdout.endswith("------\n\nATIME: papi stop\nATIME: done\n"))

    def test_csv_and_json_tell_the_same(self):
        command = [program("faults"), "500", "alone"]
        run = self.atime("--format", "csv", *command, env=self.software_events())
        rows = list(csv.DictReader(io.StringIO(run.stdout)))
        report = self.measured(*command)
        events = report["components"][0]["events"]
        self.assertEqual([r["event"] for r in rows], [e["name"] for e in events])
        for row, event in zip(rows, events):
            self.assertEqual((row["value0_unit"], row["value1_type"]),
                             (event["value0"]["unit"], event["value1"]["type"]))
            self.assertEqual(bool(row["value0_min"]), "min" in event["value0"])
        for found in (float(rows[0]["value0_acc"]), events[0]["value0"]["acc"]):
            self.assertTrue(500 < found < 1000, found)

    def test_the_command_may_hold_any_bytes(self):
        report = self.measured("sh", "-c", "exit 2", os.fsdecode(b"\xff\xfe\"\n"))
        self.assertEqual(report["command"][:3], ["sh", "-c", "exit 2"])
        self.assertEqual(report["exit_status"], 2)

    def test_series_and_report_agree(self):
        report = self.measured(program("faults"), 20000, options=["-t", "perf:10ms", "--series", self.path("series")])
        rows = list(csv.DictReader(io.StringIO(self.read("series"))))
        self.assertEqual(list(rows[0]), ["component", "time_s", "event", "raw", "value0", "value1"])
        for event in report["components"][0]["events"]:
            own = [r for r in rows if r["event"] == event["name"]]
            self.assertEqual(len(own), report["components"][0]["samples"])
            times = [float(r["time_s"]) for r in own]
            self.assertEqual(times, sorted(times))
            self.assertEqual((own[0]["value0"], own[0]["value1"]), ("", ""))  # no difference yet
            total = sum(float(r["value0"]) for r in own[1:])
            self.assertAlmostEqual(total, event["value0"]["acc"], delta=1e-9 * abs(total))
            self.assertEqual(int(own[-1]["raw"]), event["raw"])

    def test_a_full_disk_is_said_and_changes_no_status(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        run = self.atime("--series", "/dev/full", "-o", "/dev/full", "sh", "-c", "exit 3", env=self.software_events())
        self.assertEqual(run.status, 3)
        self.assertIn("not all samples could be written to /dev/full", run.stderr)
        self.assertIn("the report could not be written", run.stderr)

    def test_what_cannot_be_written_is_an_error_of_a_program_that_succeeded(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        for options, said in ((["-o", "/dev/full"], "the report could not be written"),
                              (["-o", "/dev/full", "--format", "json"], "the report could not be written"),
                              (["-o", "/dev/full", "--format", "csv"], "the report could not be written"),
                              (["--series", "/dev/full"], "not all samples could be written to /dev/full")):
            run = self.atime(*options, "/bin/true", env=self.software_events())
            self.assertEqual(run.status, 1, options)
            self.assertIn(said, run.stderr)

    def test_with_o_standard_output_is_the_programs(self):
        run = self.atime("-o", self.path("report"), "echo", "mine", env=self.software_events())
        self.assertEqual(run.stdout, "mine\n")
        self.assertIn("perf: 2 events", self.read("report"))
        self.assertTrue(self.read("report").endswith("ATIME: done\n"))


class CommandLine(atime_runs.AtimeTest):
    def test_help(self):
        for options, status in ((["-h"], 0), (["--help"], 0), ([], 1)):
            run = self.atime(*options)
            self.assertEqual(run.status, status, options)
            self.assertRegex(run.stdout, "(?s)^Usage: atime .*APAPI_CMPLIST.*APAPI_EVENTLIST.*APAPI_EVENTOPS")

    def test_an_unknown_option_is_wrong_use(self):
        for options in (["-x"], ["--nonsense"], ["--nonsense", "/bin/true"]):
            run = self.atime(*options)
            self.assertEqual((run.status, run.stdout), (2, ""), options)
            self.assertOneLine(run.stderr, options[0].strip("-"))

    def test_version_has_the_commit(self):
        run = self.atime("--version", "echo", "mine")
        self.assertEqual((run.status, run.stderr), (0, ""))
        self.assertRegex(run.stdout, r"\Aatime \d+\.\d+\.\d+ \(commit ([0-9a-f]{12}|unknown)\)\n\Z")

    def test_options_end_at_the_program(self):
        run = self.atime("-o", self.path("r"), "echo", "-h", "-o", "x", "--", "--format")
        self.assertEqual(run.stdout, "-h -o x -- --format\n")

    def test_a_format_that_there_is_not(self):
        run = self.atime("--format", "xml", "/bin/true")
        self.assertEqual(run.status, 1)
        self.assertOneLine(run.stderr, "unknown format 'xml'")

    def test_bad_intervals_are_said_and_the_default_is_used(self):
        for text, message in (("perf:5000000", "below 10000000 ns"), ("perf:100us", "below 1 ms"),
                              ("perf:soon", "is not a time"), ("perf", "is missing"), ("perf:", "is missing"),
                              ("perf:9h", "is not a time"), ("perf:99999s", "longer than an hour"),
                              ("perf:99999999999999999999", "is not a time")):
            run = self.atime("-t", text, "sh", "-c", "exit 3")
            self.assertEqual(run.status, 3)
            self.assertRegex(run.stderr, f"atime: -t: interval of perf .*{message}.*; 100 ms is used\n", text)

    def test_an_interval_of_what_is_not_measured_is_said(self):
        run = self.atime("-t", "maxlr:100ms", "/bin/true")
        self.assertIn("atime: -t: component 'maxlr' is not measured\n", run.stderr)


if __name__ == "__main__":
    apapi_run.main()
