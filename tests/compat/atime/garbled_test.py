"""Meters that answer wrongly: a device in user space (FUSE) whose energies are known, one counter for each kind of
garbage, alone and while the machine is busy. What atime and csink-meter report contains the truth."""

import csv
import errno
import io
import json
import os
import subprocess
import sys
import threading
import time
import unittest

import apapi_run
import atime_runs
import fuse_tree

IN_NAMESPACE = "CSINK_ATIME_GARBLED"  # set in the run of this file that sees the device
WATTS = 20
RANGE = 262143328850  # a server's package, in uJ
FIRST = 10  # the reading that is the first wrong one


def error():
    raise OSError(errno.EIO, "no answer")


# From a true energy in uJ and the number of the reading, what is shown; a number above the range, or a text.
ONCE = {  # kinds that leave the counter as it was
    "above its range": lambda uj, n: 9000000000000 if n % FIRST == 0 else uj,
    "a step back, once": lambda uj, n: uj - 5000000 if n == FIRST else uj,
    "equal garbage twice": lambda uj, n: 250000000000 if n in (FIRST, FIRST + 1) else uj,
    "zero": lambda uj, n: 0 if n == FIRST else uj,
    "negative": lambda uj, n: -5 if n == FIRST else uj,
    "a text": lambda uj, n: "soon" if n == FIRST else uj,
    "an empty file": lambda uj, n: "" if n == FIRST else uj,
    "EIO": lambda uj, n: error() if n == FIRST else uj,
    "a huge jump": lambda uj, n: uj + 90000000000 if n == FIRST else uj,
}
SET_BACK = {  # kinds after which the counter goes on from elsewhere
    "a step back": lambda uj, n: uj - 4000000 if n >= FIRST else uj,
    "a reset": lambda uj, n: uj - SET_BACK_FROM.setdefault("a reset", uj) if n >= FIRST else uj,
}
SET_BACK_FROM = {}
OTHERS = {
    "stuck": lambda uj, n: STUCK_AT.setdefault("stuck", uj) if FIRST <= n < FIRST + 3 else uj,
    "several wraps": lambda uj, n: uj % 1000000,
}
STUCK_AT = {}
KINDS = ONCE | SET_BACK | OTHERS


class Counter:
    def __init__(self, kind):
        self.kind, self.readings = kind, 0

    def __call__(self):
        self.readings += 1
        uj = 100000000 + int((time.monotonic() - Garbled.start) * WATTS * 1e6)
        return f"{KINDS[self.kind](uj, self.readings)}\n"


def device():
    """The files of a powercap zone for each kind."""
    files = {}
    for number, kind in enumerate(KINDS):
        zone = f"powercap/intel-rapl:{number}/"
        files[zone + "name"] = f"package-{number}\n"
        files[zone + "energy_uj"] = Counter(kind)
        files[zone + "max_energy_range_uj"] = f"{999999 if kind == 'several wraps' else RANGE}\n"
        files[zone + "constraint_0_power_limit_uw"] = "65000000\n"
    return files


@unittest.skipUnless(IN_NAMESPACE in os.environ, "see Fuse")
class Garbled(atime_runs.AtimeTest):
    start = time.monotonic()

    def setUp(self):
        super().setUp()
        SET_BACK_FROM.clear()
        STUCK_AT.clear()
        self.files = device()
        tree = fuse_tree.Tree("/sys/class", self.files)
        self.addCleanup(tree.close)

    def run_atime(self, *options):
        env = {"APAPI_CMPLIST": "powercap", "APAPI_EVENTLIST": self.file("events", "powercap:::ENERGY_UJ:*\n")}
        run = self.atime("-t", "powercap:50ms", "-o", self.path("report"), *options, "sleep", "2", env=env)
        self.assertEqual(run.status, 0, run.stderr)
        return self.read("report")

    def check(self, tolerance):
        report = json.loads(self.run_atime("--format", "json"))
        [powercap] = report["components"]
        for kind, event in zip(KINDS, powercap["events"]):
            with self.subTest(kind=kind, event=event):
                self.assertGreater(self.files[f"powercap/intel-rapl:{list(KINDS).index(kind)}/energy_uj"].readings, FIRST + 4)
                self.check_event(kind, event, tolerance)

    def check_event(self, kind, event, tolerance):
        energy, unknown = event["energy"], event["unknown_seconds"]
        measured = WATTS * energy["seconds"]
        # A reading has its time in the middle of the read: what the truth is uncertain by.
        slack = tolerance * measured
        self.assertLessEqual(energy["low"], measured + slack)
        self.assertGreaterEqual(energy["high"], measured + WATTS * unknown - slack)
        self.assertAlmostEqual(energy["seconds"], event["seconds"], places=6)
        if kind == "several wraps":
            return
        self.assertAlmostEqual(energy["joules"], measured, delta=slack)
        self.assertAlmostEqual(event["value1"]["avg"], WATTS, delta=WATTS * tolerance)
        self.assertEqual(event["failed_reads"] > 0, kind != "stuck")
        if kind in ONCE and kind != "a step back, once":
            self.assertEqual(unknown, 0)
            self.assertLess(energy["high"], measured + slack + 2)
        if kind in SET_BACK:
            self.assertGreater(unknown, 0.04)

    def test_alone(self):
        self.check(0.1)

    def test_during_load(self):
        burners = [subprocess.Popen([atime_runs.program("spin"), "6000"], stdout=subprocess.DEVNULL) for _ in range(4)]
        try:
            self.check(0.25)
        finally:
            for burner in burners:
                burner.kill()
                burner.wait()

    def test_text_and_csv_tell_it(self):
        text = self.run_atime()
        self.assertRegex(text, r"\nATIME: powercap:::ENERGY_UJ:ZONE0: \d+ readings failed\n")
        zone = list(KINDS).index("a reset")
        self.assertRegex(text, rf"\nATIME: powercap:::ENERGY_UJ:ZONE{zone}: \d+ readings failed; its counter began anew: "
                               r"0\.\d+ s are in no sum and no mean\n")
        SET_BACK_FROM.clear()
        STUCK_AT.clear()
        for content in self.files.values():
            if isinstance(content, Counter):
                content.readings = 0
        rows = {row["event"]: row for row in csv.DictReader(io.StringIO(self.run_atime("--format", "csv")))}
        self.assertGreater(int(rows["powercap:::ENERGY_UJ:ZONE0"]["failed_reads"]), 0)
        self.assertEqual(float(rows["powercap:::ENERGY_UJ:ZONE0"]["unknown_seconds"]), 0)
        self.assertGreater(float(rows[f"powercap:::ENERGY_UJ:ZONE{zone}"]["unknown_seconds"]), 0.04)

    def test_profiles_tell_it(self):
        agent, tool = os.environ["CSINK_E2E_AGENT"], os.environ["CSINK_E2E_TOOL"]
        if not os.path.exists(agent) or not os.path.exists(tool):
            self.skipTest("libagent.so or csink is not built")
        kinds = [kind for kind in KINDS if kind != "several wraps"]
        events = ",".join(f"powercap:::ENERGY_UJ:ZONE{list(KINDS).index(kind)}" for kind in kinds)
        env = apapi_run.clean_environment() | {
            "LD_PRELOAD": agent, "CSINK_REPORTER": tool, "CSINK_EVENTS": "task-clock," + events,
            "CSINK_FORMAT": "json", "CSINK_OUTPUT": self.path("profile"), "CSINK_MIN_SAMPLES": "0"}
        run = apapi_run.Run(["/usr/bin/python3", "-c", "import time\nend = time.process_time() + 2.5\n"
                             "while time.process_time() < end: pass\n"], env)
        self.assertEqual(run.status, 0, run.stderr)
        counters = {counter["name"]: counter for counter in json.loads(self.read("profile"))["device_counters"]}
        for kind in kinds:
            counter = counters[f"powercap:::ENERGY_UJ:ZONE{list(KINDS).index(kind)}"]
            with self.subTest(kind=kind, counter=counter):
                self.assertAlmostEqual(counter["per_second"], WATTS, delta=0.1 * WATTS)
                self.assertEqual(counter["failed_readings"] > 0, kind != "stuck")


@unittest.skipUnless(IN_NAMESPACE in os.environ, "see Fuse")
class Hanging(atime_runs.AtimeTest):
    """A driver that hangs in a read until the test lets it go."""

    def setUp(self):
        super().setUp()
        self.released = threading.Event()
        self.readings = 0

        def energy():
            self.readings += 1
            if self.readings >= FIRST:
                self.released.wait()
            return f"{int(time.monotonic() * WATTS * 1e6) % RANGE}\n"

        zone = "powercap/intel-rapl:0/"
        tree = fuse_tree.Tree("/sys/class", {zone + "name": "package-0\n", zone + "energy_uj": energy,
                                             zone + "max_energy_range_uj": f"{RANGE}\n"})
        self.addCleanup(tree.close)
        self.addCleanup(self.released.set)

    def test_it_holds_neither_the_report_nor_the_end(self):
        # Pipes: their reader would wait for a process that is left behind with one of them.
        env = {"APAPI_CMPLIST": "powercap", "APAPI_EVENTLIST": self.file("events", "powercap:::ENERGY_UJ:*\n")}
        run = self.atime("-t", "powercap:50ms", "--format", "json", "sh", "-c", "sleep 1; exit 3", env=env)
        self.assertFalse(self.released.is_set())
        self.assertEqual(run.status, 3, run.stderr)
        [powercap] = json.loads(run.stdout)["components"]
        self.assertTrue(powercap["abandoned"], run.stderr)
        self.assertGreater(powercap["events"][0]["energy"]["joules"], 0)
        self.assertIn("powercap does not respond", run.stderr)


@unittest.skipIf(IN_NAMESPACE in os.environ, "this is that run")
class Fuse(unittest.TestCase):
    def test_in_a_mount_namespace(self):
        if not os.access("/dev/fuse", os.R_OK | os.W_OK):
            self.skipTest("/dev/fuse cannot be opened")
        probe = subprocess.run(
            ["unshare", "-m", sys.executable, "-c", "import fuse_tree; fuse_tree.Tree('/sys/class', {'a': 'b'}).close()"],
            cwd=os.path.dirname(os.path.abspath(__file__)), capture_output=True, text=True, check=False)
        if probe.returncode != 0:
            self.skipTest("no file system in user space: " + probe.stderr.strip().splitlines()[-1])
        done = subprocess.run(["unshare", "-m", sys.executable, __file__, "Garbled", "Hanging"],
                              env=os.environ | {IN_NAMESPACE: "1"}, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    apapi_run.main()
