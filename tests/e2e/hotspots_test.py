"""The main promise: LD_PRELOAD=libagent.so ./app names the true hotspots."""

import os

import csink_e2e
from csink_e2e import E2eTest, explained_seconds, functions_named, samples_of, total_samples


class Split(E2eTest):
    """Three functions that share the CPU time 60 : 30 : 10."""

    def check_shares(self, report):
        self.assertShare(report, "work::Sixty", 0.6)
        self.assertShare(report, "work::Thirty", 0.3)
        self.assertShare(report, "work::Ten", 0.1)

    def test_shares_of_one_thread_are_true(self):
        run = self.profile("split", 840)
        self.check_shares(run.report)
        self.assertCovers(run.report, sum(run.values("cpu_ns")) / 1e9, 0.98)

    def test_shares_of_three_threads_are_true(self):
        run = self.profile("split", 420, 3)
        self.check_shares(run.report)
        self.assertEqual(len([t for t in run.report["threads"] if t["samples"] > 200]), 3)

    def test_the_automatic_event_gives_the_same_shares(self):
        run = self.profile("split", 840, CSINK_EVENTS=None)
        self.check_shares(run.report)
        self.assertTrue(run.report["source_reason"])

    def test_rows_name_module_and_line(self):
        run = self.profile("split", 420)
        sixty = functions_named(run.report, "work::Sixty")[0]
        self.assertEqual(os.path.basename(sixty["module"]), "split")
        self.assertEqual(sixty["source"], "symbol")
        self.assertRegex(sixty["line"], r"(burn\.h|split\.cpp):\d+$")
        hottest = run.report["lines"][0]
        self.assertGreater(hottest["line"], 0)
        self.assertGreater(hottest["events"][0]["samples"], 20)

    def test_intervals_enclose_their_share(self):
        run = self.profile("split", 420)
        for row in run.report["functions"]:
            e = row["events"][0]
            self.assertTrue(0 <= e["low"] <= e["share"] <= e["high"] <= 1, row)
        total = sum(r["events"][0]["share"] for r in run.report["functions"])
        self.assertAlmostEqual(total, 1, delta=0.02)

    def test_header_and_verdict_are_filled(self):
        run = self.profile("split", 420)
        report = run.report
        self.assertEqual(report["version"], 1)
        self.assertEqual(report["state"], "complete")
        self.assertIn("split", report["command"])
        self.assertEqual(report["source"], "ring")
        self.assertEqual(report["verdict"]["threads_seen"], 1)
        self.assertEqual(report["verdict"]["threads_sampled"], 1)
        self.assertEqual(report["verdict"]["samples"], total_samples(report))
        self.assertTrue(report["verdict"]["good"], report["verdict"])
        self.assertGreater(report["verdict"]["explained_share"], 0.95)
        self.assertNothingLost(report)

    def test_the_spool_goes_after_its_report(self):
        run = self.profile("split", 210)
        self.assertEqual(run.spools, [])

    def test_nothing_is_left_in_the_working_directory(self):
        run = self.profile("split", 210)
        self.assertEqual(sorted(os.listdir(run.folder)),
                         [f"report.{run.pid}.0", "spool", "stderr", "stdout"])

    def test_a_spool_is_for_its_owner_only(self):
        run = self.profile("split", 210, CSINK_SPOOL_DIR=None, CSINK_REPORT="0",
                           XDG_RUNTIME_DIR=self.folder)
        spools = [os.path.join(self.folder, "csink", f)
                  for f in os.listdir(os.path.join(self.folder, "csink"))]
        self.assertEqual(len(spools), 1)
        self.assertIn("split", os.path.basename(spools[0]))
        self.assertIn(str(run.pid), os.path.basename(spools[0]))
        self.assertEqual(os.stat(spools[0]).st_mode & 0o777, 0o600)
        self.assertEqual(os.stat(os.path.dirname(spools[0])).st_mode & 0o777, 0o700)

    def test_the_spool_stays_on_request_and_says_the_same(self):
        run = self.profile("split", 420, CSINK_KEEP="yes")
        self.assertEqual(len(run.spools), 1)
        again = self.report_of_spool(run.spools[0])
        self.assertEqual(total_samples(again), total_samples(run.report))
        self.assertEqual(samples_of(again, "work::Sixty"), samples_of(run.report, "work::Sixty"))


class Text(E2eTest):
    """The report for people, on stderr, with nothing set but LD_PRELOAD."""

    def test_names_the_hotspots_in_their_order(self):
        run = self.run_agent("split", 840, CSINK_OUTPUT=None, CSINK_FORMAT=None, CSINK_TOP=None,
                             CSINK_EVENTS=None, CSINK_REPORTER=None)
        self.assertEqual(run.status, 0)
        places = [run.stderr.find(f"work::{name}") for name in ("Sixty", "Thirty", "Ten")]
        self.assertNotIn(-1, places, run.stderr)
        self.assertEqual(places, sorted(places), run.stderr)
        self.assertIn("split", run.stderr.splitlines()[0] + run.stderr.splitlines()[1])
        self.assertIn("verdict", run.stderr)
        self.assertIn("split.cpp" if "split.cpp" in run.stderr else "burn.h", run.stderr)

    def test_leaves_stdout_alone(self):
        run = self.run_agent("split", 210, CSINK_OUTPUT=None, CSINK_FORMAT="text")
        self.assertEqual([l.split()[0] for l in run.stdout.splitlines()], ["cpu_ns"])

    def test_a_process_with_few_samples_is_silent(self):
        run = self.run_agent("split", 1, CSINK_OUTPUT=None)
        run_true = self.run_agent("/bin/true", CSINK_OUTPUT=None)
        self.assertEqual((run_true.stderr, run_true.spools), ("", []))
        self.assertEqual(run.status, 0)

    def test_a_report_that_costs_more_than_the_program_is_one_line(self):
        plain = dict(CSINK_OUTPUT=None, CSINK_FORMAT=None, CSINK_TOP=None, CSINK_EVENTS=None)
        run = self.run_agent("split", 20, **plain)
        self.assertNotIn("verdict", run.stderr)
        self.assertLessEqual(len(run.own_lines), 1, run.stderr)
        self.assertEqual(run.spools, [])
        asked = self.run_agent("split", 20, **(plain | {"CSINK_MIN_SAMPLES": "1"}))
        self.assertIn("verdict", asked.stderr)

    def test_few_lines_on_request(self):
        run = self.run_agent("split", 420, CSINK_OUTPUT=None, CSINK_FORMAT="text", CSINK_TOP="1")
        functions = run.stderr.split("hottest lines ")[0]  # the second table begins there
        self.assertIn("work::Sixty", functions)
        self.assertNotIn("work::Ten", functions)


class Rates(E2eTest):
    def test_a_rate_of_4_khz_gives_four_times_the_samples(self):
        run = self.profile("split", 420, CSINK_EVENTS="task-clock@4kHz")
        cpu = sum(run.values("cpu_ns")) / 1e9
        self.assertGreater(total_samples(run.report), 0.95 * 4000 * cpu)
        self.assertLess(total_samples(run.report), 1.05 * 4000 * cpu)
        self.assertCovers(run.report, cpu, 0.97)

    def test_a_period_of_5_ms_gives_a_fifth(self):
        run = self.profile("split", 840, CSINK_EVENTS="task-clock@5000000")
        cpu = sum(run.values("cpu_ns")) / 1e9
        self.assertAlmostEqual(total_samples(run.report), cpu / 0.005, delta=3)

    def test_two_events_are_two_columns(self):
        run = self.profile("split", 420, CSINK_EVENTS="task-clock,page-faults@1")
        names = [e["name"] for e in run.report["events"]]
        self.assertEqual(len(names), 2, names)
        self.assertIn("task-clock", names[0])
        self.assertIn("page-faults", names[1])
        self.assertGreater(run.report["events"][1]["samples"], 0)
        self.assertGreater(explained_seconds(run.report), 0.4)


if __name__ == "__main__":
    csink_e2e.main()
