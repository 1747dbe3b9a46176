#!/usr/bin/env python3
"""doc_commands: blocks, comments and synopses."""

import unittest

from doc_commands import commands, filled, without_comment


class Commands(unittest.TestCase):
    def of(self, text):
        return [command for _, command in commands(text)]

    def test_an_indented_block_below_an_empty_line(self):
        self.assertEqual(commands("text\n\n    csink doctor\n"), [(3, "csink doctor")])
        self.assertEqual(self.of("text\n    csink doctor\n"), [])

    def test_a_prompt_makes_the_rest_output(self):
        self.assertEqual(self.of("```\n$ csink doctor\ncsink run would do\n```\n"), ["csink doctor"])

    def test_the_first_line_of_a_report_is_no_command(self):
        self.assertEqual(self.of("\n    csink  ./app   pid 4\n    csink: error: no\n"), [])

    def test_code_of_other_languages_is_left_alone(self):
        self.assertEqual(self.of("```c\ncc me;\n```\n"), [])

    def test_a_long_command_goes_on(self):
        self.assertEqual(self.of("\n    mpirun -np 4 \\\n        ./wave\n"), ["mpirun -np 4 ./wave"])

    def test_a_script_is_one_command(self):
        self.assertEqual(self.of("\n    #!/bin/sh\n    csink doctor\n    csink report\n"),
                         ["#!/bin/sh\ncsink doctor\ncsink report\n"])

    def test_exports_hold_for_the_rest_of_the_block(self):
        self.assertEqual(self.of("\n    export A=1\n    csink doctor\n"), ["export A=1; csink doctor"])

    def test_assignments_before_a_program(self):
        self.assertEqual(self.of('\n    A="b c" LD_PRELOAD=libagent.so ./app\n    A=b of the text\n'),
                         ['A="b c" LD_PRELOAD=libagent.so ./app'])


class Comments(unittest.TestCase):
    def test_an_option_behind_blanks_is_none(self):
        self.assertEqual(without_comment("csink export --format=csv    [-o FILE]"), "csink export --format=csv [-o FILE]")

    def test_both_kinds(self):
        self.assertEqual(without_comment("csink doctor   # what"), "csink doctor")
        self.assertEqual(without_comment("csink top PID      the last second"), "csink top PID")
        self.assertEqual(without_comment("CSINK_STACKS=fp      LD_PRELOAD=a ./app"), "CSINK_STACKS=fp LD_PRELOAD=a ./app")


class Filled(unittest.TestCase):
    WORDS = {"FILE": "app.csink", "PID": "7", "A": "before.json"}

    def test_options_go_and_the_first_alternative_stays(self):
        self.assertEqual(filled("csink report [OPTIONS] [--x[=N]] FILE|FOLDER|PID...", self.WORDS), "csink report app.csink")

    def test_words_alone_are_replaced(self):
        self.assertEqual(filled("csink diff A AB --a A1 PID -o FILE.x", self.WORDS), "csink diff before.json AB --a A1 7 -o FILE.x")


if __name__ == "__main__":
    unittest.main()
