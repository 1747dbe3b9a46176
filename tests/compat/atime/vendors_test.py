"""atime over fake cards behind the real names of the vendors' libraries: values, several components at
once, and what happens when a library fails or hangs."""

import csv
import io
import json
import os

import apapi_run
import atime_runs
from atime_runs import event_of

GPU = "devices = 1; 0.name = NVIDIA H200; 0.total_memory = 1000; 0.used_memory = 1; 0.temperature = 41; "
PLAIN = 8 * " 25000"  # more answers than set-up asks for


class VendorTest(atime_runs.AtimeTest):
    def measure(self, *command, options=(), status=0, **env):
        """Run and JSON report; the fakes are where the loader looks first."""
        environment = {"LD_LIBRARY_PATH": os.environ["CSINK_FAKE_VENDORS"]} | env
        run = self.atime("-o", self.path("report"), "--format", "json", *options, *command, env=environment)
        self.assertEqual(run.status, status, run.stderr)
        return run, json.loads(self.read("report")) if status != 1 else None

    def component(self, report, name):
        return next(c for c in report["components"] if c["name"] == name)


class Values(VendorTest):
    def test_each_component_has_its_interval(self):
        _, report = self.measure("sleep", "0.4", options=["-t", "nvml:20ms:maxeler:100000000"],
                                 APAPI_CMPLIST="maxeler:nvml")
        self.assertEqual([c["name"] for c in report["components"]], ["nvml", "maxeler"])
        for component, interval in zip(report["components"], (0.02, 0.1)):
            wanted = component["seconds"] / interval
            self.assertLess(abs(component["samples"] + component["missed"] - wanted), 3, component)

    def test_a_component_that_is_named_twice_has_its_first_interval(self):
        run, report = self.measure("/bin/true", options=["-t", "nvml:20ms:nvml:50ms"], APAPI_CMPLIST="nvml")
        self.assertIn("-t: component 'nvml' is given twice; the first interval is used\n", run.stderr)
        self.assertEqual(self.component(report, "nvml")["interval_ns"], 20_000_000)

    def test_power_becomes_energy(self):
        _, report = self.measure("sleep", "0.3", FAKE_NVML=GPU + "0.power = 25000", APAPI_CMPLIST="nvml")
        power = event_of(report, ":power")
        self.assertEqual((power["value0"]["avg"], power["value0"]["unit"]), (25, "W"))
        seconds = self.component(report, "nvml")["seconds"]
        self.assertAlmostEqual(power["value1"]["acc"] / (25 * seconds), 1, delta=1e-6)  # Ws

    def test_an_average_weighs_time(self):
        # 20 W and then 40 W: by the series each value weighs the interval that it ends.
        script = GPU + "0.power = " + " ".join(["20000"] * 12 + ["40000"])
        _, report = self.measure("sleep", "0.5", options=["-t", "nvml:20ms", "--series", self.path("series")],
                                 FAKE_NVML=script, APAPI_CMPLIST="nvml")
        rows = [r for r in csv.DictReader(io.StringIO(self.read("series"))) if r["event"].endswith(":power")]
        times, values = ([float(r[k]) for r in rows] for k in ("time_s", "value0"))
        energy = sum(v * (b - a) for v, a, b in zip(values[1:], times, times[1:]))
        power = event_of(report, ":power")["value0"]
        self.assertAlmostEqual(power["avg"], energy / (times[-1] - times[0]), delta=1e-6)
        self.assertEqual((power["min"], power["max"]), (20, 40))

    def test_one_list_for_several_components(self):
        events = self.file("events", "nvml:::NVIDIA_H200:temperature\nmaxeler:::fpga_POWER:DEVICE0\n")
        _, report = self.measure("/bin/true", FAKE_NVML=GPU, APAPI_CMPLIST="nvml:maxeler", APAPI_EVENTLIST=events)
        self.assertEqual([len(c["events"]) for c in report["components"]], [1, 1])
        self.assertEqual(event_of(report, "temperature")["value0"]["max"], 41)


class Derived(VendorTest):
    """What no file describes is made of the event's own description."""

    def test_unit_and_growth_say_what_to_compute(self):
        os.mkdir(self.path("data"))
        self.file("data/default_eventops.csv", "# none\n")
        self.file("data/default_eventlist.txt", "nvml:::*\n")
        script = GPU + "0.power = 25000; 0.energy = 1000~50000"
        run, report = self.measure("sleep", "0.4", FAKE_NVML=script, APAPI_CMPLIST="nvml",
                                   APAPI_DATADIR=self.path("data"))
        self.assertNotIn("no operations", run.stderr)
        power, energy = event_of(report, ":power"), event_of(report, ":energy")
        self.assertEqual((power["value0"]["avg"], power["value0"]["unit"]), (25, "W"))
        seconds = self.component(report, "nvml")["seconds"]
        self.assertAlmostEqual(power["value1"]["acc"] / (25 * seconds), 1, delta=1e-6)
        self.assertEqual((energy["value0"]["unit"], energy["value1"]["unit"]), ("Ws", "W"))
        self.assertAlmostEqual(energy["value1"]["avg"], 50, delta=5)
        temperature = event_of(report, ":temperature")["value0"]
        self.assertEqual((temperature["max"], temperature["unit"]), (41, "°C"))


class Failures(VendorTest):
    def test_a_library_that_fails_at_init_is_an_error_with_its_reason(self):
        run, _ = self.measure("/bin/true", status=1, FAKE_NVML="init = error:9", APAPI_CMPLIST="nvml")
        self.assertRegex(run.stderr, "atime: component nvml is disabled: .*driver")

    def test_of_the_default_list_it_is_left_out(self):
        run, report = self.measure("/bin/true", FAKE_NVML="init = error:9")
        self.assertNotIn("nvml", [c["name"] for c in report["components"]])
        self.assertIn("maxeler", [c["name"] for c in report["components"]])
        self.assertRegex(run.stderr, "does not have it: (rapl, )?nvml")

    def test_a_report_without_a_standard_output_is_not_in_the_series(self):
        env = {"LD_LIBRARY_PATH": os.environ["CSINK_FAKE_VENDORS"], "FAKE_NVML": GPU, "APAPI_CMPLIST": "nvml"}
        run = self.atime("--series", self.path("series"), "sh", "-c", "test -L /proc/$$/fd/1 || exit 5",
                         env=env, preexec_fn=lambda: os.close(1))
        self.assertEqual(run.status, 5, "the program found a descriptor 1")
        self.assertIn("the report could not be written: Bad file descriptor\n", run.stderr)
        lines = self.read("series").splitlines()
        self.assertEqual(lines[0], "component,time_s,event,raw,value0,value1")
        self.assertTrue(all(line.startswith("nvml,") for line in lines[1:]), lines)

    def test_one_that_does_not_start_is_left_out_unless_it_was_named(self):
        for answer in ("error:15", "block"):  # the first is set-up's
            script = GPU + "0.power = 25000 " + answer
            run, _ = self.measure("/bin/true", status=1, FAKE_NVML=script, APAPI_CMPLIST="nvml:maxeler")
            self.assertIn("atime: the counters of component nvml cannot be started\n", run.stderr)
            self.assertIn("GPU is lost" if answer == "error:15" else "does not answer", run.stderr)
            for more in ({}, {"APAPI_CMPLIST": "nvml:maxeler", "APAPI_SOFTFAIL": "1"}):
                run, report = self.measure("sh", "-c", "exit 3", status=3, FAKE_NVML=script, **more)
                names = [c["name"] for c in report["components"]]
                self.assertNotIn("nvml", names)
                self.assertIn("maxeler", names)
                self.assertIn("atime: component nvml is not measured\n", run.stderr)

    def test_a_device_that_is_lost_is_counted(self):
        script = GPU + f"0.power ={PLAIN} error:15"
        run, report = self.measure("sleep", "0.4", options=["-t", "nvml:20ms"], FAKE_NVML=script, APAPI_CMPLIST="nvml")
        component = self.component(report, "nvml")
        self.assertGreater(component["failed_reads"], 0)
        self.assertEqual(event_of(report, ":power")["value0"]["max"], 25)
        self.assertIn(f"component nvml: {component['failed_reads']} samples of nvml:::NVIDIA_H200:power", run.stderr)
        self.assertRegex(run.stderr, "event nvml:::NVIDIA_H200:power and 1 more events could not be read: .*: the GPU is lost")

    def test_a_card_that_is_lost_leaves_the_other_cards(self):
        script = ("devices = 2; *.name = A100; *.temperature = 41; 0.power = 25000; 0.energy = 1000~50000; "
                  f"1.power ={PLAIN} error:15; 1.energy = 1000~70000")
        run, report = self.measure("sleep", "0.6", options=["-t", "nvml:20ms", "--series", self.path("series")],
                                   FAKE_NVML=script, APAPI_CMPLIST="nvml")
        component = self.component(report, "nvml")
        good, lost = event_of(report, "nvml:::A100:power"), event_of(report, "A100:device_1:power")
        # No sample of the first card is lost by the second one.
        self.assertEqual(good["failed_reads"], 0)
        self.assertEqual(good["samples"], component["samples"])
        self.assertGreater(good["samples"] + component["missed"], 0.5 / 0.02)
        self.assertEqual(good["value0"]["avg"], 25)
        self.assertAlmostEqual(good["value1"]["acc"] / (25 * component["seconds"]), 1, delta=1e-6)
        energy = event_of(report, "nvml:::A100:energy")
        self.assertAlmostEqual(energy["value0"]["acc"] / (50 * component["seconds"]), 1, delta=0.1)
        # The second one has what it had until then, and is named.
        self.assertGreater(lost["failed_reads"], 10)
        self.assertEqual(lost["samples"] + lost["failed_reads"], component["samples"])
        self.assertEqual(lost["failed_reads"], component["failed_reads"])
        self.assertLess(lost["seconds"], 0.3)
        self.assertEqual((lost["value0"]["min"], lost["value0"]["max"]), (25, 25))
        self.assertRegex(run.stderr, "event nvml:::A100:device_1:power( and [0-9]+ more events)? could not be read: "
                                     ".*: the GPU is lost.*, and the other events are measured")
        self.assertIn(f"component nvml: {lost['failed_reads']} samples of nvml:::A100:device_1:power", run.stderr)
        self.assertIn("the total is too low: nvml:::A100:device_1:", self.text_report(script))
        rows = list(csv.DictReader(io.StringIO(self.read("series"))))
        for name, event in (("nvml:::A100:power", good), ("nvml:::A100:device_1:power", lost)):
            self.assertEqual(sum(r["event"] == name for r in rows), event["samples"])

    def test_a_card_that_is_lost_before_the_start_is_said(self):
        script = "devices = 2; *.name = A100; *.power = 25000; *.energy = 1000~50000; 1.handle = error:15"
        run, report = self.measure("sleep", "0.3", FAKE_NVML=script, APAPI_CMPLIST="nvml")
        self.assertIn("atime: component nvml: GPU 1 is left out: the GPU is lost", run.stderr)
        self.assertEqual(report["total"]["events"], ["nvml:::A100:energy"])
        events = self.file("events", "nvml:::A100:device_1:power\n")
        run = self.atime("true", env={"LD_LIBRARY_PATH": os.environ["CSINK_FAKE_VENDORS"], "FAKE_NVML": script,
                                      "APAPI_CMPLIST": "nvml", "APAPI_EVENTLIST": events})
        self.assertEqual(run.status, 1)
        self.assertRegex(run.stderr, r"nvml has no event A100:device_1:power.*\(GPU 1 is left out: the GPU is lost")

    def text_report(self, script):
        run = self.atime("-t", "nvml:20ms", "sleep", "0.6", env={"LD_LIBRARY_PATH": os.environ["CSINK_FAKE_VENDORS"],
                                                                 "FAKE_NVML": script, "APAPI_CMPLIST": "nvml"})
        self.assertEqual(run.status, 0, run.stderr)
        return run.stdout

    def test_a_card_that_comes_back_goes_on_with_what_it_grew_by(self):
        script = ("devices = 2; *.name = A; 0.temperature = 41; 1.temperature = 41; "
                  "1.energy =" + 10 * " 1000~50000" + 5 * " error:15" + " 1000~50000")
        events = self.file("events", "nvml:::A:temperature\nnvml:::A:device_1:energy\n")
        _, report = self.measure("sleep", "0.6", options=["-t", "nvml:20ms"], FAKE_NVML=script, APAPI_CMPLIST="nvml",
                                 APAPI_EVENTLIST=events)
        energy = event_of(report, ":energy")
        self.assertEqual(energy["failed_reads"], 5)
        self.assertAlmostEqual(energy["value0"]["acc"] / (50 * energy["seconds"]), 1, delta=0.1)
        self.assertAlmostEqual(energy["seconds"], self.component(report, "nvml")["seconds"], delta=0.05)

    def test_an_impossible_power_is_a_failed_read_and_in_no_average(self):
        script = GPU + f"0.power ={PLAIN} 4294967280 25000"
        run, report = self.measure("sleep", "0.5", options=["-t", "nvml:20ms"], FAKE_NVML=script, APAPI_CMPLIST="nvml")
        component = self.component(report, "nvml")
        self.assertEqual(component["failed_reads"], 1)
        power = event_of(report, ":power")["value0"]
        self.assertEqual((power["min"], power["avg"], power["max"]), (25, 25, 25))
        self.assertIn("component nvml: 1 samples of nvml:::NVIDIA_H200:power are missing", run.stderr)
        self.assertRegex(run.stderr, "NVIDIA_H200:power could not be read: .*a power that no board can draw")

    def test_an_energy_that_steps_back_adds_nothing(self):
        script = GPU + "0.energy =" + 8 * " 1000~50000" + " 3 1000~50000"
        events = self.file("events", "nvml:::NVIDIA_H200:energy\n")
        run, report = self.measure("sleep", "0.5", options=["-t", "nvml:20ms"], FAKE_NVML=script, APAPI_CMPLIST="nvml",
                                   APAPI_EVENTLIST=events)
        component = self.component(report, "nvml")
        self.assertEqual(component["failed_reads"], 1)
        energy = event_of(report, ":energy")
        self.assertAlmostEqual(energy["value0"]["acc"] / (50 * energy["seconds"]), 1, delta=0.1)
        self.assertRegex(run.stderr, "component nvml could not be read: .*energy counter stepped back")

    def test_a_library_that_ends_its_process_ends_neither_atime_nor_the_program(self):
        for act, how in (("exit:3", "exit status "), ("abort", "killed by signal 6 ")):
            script = GPU + f"0.power ={PLAIN} {act}"
            run, report = self.measure("sh", "-c", "sleep 0.6; exit 5", options=["-t", "nvml:20ms:maxeler:20ms"],
                                       status=5, FAKE_NVML=script, APAPI_CMPLIST="nvml:maxeler")
            dead, other = (self.component(report, name) for name in ("nvml", "maxeler"))
            self.assertGreater(dead["failed_reads"], 0, run.stderr)
            self.assertLess(dead["seconds"], 0.5, dead)
            self.assertEqual(event_of(report, ":power")["value0"]["avg"], 25)
            self.assertEqual(other["failed_reads"], 0, other)
            self.assertGreater(other["seconds"], 0.5, other)
            self.assertIn("a vendor's library ended the process that asks the device: " + how, run.stderr)
            self.assertIn(f"component nvml: {dead['failed_reads']} samples are missing", run.stderr)

    def test_a_library_that_ends_its_process_at_its_start_is_named_or_left_out(self):
        for act in ("exit:0", "abort"):
            script = GPU + f"init = {act}"
            run, _ = self.measure("/bin/true", status=1, FAKE_NVML=script, APAPI_CMPLIST="nvml:maxeler")
            self.assertIn("a vendor's library ended the process that asks the device", run.stderr)
            run, report = self.measure("sh", "-c", "exit 3", status=3, FAKE_NVML=script)
            names = [c["name"] for c in report["components"]]
            self.assertNotIn("nvml", names)
            self.assertIn("maxeler", names)

    def test_the_program_gets_no_variable_and_no_process_of_atime(self):
        run, _ = self.measure("sh", "-c", "env | grep -c CSINK_VENDOR_PROCESS; ls /proc/self/fd | wc -l",
                              APAPI_CMPLIST="nvml")
        variables, descriptors = map(int, run.stdout.split())
        self.assertEqual(variables, 0)
        self.assertLessEqual(descriptors, 4)  # 0 to 2, and the one that ls reads

    def test_one_that_hangs_delays_neither_the_others_nor_the_end(self):
        script = GPU + f"0.power ={PLAIN} block"
        run, report = self.measure("sleep", "0.5", options=["-t", "nvml:20ms:maxeler:20ms"], FAKE_NVML=script,
                                   APAPI_CMPLIST="nvml:maxeler")
        hanging, other = (self.component(report, name) for name in ("nvml", "maxeler"))
        # Not one sample of the other is lost by it: all that its interval asks for, up to the end.
        self.assertLess(abs(other["samples"] + other["missed"] - 0.5 / 0.02), 5, other)
        self.assertFalse(other["abandoned"])
        self.assertTrue(hanging["abandoned"] or hanging["failed_reads"] > 0, hanging)
        self.assertLess(hanging["seconds"], 0.4)
        self.assertEqual(event_of(report, ":power")["value0"]["avg"], 25)
        self.assertIn("nvml", run.stderr)


if __name__ == "__main__":
    apapi_run.main()
