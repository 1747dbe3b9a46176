"""csink.h: a program pauses, marks and reports itself; samples match its own CPU clock."""

import math
import os
import random
import subprocess
import unittest

import csink_e2e
from csink_e2e import E2eTest, Z_9999, lost_seconds, sampled_seconds, samples_of, total_samples

PERIOD = 1.000003e-3
ENOSYS, EINVAL, E2BIG, ENODATA = 38, 22, 7, 61


def own_seconds(run, key):
    return sum(run.values(key)) / 1e9


class Phases(E2eTest):
    def assertSampled(self, samples, seconds, stretches=0):
        """That many samples stand for the CPU time: less the program's own look at the clock (kernel
        time, below 5 %), give or take what is drawn at the ends of the stretches."""
        expected = seconds / PERIOD
        slack = Z_9999 * math.sqrt(expected + stretches) + 0.001 * expected
        self.assertLessEqual(samples, expected + slack)
        self.assertGreaterEqual(samples, 0.90 * expected - slack)

    def paused_seconds(self, report):
        return sum(p.get("paused_seconds", 0) for p in report["processes"])

    def test_a_thousand_pauses_at_random_moments(self):
        # Stretches of 0.05 to 1.5 ms: most are shorter than the period.
        seed = random.randrange(1 << 30)
        run = self.profile("phases", "pauses", 1000, seed)
        self.assertEqual(run.values("failed"), [], f"seed {seed}")
        sampled, paused = own_seconds(run, "sampled_ns"), own_seconds(run, "paused_ns")
        self.assertSampled(samples_of(run.report, "Alpha"), sampled, 1000)
        # A record may come in the microseconds between a drain and the pause.
        self.assertLessEqual(samples_of(run.report, "Beta"), 8, f"seed {seed}")
        self.assertNothingLost(run.report)
        # What was paused is neither lost nor sampled.
        self.assertLessEqual(lost_seconds(run.report), 0.1 * sampled + 0.02, run.report["verdict"])
        self.assertGreater(paused, 0.3)

    def test_the_timer_source_pauses_too(self):
        run = self.profile("phases", "pauses", 400, 7, CSINK_SOURCE="timer")
        self.assertLessEqual(samples_of(run.report, "Beta"), 0.03 * total_samples(run.report) + 3)
        weight = sampled_seconds(run.report)
        self.assertGreaterEqual(weight, 0.75 * own_seconds(run, "sampled_ns"))
        self.assertLessEqual(weight, 1.25 * own_seconds(run, "sampled_ns") + 0.02)

    def test_marks_part_the_samples(self):
        run = self.profile("phases", "marks", 4, 40, CSINK_KEEP="1")
        self.assertEqual(run.values("failed"), [])
        alpha, beta = own_seconds(run, "alpha_ns"), own_seconds(run, "beta_ns")
        self.assertSampled(samples_of(run.report, "Alpha"), alpha)
        self.assertSampled(samples_of(run.report, "Beta"), beta)
        phases = {p["name"]: p for p in run.report.get("phases", [])}
        if phases:
            self.assertIn("alpha", phases)
            self.assertIn("beta", phases)

    def test_pauses_in_many_threads(self):
        run = self.profile("phases", "threads", 100, 8)
        sampled = own_seconds(run, "sampled_ns")
        self.assertEqual(run.values("failed"), [])
        self.assertSampled(samples_of(run.report, "Alpha"), sampled, 8)
        self.assertLessEqual(samples_of(run.report, "Beta"), 8 + 4)
        # Threads that lived inside the pause are no loss; nor is what the others burned in it.
        self.assertLessEqual(lost_seconds(run.report), 0.1 * sampled + 0.02, run.report["verdict"])

    def test_a_fork_of_a_paused_program_is_paused(self):
        run = self.profile("phases", "fork", 150)
        self.assertEqual(run.values("child_status"), [1])
        self.assertEqual(run.values("parent_status"), [1])
        child = [r for r in run.reports if r["pid"] == int(run.values("child")[0])]
        self.assertEqual(len(child), 1, [r["pid"] for r in run.reports])
        self.assertLessEqual(samples_of(child[0], "Beta"), 1)
        self.assertSampled(samples_of(child[0], "Alpha"), own_seconds(run, "sampled_ns"), 1)

    def test_what_a_paused_program_becomes_is_sampled(self):
        run = self.profile("phases", "exec", 150)
        self.assertLessEqual(samples_of(run.report, "Beta"), 1)
        self.assertSampled(samples_of(run.report, "Alpha"), 0.150 + own_seconds(run, "sampled_ns"), 2)

    def test_a_snapshot_and_the_report_after_it(self):
        run = self.run_agent("phases", "snapshot", 150)
        self.assertEqual((run.status, run.values("snapshot")), (0, [0]), run.stderr)
        first, last = sorted(run.reports, key=total_samples)
        self.assertEqual((first["state"], last["state"]), ("live", "complete"))
        self.assertGreater(total_samples(last), 1.5 * total_samples(first))
        self.assertEqual(run.spools, [])

    def test_errors_by_name(self):
        # A snapshot fails until there is a sample. The period is longer than the whole program, so the agent may warn
        # that nothing was sampled.
        run = self.run_agent("phases", "errors", CSINK_EVENTS="task-clock@500M")
        self.assertEqual(run.status, 0, run.stderr)
        self.assertRegex(run.stderr, r"\A(csink: warn: nothing was sampled [^\n]*\n)?\Z")
        for key, error in (("mark_null", EINVAL), ("mark_empty", EINVAL), ("mark_control", EINVAL),
                           ("mark_long", E2BIG), ("snapshot_early", ENODATA), ("status", 0),
                           ("marks_failed", 1100 - 1024), ("again", 0)):
            self.assertEqual(run.values(key), [error], key)

    def test_each_way_to_link(self):
        for program in ("phases", "phases_no_pie"):
            plain = self.run_plain(program, "pauses", 1, 1)
            self.assertEqual(plain.values("failed"), [ENOSYS] * 2, program)
            run = self.run_agent(program, "snapshot", 100)
            self.assertEqual(run.values("snapshot"), [0], program + run.stderr)
        static = self.run_agent("phases_static", "snapshot", 20)
        self.assertEqual((static.status, static.values("snapshot")), (0, [ENOSYS]))
        cxx = self.run_agent("phases_cxx")
        self.assertEqual([cxx.values(k) for k in ("status", "mark", "pause", "resume")],
                         [[0], [0], [0], [0]])

    def test_without_the_agent_or_switched_off(self):
        off = self.run_agent("phases", "pauses", 1, 1, CSINK_ENABLE="0")
        self.assertEqual(off.values("failed"), [ENOSYS] * 2)


if __name__ == "__main__":
    csink_e2e.main()
