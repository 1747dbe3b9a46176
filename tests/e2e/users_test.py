"""csink run as root on processes that become other users: their samples are there, and what another user
plants is not."""

import glob
import json
import os
import pwd
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest
import urllib.request

import csink_e2e
from csink_e2e import E2eTest, samples_of

NOBODY = 65534
AS_NOBODY = ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--")


@unittest.skipUnless(os.geteuid() == 0 and shutil.which("setpriv"), "needs root, and setpriv to become others")
class UsersTest(E2eTest):
    programs = ("other_users", "split")

    def setUp(self):
        super().setUp()
        # The build tree may be closed to others: what they run is copied.
        self.bin = tempfile.mkdtemp(prefix="csink-e2e-bin-")
        self.addCleanup(shutil.rmtree, self.bin)
        os.chmod(self.bin, 0o755)
        os.chmod(self.folder, 0o711)
        for path in (csink_e2e.AGENT, *map(csink_e2e.program_path, self.programs)):
            shutil.copy(path, self.bin)

    def tree(self, *command, status=0, during=None, **env):
        folder = self.fresh_folder()
        os.chmod(folder, 0o711)
        environment = csink_e2e.tool_environment(
            CSINK_SPOOL_DIR=folder + "/spool", CSINK_AGENT=os.path.join(self.bin, os.path.basename(csink_e2e.AGENT)))
        environment["PATH"] = self.bin + ":" + environment.get("PATH", "/usr/bin:/bin")
        environment.update(env)
        run = self.run_command([csink_e2e.TOOL, "run", "-e", "task-clock", "--format", "json", "-o",
                                folder + "/report.tree", "--", *map(str, command)], environment, folder, during)
        self.assertEqual(run.status, status, run.stderr)
        return run

    def assertNothingLeft(self, run):
        self.assertEqual(run.spools, [])
        self.assertEqual(glob.glob("/dev/shm/csink-users/*"), [])

    def assertAllThere(self, run):
        """No CPU time of the tree is without samples, and no word was needed."""
        self.assertEqual(run.stderr, "")
        self.assertNothingLost(run.reports[0])
        self.assertNothingLeft(run)


class Changes(UsersTest):
    def test_forked_children_that_drop(self):
        run = self.tree("other_users", "drop", 300)
        self.assertAllThere(run)
        rows = [p for p in run.reports[0]["processes"] if p["samples"] > 150]
        self.assertEqual(len(rows), 2, run.reports[0]["processes"])
        self.assertGreater(samples_of(run.reports[0], "AsFirst"), 300)

    def test_a_process_that_drops_and_executes(self):
        run = self.tree(*AS_NOBODY, "split", 300)
        self.assertAllThere(run)
        rows = [(p["program"], p["samples"] > 150) for p in run.reports[0]["processes"]]
        self.assertEqual(sorted(rows), [("setpriv", False), ("split", True)])

    def test_small_processes_of_another_user(self):
        run = self.tree(*AS_NOBODY, "sh", "-c", "for i in 1 2 3 4 5 6; do split 20; true; /bin/true; done")
        self.assertAllThere(run)
        programs = [p["program"] for p in run.reports[0]["processes"]]
        self.assertEqual((programs.count("split"), programs.count("true")), (6, 6), programs)

    def test_a_process_that_changes_its_user_twice(self):
        run = self.tree("other_users", "twice", 150)
        self.assertAllThere(run)
        self.assertGreater(samples_of(run.reports[0], "AsRoot"), 75)
        self.assertGreater(samples_of(run.reports[0], "AsFirst"), 150)
        self.assertGreater(samples_of(run.reports[0], "AsSecond"), 150)

    def test_an_ordinary_user_has_no_second_place(self):
        folder = self.fresh_folder()
        for path in (folder, folder + "/spool"):
            os.chown(path, NOBODY, NOBODY)
        shutil.copy(csink_e2e.TOOL, self.bin)
        env = csink_e2e.tool_environment(CSINK_SPOOL_DIR=folder + "/spool", CSINK_AGENT=os.path.join(
            self.bin, os.path.basename(csink_e2e.AGENT)))
        places = "ls /dev/shm/csink-users/ 2>&1 | grep -c tree"
        run = self.run_command([*AS_NOBODY, self.bin + "/csink", "run", "--format", "json", "-o",
                                folder + "/report.tree", "--", "sh", "-c", f"{self.bin}/split 200; {places}; true"],
                               env, folder)
        self.assertEqual((run.status, run.stderr), (0, ""))
        self.assertEqual(run.stdout.split()[-1], "0")
        self.assertGreater(samples_of(run.reports[0], "work::Sixty"), 50)


if __name__ == "__main__":
    csink_e2e.main()
