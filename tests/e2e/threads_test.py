"""Threads that begin and end in every way there is."""

import csink_e2e
from csink_e2e import E2eTest, lost_seconds, samples_of, sampled_seconds


class Ends(E2eTest):
    """Two threads burn 150 ms each; each must be reported with what it burned."""

    def check(self, mode, ms=150, least=0.95):
        run = self.profile("thread_ends", mode, ms)
        threads = run.threads()
        self.assertTrue(threads)
        rows = {t["tid"]: t for t in run.report["threads"]}
        period = sampled_seconds(run.report) / run.report["events"][0]["samples"]
        for tid, cpu in threads.items():
            self.assertIn(tid, rows, run.report["threads"])
            self.assertAtLeast(rows[tid]["samples"] * period / cpu, least, rows)
        self.assertNothingLost(run.report)
        return run

    def test_return(self):
        run = self.check("return")
        self.assertEqual(run.report["verdict"]["threads_seen"], 3)

    def test_pthread_exit(self):
        self.check("pthread_exit")

    def test_cancel(self):
        self.check("cancel")

    def test_detached(self):
        self.check("detached")

    def test_std_thread(self):
        self.check("std_thread")

    def test_raw_exit(self):
        self.check("raw_exit")

    def test_main_leaves_by_pthread_exit(self):
        run = self.check("main_leaves")
        self.assertGreater(samples_of(run.report, "Worker"), 250)

    # These two escape pthread_create and are found by looking: the time until then
    # is missing, and the report says so.
    def test_thrd_create(self):
        run = self.check("thrd_create", ms=600, least=0.5)
        self.assertGreaterEqual(sampled_seconds(run.report) + lost_seconds(run.report),
                                0.9 * sum(run.threads().values()))

    def test_raw_clone(self):
        run = self.check("raw_clone", ms=800, least=0.5)
        self.assertGreaterEqual(sampled_seconds(run.report) + lost_seconds(run.report),
                                0.9 * sum(run.threads().values()))


if __name__ == "__main__":
    csink_e2e.main()
