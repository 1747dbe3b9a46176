"""csink run where /proc hides other users' processes, and what it leaves where the spools are kept."""

import glob
import os
import shutil
import tempfile
import unittest

import csink_e2e
from csink_e2e import E2eTest, samples_of

NOBODY = 65534


class Kept(E2eTest):
    def test_spools_and_records_alone_remain(self):
        folder = self.fresh_folder()
        run = self.run_command([csink_e2e.TOOL, "run", "--keep", "--format", "json", "-o", folder + "/report.tree", "--",
                                "sh", "-c", csink_e2e.program_path("split") + " 150; true"],
                               csink_e2e.tool_environment(CSINK_SPOOL_DIR=folder + "/spool"), folder)
        self.assertEqual(run.status, 0, run.stderr)
        (tree,) = glob.glob(folder + "/spool/*")
        # The mark keeps them from being removed by age.
        self.assertEqual([n for n in os.listdir(tree) if not n.endswith(".csink")], ["tree.kept"])
        self.assertGreater(samples_of(self.report_of_spool(tree), "work::Sixty"), 50)


@unittest.skipUnless(shutil.which("setpriv"), "needs setpriv")
class HiddenProcesses(E2eTest):
    MOUNT = "mount -t proc -o hidepid=2 proc /proc || exit 77; exec \"$@\""

    def test_a_user_who_sees_his_own_processes_alone(self):
        self.need_mount_namespace()
        binaries = tempfile.mkdtemp(prefix="csink-e2e-bin-", dir="/var/tmp")
        self.addCleanup(shutil.rmtree, binaries)
        os.chmod(binaries, 0o755)
        os.chmod(self.folder, 0o711)
        for path in (csink_e2e.AGENT, csink_e2e.TOOL, csink_e2e.program_path("split")):
            shutil.copy(path, binaries)
        folder = self.fresh_folder()
        for path in (folder, folder + "/spool"):
            os.chown(path, NOBODY, NOBODY)
        env = csink_e2e.tool_environment(CSINK_SPOOL_DIR=folder + "/spool",
                                         CSINK_AGENT=os.path.join(binaries, os.path.basename(csink_e2e.AGENT)))
        run = self.run_command(
            ["unshare", "--mount", "sh", "-c", self.MOUNT, "sh", "setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}",
             "--clear-groups", "--", binaries + "/csink", "run", "-e", "task-clock", "--format", "json", "-o",
             folder + "/report.tree", "--", "sh", "-c", f"{binaries}/split 150; {binaries}/split 150; true"], env, folder)
        if run.status == csink_e2e.SKIP:
            self.skipTest("no /proc with hidepid here: " + run.stderr.strip())
        self.assertEqual((run.status, run.stderr), (0, ""))
        report = run.reports[0]
        self.assertEqual(report["ledger"]["processes"], 3, report["processes"])
        self.assertGreater(samples_of(report, "work::Sixty"), 100)
        self.assertNothingLost(report)
        self.assertEqual(run.spools, [])


if __name__ == "__main__":
    csink_e2e.main()
