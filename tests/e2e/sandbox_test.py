"""Containers that refuse perf, and programs that lock themselves in."""

import os

import csink_e2e
from csink_e2e import E2eTest, explained_seconds, lost_seconds, sampled_seconds, samples_of, total_samples


class NoPerf(E2eTest):
    """perf_event_open refused by a seccomp filter, as container runtimes do."""

    def under(self, error, *args, **env):
        launcher = (csink_e2e.program_path("no_perf"), error)
        run = self.run_agent(*args, launcher=launcher, **env)
        if run.status == csink_e2e.SKIP:
            self.skipTest("no seccomp here: " + run.stderr)
        self.assertEqual((run.status, run.stderr), (0, ""))
        self.assertEqual(run.spools, [])
        return run

    def check(self, error, threads=1, **env):
        run = self.under(error, "split", 1400 // threads, threads, **env)
        report = run.report
        self.assertEqual(report["source"], "timer")
        self.assertRegex(report["source_reason"].lower(), "perf|refus|permi|seccomp|file-max")
        self.assertShare(report, "work::Sixty", 0.6)
        self.assertShare(report, "work::Thirty", 0.3)
        self.assertShare(report, "work::Ten", 0.1)
        # Ticks, each weighted by what passed since the last one.
        self.assertCovers(report, sum(run.values("cpu_ns")) / 1e9, 0.85, 1.15)
        return report

    def test_eperm(self):
        self.check("EPERM")

    def test_eacces(self):
        self.check("EACCES")

    def test_enosys(self):
        self.check("ENOSYS")

    def test_enfile(self):
        self.check("ENFILE")

    def test_with_the_automatic_event(self):
        self.check("EPERM", CSINK_EVENTS=None)

    def test_three_threads(self):
        report = self.check("EPERM", threads=3)
        self.assertEqual(len([t for t in report["threads"] if t["samples"] > 30]), 3)

    def test_the_timer_on_request(self):
        run = self.profile("split", 1400, CSINK_SOURCE="timer")
        self.assertEqual(run.report["source"], "timer")
        self.assertShare(run.report, "work::Sixty", 0.6)

    def test_the_ring_on_request_is_refused_in_one_line(self):
        launcher = (csink_e2e.program_path("no_perf"), "EPERM")
        run = self.run_agent("split", 280, launcher=launcher, CSINK_SOURCE="ring")
        self.assertEqual((run.status, len(run.own_lines)), (0, 1), run.stderr)
        self.assertIn("CSINK_SOURCE", run.stderr)
        self.assertEqual(run.report["source"], "timer")
        self.assertRegex(run.report["source_reason"], "seccomp filter refuses")

    def test_a_program_with_a_plan_for_all_signals_survives(self):
        run = self.run_agent("untouched", "all_default", 500,
                             launcher=(csink_e2e.program_path("no_perf"), "EPERM"))
        self.assertEqual((run.status, run.stdout), (7, "survived\n"), run.stderr)

    def test_forks_and_execs(self):
        self.assertEqual(self.under("EPERM", "forks", "vfork", 50, 150).stdout, "wrong 0\n")
        self.assertEqual(self.under("EPERM", "forks", "fork", 3, 150).stdout, "wrong 0\n")

    def test_a_storm_of_threads(self):
        run = self.under("EPERM", "thread_lives", 200, 2000, 8)
        self.assertEqual(run.values("threads"), [200])


class LocksItselfIn(E2eTest):
    """A filter that kills on open, installed while running, never kills the program."""

    open_to_others = False

    def fresh_folder(self):
        folder = super().fresh_folder()
        if self.open_to_others:
            os.chmod(self.folder, 0o711)
            os.chmod(folder, 0o777)
        return folder

    def check(self, mode, before, *more):
        run = self.run_agent("sandbox", mode, before, 300, *more)
        if run.status == csink_e2e.SKIP:
            self.skipTest(run.stderr.strip())
        self.assertEqual((run.status, run.stdout), (0, "still here\n"), run.stderr)
        self.assertLessEqual(len(run.own_lines), 1, run.stderr)
        report = self.any_report(run)
        self.assertAtLeast(samples_of(report, "After") / 300, 0.9)
        if before:
            # Up to one period of the time has no sample yet.
            self.assertAtLeast((samples_of(report, "Before") + 1) / before, 0.9)
        # Its clocks cannot be read any more: the CPU time goes on with the samples.
        cpu = sum(row["user_seconds"] for row in report["processes"])
        self.assertAtLeast(1000 * cpu / (before + 300), 0.85)
        return run

    def test_by_prctl_after_a_while(self):
        self.check("prctl", 300)

    def test_by_prctl_before_the_first_drain(self):
        self.check("prctl", 15)

    def test_by_prctl_at_once(self):
        self.check("prctl", 0)

    def test_by_syscall_after_a_while(self):
        self.check("syscall", 300)

    def test_by_syscall_at_once(self):
        self.check("syscall", 0)

    def test_a_list_of_what_may_be_called(self):
        # Not even a handler may return, nor a line be written as we write it.
        for source in ("ring", "timer"):
            for before in (0, 300):
                with self.subTest(source=source, before=before):
                    run = self.run_agent("sandbox", "allow_list", before, 300, CSINK_SOURCE=source)
                    if run.status == csink_e2e.SKIP:
                        self.skipTest(run.stderr.strip())
                    self.assertEqual((run.status, run.stdout), (0, "still here\n"), run.stderr)
                    if before and source == "ring":
                        self.assertGreater(samples_of(self.any_report(run), "Before"), 0.9 * before)

    def test_a_list_of_what_may_not_be_called(self):
        for source in ("ring", "timer"):
            with self.subTest(source):
                run = self.run_agent("sandbox", "deny_list", 300, 300, CSINK_SOURCE=source)
                if run.status == csink_e2e.SKIP:
                    self.skipTest(run.stderr.strip())
                self.assertEqual((run.status, run.stdout), (0, "still here\n"), run.stderr)

    def test_a_filter_for_all_threads(self):
        # At whatever moment of a sweep it comes.
        for before in range(0, 100, 10):
            with self.subTest(before):
                run = self.run_agent("sandbox", "all_threads", before, 60)
                if run.status == csink_e2e.SKIP:
                    self.skipTest(run.stderr.strip())
                self.assertEqual((run.status, run.stdout), (0, "still here\n"), run.stderr)

    def test_strict_mode(self):
        # read, write, exit, sigreturn: a drain may use no system call at all.
        run = self.run_agent("sandbox", "strict", 300, 300)
        if run.status == csink_e2e.SKIP:
            self.skipTest(run.stderr.strip())
        self.assertEqual((run.status, run.stdout), (0, "still here\n"), run.stderr)
        report = self.any_report(run)
        self.assertGreater(samples_of(report, "Before"), 250)
        self.assertGreater(total_samples(report), 300)

    def test_becoming_another_user(self):
        self.need_root()
        self.open_to_others = True
        self.check("setuid", 300)
        self.check("setuid", 0)

    def test_not_dumpable(self):
        self.check("dumpable", 300)
        self.check("dumpable", 0)

    def test_perf_switched_off_by_the_program_is_reported_as_lost(self):
        run = self.run_agent("sandbox", "perf_off", 300, 300)
        self.assertEqual((run.status, run.stdout), (0, "still here\n"), run.stderr)
        self.assertGreaterEqual(sampled_seconds(run.report) + lost_seconds(run.report), 0.57)

    def test_chroot(self):
        self.need_root()
        empty = os.path.join(self.folder, "empty")
        os.makedirs(empty)
        run = self.check("chroot", 300, empty)
        self.assertGreater(explained_seconds(self.any_report(run)), 0.55)
        self.assertEqual(os.listdir(empty), [])

    def test_a_machine_without_proc(self):
        self.need_mount_namespace()
        launcher = ("unshare", "--mount", "sh", "-c",
                    "mount -t tmpfs none /proc 2>/dev/null || exit 77; exec \"$0\" \"$@\"")
        run = self.run_agent("split", 280, 2, launcher=launcher)
        if run.status == csink_e2e.SKIP:
            self.skipTest("cannot mount over /proc in a namespace of its own")
        self.assertEqual(run.status, 0, run.stderr)
        self.assertEqual([l.split()[0] for l in run.stdout.splitlines()], ["cpu_ns"] * 2)
        self.assertLessEqual(len(run.own_lines), 1, run.stderr)


if __name__ == "__main__":
    csink_e2e.main()
