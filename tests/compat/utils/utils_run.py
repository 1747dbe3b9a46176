"""Runs PAPI's utilities: a clean environment, stable events, and texts without this machine's facts."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

UTILS = os.environ["CSINK_UTILS"]
GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "golden")
HANG_SECONDS = 60  # of wall time: far beyond any run here, a hang and nothing else
SKIP = 77

# Presets of software events, and a user's, which every machine counts that permits perf events.
PRESETS = """\
CPU,perf
PRESET,PAPI_TOT_CYC,NOT_DERIVED,perf::CPU-CLOCK
PRESET,PAPI_TOT_INS,NOT_DERIVED,perf::TASK-CLOCK
PRESET,PAPI_FP_OPS,DERIVED_ADD,perf::TASK-CLOCK:u=1:k=0,perf::PAGE-FAULTS,NOTE,'a note'
PRESET,PAPI_BR_INS,DERIVED_POSTFIX,N0|2|*|N1|+|,perf::CONTEXT-SWITCHES,perf::CPU-MIGRATIONS
"""
USER_EVENTS = """\
EVENT,USER_SUM,DERIVED_ADD,perf::PAGE-FAULTS,perf::CONTEXT-SWITCHES,SDESC,'short',LDESC,'long',NOTE,'noted'
"""


def clean_environment():
    prefixes = ("CSINK_", "LD_", "APAPI_", "PAPI_", "LIBPFM_", "NO_COLOR")
    return {k: v for k, v in os.environ.items() if not k.startswith(prefixes)} | {"LC_ALL": "C"}


class Run:
    def __init__(self, command, environment):
        done = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, check=False, timeout=HANG_SECONDS)
        self.status = done.returncode
        self.stdout = done.stdout.decode("utf-8", "replace")
        self.stderr = done.stderr.decode("utf-8", "replace")


def without_machine(text):
    """The header's values, codes of native events and the width that they take."""
    text = re.sub(r"^((?:PAPI version|Operating system|Vendor string and code|Model string and code"
                  r"|CPU revision|CPU M[axin]+ MHz|Total cores|SMT threads per core"
                  r"|Cores per socket|Sockets|Cores per NUMA region|NUMA regions|Running in a VM"
                  r"|Number Hardware Counters|Max Multiplex Counters  ?|Fast counter read \(rdpmc\))"
                  r" *:) .*$", r"\1 #", text, flags=re.MULTILINE)
    text = re.sub(r"^(?:VM Vendor|CPUID) .*\n", "", text, flags=re.MULTILINE)
    return re.sub(r"\b0x4[0-9a-f]{7}\b", "0x4#######", text)


class UtilityTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="csink-utils-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def file(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w") as f:
            f.write(text)
        return path

    def tool(self, name, *arguments, env=None):
        return Run([os.path.join(UTILS, name), *map(str, arguments)],
                   clean_environment() | (env or {}))

    def software(self):
        """Presets and user events that need no PMU."""
        return {"PAPI_CSV_EVENT_FILE": self.file("presets.csv", PRESETS),
                "PAPI_USER_EVENTS_FILE": self.file("user.csv", USER_EVENTS)}

    def need_software_events(self):
        """They may be refused to this user, or to all."""
        run = self.tool("papi_native_avail", "-c", "-i", "perf::TASK-CLOCK", "--noqual")
        if run.status != 0 or "<NA>" in run.stdout:
            self.skipTest("perf events are refused here")

    def need_pmu_table(self, pmu):
        if self.tool("papi_native_avail", "--noqual", env={"LIBPFM_FORCE_PMU": pmu}).status != 0:
            self.skipTest(f"libpfm4 is not here, or does not know {pmu}")

    def assertGolden(self, name, text):
        """CSINK_WRITE_GOLDEN=1 writes the file instead."""
        path = os.path.join(GOLDEN, name)
        text = without_machine(text)
        if os.environ.get("CSINK_WRITE_GOLDEN"):
            with open(path, "w") as f:
                f.write(text)
        with open(path) as f:
            self.assertEqual(text, f.read(), f"differs from {path}")


def main():
    """Runs the calling file's tests. Exit status 77 when there was nothing to run."""
    result = unittest.main(module="__main__", verbosity=2, exit=False).result
    if result.wasSuccessful() and result.testsRun == len(result.skipped) > 0:
        print("skipped:", "; ".join(sorted({why for _, why in result.skipped})))
        sys.exit(SKIP)
    sys.exit(0 if result.wasSuccessful() else 1)
