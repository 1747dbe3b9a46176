"""The man pages that the build made: roff without warnings, every subcommand, option, setting and function in a page.

CSINK_DOCUMENTS: the folder in which the build made them. What a page must hold is read from the sources and the programs
by plain expressions of this test, not by the generator's code.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
MAN = pathlib.Path(os.environ["CSINK_DOCUMENTS"]) / "man"
CSINK, ATIME = os.environ["CSINK_TOOL"], os.environ["CSINK_ATIME"]
sys.path.insert(0, str(ROOT / "scripts"))
from lib import command_help, header_contracts, roff  # noqa: E402


def help_of(*command):
    return subprocess.run([*command, "--help"], capture_output=True, text=True, check=True).stdout


def subcommands():
    return re.findall(r"^  ([a-z]+) {2,}\S", help_of(CSINK).partition("Subcommands:")[2], re.M)


def page(name):
    """A page's text, with plain minus signs."""
    section = name.rpartition(".")[2]
    part = "dev" if section == "3" else "user"
    return (MAN / part / f"man{section}" / name).read_text().replace("\\-", "-").replace("\\&", "")


class Pages(unittest.TestCase):
    def test_every_option_of_a_help_is_in_its_page(self):
        commands = [("csink.1", [CSINK]), ("atime.1", [ATIME])]
        commands += [(f"csink-{name}.1", [CSINK, name]) for name in subcommands()]
        self.assertGreater(len(commands), 14)
        for name, command in commands:
            with self.subTest(name):
                options = re.findall(r"^ {2,6}(--?[\w?][\w-]*)(?:, ?(--[\w-]+))?", help_of(*command), re.M)
                options = [option for pair in options for option in pair if option]
                self.assertIn("--help", options)
                text = page(name)
                for option in options:
                    self.assertIn(f"\\fB{option}\\fR", text)

    def test_sections(self):
        for name in ["csink.1"] + [f"csink-{name}.1" for name in subcommands()]:
            with self.subTest(name):
                titles = re.findall(r"^\.SH (.*)", page(name), re.M)
                for title in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "ENVIRONMENT", "SEE ALSO"):
                    self.assertEqual(titles.count(title), 1, titles)
        for name in subcommands():
            self.assertIn(f"csink-{name} (1)", page("csink.1"))

    def test_every_setting_is_in_the_agents_page(self):
        settings = re.findall(r"^\| `(CSINK_[A-Z_]+)` \|", (ROOT / "docs/environment.md").read_text(), re.M)
        self.assertGreater(len(settings), 30)
        for setting in settings:
            self.assertIn(f"\\fB{setting}\\fR\n", page("libagent.so.7"))

    def test_every_function_of_the_headers_has_a_page(self):
        headers = ["agent/include/csink.h", "compat/apapi/include/apapi.h", "compat/apapi/include/apapi_csink.h",
                   "compat/events/include/csink_events.h", "compat/papi/include/csink_papi.h", "compat/papi/include/papi.h"]
        names = []
        for header in headers:
            text = re.sub(r"/\*.*?\*/", "", (ROOT / header).read_text(), flags=re.S)
            # At the beginning of a line: a result, and a name in front of "(". Macros begin with "#".
            names += re.findall(r"^(?!typedef|#| |\})[\w* ]*?[\w*] ?\*?((?:PAPI|APAPI|csink)_\w+)\(", text, re.M)
        self.assertGreater(len(names), 130)
        for name in names:
            self.assertTrue((MAN / f"dev/man3/{name}.3").exists(), name)

    def test_links_have_targets(self):
        for path in (MAN / "dev/man3").iterdir():
            if target := re.match(r"\.so (.*)\n", path.read_text()):
                self.assertTrue((MAN / "dev" / target.group(1)).exists(), path)

    def test_contracts_become_sections(self):
        text = page("PAPI_add_event.3")
        self.assertRegex(text, r"\.SH NAME\nPAPI_add_event, PAPI_add_named_event, PAPI_add_events - ")
        self.assertIn(".SH ERRORS\n.TP\n\\fBPAPI_ENOEVNT\\fR\nNo such event on this machine.", text)
        self.assertIn("\\fBint PAPI_add_named_event(int EventSet, const char* EventName);\\fR", text)
        self.assertIn("Signals: not safe", text)
        self.assertIn("Signals: safe", page("PAPI_get_real_cyc.3"))

    def test_roff_has_no_warnings(self):
        if not shutil.which("groff"):
            self.skipTest("groff is not installed")
        pages = [path for path in MAN.rglob("*.[137]") if not path.read_text().startswith(".so ")]
        self.assertGreater(len(pages), 80)
        # One process for all: a message names its file.
        done = subprocess.run(["groff", "-man", "-ww", "-z", *map(str, pages)], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))


class Help(unittest.TestCase):
    """Help that no subcommand prints today."""

    def read(self, line, *more):
        text = "\n".join(["About", "Usage: csink x [OPTIONS]", "", "Options:", line, *more]) + "\n"
        return command_help.read_cli11("csink", "x", text).options[0]

    def test_a_text_in_its_column(self):
        option = self.read("  --syntax SYNTAX:{att,intel} Syntax of instructions")
        self.assertEqual((option.spellings, option.argument, option.words, option.text),
                         (["--syntax"], "SYNTAX", ["att", "intel"], "Syntax of instructions"))

    def test_a_blank_in_the_last_column_of_a_long_option(self):
        option = self.read("  --some-long-option NUMBER:0 to 100", " " * 30 + "What it does")
        self.assertEqual((option.limits, option.text), ("0 to 100", "What it does"))

    def test_marks(self):
        option = self.read("  -o,--output FILE ... REQUIRED (Env:CSINK_X)", " " * 30 + "Where", " " * 30 + "it goes")
        self.assertEqual((option.spellings, option.required, option.repeated, option.environment, option.text),
                         (["-o", "--output"], True, True, "CSINK_X", "Where it goes"))

    def test_words_that_only_the_text_has(self):
        self.assertEqual(command_help.words_in("Callers: fp (frame pointers), unwind (tables) or off"), ["fp", "unwind", "off"])
        self.assertEqual(command_help.words_in("text, csv or json"), ["text", "csv", "json"])
        self.assertEqual(command_help.words_in("Sorted by: an event, a ratio or name"), [])
        self.assertEqual(command_help.words_in("name, name@period or name@4kHz, separated by commas"), [])

    def test_examples(self):
        self.assertEqual(command_help.split_examples('a -e "x;y"; b $(c; d)'), ['a -e "x;y"', "b $(c; d)"])

    def test_getopt(self):
        command = command_help.read_getopt("x", "Usage: x [-a] PROGRAM\nRuns PROGRAM.\n\n  -a, --all FILE        all\n"
                                                "                        of them\n      --new=N  new\n\nEnvironment:\n"
                                                "  X_Y   a value\n\nExit status: 0; 2 wrong use.\n")
        self.assertEqual([(o.spellings, o.argument, o.text) for o in command.options],
                         [(["-a", "--all"], "FILE", "all of them"), (["--new"], "N", "new")])
        self.assertEqual((command.environment, command.exits), ([["X_Y", "a value"]], "0; 2 wrong use."))


class Roff(unittest.TestCase):
    def test_no_text_becomes_a_macro(self):
        self.assertEqual(roff.body(".TH x\n'y \\n -z"), ".PP\n\\&.TH x 'y \\en \\-z\n")
        self.assertEqual(roff.literal([".x", "'y"]), ".PP\n.RS 4\n.nf\n\\&.x\n\\&'y\n.fi\n.RE\n")


class Contracts(unittest.TestCase):
    def test_a_comment_belongs_to_the_functions_behind_it(self):
        header = header_contracts.read("/* About. */\n#define X(a) \\\n  f(a)\n/* ---- Part ---- */\n\n/* For all. */\n\n"
                                       "/* Does. Fails: PAPI_EX (a. b). Signals: safe. */\nint f(int a);\nint g(void);\n"
                                       "struct s {\n  int m; /* no function */\n};\n/* Other. */\nstatic inline int h(void) {\n"
                                       "  return f(1); /* inside */\n}\n")
        self.assertEqual(header.overview, "About.")
        self.assertEqual([(g.section, g.intro, [n for n, _ in g.functions]) for g in header.groups],
                         [("Part", "For all.", ["f", "g"]), ("Part", "For all.", ["h"])])
        self.assertEqual(header.groups[1].functions[0][1], "int h(void);")
        self.assertEqual(header_contracts.take_sentences(header.groups[0].text, "Fails?: "),
                         ("Does.\nSignals: safe.", ["PAPI_EX (a. b)"]))


if __name__ == "__main__":
    result = unittest.main(verbosity=2, exit=False).result
    for test, why in result.skipped:
        print(f"skipped: {why}")
    sys.exit(0 if result.wasSuccessful() else 1)
