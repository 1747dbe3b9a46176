"""What holds a run up: programs whose critical path follows from how they are made, by csink run --critical."""

import json
import os

import csink_e2e
from csink_e2e import E2eTest

# Findings of the path, by kind.
PATH = ("critical-path", "critical-path-unsaved")


class Critical(E2eTest):
    def findings(self, mode, *options):
        report = os.path.join(self.fresh_folder(), "report.json")
        status, _, err = self.run_tool("run", *options, "--format", "json", "-o", report, "--",
                                       csink_e2e.program_path("critical_paths"), mode)
        self.assertEqual(status, 0, err)
        with open(report, encoding="utf-8") as text:
            return json.load(text)["findings"]

    def on_path(self, findings):
        return [f["function"].removesuffix("()") for f in findings if f["kind"] in PATH]

    def off_path(self, findings):
        """None: savings are not predicted, for the reason that the finding of the path names."""
        if any("no savings are predicted" in f["text"] for f in findings):
            print([f["text"] for f in findings])
            return None
        return [f["function"].removesuffix("()") for f in findings if f["kind"] == "off-path"]

    def check(self, mode, holds_up, saves_nothing):
        found = self.findings(mode, "--critical")
        texts = [f["text"] for f in found]
        self.assertEqual(self.on_path(found)[:1], [holds_up], texts)
        self.assertNotIn(saves_nothing, self.on_path(found)[:1], texts)
        off = self.off_path(found)
        if off is not None:
            self.assertNotIn(holds_up, off, texts)
        return off

    def test_two_threads_in_turn(self):
        self.check("handshake", "Produce", "Consume")

    def test_most_of_the_cpu_time_saves_nothing(self):
        off = self.check("offpath", "Step", "Aside")
        if off is not None:
            self.assertEqual(off, ["Aside"])

    def test_the_longer_part_of_each_round(self):
        # A round in which Heavy's thread got no processor ends with Light: what that costs is above nothing.
        off = self.check("barrier", "Heavy", "Light")
        self.assertIn(off, (None, [], ["Light"]))

    def test_a_lock_that_both_threads_need(self):
        self.check("convoy", "Locked", "Free")

    def test_without_the_setting_there_is_no_path(self):
        self.assertEqual([f for f in self.findings("handshake") if f["kind"] in (*PATH, "off-path")], [])


if __name__ == "__main__":
    csink_e2e.main()
