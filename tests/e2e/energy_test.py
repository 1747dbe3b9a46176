"""Counters of devices in CSINK_EVENTS: joules of the machine, an estimate for functions."""

import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import csink_e2e
from csink_e2e import E2eTest, total_samples

ENERGY = "rapl:::PACKAGE_ENERGY:PACKAGE0"
WATTS = 50
IN_NAMESPACE = "CSINK_E2E_FAKE_POWERCAP"  # set in the run of this file that sees the fake


class WithoutDevices(E2eTest):
    def test_an_unknown_component_is_named_and_the_program_runs(self):
        run = self.run_agent("split", CSINK_EVENTS="task-clock,raple:::PACKAGE_ENERGY:PACKAGE0")
        lines = [l for l in run.own_lines if "raple:::PACKAGE_ENERGY:PACKAGE0 is left out" in l]
        self.assertEqual(len(lines), 1, run.stderr)
        self.assertIn("rapl, powercap, nvml", lines[0])
        self.assertEqual(run.report["device_counters"], [])
        self.assertIsNone(run.report["energy"])
        self.assertGreater(total_samples(run.report), 50)

    def test_a_disabled_component_says_why(self):
        run = self.run_agent("split", CSINK_EVENTS="task-clock,micknc:::x")
        self.assertTrue(any("micknc is disabled: no Xeon Phi" in l for l in run.own_lines), run.stderr)
        self.assertEqual(run.status, 0)

    def test_a_counter_that_is_no_energy_is_told_without_joules(self):
        run = self.profile("split", CSINK_EVENTS="task-clock,load:::TIME_WORK")
        [counter] = run.report["device_counters"]
        self.assertGreaterEqual(counter["readings"], 2)
        self.assertGreater(counter["value"], 0)
        self.assertIsNone(run.report["functions"][0]["joules_estimate"])

    def test_the_doctor_explains_a_counter(self):
        status, out, err = self.run_tool("doctor", "--event", "load:::TIME_WORK", "--format", "json")
        self.assertEqual(status, 0, err)
        told = json.loads(out)
        self.assertEqual((told["component"], told["units"], told["accumulates"]), ("load", "ms", True))
        status, out, err = self.run_tool("doctor", "--event", "load:::TIME_WORK")
        self.assertEqual(status, 0, err)
        self.assertIn("CSINK_EVENTS=task-clock,load:::TIME_WORK", out)
        for event, why in (("micknc:::x", "micknc is disabled"), ("raple:::x", "the components are rapl, powercap"),
                           ("load:::TIME_WORKX", "did you mean TIME_WORK")):
            status, out, err = self.run_tool("doctor", "--event", event)
            self.assertEqual((status, out), (1, ""))
            self.assertIn(why, err)

    def test_the_meter_is_started_for_counters_of_devices_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            agent, trace = shutil.copy(csink_e2e.AGENT, folder), os.path.join(folder, "started")
            meter = os.path.join(folder, "csink-meter")
            with open(meter, "w", encoding="ascii") as f:
                f.write(f"#!/bin/sh\necho >{trace}\n")
            os.chmod(meter, 0o755)
            for events, started in (("task-clock", False), ("task-clock,load:::TIME_WORK", True)):
                env = csink_e2e.agent_environment(folder, CSINK_EVENTS=events) | {"LD_PRELOAD": agent}
                subprocess.run(["/bin/true"], env=env, check=True)
                self.assertEqual(os.path.exists(trace), started, events)

    def test_without_the_meter_the_program_is_profiled(self):
        with tempfile.TemporaryDirectory() as folder:
            agent = shutil.copy(csink_e2e.AGENT, folder)
            env = csink_e2e.agent_environment(folder, CSINK_EVENTS="load:::TIME_WORK")
            done = subprocess.run(["/bin/true"], env=env | {"LD_PRELOAD": agent}, check=True,
                                  capture_output=True, text=True)
            self.assertIn("csink-meter is not in the folder of libagent.so", done.stderr)


class WithCard(E2eTest):
    """A card of 25 W, then 50 W of energy a second, behind NVML's real name."""

    def environment(self):
        return {"LD_LIBRARY_PATH": os.environ["CSINK_FAKE_VENDORS"],
                "FAKE_NVML": "0.name = Tesla K20c; 0.power = 25000; 0.energy = 1000~50000"}


class Moments(WithCard):
    """What the program says between two moments of a card that uses 50 W."""

    EVENTS = "task-clock,nvml:::Tesla_K20c:energy"

    BURN = ("import ctypes, sys, time\n"
            "def burn(seconds):\n"
            "    end = time.process_time() + seconds\n"
            "    while time.process_time() < end: pass\n"
            "begin = time.monotonic()\n"
            "burn(0.2)\n{}burn(0.2)\n"
            "print('took', time.monotonic() - begin)\n")

    def counter_of(self, run):
        self.assertEqual(run.status, 0, run.stderr)
        [counter] = self.any_report(run)["device_counters"]
        self.assertAlmostEqual(counter["per_second"], 50, delta=5, msg=counter)
        return counter

    def counted(self, between, **env):
        """(seconds counted, seconds it took) of a script with these lines in its middle."""
        run = self.run_agent("/usr/bin/python3", "-c", self.BURN.format(between),
                             CSINK_EVENTS=self.EVENTS, **self.environment(), **env)
        counter = self.counter_of(run)
        # process_time() has the time of the agent's thread, too, so the last burn(0.2) may be shorter.
        self.assertGreater(counter["seconds"], 0.15, counter)
        return counter["seconds"], run.values("took")[0]

    def test_a_pause_is_not_counted(self):
        counted, took = self.counted("agent = ctypes.CDLL(None)\nagent.csink_pause()\ntime.sleep(1)\n"
                                     "agent.csink_resume()\n")
        self.assertGreater(counted, 0.4)
        self.assertLess(counted, took - 0.9)

    def test_what_was_before_a_reset_is_not_counted(self):
        counted, took = self.counted("time.sleep(1)\nopen('ctl', 'w').write('reset\\n')\n"
                                     "print(open('ctl.ack').readline())\n", CSINK_CONTROL="ctl")
        self.assertLess(counted, took - 1.1)

    def test_in_a_sandbox_the_last_reading_holds(self):
        run = self.run_agent("sandbox", "prctl", 300, 300, CSINK_EVENTS=self.EVENTS, **self.environment())
        if run.status == csink_e2e.SKIP:
            self.skipTest(run.stderr.strip())
        self.assertGreater(self.counter_of(run)["seconds"], 0.25)


class Gpu(WithCard):
    """The card, and what becomes of it."""

    def test_power_and_energy(self):
        run = self.profile("split", CSINK_EVENTS="task-clock,nvml:::Tesla_K20c:power,"
                           "nvml:::Tesla_K20c:energy", **self.environment())
        power, energy = run.report["device_counters"]
        self.assertEqual((power["units"], power["value"]), ("W", 25), power)
        self.assertEqual(energy["units"], "J")
        self.assertAlmostEqual(energy["per_second"], 50, delta=5)
        # What a card uses does not follow the processors' time.
        self.assertIsNone(run.report["energy"])

    def test_a_card_that_stops_answering_is_told_until_then(self):
        script = ("0.name = Tesla K20c; 0.power = " + 8 * "25000 " + "error:15; 0.energy = " +
                  8 * "1000~50000 " + "error:15")
        burn = "import time\nend = time.monotonic() + 2\nwhile time.monotonic() < end: pass\n"
        run = self.run_agent("/usr/bin/python3", "-c", burn,
                             CSINK_EVENTS="task-clock,nvml:::Tesla_K20c:power,nvml:::Tesla_K20c:energy",
                             **self.environment() | {"FAKE_NVML": script})
        self.assertEqual(run.status, 0, run.stderr)
        power, energy = self.any_report(run)["device_counters"]
        for counter in (power, energy):
            self.assertTrue(counter["readings_failed"], counter)
            self.assertLess(counter["readings"], 10, counter)
            self.assertLess(counter["seconds"], 1.5, counter)
        self.assertEqual([power[k] for k in ("minimum", "average", "maximum")], [25, 25, 25], power)
        self.assertAlmostEqual(energy["per_second"], 50, delta=5, msg=energy)

    def test_a_card_that_is_lost_leaves_the_other_card(self):
        script = ("devices = 2; 0.name = A; 1.name = B; 0.power = 25000; 1.power = " + 8 * "30000 " + "error:15")
        burn = "import time\nend = time.monotonic() + 2\nwhile time.monotonic() < end: pass\n"
        run = self.run_agent("/usr/bin/python3", "-c", burn,
                             CSINK_EVENTS="task-clock,nvml:::B:power,nvml:::A:power",
                             **self.environment() | {"FAKE_NVML": script})
        self.assertEqual(run.status, 0, run.stderr)
        by_name = {counter["name"]: counter for counter in self.any_report(run)["device_counters"]}
        lost, good = by_name["nvml:::B:power"], by_name["nvml:::A:power"]
        self.assertTrue(lost["readings_failed"], lost)
        self.assertLess(lost["seconds"], 1.5, lost)
        self.assertEqual([lost[k] for k in ("minimum", "average", "maximum")], [30, 30, 30], lost)
        self.assertFalse(good["readings_failed"], good)
        self.assertGreater(good["seconds"], 1.5, good)
        self.assertEqual([good[k] for k in ("minimum", "average", "maximum")], [25, 25, 25], good)

    def test_a_meter_that_is_killed_is_told(self):
        script = ("import os, signal, time\n"
                  "def burn(seconds):\n"
                  "    end = time.monotonic() + seconds\n"
                  "    while time.monotonic() < end: pass\n"
                  "def meters():\n"
                  "    for pid in filter(str.isdigit, os.listdir('/proc')):\n"
                  "        try:\n"
                  "            with open(f'/proc/{pid}/cmdline', 'rb') as f: words = f.read().split(b'\\0')\n"
                  "        except OSError: continue\n"
                  "        if words[:2] == [b'csink-meter', str(os.getpid()).encode()]: yield int(pid)\n"
                  "burn(0.6)\n"
                  "for pid in meters(): os.kill(pid, signal.SIGKILL)\n"
                  "burn(2)\n")
        run = self.run_agent("/usr/bin/python3", "-c", script, CSINK_EVENTS="task-clock,nvml:::Tesla_K20c:energy",
                             **self.environment())
        self.assertEqual(run.status, 0, run.stderr)
        [counter] = self.any_report(run)["device_counters"]
        self.assertGreater(counter["unmeasured_seconds"], 1, counter)
        self.assertLess(counter["seconds"], 1.5, counter)
        self.assertAlmostEqual(counter["per_second"], 50, delta=5, msg=counter)

    def test_a_card_that_hangs_keeps_the_program_waiting_a_moment(self):
        hangs = self.environment() | {"FAKE_NVML": "init = block"}
        began = time.monotonic()
        run = self.run_agent("split", CSINK_EVENTS="task-clock,nvml:::Tesla_K20c:power", **hangs)
        self.assertEqual(run.status, 0)
        self.assertLess(time.monotonic() - began - run.report["wall_seconds"], 5)
        self.assertEqual(run.report["device_counters"], [])

    def test_a_card_that_hangs_at_its_start_holds_no_pipe_of_the_programs(self):
        hangs = self.environment() | {"FAKE_NVML": "init = block"}
        env = csink_e2e.agent_environment(self.fresh_folder(), **hangs,
                                          CSINK_EVENTS="task-clock,nvml:::Tesla_K20c:power")
        began = time.monotonic()
        subprocess.run(["/bin/true"], check=True, env=env, stdin=subprocess.DEVNULL, capture_output=True)
        self.assertLess(time.monotonic() - began, 5)  # it is given ten seconds

    def test_after_exec_the_new_image_reads(self):
        env = csink_e2e.agent_environment(self.fresh_folder(), **self.environment(),
                                          CSINK_EVENTS="task-clock,nvml:::Tesla_K20c:power")
        out = os.path.join(self.folder, "exec.json")
        program = csink_e2e.program_path("split")
        subprocess.run(["sh", "-c", f"exec {program}"], check=True, stdout=subprocess.DEVNULL,
                       env=env | {"CSINK_OUTPUT": out, "CSINK_FORMAT": "json"})
        [counter] = csink_e2e._load(out)["device_counters"]
        self.assertEqual(counter["value"], 25)


@unittest.skipUnless(IN_NAMESPACE in os.environ, "see FakePowercap")
class Joules(E2eTest):
    """A package that uses WATTS, told by a file that a thread here keeps true."""

    @classmethod
    def setUpClass(cls):
        zone = os.path.join(os.environ[IN_NAMESPACE], "powercap", "intel-rapl:0")
        cls.counter = os.open(os.path.join(zone, "energy_uj"), os.O_WRONLY)
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
            used = int((time.monotonic() - cls.start) * WATTS * 1e6)
            os.pwrite(cls.counter, b"%012d\n" % used, 0)
            time.sleep(0.002)

    def assertWatts(self, report):
        [counter] = report["device_counters"]
        self.assertEqual((counter["name"], counter["units"]), (ENERGY, "J"))
        # The file lags while the machine is busy: its own time and the meter's are not the same.
        self.assertGreater(counter["per_second"], 0.5 * WATTS, counter)
        self.assertLess(counter["per_second"], 1.5 * WATTS, counter)
        return counter

    def test_the_machines_joules_and_the_functions_part(self):
        run = self.profile("split", CSINK_EVENTS="task-clock," + ENERGY)
        counter = self.assertWatts(run.report)
        energy = run.report["energy"]
        self.assertAlmostEqual(energy["joules"], counter["value"])
        self.assertLessEqual(energy["program_joules_estimate"], energy["joules"])
        parts = sum(f["joules_estimate"] for f in run.report["functions"])
        self.assertAlmostEqual(parts, energy["program_joules_estimate"], places=6)

    def test_a_tree_counts_the_machine_once(self):
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "out.json")
            program = csink_e2e.program_path("split")
            status, _, err = self.run_tool("run", "-e", "task-clock," + ENERGY, "--format", "json", "-o",
                                           out, "--", "sh", "-c", f"{program} & {program} & wait")
            self.assertEqual(status, 0, err)
            report = csink_e2e._load(out)
            self.assertWatts(report)
            self.assertGreaterEqual(len(report["processes"]), 3)

    def test_a_killed_program_keeps_its_last_reading(self):
        with tempfile.TemporaryDirectory() as folder:
            env = csink_e2e.agent_environment(folder, CSINK_EVENTS="task-clock," + ENERGY)
            busy = subprocess.Popen([sys.executable, "-S", "-c", "while True: pass"], env=env)
            time.sleep(0.8)
            busy.kill()
            busy.wait()
            spools = glob.glob(os.path.join(folder, "**", "*.csink"), recursive=True)
            _, text, _ = self.run_tool("report", *spools)
            self.assertIn("up to the last reading", " ".join(text.split()))


@unittest.skipIf(IN_NAMESPACE in os.environ, "this is that run")
class FakePowercap(unittest.TestCase):
    def test_in_a_mount_namespace(self):
        with tempfile.TemporaryDirectory() as tree:
            zone = os.path.join(tree, "powercap", "intel-rapl:0")
            os.makedirs(zone)
            for name, text in (("name", "package-0\n"), ("max_energy_range_uj", "262143328850\n"),
                               ("energy_uj", "%012d\n" % 0)):
                with open(os.path.join(zone, name), "w", encoding="ascii") as f:
                    f.write(text)
            probe = subprocess.run(["unshare", "-m", "mount", "--bind", tree, "/sys/class"],
                                   capture_output=True, text=True, check=False)
            if probe.returncode != 0:
                self.skipTest("no mount namespace: " + probe.stderr.strip())
            done = subprocess.run(
                ["unshare", "-m", "sh", "-c", 'mount --bind "$1" /sys/class && exec "$2" "$3" Joules',
                 "sh", tree, sys.executable, __file__],
                env=os.environ | {IN_NAMESPACE: tree}, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    csink_e2e.main()
