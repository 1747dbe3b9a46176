"""Debian's PAPI tools and ours over the same library: they agree but for what rows.py explains.

Needs Debian's papi-tools, in the folders of CSINK_PAPI_TOOLS or of the system; without them exit code 77.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

import compared
import rows
import statuses


def find_place():
    found = shutil.which("papi_avail", path=os.environ.get("CSINK_PAPI_TOOLS", "/usr/bin:/bin"))
    if not found:
        print("skipped: Debian's papi-tools are not installed (apt-get install papi-tools)")
        sys.exit(77)
    place = compared.Place(*(pathlib.Path(path) for path in (
        pathlib.Path(found).parent, os.environ["CSINK_UTILITIES"], os.environ["CSINK_LIBPAPI"],
        os.environ["CSINK_PRESETS"], os.environ["CSINK_KNOWN"])))
    asked = subprocess.run([place.ours / "papi_command_line", "--json", "PAPI_TOT_CYC", "perf::CPU-CLOCK"],
                           env=compared.environment(place, "plain"), capture_output=True, text=True, check=False)
    cycles, clock = json.loads(asked.stdout)["events"]
    if not clock["added"]:
        print(f"skipped: nothing can be counted here: {clock['reason']}")
        sys.exit(77)
    return compared.Place(*(getattr(place, name) for name in ("theirs", "ours", "library", "presets", "known")),
                          has_pmu=cycles["added"])


class SideBySide(unittest.TestCase):
    place = find_place()

    def test_both_load_the_library(self):
        for folder in (self.place.theirs, self.place.ours):
            done = subprocess.run([folder / "papi_cost"], capture_output=True, text=True, check=False,
                                  env=dict(compared.environment(self.place, "plain"), LD_TRACE_LOADED_OBJECTS="1"))
            self.assertIn(f"=> {self.place.library}/libpapi.so.7.0 ", done.stdout)

    def test_rows(self):
        for row in rows.ROWS:
            for mode in row.modes:
                with self.subTest(command=row.name, mode=mode):
                    problems = compared.compare(row, mode, self.place)
                    self.assertFalse(problems, "\n" + "\n".join(problems[:40]))


class Statuses(unittest.TestCase):
    place = SideBySide.place

    def test_exit_codes_differ_as_the_page_says(self):
        for tool, calls in statuses.CALLS.items():
            for arguments, kind in calls.items():
                with self.subTest(call=f"{tool} {arguments}"):
                    row = compared.Row((tool, *arguments.split()))
                    theirs, ours = (compared.run(folder, row, "plain", self.place)[0]
                                    for folder in (self.place.theirs, self.place.ours))
                    if kind is None or (self.place.has_pmu and
                                        (kind == statuses.NO_PMU or (tool, arguments) in statuses.NEEDS_NO_PMU)):
                        self.assertEqual(theirs, ours)
                        continue
                    their_codes, our_code = statuses.KINDS[kind]
                    self.assertIn(theirs, their_codes)
                    self.assertEqual(ours, our_code)


class Comparison(unittest.TestCase):
    """That it finds what differs."""
    place = SideBySide.place

    def compare(self, *differences, command=("papi_decode", "-a")):
        row = compared.Row(command, modes=("software",), differences=differences)
        return compared.compare(row, "software", self.place)

    def test_an_unexplained_line_is_a_problem(self):
        self.assertTrue(any("only Debian's" in problem for problem in self.compare()))

    def test_an_explanation_of_nothing_is_a_problem(self):
        stale = compared.Difference(compared.OURS, "^no such line$", "none")
        self.assertEqual(len(self.compare(rows.FIRST_UNAVAILABLE, stale)), 1)

    def test_an_exit_code_is_a_problem(self):
        self.assertTrue(any("exit codes" in problem for problem in self.compare(command=("papi_command_line",))))


if __name__ == "__main__":
    unittest.main()
