"""Runs programs over libapapi: a clean environment, files for its variables, and what came of a run."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

HANG_SECONDS = 60  # of wall time: far beyond any run here, a hang and nothing else
SKIP = 77

OPS = {  # what is made of the software events that need no hardware
    "perf::PAGE-FAULTS": "APAPI_OP1_SAMPLE_DIFF,APAPI_STAT_ALL,APAPI_STAT_NO,0x7fffffffffffffff,faults,#,1,-,-,1",
    "perf::TASK-CLOCK": "APAPI_OP1_DIV_DIFF_TIME,APAPI_STAT_ACC,APAPI_STAT_AVG,0x7fffffffffffffff,time,s,1E9,load,CPU,1",
}


def clean_environment():
    keep = {k: v for k, v in os.environ.items() if not k.startswith(("CSINK_", "LD_", "APAPI_", "PAPI_"))}
    return keep | {"LC_ALL": "C"}


class Run:
    def __init__(self, command, environment, **more):
        done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
                              check=False, timeout=HANG_SECONDS, **more)
        self.status = done.returncode
        self.stdout = done.stdout.decode("utf-8", "replace")
        self.stderr = done.stderr.decode("utf-8", "replace")


class ApapiTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="csink-atime-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def file(self, name, text):
        with open(self.path(name), "w") as f:
            f.write(text)
        return self.path(name)

    def read(self, name):
        with open(self.path(name), errors="replace") as f:
            return f.read()

    def software_events(self, **more):
        """The environment that measures OPS alone."""
        return {"APAPI_CMPLIST": "perf", "APAPI_EVENTLIST": self.file("events", "\n".join(OPS) + "\n"),
                "APAPI_EVENTOPS": self.file("ops", "".join(f"{n},{o}\n" for n, o in OPS.items()))} | more

    def assertOneLine(self, text, pattern):
        self.assertRegex(text, pattern)
        self.assertEqual(text.count("\n"), 1, text)


def main():
    """Runs the calling file's tests. Exit status 77 when there was nothing to run."""
    result = unittest.main(module="__main__", verbosity=2, exit=False).result
    if result.wasSuccessful() and result.testsRun == len(result.skipped) > 0:
        print("skipped:", "; ".join(sorted({why for _, why in result.skipped})))
        sys.exit(SKIP)
    sys.exit(0 if result.wasSuccessful() else 1)
