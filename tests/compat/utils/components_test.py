"""papi_component_avail and papi_hardware_avail: PAPI 7.0's layout, around this machine's facts."""

import json
import re

import utils_run


class PapiComponentAvail(utils_run.UtilityTest):
    def test_the_lists(self):
        run = self.tool("papi_component_avail", env=self.software())
        self.assertEqual((run.status, run.stderr), (0, ""))
        # Of the components: perf_event, which is on every Linux, and the frame around them.
        text = re.sub(r"^Name:   (?!perf_event ).*\n(?:   .*\n)*\n?", "", run.stdout, flags=re.M)
        text = re.sub(r"(Native|Preset|Counters): \d+", r"\1: #", text)
        text = re.sub(r"^   \\-> Partially disabled: .*\n", "", text, flags=re.M)  # without a PMU
        text = re.sub(r"\n {32}PMUs supported: [^\n]*(\n {48}[^\n]*)*", "", text)
        self.assertGolden("papi_component_avail.txt", text)

    def test_details_tell_versions(self):
        told = self.tool("papi_component_avail", "-d").stdout
        self.assertRegex(told, r"\n {32}Version:\t\t\t\S+\n {32}Number of native events:\t\d+\n"
                               r" {32}Number of preset events:\t\d+\n\n")
        self.assertRegex(told, r"\n {32}Fast counter read:\t\t[01]\n")

    def test_disabled_components_say_why(self):
        told = json.loads(self.tool("papi_component_avail", "--json").stdout)
        for component in told["components"]:
            if component["disabled"]:
                self.assertNotEqual(component["reason"], "", component["name"])
        self.assertEqual(told["components"][0]["name"], "perf_event")


    def test_components_that_work_in_part_say_why(self):
        text = self.tool("papi_component_avail").stdout
        for component in json.loads(self.tool("papi_component_avail", "--json").stdout)["components"]:
            in_part = not component["disabled"] and component["reason"] != ""
            self.assertEqual(component["partially_disabled"], in_part, component["name"])
            line = f"\n   \\-> Partially disabled: {component['reason']}\n"
            self.assertEqual(in_part and line in text, in_part, component["name"])
        # Whether hardware events count decides for perf_event.
        counts = self.tool("papi_command_line", "perf::CYCLES").stdout
        first = text.split("Name:   perf_event_uncore")[0]
        self.assertEqual("Partially disabled" in first, "Successfully added" not in counts)


class PapiHardwareAvail(utils_run.UtilityTest):
    def test_the_frame(self):
        run = self.tool("papi_hardware_avail")
        self.assertEqual((run.status, run.stderr), (0, ""))
        text = re.sub(r"^(\w.*?) *: .*$", r"\1: #", run.stdout, flags=re.M)
        text = re.sub(r"^(\S+) +\(\d+\)$", r"\1 (#)", text, flags=re.M)
        text = re.sub(r"^( \\-> Status:) .*$", r"\1 #", text, flags=re.M)
        first, rest = text.split("Device Information", 1)
        self.assertEqual(first.count("Status: #"), 3)
        self.assertTrue(first.startswith("\nDevice Summary " + "-" * 65 + "\nVendor           DevCount \n"))
        self.assertTrue(rest.startswith(" " + "-" * 61 + "\nVendor: #\nId: #\nName: #\nCPUID: #\n"
                                        "Sockets: #\nNuma regions: #\nCores per socket: #\n"), rest)
        self.assertTrue(rest.endswith("\n\n" + "-" * 80 + "\n"))

    def test_columns_are_aligned(self):
        for line in self.tool("papi_hardware_avail").stdout.split("Device Information")[1].splitlines():
            if " : " in line:
                self.assertEqual(line.index(" : "), 37, line)

    def test_json_tells_the_processor(self):
        types = json.loads(self.tool("papi_hardware_avail", "--json").stdout)["types"]
        processor = types[0]["devices"][0]
        self.assertIn("Cores per socket", processor)
        self.assertEqual(types[0]["count"], 1)


if __name__ == "__main__":
    utils_run.main()
