"""Limits of descriptors and locked memory: what is not sampled is counted as lost."""

import errno
import os
import shutil
import tempfile
import unittest

import csink_e2e
from csink_e2e import E2eTest, explained_seconds, lost_seconds, sampled_seconds

NOBODY = 65534


class Descriptors(E2eTest):
    def test_no_descriptor_left_for_new_threads(self):
        run = self.run_agent("descriptors", "emfile", 200, 4)
        self.assertEqual(run.status, 0, run.stderr)
        self.assertLessEqual(len(run.own_lines), 1, run.stderr)
        report = self.any_report(run)
        self.assertGreaterEqual(explained_seconds(report), 0.37)  # main's own two burns
        # The four threads are sampled by another source, or counted as lost.
        self.assertGreaterEqual(sampled_seconds(report) + lost_seconds(report), 0.9 * 1.2)


@unittest.skipUnless(shutil.which("prlimit"), "no prlimit (util-linux)")
class RealTime(E2eTest):
    """RLIMIT_RTTIME of 0: the kernel ends a process for a CPU timer, real-time or not."""

    def run_limited(self, *args, **env):
        # The launcher itself goes without: a timer that is there when the limit comes is too late.
        launcher = ("prlimit", "--rttime=0:0", "env", "LD_PRELOAD=" + csink_e2e.AGENT)
        return self.run_agent(*args, launcher=launcher, LD_PRELOAD=None, **env)

    def test_an_agent_thread_drains(self):
        run = self.run_limited("split", 1000)
        self.assertEqual((run.status, run.stderr), (0, ""))
        self.assertCovers(run.report, sum(run.values("cpu_ns")) / 1e9, 0.9)

    def test_the_timer_source_says_why_it_cannot_be(self):
        run = self.run_limited("split", 300, CSINK_SOURCE="timer")
        self.assertEqual(run.status, 0, run.stderr)
        self.assertIn("RLIMIT_RTTIME is 0", run.stderr)


@unittest.skipUnless(os.geteuid() == 0 and shutil.which("setpriv"),
                     "needs root and setpriv to become an ordinary user")
class OrdinaryUser(E2eTest):
    user = NOBODY
    program = "thread_lives"

    def setUp(self):
        super().setUp()
        # The build tree may be closed to others: what the user runs is copied.
        self.bin = tempfile.mkdtemp(prefix="csink-e2e-bin-")
        self.addCleanup(shutil.rmtree, self.bin)
        os.chmod(self.bin, 0o755)
        os.chmod(self.folder, 0o711)
        for path in (csink_e2e.AGENT, csink_e2e.TOOL, csink_e2e.program_path(self.program)):
            shutil.copy(path, self.bin)

    def fresh_folder(self):
        folder = super().fresh_folder()
        os.chown(folder, self.user, self.user)
        os.chown(os.path.join(folder, "spool"), self.user, self.user)
        return folder

    def run_as_user(self, *args, launcher=(), **env):
        mine = {p: os.path.join(self.bin, os.path.basename(p))
                for p in (csink_e2e.AGENT, csink_e2e.TOOL)}
        launcher = ("setpriv", f"--reuid={self.user}", f"--regid={self.user}", "--clear-groups", "--",
                    *launcher)
        env = {"LD_PRELOAD": mine[csink_e2e.AGENT], "CSINK_REPORTER": mine[csink_e2e.TOOL]} | env
        return self.run_agent(os.path.join(self.bin, self.program), *args, launcher=launcher, **env)


class Tasks(OrdinaryUser):
    """The agent's thread must not take the program's last task (ulimit -u)."""

    user = NOBODY - 1  # the limit counts all processes of the user
    program = "last_place"

    def run_limited(self, limit, mode, lines=0):
        run = self.run_as_user(mode, launcher=("prlimit", f"--nproc={limit}"), CSINK_REPORT="0")
        self.assertEqual(run.status, 0, run.stderr)
        self.assertEqual(len(run.own_lines), lines, run.stderr)
        return run

    def test_a_thread_gets_the_last_place(self):
        self.assertEqual(self.run_limited(2, "thread").values("create"), [0])

    def test_a_child_gets_the_last_place(self):
        run = self.run_limited(3, "fork")
        self.assertEqual((run.values("create"), run.values("fork")), ([0], [0]))

    def test_what_is_really_too_much_is_refused(self):
        self.assertEqual(self.run_limited(1, "thread", lines=1).values("create"), [errno.EAGAIN])


class LockedMemory(OrdinaryUser):
    """An ordinary user's rings share a budget of locked memory."""

    def live_threads(self, count):
        run = self.run_as_user(count, 20000 if count < 300 else 5000, count, "hold")
        self.assertEqual(run.status, 0, run.stderr)
        self.assertLessEqual(len(run.own_lines), 1, run.stderr)
        self.assertEqual(run.values("threads"), [count])
        burned = run.values("cpu_ns")[0] / 1e9 + 0.1
        report = run.report
        self.assertEqual(report["verdict"]["lost_records"], 0)
        self.assertGreaterEqual(sampled_seconds(report) + lost_seconds(report), 0.9 * burned)
        return sampled_seconds(report) / burned

    def test_200_live_threads(self):
        self.assertGreaterEqual(self.live_threads(200), 0.9)

    def test_600_live_threads(self):
        self.assertGreaterEqual(self.live_threads(600), 0.85)

    def test_1000_live_threads(self):
        self.assertGreaterEqual(self.live_threads(1000), 0.8)


if __name__ == "__main__":
    csink_e2e.main()
