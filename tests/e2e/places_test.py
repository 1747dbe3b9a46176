"""Places that cannot be used, namespaces, no /proc: one line says what is lost and what helps."""

import json
import os
import shutil
import tempfile
import unittest

import csink_e2e
from csink_e2e import E2eTest, explained_seconds

NOBODY = 65534


class Places(E2eTest):
    def setUp(self):
        super().setUp()
        self.need_root()
        if not shutil.which("unshare"):
            self.skipTest("needs unshare (util-linux)")

    def inside(self, prepare, *args, **env):
        """A program in a mount namespace of its own; `prepare` runs there first."""
        self.need_mount_namespace()
        launcher = ("unshare", "--mount", "sh", "-c",
                    f"{{ {prepare}; }} 2>/dev/null || exit 77; exec \"$0\" \"$@\"")
        run = self.run_agent(*(args or ("split", 210)), launcher=launcher, **env)
        if run.status == csink_e2e.SKIP:
            self.skipTest("cannot mount in a namespace of its own")
        self.assertEqual(run.status, 0, run.stderr)
        self.assertEqual([l.split()[0] for l in run.stdout.splitlines()], ["cpu_ns"])
        return run

    def one_line(self, run, *words):
        self.assertEqual(len(run.own_lines), 1, run.stderr)
        for word in words:
            self.assertIn(word, run.own_lines[0])

    def two_lines(self, run, *words):
        """The first has the words, the second names the spool."""
        self.assertEqual(len(run.own_lines), 2, run.stderr)
        for word in words:
            self.assertIn(word, run.own_lines[0])
        self.assertIn("the report could not be written: show the report with csink report ", run.own_lines[1])

    def read_only(self, folder):
        os.makedirs(folder, mode=0o700, exist_ok=True)
        return f"mount --bind {folder} {folder} && mount -o remount,ro,bind {folder}"

    def test_a_read_only_spool_folder_is_passed_over(self):
        folder = os.path.join(self.folder, "ro")
        run = self.inside(self.read_only(folder), CSINK_SPOOL_DIR=folder)
        self.one_line(run, folder, "read-only file system", "CSINK_SPOOL_DIR", "it was created in ")
        self.assertGreater(explained_seconds(run.report), 0.18)

    def test_a_tree_with_a_dev_of_its_own_says_that_its_folder_is_not_there(self):
        """As bwrap --dev: a new /dev/shm in the middle of a tree."""
        self.need_mount_namespace()
        status, _, err = self.run_tool("run", "--", "unshare", "--mount", "sh", "-c",
                                       'mount -t tmpfs none /dev/shm && exec "$0" 210', csink_e2e.program_path("split"),
                                       CSINK_SPOOL_DIR="", XDG_RUNTIME_DIR="")
        self.assertEqual(status, 0, err)
        self.assertRegex(err, r"the spool cannot be created in /dev/shm/csink-0/tree\.\w+: no such folder: this process is not "
                              r"profiled; if it has another /dev .* set CSINK_SPOOL_DIR for csink run to a folder that both see")
        # And so it is found.
        place = tempfile.mkdtemp(prefix="csink-e2e-", dir="/var/tmp")
        self.addCleanup(shutil.rmtree, place)
        status, _, err = self.run_tool("run", "--format", "json", "--", "unshare", "--mount", "sh", "-c",
                                       'mount -t tmpfs none /dev/shm && exec "$0" 210', csink_e2e.program_path("split"),
                                       CSINK_SPOOL_DIR=place, XDG_RUNTIME_DIR="")
        self.assertEqual(status, 0, err)
        self.assertGreater(csink_e2e.samples_of(json.loads(err), "work::Sixty"), 50)

    def test_no_place_at_all(self):
        folder = tempfile.mkdtemp(prefix="csink-e2e-ro-", dir="/var/tmp")  # outlives /dev/shm
        self.addCleanup(shutil.rmtree, folder)
        both = f"{self.read_only(folder)} && mount -t tmpfs -o ro none /dev/shm"
        run = self.inside(both, CSINK_SPOOL_DIR=None, XDG_RUNTIME_DIR=None, TMPDIR=folder,
                          CSINK_OUTPUT=None)
        self.one_line(run, "read-only file system", "not profiled", "CSINK_SPOOL_DIR")
        run = self.inside(both, CSINK_SPOOL_DIR=folder, XDG_RUNTIME_DIR=None, TMPDIR=folder,
                          CSINK_OUTPUT=None)
        self.one_line(run, folder, "read-only file system", "not profiled", "CSINK_SPOOL_DIR")

    def test_a_read_only_output(self):
        folder = os.path.join(self.folder, "ro")
        run = self.inside(self.read_only(folder), CSINK_OUTPUT=folder + "/new/report")
        self.two_lines(run, folder + "/new/report", "the report follows on stderr")
        self.assertIn("work::Sixty", run.stderr)
        self.assertEqual(len(run.spools), 1)

    def test_a_full_disk_under_the_output(self):
        folder = os.path.join(self.folder, "full")
        os.makedirs(folder)
        run = self.inside(f"mount -t tmpfs -o size=4k none {folder} && "
                          f"{{ cat /dev/zero > {folder}/filler || true; }}",
                          CSINK_OUTPUT=folder + "/report")
        self.two_lines(run, folder + "/report", "No space left", "the report follows on stderr")
        self.assertIn("work::Sixty", run.stderr)

    def test_a_full_disk_under_the_spool_is_passed_over(self):
        folder = os.path.join(self.folder, "full")
        os.makedirs(folder)
        run = self.inside(f"mount -t tmpfs -o size=4k,mode=700 none {folder} && "
                          f"{{ cat /dev/zero > {folder}/filler || true; }}", CSINK_SPOOL_DIR=folder)
        self.one_line(run, folder, "o space left", "CSINK_SPOOL_DIR")
        self.assertGreater(explained_seconds(run.report), 0.18)

    def test_a_root_without_proc(self):
        """chroot before the program starts: the same files, and nothing mounted below them."""
        self.need_mount_namespace()
        for path in (csink_e2e.AGENT, csink_e2e.TOOL, csink_e2e.PROGRAMS):
            if os.stat(path).st_dev != os.stat("/").st_dev:
                self.skipTest(f"{path} is not in the file system of /")
        place = tempfile.mkdtemp(prefix="csink-e2e-root-", dir="/var/tmp")
        self.addCleanup(shutil.rmtree, place)
        if os.stat(place).st_dev != os.stat("/").st_dev:
            self.skipTest("/var/tmp is not in the file system of /")
        root = os.path.join(self.folder, "root")
        os.makedirs(root)
        launcher = ("unshare", "--mount", "sh", "-c",
                    f"mount --bind / {root} || exit 77; exec chroot {root} \"$0\" \"$@\"")
        run = self.run_agent("split", 210, launcher=launcher, CSINK_SPOOL_DIR=place + "/spool",
                             CSINK_OUTPUT=place + "/report.%e")
        if run.status == csink_e2e.SKIP:
            self.skipTest("cannot mount in a namespace of its own")
        self.assertEqual(run.status, 0, run.stderr)
        self.assertEqual(len(run.values("cpu_ns")), 1)
        self.one_line(run, "/proc cannot be read", "cannot name functions", "mount /proc")
        with open(place + "/report.split", encoding="utf-8") as f:
            self.assertGreater(explained_seconds(json.load(f)), 0.18)

    def test_no_proc_says_what_is_lost(self):
        run = self.inside("mount -t tmpfs none /proc")
        self.one_line(run, "/proc cannot be read", "cannot name functions", "mount /proc")
        self.assertGreater(explained_seconds(run.report), 0.18)
        self.assertRegex(run.report["command"], r"split 210$")  # as main was given it

    def test_a_user_namespace_where_nobody_is_known(self):
        """Without a map every file belongs to the overflow user, our own folders, too."""
        run = self.run_agent("split", 210, launcher=("unshare", "--user"))
        if run.status != 0 and not run.stdout:
            self.skipTest("no user namespaces here: " + run.stderr.strip())
        self.assertEqual(run.status, 0, run.stderr)
        self.assertEqual(len(run.values("cpu_ns")), 1)
        self.assertLessEqual(len(run.own_lines), 1, run.stderr)
        if not run.own_lines:
            self.assertCovers(run.report, sum(run.values("cpu_ns")) / 1e9, 0.9)

    def test_a_user_namespace(self):
        run = self.run_agent("split", 210, launcher=("unshare", "--user", "--map-root-user"))
        if run.status != 0 and not run.stdout:
            self.skipTest("no user namespaces here: " + run.stderr.strip())
        self.assertEqual((run.status, run.stderr), (0, ""))
        self.assertCovers(run.report, sum(run.values("cpu_ns")) / 1e9, 0.9)


@unittest.skipUnless(os.geteuid() == 0 and shutil.which("setpriv") and shutil.which("unshare"),
                     "needs root, setpriv and unshare")
class Squashed(E2eTest):
    """Root that may not write, as on an NFS export with root_squash: an ordinary user who is
    root in a namespace of his own, where the folders belong to somebody else."""

    def run_squashed(self, **env):
        os.chmod(self.folder, 0o711)
        for path in (csink_e2e.AGENT, csink_e2e.TOOL, csink_e2e.program_path("split")):
            shutil.copy(path, self.folder)
        folder = self.fresh_folder()
        mine = os.path.join(self.folder, "mine")
        os.makedirs(mine, exist_ok=True)
        os.chown(mine, NOBODY, NOBODY)
        env = csink_e2e.agent_environment(
            folder, LD_PRELOAD=None,
            CSINK_REPORTER=os.path.join(self.folder, os.path.basename(csink_e2e.TOOL)),
            **{k: v.format(squashed=folder, mine=mine) for k, v in env.items()})
        command = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups",
                   "unshare", "--user", "--map-root-user", "env",
                   "LD_PRELOAD=" + os.path.join(self.folder, os.path.basename(csink_e2e.AGENT)),
                   os.path.join(self.folder, "split"), "210"]
        run = self.run_command(command, env, folder)
        if run.status != 0 and not run.stdout:
            self.skipTest("no user namespaces for ordinary users here: " + run.stderr.strip())
        self.assertEqual(run.status, 0, run.stderr)
        self.assertEqual(len(run.values("cpu_ns")), 1)
        return run, mine

    def test_a_spool_folder(self):
        run, mine = self.run_squashed(CSINK_SPOOL_DIR="{squashed}/spool", TMPDIR="{mine}",
                                      CSINK_OUTPUT="{mine}/report")
        self.assertEqual(len(run.own_lines), 1, run.stderr)
        self.assertIn("permission denied", run.own_lines[0])
        self.assertIn("CSINK_SPOOL_DIR", run.own_lines[0])
        self.assertTrue(os.path.getsize(os.path.join(mine, "report")) > 1000)

    def test_an_output(self):
        run, _ = self.run_squashed(CSINK_SPOOL_DIR="{mine}/spool", CSINK_OUTPUT="{squashed}/report")
        self.assertEqual(len(run.own_lines), 2, run.stderr)
        self.assertIn("Permission denied", run.own_lines[0])
        self.assertIn("the report could not be written: show the report with csink report ", run.own_lines[1])
        self.assertIn("work::Sixty", run.stderr)


if __name__ == "__main__":
    csink_e2e.main()
