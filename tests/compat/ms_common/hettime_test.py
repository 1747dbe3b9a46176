"""hettime over libms_common_apapi.so: a client with hettime's calls in hettime's order, linked against a
libms_common that answers nothing, measures fake devices of known power; one reads the structures."""

import json
import os
import re

import subprocess
import sys
import threading
import time
import unittest

import apapi_run
import fuse_tree

IN_NAMESPACE = "CSINK_MS_FUSE"  # set in the run of this file that sees the hanging driver
PRELOAD, STUB = os.environ["CSINK_MS_COMMON"], os.environ["CSINK_MS_STUB"]
HETTIME, MONITOR = os.environ["CSINK_HETTIME"], os.environ["CSINK_MONITOR"]
FAKES = os.environ["CSINK_FAKE_VENDORS"]
SECTIONS = ("CPU", "GPU", "FPGA", "MIC", "SYSTEM", "TIME", "SETTINGS")
NVML = ("devices = 2; 0.name = NVIDIA H200; 1.name = NVIDIA H200; 0.total_memory = 8589934592;"
        "0.used_memory = 1073741824; 0.power = 25000; 0.temperature = 41; 0.graphics_clock = 1200;"
        "0.sm_clock = 1300; 0.memory_clock = 2600; 0.gpu_utilization = 50; 0.memory_utilization = 20;"
        "0.processes = 3; 1.power = 99000; 1.temperature = 99; 1.total_memory = 1; 1.used_memory = 1")
MAXELER = ("devices = 1; *.fpga_power = 30; *.usage = 25; *.main_temperature = 55;"
           "*.interface_temperature = 45")


class HettimeTest(apapi_run.ApapiTest):
    def run_client(self, *command, stub_only=False, fakes=True, **env):
        environment = apapi_run.clean_environment()
        folders = [os.path.dirname(STUB)] + ([FAKES] if fakes else [])
        environment["LD_LIBRARY_PATH"] = ":".join(folders)
        if not stub_only:
            environment["LD_PRELOAD"] = PRELOAD
        return apapi_run.Run([*map(str, command)], environment | env)

    def hettime(self, *arguments, status=0, **env):
        """A run of the client: the run, its CSV as [(name, unit, value)], its JSON, its text."""
        run = self.run_client(HETTIME, "-v", self.path("csv"), "-j", self.path("json"), "-o", self.path("text"),
                              *arguments, **env)
        self.assertEqual(run.status, status, run.stderr)
        self.assertNotIn("stub:", run.stderr)
        rows = [line.split(";") for line in self.read("csv").splitlines()]
        return run, list(zip(*rows)), json.loads(self.read("json")), self.read("text")

    def values(self, columns):
        return {name: float(value) for name, _, value in columns if value}


class Overrides(HettimeTest):
    def test_the_stub_answers_nothing(self):
        run = self.run_client(HETTIME, "-e", "/bin/true", stub_only=True)
        self.assertIn("stub: ms_init\n", run.stderr)  # so that a missing override is seen

    def test_all_results_have_the_columns_of_hettime(self):
        _, columns, report, text = self.hettime("-e", "/bin/true", fakes=False)
        self.assertEqual(len(columns), 134 + 1)  # each is followed by ';'
        self.assertEqual(columns[-1], ("", "", ""))
        self.assertEqual([c[0] for c in columns if c[0] in SECTIONS], list(SECTIONS))
        for name, _, value in columns[:-1]:
            self.assertEqual(value == "", name in SECTIONS, name)
        self.assertEqual(len(report["values"]), 6)
        self.assertEqual(text.count(": "), len([c for c in columns if c[2]]) - 5)

    def test_without_devices_they_are_zero_and_that_is_one_line(self):
        run, columns, _, _ = self.hettime("-e", "/bin/true", fakes=False)
        values = self.values(columns)
        for name in ("energy_total_gpu", "power_avg_fpga", "energy_total_mic", "temp_max_die",
                     "time_total_measure_fpga"):
            self.assertEqual(values[name], 0)
        said = [l for l in run.stderr.splitlines() if l.startswith("ms_common_apapi:")]
        self.assertEqual(len(said), 1, run.stderr)
        self.assertRegex(said[0], "not measured, because this machine does not have it: .*maxeler")

    def test_the_programs_failure_is_hettimes(self):
        self.hettime("-e", "/bin/false", status=1)


class Refusals(HettimeTest):
    def refused(self, message, **env):
        marker = self.path("started")
        run = self.run_client(HETTIME, "-e", "touch", "-a", marker, fakes=False, **env)
        self.assertEqual(run.status, 1)
        self.assertRegex(run.stderr, message)
        self.assertIn("hettime_like: ms_init failed\n", run.stderr)  # it was told, and ended itself
        self.assertFalse(os.path.exists(marker))

    def test_a_named_component_that_is_not_there(self):
        self.refused("ms_common_apapi: component maxeler is (disabled: .|not available)", APAPI_CMPLIST="maxeler")

    def test_a_component_that_libmeasure_does_not_know(self):
        self.refused("component perf is not supported by libmeasure", APAPI_CMPLIST="perf")

    def test_files_that_are_malformed(self):
        self.refused("APAPI_EVENTOPS=", APAPI_EVENTOPS=self.file("bad", "x\n"))

    def test_with_softfail_it_shows_zeros(self):
        run = self.run_client(HETTIME, "-e", "/bin/true", fakes=False, APAPI_CMPLIST="maxeler", APAPI_SOFTFAIL="1")
        self.assertEqual(run.status, 0, run.stderr)
        self.assertRegex(run.stdout, r"energy_total_fpga +\[ +mWs\]: 0\.0+\n")


class Values(HettimeTest):
    def test_power_and_energy_of_a_gpu(self):
        _, columns, _, _ = self.hettime("-e", "sleep", "-a", "0.5", "-g", "50,1", FAKE_NVML=NVML, APAPI_CMPLIST="nvml")
        values = self.values(columns)
        self.assertEqual(values["power_avg_gpu"], 25000)  # mW, of the first of two
        seconds = values["time_total_measure_gpu"]
        self.assertGreater(seconds, 0.45)
        self.assertAlmostEqual(values["energy_total_gpu"] / (25000 * seconds), 1, delta=0.001)  # mWs
        self.assertEqual((values["temp_max_gpu"], values["proc_max_gpu_active"]), (41, 3))
        self.assertEqual([values["freq_avg_gpu_" + c] for c in ("graph", "sm", "mem")], [1200, 1300, 2600])
        self.assertEqual([values["util_avg_gpu_" + c] for c in ("gpu", "mem")], [50, 20])
        self.assertEqual((values["memory_total_gpu"], values["memory_max_gpu_used"]), (8388608, 1048576))  # kiB

    def test_a_gpu_with_a_counter_of_energy_is_measured_by_it(self):
        # 50 W by the counter, 40 W at this moment, 25 W in the mean of a second.
        card = NVML + "; 0.energy = 1000~50000; 0.instant_power = 40000"
        _, columns, _, _ = self.hettime("-e", "sleep", "-a", "0.5", "-g", "50,1", FAKE_NVML=card, APAPI_CMPLIST="nvml")
        values = self.values(columns)
        seconds = values["time_total_measure_gpu"]
        self.assertAlmostEqual(values["energy_total_gpu"] / (50000 * seconds), 1, delta=0.02)
        self.assertAlmostEqual(values["power_avg_gpu"] / 50000, 1, delta=0.02)
        run = self.run_client(MONITOR, 1, "50,5", FAKE_NVML=card, APAPI_CMPLIST="nvml")
        self.assertIn("gpu power 40000 ", run.stdout)

    def test_the_first_gpu_is_the_drivers_whatever_stands_first_in_a_list(self):
        cards = ("devices = 2; 0.name = T4; 1.name = A100; *.total_memory = 1; *.used_memory = 1;"
                 "0.power = 25000; 1.power = 99000")
        for first in ("nvml:::T4:power", "nvml:::T4:device_0:power"):
            events = self.file("events", "nvml:::A100:power\n" + first + "\n")
            _, columns, _, _ = self.hettime("-e", "sleep", "-a", "0.2", "-g", "50,1", FAKE_NVML=cards,
                                            APAPI_CMPLIST="nvml", APAPI_EVENTLIST=events)
            self.assertEqual(self.values(columns)["power_avg_gpu"], 25000, first)

    def test_csv_json_and_text_tell_the_same(self):
        _, columns, report, text = self.hettime("-e", "/bin/true", FAKE_NVML=NVML, APAPI_CMPLIST="nvml")
        for name, unit, value in columns:
            if not value or name.startswith(("sampling_rate", "temp_max_fpga", "temp_max_vddg")):
                continue
            self.assertRegex(text, rf"(?m)^{name} *\[ *{re.escape(unit)}\]: ")
        self.assertEqual(report["values"][1]["power_avg_gpu"], {"value": 25000, "unit": "mW"})

    def test_rails_of_an_fpga(self):
        _, columns, _, _ = self.hettime("-e", "sleep", "-a", "0.3", FAKE_MAXELER=MAXELER, APAPI_CMPLIST="maxeler")
        values = self.values(columns)
        self.assertAlmostEqual(values["power_avg_fpga"], 30000, delta=1)
        self.assertAlmostEqual(values["power_avg_vcc1v0"], 1000 / 0.85, delta=1)  # 1 V x 1 A, efficiency 0.85
        self.assertAlmostEqual(values["power_avg_mgt_1v2"], 1000 / 0.65, delta=1)
        self.assertAlmostEqual(values["energy_total_fpga"] / (30000 * values["time_total_measure_fpga"]), 1,
                               delta=0.001)
        temperatures = [float(v) for n, _, v in columns if n == "temp_max_fpga_imgt"]
        self.assertEqual(temperatures, [45, 55])
        self.assertAlmostEqual(values["util_avg_fpga_comp"], 25, delta=0.01)

    def test_rails_of_an_accelerator_card(self):
        _, columns, _, _ = self.hettime("-e", "sleep", "-a", "0.3", APAPI_CMPLIST="micknc")
        values = self.values(columns)
        self.assertEqual([values["power_avg_" + r] for r in ("pcie", "vccp", "mic")], [10000, 40000, 60000])
        self.assertEqual((values["temp_max_die"], values["temp_max_fan_out"]), (50, 40))
        self.assertEqual((values["freq_avg_mic_core"], values["freq_avg_mic_mem"]), (1100, 2750))
        self.assertEqual((values["memory_total_mic"], values["memory_max_mic_free"]), (8000000, 6000000))

    def test_memory_of_this_machine_with_energies_and_without(self):
        with open("/proc/meminfo") as f:
            total = int(re.search(r"MemTotal: +(\d+)", f.read()).group(1))
        for env in ({}, {"APAPI_CMPLIST": "load"}):
            _, columns, _, _ = self.hettime("-e", "/bin/true", fakes=False, **env)
            values = self.values(columns)
            self.assertEqual(values["memory_total_cpu"], total)
            self.assertGreater(values["memory_max_cpu_used"], 0)

    def test_a_card_that_hangs_costs_the_others_nothing(self):
        hanging = NVML.replace("0.power = 25000", "0.power =" + 6 * " 25000" + " block")
        _, columns, _, _ = self.hettime("-e", "sleep", "-a", "0.5", "-g", "20,1", "-f", "20,1", FAKE_NVML=hanging,
                                        FAKE_MAXELER=MAXELER, APAPI_CMPLIST="nvml:maxeler")
        values = self.values(columns)
        self.assertEqual(values["power_avg_gpu"], 25000)  # until then
        self.assertAlmostEqual(values["power_avg_fpga"], 30000, delta=1)
        self.assertGreater(values["time_total_measure_fpga"], 0.45)


@unittest.skipUnless(IN_NAMESPACE in os.environ, "see Fuse")
class Hanging(HettimeTest):
    """A driver that hangs in a read of the kernel's until the test lets it go."""

    def test_it_holds_neither_the_results_nor_the_end(self):
        released, readings, start = threading.Event(), [], time.monotonic()

        def energy():
            readings.append(1000 + int((time.monotonic() - start) * 20e6))
            if len(readings) >= 10:
                released.wait()
            return f"{readings[-1]}\n"

        zone = "powercap/intel-rapl:0/"
        tree = fuse_tree.Tree("/sys/class", {zone + "name": "package-0\n", zone + "energy_uj": energy,
                                             zone + "max_energy_range_uj": "262143328850\n"})
        self.addCleanup(tree.close)
        self.addCleanup(released.set)
        run, columns, _, _ = self.hettime("-e", "sleep", "-a", "1", "-c", "20,1", fakes=False, APAPI_CMPLIST="rapl")
        self.assertFalse(released.is_set())
        self.assertGreaterEqual(len(readings), 10)
        self.assertIn("does not respond", run.stderr)
        self.assertGreater(self.values(columns)["energy_total_cpu0_pkg"], 0)


@unittest.skipIf(IN_NAMESPACE in os.environ, "this is that run")
class Fuse(unittest.TestCase):
    def test_in_a_mount_namespace(self):
        if not os.access("/dev/fuse", os.R_OK | os.W_OK):
            self.skipTest("/dev/fuse cannot be opened")
        probe = subprocess.run(
            ["unshare", "-m", sys.executable, "-c", "import fuse_tree; fuse_tree.Tree('/sys/class', {'a': 'b'}).close()"],
            capture_output=True, text=True, check=False)
        if probe.returncode != 0:
            self.skipTest("no file system in user space: " + probe.stderr.strip().splitlines()[-1])
        done = subprocess.run(["unshare", "-m", sys.executable, __file__, "Hanging"],
                              env=os.environ | {IN_NAMESPACE: "1"}, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


class Monitor(HettimeTest):
    def test_current_values_stand_in_the_structures(self):
        run = self.run_client(MONITOR, 1, "50,5", FAKE_NVML=NVML, FAKE_MAXELER=MAXELER, APAPI_CMPLIST="nvml:maxeler:micknc")
        self.assertEqual((run.status, run.stderr), (0, ""))
        self.assertIn("enabled 0 1 1 1 0\n", run.stdout)
        self.assertIn("gpu power 25000 temperature 41 clock 1300 memory 1048576\n", run.stdout)
        self.assertIn("fpga power 30000.000000 temperature 45.000000\n", run.stdout)
        self.assertIn("mic power 60000 temperature 50\n", run.stdout)

    def test_the_check_for_exit_does_not_divide_the_interval(self):
        log = self.path("log")
        run = self.run_client(MONITOR, 1, "100,10", FAKE_NVML=NVML, FAKE_VENDOR_LOG=log, APAPI_CMPLIST="nvml")
        self.assertEqual(run.status, 0, run.stderr)
        reads = self.read("log").splitlines().count("0.power")
        self.assertGreater(reads, 5)
        self.assertLess(reads, 25)  # 11 samples and what set-up asks for; 100 of a divided interval


if __name__ == "__main__":
    apapi_run.main()
