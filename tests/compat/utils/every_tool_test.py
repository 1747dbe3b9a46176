"""What all utilities have: --help, --man, --json, exit codes, colour on terminals alone."""

import json
import os
import pty
import re
import shutil
import subprocess

import utils_run

TOOLS = sorted(os.environ["CSINK_UTILITY_NAMES"].split())
# The options of the manuals: PAPI 7.0's tools, and -t of 3.5's papi_avail.
OPTIONS = {
    "papi_avail": "-h --help -a --avail -c --check -d --detail -e -t --br --cache --cnd --fp --ins --idl --l1 "
                  "--l2 --l3 --mem --msc --tlb",
    "papi_native_avail": "-h --help -c --check -e -i -x --sde --noqual --darr --dear --iarr --iear --opcm "
                         "--nogroups",
    "papi_component_avail": "-h --help -d",
    "papi_hardware_avail": "-h --help",
    "papi_event_chooser": "--help",
    "papi_xml_event_info": "-h -p -n -c",
}


class EveryTool(utils_run.UtilityTest):
    def each(self, *arguments):
        for name in TOOLS:
            with self.subTest(name):
                yield name, self.tool(name, *arguments)

    def test_help_has_the_options_of_the_manuals(self):
        for name, run in self.each("--help"):
            self.assertEqual((run.status, run.stderr), (0, ""))
            self.assertTrue(run.stdout.startswith(f"Usage: {name} [OPTION...]"))
            told = set(re.findall(r"(?<![\w-])--?\w[\w-]*", run.stdout))
            self.assertLessEqual(set(OPTIONS.get(name, "-h").split()), told)
            self.assertFalse([line for line in run.stdout.splitlines() if len(line) > 80])

    def test_the_man_page_is_made_of_the_same(self):
        for name, run in self.each("--man"):
            self.assertEqual((run.status, run.stderr), (0, ""))
            self.assertTrue(run.stdout.startswith(f".TH {name} 1 "))
            for title in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "SEE ALSO"):
                self.assertIn(f"\n.SH {title}\n", run.stdout)
            man = run.stdout.replace("\\-", "-")
            for word in re.findall(r"^  (?:-\w, |    )(--\w[\w-]*)", self.tool(name, "--help").stdout, re.M):
                self.assertIn(f"\\fB{word}\\fR", man)

    def test_groff_has_no_complaints(self):
        if not shutil.which("groff"):
            self.skipTest("groff is not installed")
        for _, run in self.each("--man"):
            done = subprocess.run(["groff", "-man", "-ww", "-z"], input=run.stdout, text=True,
                                  capture_output=True, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_version_has_the_commit(self):
        for name, run in self.each("--version"):
            self.assertEqual((run.status, run.stderr), (0, ""))
            self.assertRegex(run.stdout,
                             rf"\A{name} \(Countersink\) \d+\.\d+\.\d+ \(commit ([0-9a-f]{{12}}|unknown)\)\n\Z")

    def test_unknown_options_are_wrong_use(self):
        for name, run in self.each("--no-such-option"):
            self.assertEqual((run.status, run.stdout), (2, ""))
            self.assertTrue(run.stderr.endswith(f"{name}: '{name} --help' shows the options\n"), run.stderr)

    def test_failures_are_objects_too(self):
        for name, *arguments in (("papi_event_chooser", "NATIVE", "NOPE"), ("papi_xml_event_info", "NOPE"),
                                 ("papi_command_line", "NOPE"), ("papi_avail", "-e", "NOPE"),
                                 ("papi_native_avail", "-e", "NOPE")):
            with self.subTest(name):
                run = self.tool(name, "--json", *arguments)
                self.assertEqual((run.status, json.loads(run.stdout)["tool"]), (1, name))
                self.assertIn("NOPE", run.stdout)

    def test_nothing_said_steers_a_terminal(self):
        run = self.tool("papi_event_chooser", "NATIVE", "\x1b[31mX")
        self.assertEqual(run.status, 1)
        self.assertNotIn("\x1b", run.stderr)

    def test_a_closed_output_fails_and_nothing_else_is_written_into(self):
        done = subprocess.run(["sh", "-c", 'exec "$0" >&-', os.path.join(utils_run.UTILS, "papi_avail")],
                              capture_output=True, text=True, env=utils_run.clean_environment(), check=False)
        self.assertEqual((done.returncode, done.stderr),
                         (1, "papi_avail: the output could not be written completely: Bad file descriptor\n"))

    def test_what_cannot_be_written_fails(self):
        for name in TOOLS:
            with self.subTest(name), open("/dev/full", "w") as full:
                done = subprocess.run([os.path.join(utils_run.UTILS, name), "--help"], stdout=full,
                                      stderr=subprocess.PIPE, env=utils_run.clean_environment(), check=False)
                self.assertEqual(done.returncode, 1)
                self.assertIn(b"the output could not be written completely", done.stderr)


class Colour(utils_run.UtilityTest):
    def on_terminal(self, **env):
        """What papi_component_avail writes to a terminal."""
        try:
            ours, theirs = pty.openpty()
        except OSError as error:
            self.skipTest(f"no terminal can be made here (is /dev/pts mounted?): {error}")
        environment = utils_run.clean_environment() | {"TERM": "xterm"} | env
        with subprocess.Popen([os.path.join(utils_run.UTILS, "papi_component_avail")], env=environment,
                              stdin=subprocess.DEVNULL, stdout=theirs) as child:
            os.close(theirs)
            text = b""
            try:
                while part := os.read(ours, 65536):
                    text += part
            except OSError:
                pass  # the other end is closed
            child.wait()
        os.close(ours)
        return text

    def test_only_on_a_terminal(self):
        self.assertIn(b"\x1b[", self.on_terminal())
        self.assertNotIn("\x1b[", self.tool("papi_component_avail", env={"TERM": "xterm"}).stdout)

    def test_not_when_it_is_refused(self):
        self.assertNotIn(b"\x1b[", self.on_terminal(NO_COLOR="1"))
        self.assertNotIn(b"\x1b[", self.on_terminal(TERM="dumb"))


class Json(utils_run.UtilityTest):
    def test_heads_are_alike(self):
        for name in ("papi_avail", "papi_component_avail", "papi_hardware_avail"):
            told = json.loads(self.tool(name, "--json").stdout)
            self.assertEqual((told["tool"], told["papi_version"]), (name, "7.0.0.0"))


if __name__ == "__main__":
    utils_run.main()
