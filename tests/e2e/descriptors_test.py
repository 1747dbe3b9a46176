"""Programs that are rough with descriptors, streams and their parent."""

import json
import os

import csink_e2e
from csink_e2e import E2eTest, explained_seconds, samples_of


class CloseAll(E2eTest):
    """Closing 3..1023 neither stops the sampling nor lets us close a file of the program."""

    def check(self, mode, threads):
        files = os.path.join(self.folder, "files")
        os.makedirs(files)
        run = self.profile("descriptors", mode, 300, files)
        self.assertEqual(run.stdout, "alive 8 of 8\n")
        self.assertCovers(run.report, 0.6 + 2 * 0.3 * threads, 0.95)

    def test_one_thread(self):
        self.check("closeall", 0)

    def test_four_threads(self):
        self.check("closeall_threads", 4)

    def test_close_range(self):
        self.check("closerange", 0)


class Numbers(E2eTest):
    """The program's next descriptor has the number that it has without us."""

    def test_the_first_free_number_is_free(self):
        # The shell lists its own, without a child whose pipe it still has or not.
        command = ["sh", "-c", "cd /proc/$$/fd && echo *"]
        plain = self.run_command(command, csink_e2e.clean_environment(), self.fresh_folder())
        for stacks in ("off", "fp", "unwind"):
            folder = self.fresh_folder()
            env = csink_e2e.agent_environment(folder, CSINK_STACKS=stacks, CSINK_FOLLOW="none")
            run = self.run_command(command, env, folder)
            self.assertEqual(run.stdout, plain.stdout, stacks)


class Streams(E2eTest):
    def test_the_report_is_shown_though_stderr_was_closed_at_exit(self):
        run = self.run_agent("descriptors", "close_stderr", 300, CSINK_OUTPUT=None)
        self.assertEqual(run.status, 0)
        report = json.loads(run.stderr)
        self.assertGreater(explained_seconds(report), 0.28)

    def test_the_report_is_shown_though_stderr_was_marked_close_on_exec(self):
        run = self.run_agent("descriptors", "cloexec", 300, CSINK_OUTPUT=None)
        self.assertEqual(run.status, 0)
        self.assertGreater(explained_seconds(json.loads(run.stderr)), 0.28)

    def test_output_lands_in_the_named_file(self):
        run = self.run_agent("split", 210,
                             CSINK_OUTPUT=os.path.join(self.folder, "x.%e.%p.%g.%%"))
        path = os.path.join(self.folder, f"x.split.{run.pid}.0.%")
        self.assertTrue(os.path.exists(path), os.listdir(self.folder))
        self.assertEqual((run.status, run.stderr), (0, ""))


class Daemons(E2eTest):
    """A daemon's stderr is /dev/null: its report goes to a file beside the spools."""

    def daemon_report(self, run):
        def found():
            for path in run.spools:
                try:
                    with open(path, "rb") as f:
                        text = f.read()
                except FileNotFoundError:
                    continue  # a spool that has just become a report
                if text.startswith(b"{") and text.rstrip().endswith(b"}"):
                    report = json.loads(text)
                    if report["pid"] != run.pid:
                        return report
            return None
        return self.wait_for(found, f"the daemon's report in {run.spools}")

    def check(self, mode):
        run = self.run_agent("descriptors", mode, 300, CSINK_OUTPUT=None)
        self.assertEqual(run.status, 0)
        report = self.daemon_report(run)
        self.assertGreaterEqual(explained_seconds(report), 0.28)
        self.assertGreater(samples_of(report, "Work"), 250)
        return run

    def test_double_fork_by_hand(self):
        run = self.check("daemonize")
        parent = json.loads(run.stderr)  # it left by _exit, with our report
        self.assertGreaterEqual(explained_seconds(parent), 0.28)

    def test_daemon3(self):
        # The parent leaves by libc's own _exit, which nobody can see: all but the last
        # 100 ms of it are in its spool.
        self.check("daemon3")


if __name__ == "__main__":
    csink_e2e.main()
