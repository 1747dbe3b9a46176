"""fork, vfork, spawn, exec: nobody notices us, every process is reported on its own."""

import csink_e2e
from csink_e2e import E2eTest, explained_seconds, lost_seconds, sampled_seconds, samples_of


class Forks(E2eTest):
    def test_children_are_reported_on_their_own(self):
        run = self.profile("forks", "fork", 3, 150)
        self.assertEqual(run.stdout, "wrong 0\n")
        self.assertEqual(len(run.reports), 4)
        self.assertCovers(run.report, 0.3, 0.96)
        self.assertEqual(samples_of(run.report, "ChildWork"), 0)
        for child in (r for r in run.reports if r["pid"] != run.pid):
            self.assertCovers(child, 0.15, 0.9)
            self.assertGreater(samples_of(child, "ChildWork"), 130)
            self.assertEqual(samples_of(child, "ParentWork"), 0)

    def test_children_with_few_samples_are_silent(self):
        run = self.profile("forks", "fork", 10, 5)
        self.assertEqual(run.stdout, "wrong 0\n")
        self.assertEqual((len(run.reports), run.spools), (0, []))

    def test_forks_beside_four_busy_threads(self):
        run = self.profile("forks", "fork_threads", 20, 30)
        self.assertEqual(run.stdout, "wrong 0\n")
        own = run.report
        self.assertEqual(samples_of(own, "ChildWork"), 0)
        self.assertEqual(own["verdict"]["threads_seen"], 5)
        self.assertGreater(own["verdict"]["explained_share"], 0.9)
        children = [r for r in run.reports if r["pid"] != run.pid]
        self.assertGreaterEqual(len(children), 18)
        for child in children:
            self.assertEqual(samples_of(child, "ParentWork"), 0)

    def test_forks_that_no_handler_hears_of(self):
        run = self.profile("forks", "raw_fork", 4, 150)
        self.assertEqual(run.stdout, "wrong 0\n")
        self.assertEqual(samples_of(run.report, "ChildWork"), 0)
        self.assertCovers(run.report, 0.3, 0.96)

    def test_a_fork_handler_before_ours_makes_threads(self):
        run = self.profile("early_handler", 4, 100)
        self.assertEqual(run.stdout, "wrong 0\n")
        children = [r for r in run.reports if r["pid"] != run.pid]
        self.assertEqual(len(children), 4)
        for child in children:
            self.assertGreater(samples_of(child, "Early"), 70)
            self.assertGreater(samples_of(child, "Late"), 80)

    def test_vfork(self):
        run = self.profile("forks", "vfork", 200, 150)
        self.assertEqual(run.stdout, "wrong 0\n")
        self.assertGreaterEqual(explained_seconds(run.report), 0.29)

    def test_posix_spawn(self):
        run = self.profile("forks", "spawn", 200, 150)
        self.assertEqual(run.stdout, "wrong 0\n")
        self.assertGreaterEqual(explained_seconds(run.report), 0.29)

    def test_system_and_popen(self):
        run = self.profile("forks", "system", 20, 150)
        self.assertEqual(run.stdout, "wrong 0\n")
        self.assertGreaterEqual(explained_seconds(run.report), 0.29)


class Exec(E2eTest):
    def test_a_chain_of_images_is_one_report(self):
        run = self.profile("forks", "exec_chain", 20, 40)
        report = run.report
        self.assertEqual(len(run.reports), 1, [r["pid"] for r in run.reports])
        rows = report["processes"]
        self.assertEqual({r["pid"] for r in rows}, {run.pid})
        self.assertEqual(sorted(r["generation"] for r in rows), list(range(21)))
        self.assertCovers(report, 21 * 0.040, 0.9)
        self.assertEqual(run.spools, [])

    def test_a_shell_that_becomes_the_program_is_one_report(self):
        script = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; exec split 210"
        run = self.profile("sh", "-c", script, PATH=csink_e2e.PROGRAMS + ":/usr/bin:/bin")
        self.assertEqual(len(run.reports), 1)
        rows = {r["program"]: r for r in run.report["processes"]}
        self.assertEqual(len(rows), 2, run.report["processes"])
        self.assertGreater(rows["split"]["samples"], 190)
        self.assertEqual({r["pid"] for r in rows.values()}, {run.pid})
        self.assertEqual(sorted(r["generation"] for r in rows.values()), [0, 1])
        self.assertEqual(run.spools, [])

    def test_exec_by_another_thread(self):
        run = self.profile("forks", "exec_thread", 0, 200)
        self.assertEqual(run.stdout, "wrong 0\n")
        self.assertGreater(samples_of(run.report, "ChildWork"), 270)

    def test_a_failing_exec_changes_nothing(self):
        run = self.profile("forks", "exec_fails", 20, 20)
        self.assertEqual(run.stdout, "wrong 0\n")
        self.assertEqual(len(run.reports), 1)
        self.assertCovers(run.report, 0.4, 0.95)

    def test_every_exec_function_keeps_what_was_collected(self):
        # Each child burns 60 ms and is replaced by an image that burns nothing: its
        # samples must not go with it.
        run = self.run_agent("forks", "exec_variants", 1, 60)
        self.assertEqual((run.status, run.stdout), (0, "wrong 0\n"), run.stderr)
        kept = {}
        for report in run.reports:
            kept[report["pid"]] = samples_of(report, "ChildWork")
        for spool in run.spools:
            report = self.report_of_spool(spool)
            kept[report["pid"]] = kept.get(report["pid"], 0) + samples_of(report, "ChildWork")
        self.assertEqual(len([n for n in kept.values() if n > 50]), 9, kept)

    def test_an_image_that_burns_nothing_reports_the_one_before_it(self):
        loop = "for ((i = 0; i < 150000; i++)); do :; done; exec sleep 0"
        run = self.profile("bash", "-c", loop)
        self.assertEqual(len(run.reports), 1)
        self.assertEqual([p["program"] for p in run.report["processes"]][0], "bash")
        self.assertEqual(run.spools, [])


class Trees(E2eTest):
    """csink run: one report of a process tree."""

    THREE = "split 210 & split 280 & split 350 & wait; exit {}"

    def tree(self, script, *options):
        folder = self.fresh_folder()
        env = csink_e2e.tool_environment(CSINK_SPOOL_DIR=folder + "/spool")
        env["PATH"] = csink_e2e.PROGRAMS + ":" + env.get("PATH", "/usr/bin:/bin")
        command = [csink_e2e.TOOL, "run", *options, "--format", "json", "-o",
                   folder + "/report.tree", "--", "sh", "-c", script]
        return self.run_command(command, env, folder)

    def test_one_report_with_a_row_per_process(self):
        run = self.tree(self.THREE.format(0), "-e", "task-clock")
        self.assertEqual((run.status, run.stderr), (0, ""))
        self.assertEqual(len(run.reports), 1)
        report = run.reports[0]
        rows = [p for p in report["processes"] if p["program"] == "split"]
        self.assertEqual(len(rows), 3, report["processes"])
        self.assertEqual(len({p["pid"] for p in rows}), 3)
        self.assertCovers(report, 0.84, 0.96, 1.2)
        self.assertShare(report, "work::Sixty", 0.6)
        self.assertEqual(run.spools, [])

    def test_exit_status_is_passed_on(self):
        self.assertEqual(self.tree(self.THREE.format(3)).status, 3)

    def test_death_by_signal_is_passed_on(self):
        run = self.tree("split 210; kill -TERM $$")
        self.assertEqual(run.status, 128 + 15)
        self.assertEqual(len(run.reports), 1)

    def test_small_processes_enter_the_total(self):
        # 40 processes of some 10 samples each: too few for a report of their own.
        script = "i=0; while [ $i -lt 40 ]; do exits return 12 0; i=$((i+1)); done"
        run = self.tree(script, "-e", "task-clock@5kHz")
        self.assertEqual(run.status, 0)
        self.assertGreaterEqual(sampled_seconds(run.reports[0]) + lost_seconds(run.reports[0]),
                                0.8 * 0.48)

    def test_a_missing_program_is_127_and_one_line(self):
        folder = self.fresh_folder()
        run = self.run_command([csink_e2e.TOOL, "run", "--", "/no/such/program"],
                               csink_e2e.tool_environment(), folder)
        self.assertEqual(run.status, 127)
        self.assertEqual(len(run.stderr.splitlines()), 1, run.stderr)


if __name__ == "__main__":
    csink_e2e.main()
