"""No room, no right, no file: one clear line, and the program runs on unharmed."""

import os
import random
import subprocess
import sys

import csink_e2e
from csink_e2e import E2eTest, explained_seconds


class Trouble(E2eTest):
    def unharmed(self, run):
        """The program did its work, and we said at most one line."""
        self.assertEqual(run.status, 0, run.stderr)
        self.assertEqual([l.split()[0] for l in run.stdout.splitlines()], ["cpu_ns"])
        self.assertLessEqual(len(run.own_lines), 1, run.stderr)

    def report_or_line(self, run):
        """What was collected is kept, or one line says why not."""
        self.unharmed(run)
        self.assertTrue(run.reports or len(run.own_lines) == 1, "silent loss")

    def small_tmpfs(self, size):
        self.need_root()
        folder = os.path.join(self.folder, "tiny" + size)
        os.makedirs(folder)
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size},mode=700", "csink-e2e",
                               folder], capture_output=True, check=False)
        if done.returncode != 0:
            self.skipTest("cannot mount a tmpfs: " + done.stderr.decode().strip())
        self.addCleanup(subprocess.run, ["umount", folder], check=True)
        return folder

    def test_a_disk_too_small_for_a_spool(self):
        run = self.run_agent("split", 280, CSINK_SPOOL_DIR=self.small_tmpfs("16k"))
        self.report_or_line(run)

    def test_a_disk_that_holds_only_the_beginning(self):
        # Thousands of distinct PCs and a few dozen modules: the spool must grow.
        work = ("import re, json, decimal, email.parser\n"
                "for i in range(400): re.compile('a|b%d' % i); json.dumps([i] * 500)\n"
                "print('cpu_ns 0')")
        for size in ("24k", "48k", "96k"):
            with self.subTest(size=size):
                folder = self.small_tmpfs(size)
                self.unharmed(self.run_agent(sys.executable, "-c", work, CSINK_SPOOL_DIR=folder))

    def test_a_disk_that_fills_up_while_running(self):
        folder = self.small_tmpfs("256k")

        def fill(child):
            csink_e2e.wait_until_burned(child.pid, 0.2)
            try:
                with open(os.path.join(folder, "filler"), "wb", buffering=0) as f:
                    while f.write(b"x" * 4096):
                        pass
            except OSError:
                pass
        run = self.run_agent("split", 420, 3, CSINK_SPOOL_DIR=folder, during=fill)
        self.assertEqual(run.status, 0, run.stderr)
        self.assertGreater(explained_seconds(self.any_report(run)), 0.15)

    def test_a_spool_folder_that_cannot_be_made(self):
        run = self.run_agent("split", 280, CSINK_SPOOL_DIR="/proc/no/such/folder")
        self.report_or_line(run)

    def test_a_spool_folder_that_is_a_file(self):
        run = self.run_agent("split", 280, CSINK_SPOOL_DIR="/dev/null")
        self.report_or_line(run)

    def assertTold(self, run, why):
        """Why the report is not where it should be, and where the spool is."""
        self.assertEqual(run.status, 0)
        self.assertEqual(len(run.own_lines), 2, run.stderr)
        self.assertIn(why, run.own_lines[0])
        self.assertIn("the report could not be written: show the report with csink report ", run.own_lines[1])

    def test_an_output_that_cannot_be_written(self):
        run = self.run_agent("split", 280, CSINK_OUTPUT="/proc/no/report")
        self.assertTold(run, "/proc/no/report")
        self.assertTrue(run.spools, "what was collected is gone")
        self.assertGreater(explained_seconds(self.report_of_spool(*run.spools)), 0.25)

    def test_a_full_output(self):
        run = self.run_agent("split", 280, CSINK_OUTPUT="/dev/full")
        self.assertTold(run, "No space left on device")
        self.assertTrue(run.spools, "what was collected is gone")

    def test_a_reporter_that_is_not_there(self):
        run = self.run_agent("split", 280, CSINK_REPORTER="/no/such/csink")
        self.assertEqual(run.status, 0)
        self.assertEqual(len(run.own_lines), 1, run.stderr)
        self.assertGreater(explained_seconds(self.report_of_spool(*run.spools)), 0.25)

    def test_no_report_wanted(self):
        run = self.profile("split", 280, CSINK_REPORT="off")
        self.assertEqual((len(run.reports), len(run.spools)), (0, 1))


class BadSpools(E2eTest):
    """csink report on files that are not what they should be: 1 and one line."""

    def spool(self):
        run = self.profile("split", 210, CSINK_REPORT="0")
        self.assertEqual(len(run.spools), 1)
        with open(run.spools[0], "rb") as f:
            return f.read()

    def write(self, data):
        path = os.path.join(self.folder, "case.csink")
        with open(path, "wb") as f:
            f.write(data)
        return path

    def refused(self, path):
        status, out, err = self.run_tool("report", path)
        self.assertEqual((status, out), (1, ""), err)
        self.assertEqual(len(err.splitlines()), 1, err)
        self.assertIn(os.path.basename(path), err)

    def test_truncated_in_the_header(self):
        spool = self.spool()
        for size in (0, 1, 8, 100, 4096):
            with self.subTest(size=size):
                self.refused(self.write(spool[:size]))

    def test_truncated_behind_the_header(self):
        spool = self.spool()
        for size in range(8192, len(spool), max(4096, len(spool) // 7) - 24):
            with self.subTest(size=size):
                status, _, err = self.run_tool("report", "--format", "json",
                                               self.write(spool[:size]))
                self.assertIn(status, (0, 1), err)
                self.assertLessEqual(len(err.splitlines()), 1, err)

    def test_of_another_version(self):
        spool = bytearray(self.spool())
        spool[8] = 99
        self.refused(self.write(spool))

    def test_flipped_bytes_never_kill_the_reader(self):
        spool = self.spool()
        dice = random.Random(2)
        for case in range(25):
            damaged = bytearray(spool)
            for _ in range(40):
                damaged[dice.randrange(len(damaged))] = dice.randrange(256)
            with self.subTest(case=case):
                status, _, err = self.run_tool("report", self.write(damaged))
                self.assertIn(status, (0, 1), err)

    def test_foreign_files(self):
        for path in ("/bin/true", "/etc/passwd", "/dev/null", "/no/such/spool"):
            with self.subTest(path=path):
                self.refused(path)

    def test_a_folder_without_spools(self):
        empty = os.path.join(self.folder, "empty")
        os.makedirs(empty)
        self.refused(empty)

    def test_a_good_spool_beside_a_bad_one_is_reported(self):
        good = os.path.join(self.folder, "good.csink")
        with open(good, "wb") as f:
            f.write(self.spool())
        status, out, err = self.run_tool("report", "--format", "json", good, "/bin/true")
        self.assertIn(status, (0, 1), err)
        self.assertIn("work::Sixty", out)


if __name__ == "__main__":
    csink_e2e.main()
