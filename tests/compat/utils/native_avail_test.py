"""papi_native_avail: the boxes of PAPI 7.0, groups and wired values, one event explained."""

import json
import re

import utils_run

SKX = {"LIBPFM_FORCE_PMU": "skx"}


class PapiNativeAvail(utils_run.UtilityTest):
    def setUp(self):
        super().setUp()
        self.need_software_events()

    def native(self, *arguments, env=None):
        return self.tool("papi_native_avail", *arguments, env=env)

    def test_events_are_boxes(self):
        run = self.native("-i", "perf::CONTEXT", "-c")
        self.assertEqual((run.status, run.stderr), (0, ""))
        # Which components are there is the machine's matter.
        text = run.stdout[:run.stdout.index("===", run.stdout.index("| perf::CONTEXT"))]
        self.assertGolden("papi_native_avail.txt", text)

    def test_choices_by_name(self):
        clocks = self.native("-i", "CLOCK", "-x", "PERF_COUNT", "--noqual").stdout
        self.assertEqual(re.findall(r"^\| (\S+)", clocks, re.M), ["perf::CPU-CLOCK", "perf::TASK-CLOCK"])
        self.assertIn("Total events reported: 2\n", clocks)

    def test_every_event_of_the_processor_can_be_added(self):
        told = json.loads(self.native("--json", "-c").stdout)["events"]
        events = [event for event in told if event["component"] == "perf_event"]
        self.assertGreater(len(events), 5)
        self.assertEqual([event["name"] for event in events if not event["countable"]], [])

    def test_another_processors_events_are_listed_to_be_looked_at(self):
        self.need_pmu_table("skx")
        self.assertRegex(self.native("--noqual", env=SKX).stdout, r"(?m)^\| INST_RETIRED ")

    def test_nothing_left_fails(self):
        run = self.native("-i", "no such event")
        self.assertEqual(run.status, 1)
        self.assertIn("No events detected!", run.stdout)

    def test_kinds_of_itanium_are_empty(self):
        for option in ("--darr", "--dear", "--iarr", "--iear", "--opcm"):
            self.assertIn("Total events reported: 0\n", self.native(option).stdout, option)

    def test_groups_defaults_and_wired_values(self):
        self.need_pmu_table("skx")
        box = self.native("-i", "OFFCORE_RESPONSE_0", env=SKX).stdout
        self.assertRegex(box, r"\|     Group 0, default ANY_REQUEST: DMND_DATA_RD ")
        self.assertRegex(self.native("-i", "CYCLE_ACTIVITY", env=SKX).stdout,
                         r"\|     Fixed: (.|\n)*STALLS_TOTAL:c=4")
        self.assertNotIn("Group", self.native("-i", "OFFCORE_RESPONSE_0", "--nogroups", env=SKX).stdout)

    def test_every_line_of_a_box_is_as_wide(self):
        self.need_pmu_table("skx")
        for line in self.native("--patterns", env=SKX).stdout.splitlines():
            if line.startswith("|"):
                self.assertEqual((len(line), line[-1]), (80, "|"), line)

    def test_one_event_is_explained_completely(self):
        self.need_pmu_table("skx")
        run = self.native("-e", "skx::RESOURCE_STALLS:SB", env=SKX)
        self.assertEqual(run.status, 0, run.stderr)
        self.assertIn("Event name:     skx::RESOURCE_STALLS:SB\n", run.stdout)
        self.assertRegex(run.stdout, r"\nBit pattern:    type 0x4 config 0x\w*8a2 config1 0 config2 0\n")
        self.assertRegex(run.stdout, r"\ngroup 0[^\n]*:\n")

    def test_an_event_that_needs_a_mask_is_explained_too(self):
        self.need_pmu_table("skx")
        run = self.native("-e", "CYCLE_ACTIVITY", env=SKX)
        self.assertEqual(run.status, 0, run.stderr)
        self.assertIn("one must be given", run.stdout)
        self.assertRegex(run.stdout, r"STALLS_TOTAL .*fixes c=4")

    def test_a_software_event_is_explained(self):
        self.assertGolden("papi_native_avail_e.txt", self.native("-e", "perf::CPU-CLOCK").stdout)

    def test_an_unknown_event_fails_and_says_why(self):
        run = self.native("-e", "perf::CPU-CLOK")
        self.assertEqual(run.status, 1)
        self.assertIn("Sorry, an event by the name 'perf::CPU-CLOK' could not be found.", run.stdout)
        self.assertRegex(run.stderr, r"^papi_native_avail: .*nearest: cpu-clock.*\n$")

    def test_json_tells_patterns(self):
        told = json.loads(self.native("--json", "-i", "perf::CPU-CLOCK", "-c").stdout)
        self.assertEqual(told["count"], 1)
        event = told["events"][0]
        self.assertEqual((event["component"], event["units"], event["countable"]), ("perf_event", "ns", True))
        self.assertEqual(event["pattern"], {"type": 1, "config": 0, "config1": 0, "config2": 0})
        self.assertIn(":u=0", [q["name"] for q in event["qualifiers"]])

    def test_json_of_one_event_has_its_groups(self):
        self.need_pmu_table("skx")
        event = json.loads(self.native("--json", "-e", "OFFCORE_RESPONSE_0", env=SKX).stdout)["event"]
        self.assertEqual(event["groups"][0]["default"], "ANY_REQUEST")

    def test_json_with_nothing_left_fails_too(self):
        run = self.native("--json", "-i", "no such event")
        self.assertEqual((run.status, json.loads(run.stdout)["count"]), (1, 0))

    def test_a_wrong_modifier_is_explained_and_fails(self):
        run = self.native("-e", "perf::CPU-CLOCK:zz=1")
        self.assertEqual(run.status, 1)
        self.assertIn("As it is:       not usable: ", run.stdout)
        self.assertEqual(self.native("--json", "-e", "perf::CPU-CLOCK:zz=1").status, 1)

    def test_a_machine_that_counts_no_cycles_says_so(self):
        told = json.loads(self.native("--json", "-i", "perf::CPU-CLOCK").stdout)
        if self.tool("papi_avail", "-e", "PAPI_TOT_CYC").status == 0:
            self.assertNotIn("hint", told)
        else:
            self.assertIn("perf::TASK-CLOCK", told["hint"]["instead"])
            self.assertIn("\nWhat can be counted here: ", self.native("-i", "perf::CPU-CLOCK").stdout)

    def test_software_defined_events_need_a_file(self):
        run = self.native("-sde", "/nonexistent")
        self.assertEqual(run.status, 1)
        self.assertEqual(run.stderr, "papi_native_avail: cannot read '/nonexistent'\n")


if __name__ == "__main__":
    utils_run.main()
