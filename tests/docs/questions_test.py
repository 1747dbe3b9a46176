#!/usr/bin/env python3
"""The ten questions of docs/guide.md: each command of the table answers its question, for a program whose answer is known."""

import os
import re
import sys
import unittest

import doc_world
from doc_commands import filled

# What the output of the command for a question must have.
ANSWERS = {
    "which function?": r"^ *(5\d|6\d)\.\d% .*Simulate\(",
    "which line?": r"^ *\d+\.\d% .*shares\.cpp:1\d",
    "why is it slow?": r"imul",
    "who calls it?": r"from main",
    "what changed?": r"verdict|CPU time",
    "which thread?": r"main|app",
    "where does it wait?": r"(?i)wait|blocked",
    "what did it cost?": r"ATIME",
    "on my server?": r"Simulate\(",
    "in my CI?": r"^verdict  ",
}


def rows():
    """{question: command} of the table"""
    text = (doc_world.ROOT / "docs" / "guide.md").read_text()
    section = text.split("## Ten questions\n", 1)[1].split("\n## ", 1)[0]
    return dict(re.findall(r"^\| ([^|`]*\?) \| `([^`]+)` \|", section, re.M))


class Questions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.world = doc_world.World(os.environ["CSINK_BUILD"])
        cls.addClassCleanup(cls.world.close)

    def test_the_table_has_these_ten(self):
        self.assertEqual(sorted(rows()), sorted(ANSWERS))

    def test_each_command_answers(self):
        for question, command in rows().items():
            with self.subTest(question):
                line = filled(command, doc_world.WORDS)
                if "PID" in line:
                    line = line.replace("PID", str(self.world.pid()))
                else:
                    self.world.rest()
                status, output = self.world.run(line, 120)
                self.assertEqual(status, 0, f"{line}\n{output}")
                self.assertRegex(output, re.compile(ANSWERS[question], re.M), line)


if __name__ == "__main__":
    if "CSINK_BUILD" not in os.environ:
        print("skipped: no CSINK_BUILD")
        sys.exit(77)
    unittest.main()
