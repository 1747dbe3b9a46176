#!/usr/bin/env python3
"""Every option of csink's subcommands is in a page of docs/, and every option that a page gives to one is an option of it."""

import os
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = os.environ.get("CSINK_TOOL", "")


def help_of(*words):
    return subprocess.run([TOOL, *words, "--help"], check=True, capture_output=True, text=True, timeout=60).stdout


def options():
    """{subcommand: its options, long and short}"""
    names = re.findall(r"(?m)^  ([a-z]+) ", help_of().split("Subcommands:")[1])
    return {name: set(re.findall(r"(?m)^ +(?:-\w,)*(--[a-z][a-z-]*)", help_of(name))) |
                  set(re.findall(r"(?m)^ +(-\w),", help_of(name))) for name in names}


def given(text):
    """(subcommand, option) of each command in a text: up to " -- ", a comment or a pipe."""
    for name, rest in re.findall(r"\bcsink ([a-z]+)([^\n`]*)", text):
        for option in re.findall(r"(?<![\w-])(--[a-z][a-z-]*)", re.split(r" -- | #| \| ", rest)[0]):
            yield name, option


class Options(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.options = options()
        cls.text = "\n".join(path.read_text() for path in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))])

    def test_there_are_some(self):
        self.assertGreater(len(self.options), 10)
        self.assertIn("--baseline", self.options["report"])

    def test_each_option_is_in_a_page(self):
        missing = sorted({(name, option) for name, all_of_it in self.options.items() for option in all_of_it - {"-h", "--help"}
                          if not re.search(rf"(?<![\w-]){re.escape(option)}(?![\w-])", self.text)})
        self.assertEqual(missing, [])

    def test_each_option_of_the_pages_exists(self):
        self.assertEqual(sorted({(name, option) for name, option in given(self.text)
                                 if name in self.options and option not in self.options[name]}), [])

    def test_what_follows_a_command_is_not_its_option(self):
        self.assertEqual(list(given("csink run --keep -- ./app --fast\n`csink top` --x\ncsink export --flat F | p --c")),
                         [("run", "--keep"), ("export", "--flat")])


if __name__ == "__main__":
    if not TOOL:
        print("skipped: no CSINK_TOOL")
        sys.exit(77)
    unittest.main()
