"""papi_event_chooser and papi_xml_event_info over software events."""

import json
import re
import xml.etree.ElementTree

import utils_run


class PapiEventChooser(utils_run.UtilityTest):
    def setUp(self):
        super().setUp()
        self.need_software_events()

    def choose(self, *arguments):
        return self.tool("papi_event_chooser", *arguments, env=self.software())

    def test_presets_beside_presets(self):
        run = self.choose("PRESET", "PAPI_TOT_CYC", "PAPI_TOT_INS")
        self.assertEqual((run.status, run.stderr), (0, ""))
        self.assertGolden("papi_event_chooser.txt", run.stdout)

    def test_natives_have_blocks(self):
        told = self.choose("NATIVE", "perf::TASK-CLOCK").stdout
        block = re.search(r"^perf::CPU-CLOCK\t0x4[^-]*?-{73}\n", re.sub("CPU-CLOCK:", "CPU_CLOCK:", told), re.M)
        self.assertTrue(block, told)
        self.assertRegex(told, r"\n    0x4[0-9a-f]{7}::CPU-CLOCK:u=0  \|monitor at user level\|\n")
        total = int(re.search(r"Total events reported: (\d+)\n$", told).group(1))
        self.assertEqual(total, len(re.findall(r"^\S+\t0x4", told, re.M)))

    def test_wrong_use(self):
        for arguments in ((), ("PRESET",), ("BOTH", "PAPI_TOT_CYC")):
            self.assertEqual(self.choose(*arguments).status, 2, arguments)

    def test_an_unknown_event_fails(self):
        run = self.choose("PRESET", "PAPI_NOPE")
        self.assertEqual(run.status, 1)
        self.assertRegex(run.stderr, r"^papi_event_chooser: Event PAPI_NOPE can't be found: ")

    def test_json(self):
        told = json.loads(self.choose("--json", "PRESET", "PAPI_TOT_CYC").stdout)
        self.assertEqual((told["kind"], told["given"]), ("preset", ["PAPI_TOT_CYC"]))
        self.assertEqual([e["name"] for e in told["events"]], ["PAPI_TOT_INS", "PAPI_BR_INS", "PAPI_FP_OPS"])


class PapiXmlEventInfo(utils_run.UtilityTest):
    def setUp(self):
        super().setUp()
        self.need_software_events()

    def xml(self, *arguments):
        return self.tool("papi_xml_event_info", *arguments, env=self.software())

    def test_presets_of_the_first_component(self):
        run = self.xml("-p", "-c", "0")
        self.assertEqual((run.status, run.stderr), (0, ""))
        self.assertGolden("papi_xml_event_info.txt",
                          re.sub(r'(<\w+) (value|string)="[^"]*"/>', r'\1 \2="#"/>', run.stdout))

    def test_it_is_xml_with_every_component(self):
        root = xml.etree.ElementTree.fromstring(self.xml().stdout)
        self.assertEqual(root.tag, "eventinfo")
        components = root.findall("component")
        self.assertEqual([c.get("index") for c in components], [str(i) for i in range(len(components))])
        self.assertEqual((components[0].get("type"), components[0].get("id")), ("CPU", "perf_event"))
        clock = root.find(".//event[@name='perf::TASK-CLOCK']")
        self.assertIn("perf::TASK-CLOCK:u=0", [m.get("name") for m in clock.findall("modifier")])

    def test_events_beside_an_event(self):
        root = xml.etree.ElementTree.fromstring(self.xml("-p", "PAPI_TOT_CYC").stdout)
        names = [e.get("name") for e in root.iter("event")]
        self.assertEqual(names, ["PAPI_TOT_INS", "PAPI_BR_INS", "PAPI_FP_OPS"])

    def test_wrong_arguments(self):
        self.assertEqual(self.xml("-c", "99").status, 1)
        self.assertIn("out of bounds (0..", self.xml("-c", "99").stderr)
        self.assertEqual(self.xml("NOPE").status, 1)
        self.assertEqual(self.xml("--nope").status, 2)


if __name__ == "__main__":
    utils_run.main()
