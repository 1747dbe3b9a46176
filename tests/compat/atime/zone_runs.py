"""Powercap zones of a fake machine, whose energies a thread keeps true, in a mount namespace."""

import os
import subprocess
import sys
import tempfile
import threading
import time

import atime_runs

IN_NAMESPACE = "CSINK_ATIME_FAKE_POWERCAP"  # set in the run of a test's file that sees the fake

ZONES = {  # folder: name, watts
    "intel-rapl:0": ("package-0", 50), "intel-rapl:0:0": ("core", 30), "intel-rapl:0:1": ("dram", 5),
    "intel-rapl:1": ("psys", 80),
}


class ZoneTest(atime_runs.AtimeTest):
    @classmethod
    def setUpClass(cls):
        tree = os.path.join(os.environ[IN_NAMESPACE], "powercap")
        cls.counters = [(os.open(os.path.join(tree, zone, "energy_uj"), os.O_WRONLY), watts)
                        for zone, (_, watts) in ZONES.items()]
        cls.start, cls.ends = time.monotonic(), False
        cls.thread = threading.Thread(target=cls.burn)
        cls.thread.start()

    @classmethod
    def tearDownClass(cls):
        cls.ends = True
        cls.thread.join()

    @classmethod
    def burn(cls):
        while not cls.ends:
            for counter, watts in cls.counters:
                os.pwrite(counter, b"%012d\n" % int((time.monotonic() - cls.start) * watts * 1e6), 0)
            time.sleep(0.001)

    def zones(self):
        """The environment that measures the energies of the zones."""
        return {"APAPI_CMPLIST": "powercap", "APAPI_EVENTLIST": self.file("events", "powercap:::ENERGY_UJ:*\n")}


def run_in_namespace(test, file, name):
    """Runs the class `name` of a test's file where /sys/class has the zones and nothing else."""
    with tempfile.TemporaryDirectory() as tree:
        for zone, (kernel_name, _) in ZONES.items():
            folder = os.path.join(tree, "powercap", zone)
            os.makedirs(folder)
            for entry, text in (("name", kernel_name + "\n"), ("max_energy_range_uj", "262143328850\n"),
                                ("energy_uj", "%012d\n" % 0)):
                with open(os.path.join(folder, entry), "w", encoding="ascii") as f:
                    f.write(text)
        probe = subprocess.run(["unshare", "-m", "mount", "--bind", tree, "/sys/class"],
                               capture_output=True, text=True, check=False)
        if probe.returncode != 0:
            test.skipTest("no mount namespace: " + probe.stderr.strip())
        done = subprocess.run(
            ["unshare", "-m", "sh", "-c", 'mount --bind "$1" /sys/class && exec "$2" "$3" "$4"',
             "sh", tree, sys.executable, file, name],
            env=os.environ | {IN_NAMESPACE: tree}, capture_output=True, text=True, check=False)
        test.assertEqual(done.returncode, 0, done.stdout + done.stderr)
