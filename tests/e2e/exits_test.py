"""Every way out of a program gives a report or a spool, and the exit status is its own."""

import signal

import csink_e2e
from csink_e2e import E2eTest, explained_seconds, sampled_seconds, samples_of

BURN_MS = 400


class Leaves(E2eTest):
    """Ways out that the agent sees: the report is there at once."""

    def check(self, mode, status, end=None):
        plain = self.run_plain("exits", mode, BURN_MS)
        self.assertEqual(plain.status, status)
        run = self.run_agent("exits", mode, BURN_MS)
        self.assertEqual(run.status, status, run.stderr)
        self.assertEqual((run.stdout, run.stderr), (plain.stdout, plain.stderr))
        # Where a page fault takes 15 us, an interrupt may, too, and a part of the burning is in the kernel.
        least = 0.98 if csink_e2e.page_fault_us() <= 6 else 0.85
        self.assertAtLeast((explained_seconds(run.report) + 0.002) / (BURN_MS / 1e3), least)
        self.assertEqual(run.report["state"], "complete")
        self.assertEqual(run.spools, [])
        return run

    def test_return_from_main(self):
        self.check("return", 3)

    def test_exit(self):
        self.check("exit", 3)

    def test__exit(self):
        self.check("_exit", 3)

    def test__Exit(self):
        self.check("_Exit", 3)

    def test_quick_exit(self):
        self.check("quick_exit", 3)

    def test_abort(self):
        self.check("abort", -signal.SIGABRT)

    def test_sigint_at_default_action(self):
        self.check("sigint", -signal.SIGINT)

    def test_sigterm_at_default_action(self):
        self.check("sigterm", -signal.SIGTERM)

    def test_own_handler_for_sigint(self):
        run = self.check("own_sigint", 5)
        self.assertIn("own handler", run.stdout)

    def test_signals_that_were_ignored_at_the_start_stay_ignored(self):
        launcher = ("sh", "-c", "trap '' INT TERM; exec \"$0\" \"$@\"")
        for mode in ("sigint", "sigterm"):
            run = self.profile("exits", mode, 100, launcher=launcher, status=3)
            self.assertGreater(explained_seconds(run.report), 0.09)

    def test_exit_beside_eight_busy_threads(self):
        run = self.profile("exits", "busy_exit", 10, 8, status=3)
        self.assertCovers(run.report, run.cpu, 0.93)

    def test_work_on_the_way_out(self):
        run = self.profile("exits", "late", 100, status=3)
        for work in ("WorkAtExit", "WorkInDestructor"):  # 200 ms each
            self.assertAtLeast(samples_of(run.report, work) / 200, 0.95, work)

    def test_sigterm_from_outside_to_many_threads(self):
        self.need_cheap_pages()
        def terminate(child):
            csink_e2e.wait_until_burned(child.pid, 0.8)
            child.send_signal(signal.SIGTERM)
        run = self.run_agent("exits", "forever", 10, 4, during=terminate)
        self.assertEqual(run.status, -signal.SIGTERM)
        self.assertEqual(run.stderr, "")
        self.assertAtLeast(explained_seconds(run.report) / run.cpu, 0.9)


class Dies(E2eTest):
    """Ways out that nobody sees: the spool stays and is readable."""

    def check(self, mode, status):
        plain = self.run_plain("exits", mode, BURN_MS)
        run = self.run_agent("exits", mode, BURN_MS)
        self.assertEqual((plain.status, run.status), (status, status))
        self.assertEqual((run.stdout, run.stderr), (plain.stdout, plain.stderr))
        report = self.any_report(run)
        # All but the last 100 ms of CPU time, and the clock's grain of 4 ms.
        self.assertGreaterEqual(explained_seconds(report), BURN_MS / 1e3 - 0.110)
        self.assertGreater(samples_of(report, "Work"), 0.9 * report["events"][0]["samples"])

    def test_raw_exit_group(self):
        self.check("exit_group", 3)

    def test_segmentation_fault(self):
        self.check("segv", -signal.SIGSEGV)

    def test_csink_run_reports_a_segmentation_fault(self):
        # The report comes from outside of the damaged process.
        folder = self.fresh_folder()
        run = self.run_command([csink_e2e.TOOL, "run", "--format", "json", "-o", folder + "/report.segv", "--",
                                csink_e2e.program_path("exits"), "segv", str(BURN_MS)],
                               csink_e2e.tool_environment(CSINK_SPOOL_DIR=folder + "/spool"), folder)
        self.assertEqual(run.status, 128 + signal.SIGSEGV, run.stderr)
        self.assertEqual(run.spools, [])
        (report,) = run.reports
        self.assertGreaterEqual(explained_seconds(report), BURN_MS / 1e3 - 0.110)
        self.assertTrue(any("killed by SIGSEGV" in note for note in report["verdict"]["notes"]), report["verdict"])

    def test_failed_assertion(self):
        # It is libc's own abort that ends here, past any interposition.
        self.check("assert", -signal.SIGABRT)


class Kill9(E2eTest):
    """kill -9: all but the last 100 ms of CPU time are kept, 250 ms a core with threads."""

    def kill(self, threads, burned):
        def kill(child):
            csink_e2e.wait_until_burned(child.pid, burned)
            child.kill()
        run = self.run_agent("exits", "forever", 10, threads, during=kill)
        self.assertEqual(run.status, -signal.SIGKILL)
        self.assertEqual(len(run.spools), 1, run.spools)
        report = self.report_of_spool(run.spools[0])
        # Nobody with the agent waited for it.
        self.assertEqual(report["state"], "unknown")
        self.assertEqual(report["pid"], run.pid)
        self.assertGreater(samples_of(report, "Work"), 0.9 * report["events"][0]["samples"])
        return run.cpu - sampled_seconds(report)

    def test_one_thread(self):
        self.assertLess(self.kill(1, 1.2), 0.100 + 0.004 + 0.02 * 1.2)

    def test_sixteen_threads(self):
        # The promise is 250 ms of wall time: two busy cores lose twice that of CPU time,
        # and the sweep itself queues behind sixteen busy threads.
        self.assertLess(self.kill(16, 2.4), 2 * 0.250 + 0.250)

    def test_a_folder_is_read_as_well(self):
        def kill(child):
            csink_e2e.wait_until_burned(child.pid, 0.4)
            child.kill()
        run = self.run_agent("exits", "forever", 10, 1, during=kill)
        report = self.report_of_spool(run.spool_folder)
        self.assertGreater(explained_seconds(report), 0.2)


if __name__ == "__main__":
    csink_e2e.main()
