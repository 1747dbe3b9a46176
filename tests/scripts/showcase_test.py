"""scripts/showcase: what it prints is neutral, and its arithmetic finds a broken promise."""

import importlib.machinery
import importlib.util
import os
import pathlib
import re
import unittest

PATH = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "showcase"
LOADER = importlib.machinery.SourceFileLoader("showcase", str(PATH))
SPEC = importlib.util.spec_from_loader("showcase", LOADER)
showcase = importlib.util.module_from_spec(SPEC)
LOADER.exec_module(showcase)

TICK = 1 / os.sysconf("SC_CLK_TCK")


class Neutral(unittest.TestCase):
    FOLDERS = {"/dev/shm/x/demo": "/tmp/demo", "/dev/shm/x/demo/run": "/run/user/1000"}

    def neutral(self, text):
        return showcase.neutral(text, self.FOLDERS, "vm")

    def test_the_longer_folder_wins(self):
        self.assertEqual(self.neutral("/dev/shm/x/demo/run/a /dev/shm/x/demo/b"), "/run/user/1000/a /tmp/demo/b")

    def test_a_host_name_goes_where_one_stands(self):
        self.assertEqual(self.neutral("xz.vm.12.345.0.csink"), "xz.host.12.345.0.csink")
        self.assertEqual(self.neutral('"host": "vm"'), '"host": "host"')

    def test_a_short_host_name_is_not_cut_out_of_words(self):
        self.assertEqual(self.neutral("kvm.c:3 vm.max_map_count"), "kvm.c:3 vm.max_map_count")

    def test_a_kernel_keeps_its_version_only(self):
        self.assertEqual(self.neutral("Linux 6.1.0-37-cloud-amd64 x86_64"), "Linux 6.1 x86_64")


class TailLines(unittest.TestCase):
    def kept(self, at_death, user, samples, threads=1, processors=2):
        report = {"user_seconds": user, "system_seconds": 0.01, "events": [{"samples": samples, "period": 1000003}]}
        return showcase.tail_lines(at_death, report, threads, processors)[1]

    def test_a_tail_of_less_than_100_ms_is_promised(self):
        self.assertTrue(self.kept(2.10, 2.0, 1990))

    def test_a_longer_tail_breaks_the_promise(self):
        self.assertFalse(self.kept(2.111 + 2 * TICK, 2.0, 1990))

    def test_threads_have_250_ms_on_each_processor(self):
        self.assertTrue(self.kept(2.50, 2.0, 1990, threads=16))
        self.assertFalse(self.kept(2.511 + 4 * TICK, 2.0, 1990, threads=16))

    def test_no_more_threads_than_processors_count(self):
        self.assertFalse(self.kept(2.511 + 2 * TICK, 2.0, 1990, threads=16, processors=1))

    def test_samples_must_explain_what_came_before(self):
        self.assertFalse(self.kept(2.05, 2.0, 1800))


class Runs(unittest.TestCase):
    def test_every_run_says_what_it_shows(self):
        self.assertGreaterEqual(len(showcase.RUNS), 14)
        self.assertIn("kill", showcase.RUNS)


class Page(unittest.TestCase):
    def setUp(self):
        self.page = showcase.PAGE.read_text()

    def test_it_is_of_the_present_version(self):
        number = (showcase.ROOT / "core" / "version" / "number.h").read_text()
        version = re.search(r'CSINK_VERSION "([^"]+)"', number)[1]
        self.assertEqual(showcase.lasting(self.page)[0], "csink " + version, "scripts/showcase --write makes docs/runs.md")

    def test_its_headings_and_commands_are_those_of_the_script(self):
        source = PATH.read_text()
        shown = re.findall(r"^(?:## |    \$ )(.+)$", self.page, re.M)
        self.assertGreaterEqual(len(shown), 6)
        self.assertEqual([line for line in shown if line not in source], [])

    def test_figures_and_rows_do_not_last(self):
        page = ("# Runs\n\nMade with csink\n1.2.3.\n\n## One\n\nProse.\n\n    $ csink x\n    event  a every 1 ms\n\n"
                "    share  rows\n    97.4%  f\n             99 found\n\nMore.\n")
        self.assertEqual(showcase.lasting(page), ["csink 1.2.3", "## One", "Prose.", "    $ csink x", "event", "share", "More."])
        self.assertEqual(showcase.lasting(page), showcase.lasting(page.replace("97.4%", "12.3%")))
        self.assertNotEqual(showcase.lasting(page), showcase.lasting(page.replace("event ", "events ")))


if __name__ == "__main__":
    unittest.main()
