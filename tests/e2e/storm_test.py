"""Rare races: small workloads again and again, at a high rate. Label long.

CSINK_E2E_ROUNDS sets the number of rounds (20)."""

import os

import csink_e2e
from csink_e2e import E2eTest

ROUNDS = int(os.environ.get("CSINK_E2E_ROUNDS", "20"))


class Storm(E2eTest):
    """Status and output stay right, nothing is said, nothing is left, in every round."""

    def storm(self, *command, status=0, lines=None, reports=True, **env):
        for round_number in range(ROUNDS):
            with self.subTest(round=round_number):
                run = self.run_agent(*command, CSINK_EVENTS="task-clock@10kHz", **env)
                self.assertEqual((run.status, run.stderr), (status, ""))
                if lines is not None:
                    self.assertEqual(run.stdout, lines)
                self.assertEqual(run.spools, [])
                if reports:
                    self.assertNothingLost(run.report)

    def test_forks_beside_threads(self):
        self.storm("forks", "fork_threads", 10, 5, lines="wrong 0\n")

    def test_raw_forks(self):
        self.storm("forks", "raw_fork", 6, 10, lines="wrong 0\n")

    def test_vforks(self):
        self.storm("forks", "vfork", 60, 10, lines="wrong 0\n")

    def test_exec_chains(self):
        self.storm("forks", "exec_chain", 8, 10)

    def test_exec_by_another_thread(self):
        self.storm("forks", "exec_thread", 0, 20)

    def test_threads_that_come_and_go(self):
        self.storm("thread_lives", 300, 300, 16)

    def test_many_live_threads(self):
        self.storm("thread_lives", 128, 500, 128, "hold")

    def test_main_leaves(self):
        self.storm("thread_ends", "main_leaves", 20)

    def test_cancelled_threads(self):
        self.storm("thread_ends", "cancel", 20)

    def test_raw_threads(self):
        self.storm("thread_ends", "raw_clone", 400)

    def test_exit_beside_busy_threads(self):
        self.storm("exits", "busy_exit", 10, 8, status=3)

    def test_quick_exits_of_tiny_programs(self):
        self.storm("exits", "_exit", 1, 3, status=3, reports=False)

    def test_plugins(self):
        self.storm("dl_storm", os.path.join(csink_e2e.PROGRAMS, "plugin.so"), 200, 100)

    def test_changes_of_user(self):
        self.storm("untouched", "set_user", 50, status=7)

    def test_descriptors_closed(self):
        files = os.path.join(self.folder, "files")
        os.makedirs(files)
        self.storm("descriptors", "closeall_threads", 50, files, lines="alive 8 of 8\n")

    def test_timers_in_a_container(self):
        self.storm("forks", "fork_threads", 10, 20, lines="wrong 0\n", CSINK_SOURCE="timer",
                   reports=False)
        self.storm("thread_lives", 300, 300, 16, CSINK_SOURCE="timer", reports=False)


if __name__ == "__main__":
    csink_e2e.main()
