"""Joules of atime: their bounds and the total, over fake cards and a fake tree of powercap zones."""

import csv
import io
import json
import os
import time
import unittest

import apapi_run
import zone_runs
from atime_runs import event_of
from card_runs import CARD, COUNTER, SENSOR, CardTest


class Bounds(CardTest):
    def test_a_counter_has_an_interval_that_contains_the_truth(self):
        report = self.report("sleep", "0.6")
        energy = event_of(report, ":energy")
        truth = 50 * energy["energy"]["seconds"]
        bounds = energy["energy"]
        self.assertAlmostEqual(bounds["joules"], energy["value0"]["acc"], places=9)
        self.assertLess(bounds["low"], truth)
        self.assertGreater(bounds["high"], truth)
        # One update of 0.1 s at 50 W, and a little for a run of six updates.
        self.assertAlmostEqual((bounds["high"] - bounds["low"]) / 2, 5, delta=2.5)

    def test_an_energy_from_power_has_one(self):
        report = self.report("sleep", "0.3")
        power = event_of(report, ":power")
        bounds = power["energy"]
        self.assertAlmostEqual(bounds["joules"], power["value1"]["acc"], places=9)
        self.assertAlmostEqual(bounds["high"] - bounds["joules"], 25, delta=0.1)  # readings up to 1 s old
        self.assertEqual(bounds["low"], 0)

    def test_a_run_shorter_than_an_update_has_no_upper_bound(self):
        report = self.report("/bin/true")
        bounds = event_of(report, ":energy")["energy"]
        self.assertEqual((bounds["low"], bounds["high"]), (0, None))
        self.assertIsNone(report["total"]["high"])

    def test_a_slow_counter_is_recognized(self):
        # The counter stands still for five reads of 50 ms, then shows 12.5 J more.
        steps = " ".join(str(1000 + 12500 * (i // 5)) for i in range(200))
        script = "devices = 1; 0.name = Tesla K20c; 0.power = 25000; 0.energy = " + steps
        report = self.report("-t", "nvml:50ms", "sleep", "1", script=script)
        self.assertGreater(event_of(report, ":energy")["energy"]["update_seconds"], 0.24)

    def test_a_counter_read_more_often_than_it_moves_has_no_power_of_its_steps(self):
        # 5 J in every fifth read of 20 ms: 50 W, and neither 0 nor 250 W.
        steps = " ".join(str(1000 + 5000 * (i // 5)) for i in range(600))
        script = "devices = 1; 0.name = Tesla K20c; 0.power = 25000; 0.energy = " + steps
        report = self.report("-t", "nvml:20ms", "sleep", "3.2", script=script)
        energy = event_of(report, ":energy")
        self.assertGreater(energy["value1"]["min"], 35)
        self.assertLess(energy["value1"]["max"], 65)
        bounds = energy["energy"]
        # A step is 5 J, so the error is about that, and not 250 W for 0.1 s.
        self.assertLess(bounds["high"] - bounds["joules"], 10)

    def test_an_event_without_energy_has_none(self):
        events = self.file("some", "nvml:::Tesla_K20c:temperature\n")
        run = self.atime("--format", "json", "/bin/true",
                         env=self.environment(CARD + "; 0.temperature = 40") | {"APAPI_EVENTLIST": events})
        report = json.loads(run.stdout)
        self.assertIsNone(report["components"][0]["events"][0]["energy"])
        self.assertIsNone(report["total"])
        text = self.atime("/bin/true", env=self.environment(CARD + "; 0.temperature = 40") | {"APAPI_EVENTLIST": events})
        self.assertNotIn("energy", text.stdout)


class Total(CardTest):
    def test_a_card_is_counted_once_by_its_counter(self):
        report = self.report("sleep", "0.3")
        self.assertEqual(report["total"]["events"], [COUNTER])
        self.assertEqual([e["name"] for e in report["total"]["left_out"]], [SENSOR])
        self.assertEqual(report["total"]["joules"], event_of(report, ":energy")["energy"]["joules"])

    def test_text_and_csv_tell_the_same(self):
        text = self.atime("sleep", "0.3", env=self.environment()).stdout
        self.assertRegex(text, rf"\nATIME: energy of {COUNTER}: \S+ J \(\S+ to \S+\), \S+ W over \S+ s\n")
        self.assertRegex(text, rf"\nATIME: energy total: \S+ J \(\S+ to \S+\), \S+ W over \S+ s: {COUNTER}\n")
        self.assertIn(f"\nATIME: not in the total: {SENSOR} (another event measures the same device)\n", text)
        self.assertTrue(text.endswith("\nATIME: papi stop\nATIME: done\n"))
        rows = list(csv.DictReader(io.StringIO(self.atime("--format", "csv", "sleep", "0.3",
                                                          env=self.environment()).stdout)))
        self.assertEqual([r["event"] for r in rows], [SENSOR, COUNTER, "total"])
        counter, total = rows[1], rows[2]
        for column in ("value0_type", "value0_unit", "value0_acc", "energy_J", "energy_low_J", "energy_high_J"):
            self.assertEqual(counter[column], total[column], column)
        self.assertEqual(float(counter["seconds"]), float(total["seconds"]))  # one of them has all zeros
        self.assertAlmostEqual(float(total["value1_avg"]), 50, delta=3)
        self.assertLess(float(total["energy_low_J"]), float(total["energy_J"]))
        self.assertLess(float(total["energy_J"]), float(total["energy_high_J"]))

    def test_a_card_that_hangs_makes_the_total_a_part(self):
        script = "devices = 1; 0.name = Tesla K20c; 0.power = 25000; 0.energy =" + \
            "".join(f" {1000 + 1000 * i}" for i in range(8)) + " block"
        began = time.monotonic()
        report = self.report("-t", "nvml:20ms", "sleep", "1", script=script)
        self.assertLess(time.monotonic() - began, 20)
        self.assertEqual(report["total"]["measured_in_part"], report["total"]["events"])
        text = self.atime("-t", "nvml:20ms", "sleep", "1", env=self.environment(script)).stdout
        self.assertRegex(text, r"\nATIME: the total is too low: \S+ was measured for a part of the run only\n")

    def test_impossible_values_are_in_no_energy(self):
        # Of a counter of 1 J a reading: one that steps back and one that is huge.
        good = [1000 + 1000 * i for i in range(100)]
        good[12], good[15] = 0, 18446744073709551000
        script = "devices = 1; 0.name = Tesla K20c; 0.power = 25000; 0.energy = " + " ".join(map(str, good))
        report = self.report("-t", "nvml:20ms", "sleep", "0.6", script=script)
        self.assertGreater(report["components"][0]["failed_reads"], 0)
        bounds = event_of(report, ":energy")["energy"]
        self.assertGreater(bounds["joules"], 5)
        self.assertLess(bounds["joules"], 100)


class OtherCards(CardTest):
    """Cards of AMD and Intel, by their vendors' fake libraries."""

    def cards(self, component, script):
        fakes = {"rocm_smi": "FAKE_ROCM_SMI", "level_zero": "FAKE_LEVEL_ZERO"}
        return {"LD_LIBRARY_PATH": os.environ["CSINK_FAKE_VENDORS"], "APAPI_CMPLIST": component, fakes[component]: script}

    def measured_cards(self, component, script):
        run = self.atime("--format", "json", "sleep", "0.5", env=self.cards(component, script))
        self.assertEqual(run.status, 0, run.stderr)
        return json.loads(run.stdout)

    def test_amds_cards_are_counted_once_each(self):
        report = self.measured_cards("rocm_smi", "devices = 2; *.resolution = 2; 0.energy = 1000~20000000; "
                                     "1.energy = 1000~15000000; *.average_power = 25000000")
        total = report["total"]
        self.assertEqual(total["events"], ["rocm_smi:::energy:device_0", "rocm_smi:::energy:device_1"])
        self.assertAlmostEqual(total["watts"], 70, delta=7)
        self.assertEqual({e["why"] for e in total["left_out"]}, {"another event measures the same device"})

    def test_intels_parts_of_a_device_are_added_up(self):
        report = self.measured_cards("level_zero", "devices = 1; 0.part0_energy = 1000~20000000; "
                                     "0.part1_energy = 1000~15000000")
        self.assertEqual(len(report["total"]["events"]), 2)
        self.assertAlmostEqual(report["total"]["watts"], 35, delta=4)

    def test_a_library_that_crashes_does_not_end_the_program(self):
        for component, key in (("rocm_smi", "average_power"), ("level_zero", "card_energy")):
            script = f"devices = 1; 0.{key} =" + "".join(f" {1000 + i}" for i in range(6)) + " abort"
            run = self.atime("-t", component + ":20ms", "sh", "-c", "sleep 0.5; exit 3", env=self.cards(component, script))
            self.assertEqual(run.status, 3, run.stderr)
            self.assertIn("ATIME: done", run.stdout)


@unittest.skipUnless(zone_runs.IN_NAMESPACE in os.environ, "see FakePowercap")
class Zones(zone_runs.ZoneTest):
    def test_a_package_contains_its_cores_and_psys_the_package(self):
        run = self.atime("--format", "json", "sleep", "0.5", env=self.zones())
        self.assertEqual(run.status, 0, run.stderr)
        report = json.loads(run.stdout)
        total = report["total"]
        package, memory = (event_of(report, name)["energy"] for name in (":ZONE0", ":ZONE0_SUBZONE1"))
        self.assertEqual(total["events"], ["powercap:::ENERGY_UJ:ZONE0", "powercap:::ENERGY_UJ:ZONE0_SUBZONE1"])
        self.assertAlmostEqual(total["joules"], package["joules"] + memory["joules"], places=9)
        self.assertAlmostEqual(total["high"], package["high"] + memory["high"], places=9)
        self.assertEqual({e["name"][-8:]: e["why"] for e in total["left_out"]},
                         {"SUBZONE0": "part of a package", "UJ:ZONE1": "platform, which contains the packages"})
        # The file lags while the machine is busy.
        self.assertAlmostEqual(total["watts"], 55, delta=15)


@unittest.skipIf(zone_runs.IN_NAMESPACE in os.environ, "this is that run")
class FakePowercap(unittest.TestCase):
    def test_in_a_mount_namespace(self):
        zone_runs.run_in_namespace(self, __file__, "Zones")


if __name__ == "__main__":
    apapi_run.main()
