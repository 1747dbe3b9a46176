"""Runs the utilities in an environment of their own."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

UTILITIES = pathlib.Path(os.environ["CSINK_UTILITIES"])
KNOWN = pathlib.Path(os.environ["CSINK_KNOWN"])
PRESETS = pathlib.Path(os.environ["CSINK_PRESETS"])
GOLDEN = pathlib.Path(__file__).with_name("golden")


def environment(**more):
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith(("PAPI_", "LIBPFM_", "CSINK_", "LD_"))}
    return {**kept, "LC_ALL": "C", "TERM": "dumb", **more}


class UtilityTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="csink-utilities-")  # pylint: disable=consider-using-with
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def run_tool(self, *command, preload=None, **more):
        """Known clocks or events by `preload`; `more`: environment."""
        if preload:
            more["LD_PRELOAD"] = str(KNOWN / f"{preload}.so")
        return subprocess.run([UTILITIES / command[0], *command[1:]], env=environment(**more), cwd=self.folder,
                              capture_output=True, text=True, timeout=60, check=False, stdin=subprocess.DEVNULL)

    def assert_golden(self, name, text):
        """CSINK_UPDATE_GOLDEN=1 writes it anew."""
        path = GOLDEN / f"{name}.txt"
        if os.environ.get("CSINK_UPDATE_GOLDEN"):
            path.write_text(text)
        self.assertEqual(text, path.read_text())


def main():
    """Exit code 77 where nothing but skipped tests ran; every skip says why."""
    result = unittest.main(exit=False).result
    for test, reason in result.skipped:
        print(f"skipped: {test.id()}: {reason}")
    if not result.wasSuccessful():
        sys.exit(1)
    sys.exit(77 if len(result.skipped) == result.testsRun else 0)
