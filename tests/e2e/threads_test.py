"""Threads that begin, live and end in every way there is."""

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
            self.assertGreaterEqual(rows[tid]["samples"] * period, least * cpu, rows)
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


class Lives(E2eTest):
    """200 threads of one length: sampled, or named as too short to be."""

    def lives(self, us, *args):
        run = self.profile("thread_lives", 200, us, *args)
        self.assertEqual(run.values("threads"), [200])
        burned = run.values("cpu_ns")[0] / 1e9
        verdict = run.report["verdict"]
        rows = [s for s in verdict["short_threads"] if "Shorty" in s["start_routine"]]
        named = sum(s["cpu_seconds"] for s in rows)
        count = sum(s["threads"] for s in rows)
        # All that main burned lies in MainWork, thread creation and the dynamic linker.
        sampled = sampled_seconds(run.report) * samples_of(run.report, "Shorty") / \
            run.report["events"][0]["samples"]
        return run, burned, sampled, named, count

    def test_a_fifth_of_a_period_is_named_by_start_routine(self):
        run, burned, sampled, named, count = self.lives(200, 8)
        self.assertGreater(count, 180, run.report["verdict"])
        self.assertGreater(sampled + named, 0.6 * burned)
        self.assertLess(sampled + named, 2 * burned)

    def test_most_of_a_period_is_named_by_start_routine(self):
        run, burned, sampled, named, count = self.lives(700, 8)
        self.assertGreater(count, 100, run.report["verdict"])
        self.assertGreater(sampled + named, 0.6 * burned)
        self.assertLess(sampled + named, 1.6 * burned)

    def test_two_periods_are_sampled_or_accounted_for(self):
        run, burned, sampled, _, _ = self.lives(2000, 8)
        self.assertGreater(sampled, 0.45 * burned)
        self.assertGreater(sampled + lost_seconds(run.report), 0.9 * burned)

    def test_twenty_periods_are_sampled(self):
        run, burned, sampled, _, _ = self.lives(5000, 8)
        self.assertGreater(sampled, 0.8 * burned)
        self.assertGreater(sampled + lost_seconds(run.report), 0.9 * burned)
        run = self.profile("thread_lives", 60, 20000, 60, "hold")
        self.assertCovers(run.report, run.values("cpu_ns")[0] / 1e9 + 0.1, 0.9)

    def test_threads_that_come_and_go_do_not_keep_the_agent_busy(self):
        run = self.profile("thread_lives", 500, 1500, 10)
        self.assertEqual(run.values("threads"), [500])
        self.assertLess(run.report["verdict"]["agent_share"], 0.1)
        self.assertGreaterEqual(run.report["verdict"]["threads_seen"], 450)


if __name__ == "__main__":
    csink_e2e.main()
