"""The program sees of itself, and does, what it would without us."""

import csink_e2e
from csink_e2e import E2eTest, explained_seconds, total_samples

OWN_STATUS = 7


class Untouched(E2eTest):
    """`untouched MODE` prints the same with and without the agent."""

    def same(self, mode, ms=300, least=0.9, **env):
        plain = self.run_plain("untouched", mode, ms)
        run = self.run_agent("untouched", mode, ms, **env)
        self.assertEqual(run.stdout, plain.stdout)
        self.assertEqual((run.status, run.stderr), (plain.status, plain.stderr))
        self.assertEqual(run.status, OWN_STATUS)
        # It was sampled meanwhile, or the rest says nothing.
        self.assertGreaterEqual(explained_seconds(run.report), least * ms / 1e3)
        return run

    def test_dispositions_and_masks(self):
        self.same("signals")

    def test_descriptors_and_threads(self):
        run = self.same("process")
        self.assertIn("Threads:\t1\n", run.stdout)

    def test_errno_over_every_interposed_call(self):
        self.same("errno")

    def test_waiting_calls_are_not_interrupted(self):
        run = self.same("waiting", 600)
        self.assertEqual(run.stdout, "interrupted 0\n")

    def test_children_and_wait(self):
        run = self.same("children")
        self.assertEqual(run.stdout, "wait at exit -1 errno 10\n")  # ECHILD, no SIGCHLD

    def test_every_signal_at_default(self):
        run = self.same("all_default", 1000, least=0.95)
        self.assertEqual(run.stdout, "survived\n")

    def test_own_handler_for_our_signal(self):
        run = self.same("own_urg", 500)
        self.assertEqual(run.stdout, "own 10 foreign 0\n")

    def test_own_handler_and_no_perf(self):
        """The CPU timers get another signal, and the samples go on."""
        for mode in ("own_urg", "own_urg_threads"):
            run = self.same(mode, 800, CSINK_SOURCE="timer")
            self.assertIn(run.report["verdict"]["grade"], ("good", "fair"), run.report["verdict"])

    def test_own_handlers_for_both_signals_and_no_perf(self):
        """Without a free signal the rest of the run has no samples, and one line says so."""
        plain = self.run_plain("untouched", "own_both", 800)
        run = self.run_agent("untouched", "own_both", 800, CSINK_SOURCE="timer", CSINK_MIN_SAMPLES="0")
        self.assertEqual((run.status, run.stdout), (plain.status, plain.stdout))
        (line,) = run.own_lines
        self.assertIn("handles SIGURG and SIGWINCH itself: CPU-clock timers are off", line)

    def test_sigwait_for_our_signal(self):
        self.same("sigwait_urg")

    def test_signalfd_for_all_signals(self):
        self.same("signalfd")


    def test_a_process_with_one_thread_stays_one(self):
        self.same("unshare")

    def test_a_process_with_one_thread_again_is_one_again(self):
        self.same("unshare_later")

    def test_changes_of_user_reach_all_threads(self):
        self.same("set_user", least=2.7)

    def test_the_smallest_stacks_are_large_enough(self):
        self.same("small_stacks", least=1.8)


class Exec(E2eTest):
    """What the next image inherits: the environment is cleared, so it runs without us."""

    def same(self, mode):
        plain = self.run_plain("untouched", mode, 300)
        run = self.run_agent("untouched", mode, 300)
        self.assertIn("SigIgn:", plain.stdout)
        self.assertEqual(run.stdout, plain.stdout)
        self.assertEqual((run.status, run.stderr), (plain.status, plain.stderr))
        report = self.any_report(run)  # of the image that was replaced
        self.assertGreater(total_samples(report), 280)

    def test_default_dispositions(self):
        self.same("exec")

    def test_ignored_signals_stay_ignored(self):
        self.same("exec_ignoring")


if __name__ == "__main__":
    csink_e2e.main()
