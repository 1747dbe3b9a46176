"""The tests of exports: one profiled run with stacks, which each test exports anew."""

import os
import shutil

from csink_e2e import E2eTest


class ExportedRun(E2eTest):
    """Each derived class makes one run for all of its tests: `spool`, its JSON `report`, and `event`, the report's first."""

    kept = None  # folder, spool, report

    @classmethod
    def tearDownClass(cls):
        if cls.kept:
            shutil.rmtree(cls.kept[0], ignore_errors=True)

    def setUp(self):
        super().setUp()
        cls = type(self)
        if not cls.kept:
            run = self.run_agent("callers", "frames", 300, CSINK_STACKS="fp", CSINK_REPORT="0", CSINK_KEEP="1",
                                 CSINK_EVENTS="task-clock@4kHz")
            self.assertEqual(run.status, 0, run.stderr)
            self.assertEqual(len(run.spools), 1)
            folder = self.folder + "-kept"
            os.mkdir(folder, 0o700)
            spool = shutil.copy(run.spools[0], folder)
            cls.kept = folder, spool, self.report_of_spool(spool)
        _, self.spool, self.report = cls.kept
        self.event = self.report["events"][0]

    def need(self, program, package):
        if not shutil.which(program):
            self.skipTest(f"{os.path.basename(program)} is not installed ({package})")

    def export(self, form, *options, name="exported"):
        """The exported file's path."""
        path = os.path.join(self.folder, f"{name}.{form}")
        status, _, err = self.run_tool("export", "--format=" + form, "-o", path, *options, self.spool)
        self.assertEqual(status, 0, err)
        return path
