"""Threads that are made, named and ended in unusual ways."""

import os
import platform
import unittest

import csink_e2e
from csink_e2e import E2eTest, functions_named, samples_of, sampled_seconds


class Ways(E2eTest):
    """Threads that are made, named and ended in unusual ways."""

    def check(self, mode, ms=100, least=0.9, program="thread_ways"):
        run = self.profile(program, mode, ms)
        rows = {t["tid"]: t for t in run.report["threads"]}
        period = sampled_seconds(run.report) / run.report["events"][0]["samples"]
        self.assertTrue(run.threads())
        for tid, cpu in run.threads().items():
            self.assertIn(tid, rows)
            self.assertAtLeast(rows[tid]["samples"] * period / cpu, least, rows)
        return run, rows

    def test_stacks_of_the_smallest_size(self):
        plain = self.run_plain("thread_ways", "tiny_stack", 20).values("stack")[0]
        run, _ = self.check("tiny_stack")
        # What begins a thread and ends it, drains included, on the thread's own stack.
        self.assertLessEqual(run.values("stack")[0], plain + 4096)

    def test_every_thread_specific_key_in_use(self):
        plain = self.run_plain("thread_ways", "all_keys", 20)
        run, _ = self.check("all_keys")
        self.assertGreaterEqual(run.values("keys")[0], plain.values("keys")[0] - 1)
        self.assertEqual(run.values("destroyed")[0], 2 * run.values("keys")[0])

    def test_names_given_at_the_last_moment(self):
        run, rows = self.check("late_names")
        for tid in run.threads():
            self.assertEqual(rows[tid]["name"], "named-late")

    def test_threads_that_cannot_be_made_leave_nothing_behind(self):
        run, _ = self.check("refused")
        self.assertEqual(run.values("refused"), [10000])
        self.assertEqual(run.report["verdict"]["threads_seen"], 3)

    def test_cancellation_at_any_moment(self):
        plain = self.run_plain("thread_cancel", 300, 20)
        run, _ = self.check(300, program="thread_cancel")
        self.assertEqual(plain.status, 0, plain.stderr)
        for key in ("cancelled", "cleaned"):
            self.assertEqual(run.values(key), plain.values(key))

    def test_jthreads(self):
        run, _ = self.check("jthreads")
        self.assertEqual(run.report["verdict"]["threads_seen"], 5)

    # Found by looking, twice: 5 ms of wall time apart, more on a loaded machine.
    @unittest.skipUnless(platform.machine() == "x86_64", "makes its stack by hand, for x86-64")
    def test_raw_clone(self):
        self.check("raw_clone", ms=800, least=0.5)

    @unittest.skipUnless(platform.machine() == "x86_64", "makes its stack by hand, for x86-64")
    def test_raw_clone3(self):
        self.check("raw_clone3", ms=800, least=0.5)

    # The same, from the moment on at which main waits for them.
    def test_made_past_every_hook(self):
        self.check("past_us", ms=1600, least=0.5)

    def test_made_and_awaited_past_every_hook(self):
        run = self.run_agent("thread_ways", "past_us_unseen", 400)
        if run.status == csink_e2e.SKIP:
            self.skipTest("the C library's own pthread_create is not to be had")
        self.assertEqual((run.status, run.stderr), (0, ""))
        burned = sum(run.threads().values())
        # Nothing saw these threads, so nobody knows that they were threads.
        self.assertEqual(run.report["verdict"]["lost_seconds"]["unseen_threads"], 0)
        self.assertAlmostEqual(run.report["verdict"]["lost_seconds"]["unexplained"] / burned, 1, delta=0.1)
        self.assertEqual(run.report["verdict"]["grade"], "poor")
        text = self.run_agent("thread_ways", "past_us_unseen", 400, CSINK_FORMAT="text",
                              CSINK_OUTPUT=None).stderr
        self.assertRegex(" ".join(text.split()), r"not sampled: (\d+ ms|[\d.]+ s) unknown")

    def test_no_thread_is_missed_where_none_is(self):
        for args in (("jthreads", 100), ("late_names", 100)):
            run = self.profile("thread_ways", *args)
            self.assertEqual(run.report["verdict"]["lost_seconds"]["unseen_threads"], 0)
        run = self.profile("thread_lives", 3000, 100, 8)
        self.assertEqual(run.report["verdict"]["lost_seconds"]["unseen_threads"], 0)

    def test_a_constructor_that_runs_before_us_or_after(self):
        early = csink_e2e.program_path("early_threads.so")
        for preload in (f"{early}:{csink_e2e.AGENT}", f"{csink_e2e.AGENT}:{early}"):
            run = self.profile("thread_ways", "early", 100, LD_PRELOAD=preload)
            self.assertEqual(len(run.threads()), 3)
            self.assertGreaterEqual(samples_of(run.report, "EarlyWork"), 270, preload)
            self.assertEqual(run.report["verdict"]["threads_seen"], 4)

    @unittest.skipUnless(os.path.exists(csink_e2e.program_path("openmp")), "built without OpenMP")
    def test_a_pool_of_openmp(self):
        run = self.profile("openmp", 200)
        cpu = run.values("cpu_ns")[0] / 1e9
        weight = sum(f["events"][0]["weight"] for f in functions_named(run.report, "Loop")) / 1e9
        self.assertAlmostEqual(weight / cpu, 1, delta=0.1)
        self.assertEqual(run.report["verdict"]["threads_seen"], 4)


if __name__ == "__main__":
    csink_e2e.main()
