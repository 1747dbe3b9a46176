"""papi_avail: the tables of PAPI 7.0 and the options of the 3.5 manual, over software events."""

import json
import re

import utils_run


class PapiAvail(utils_run.UtilityTest):
    def setUp(self):
        super().setUp()
        self.need_software_events()

    def avail(self, *arguments):
        return self.tool("papi_avail", *arguments, env=self.software())

    def test_available_events_are_a_table(self):
        run = self.avail("-a")
        self.assertEqual((run.status, run.stderr), (0, ""))
        self.assertGolden("papi_avail_a.txt", run.stdout)

    def test_details_of_available_events(self):
        self.assertGolden("papi_avail_a_d.txt", self.avail("-a", "-d").stdout)

    def test_a_derived_event_is_explained(self):
        self.assertGolden("papi_avail_e.txt", self.avail("-e", "PAPI_BR_INS").stdout)

    def test_a_table_is_the_default(self):
        self.assertEqual(self.avail("-t").stdout, self.avail().stdout)
        self.assertEqual(self.avail("-d", "-t").stdout, self.avail().stdout)

    def test_every_preset_has_a_row(self):
        rows = re.findall(r"^(PAPI_\w+) +0x8[0-9a-f]{7}  (Yes|No)   (?: )?(?: )?", self.avail().stdout, re.M)
        self.assertEqual(len(rows), 108)
        self.assertEqual({name for name, there in rows if there == "Yes"},
                         {"PAPI_TOT_CYC", "PAPI_TOT_INS", "PAPI_FP_OPS", "PAPI_BR_INS"})

    def test_checked_events_were_added(self):
        self.assertEqual(self.avail("-c").stdout, self.avail("-a").stdout)

    def test_a_class_chooses_presets(self):
        table = self.avail("--fp", "--br", "-a").stdout
        names = re.findall(r"^(PAPI_\w+)", table, re.M)
        self.assertEqual(names, ["PAPI_BR_INS", "PAPI_FP_OPS"])

    def test_json_tells_the_same(self):
        told = json.loads(self.avail("--json", "-a").stdout)
        self.assertEqual(told["tool"], "papi_avail")
        self.assertEqual(told["counts"], {"possible": 5, "available": 5, "derived": 3})
        event = next(e for e in told["events"] if e["name"] == "PAPI_FP_OPS")
        self.assertEqual([n["name"] for n in event["natives"]],
                         ["perf::TASK-CLOCK:u=1:k=0", "perf::PAGE-FAULTS"])
        self.assertEqual((event["derivation"], event["note"]), ("DERIVED_ADD", "a note"))

    def test_an_unknown_event_fails_and_says_why(self):
        run = self.avail("-e", "PAPI_TOT_CYK")
        self.assertEqual(run.status, 1)
        self.assertIn("Sorry, an event by the name 'PAPI_TOT_CYK' could not be found.", run.stdout)
        self.assertRegex(run.stderr, r"^papi_avail: .*PAPI_TOT_CYC.*\n$")

    def test_an_event_of_other_machines_fails(self):
        run = self.avail("-e", "PAPI_L3_TCM")
        self.assertEqual(run.status, 1)
        self.assertIn("PRESET event PAPI_L3_TCM is NOT available on this architecture!", run.stdout)

    def test_a_native_event_that_cannot_be_counted_fails(self):
        self.assertEqual(self.avail("-e", "perf::TASK-CLOCK").status, 0)
        if self.tool("papi_command_line", "perf::CYCLES").status == 0:
            self.skipTest("this machine counts cycles")
        self.assertEqual(self.avail("-e", "perf::CYCLES").status, 1)
        told = json.loads(self.avail("--json", "-e", "perf::CYCLES").stdout)
        self.assertEqual(told["event"]["available"], False)

    def test_the_fault_of_an_events_file_is_told(self):
        broken = self.file("broken.csv", "EVENT,BROKEN,DERIVED_POSTFIX,N0|N7|+|,perf::TASK-CLOCK\n")
        run = self.tool("papi_avail", env={"PAPI_USER_EVENTS_FILE": broken})
        self.assertRegex(run.stderr, r"broken\.csv:1:\d+: .*N7")
        self.assertEqual(self.avail().stderr, "")

    def test_where_nothing_counts_it_says_so_and_what_does(self):
        nothing = {"PAPI_CSV_EVENT_FILE": self.file("none.csv", "CPU,perf\n")}
        run = self.tool("papi_avail", "-a", env=nothing)
        if re.search(r"Of [1-9]\d* available", run.stdout):
            self.skipTest("this machine counts presets by itself")
        self.assertEqual(run.status, 0)
        self.assertIn("No events detected!  Check papi_component_avail to find out why.", run.stdout)
        self.assertIn("What can be counted here: perf::TASK-CLOCK", run.stdout)
        self.assertEqual(self.tool("papi_avail", env=nothing).status, 0)

    def test_what_can_be_counted_begins_with_the_presets_that_count(self):
        run = self.tool("papi_command_line", env=self.software())
        self.assertEqual(run.status, 1)
        told = re.search(r"^What can be counted here: ((?:.|\n {26})*)", run.stdout, re.M)
        self.assertIsNotNone(told, run.stdout)
        names = told.group(1).split()
        self.assertEqual(set(names[:4]), {"PAPI_BR_INS", "PAPI_TOT_INS", "PAPI_TOT_CYC", "PAPI_FP_OPS"})
        self.assertEqual(names[4], "perf::TASK-CLOCK")


if __name__ == "__main__":
    utils_run.main()
