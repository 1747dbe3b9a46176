"""The shell completion of csink and atime, in the shells themselves.

CSINK_DOCUMENTS: the folder in which the build made it. A shell that is not installed is skipped.
"""

import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

COMPLETION = pathlib.Path(os.environ["CSINK_DOCUMENTS"]) / "completion"
CSINK, ATIME = os.environ["CSINK_TOOL"], os.environ["CSINK_ATIME"]
HANG_SECONDS = 60
SKIP = 77


def words_of(*command):
    """The subcommands that a help lists."""
    text = subprocess.run([*command, "--help"], capture_output=True, text=True, check=True).stdout
    return re.findall(r"^  ([a-z]+) {2,}\S", text.partition("Subcommands:")[2], re.M)


class Bash(unittest.TestCase):
    def complete(self, *words):
        """COMPREPLY for these words; the last one is being typed."""
        script = ('source "$1/bash/$2"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); "_$1"\n'
                  'printf "%s\\n" "${COMPREPLY[@]}"')
        done = subprocess.run(["bash", "--norc", "-uc", script, "bash", str(COMPLETION), *words], capture_output=True,
                              text=True, check=True, timeout=HANG_SECONDS)
        self.assertEqual(done.stderr, "")
        return [line for line in done.stdout.splitlines() if line]

    def test_subcommands_are_those_of_the_help(self):
        self.assertEqual(self.complete("csink", ""), words_of(CSINK))
        self.assertEqual(self.complete("csink", "repo"), ["report"])

    def test_options_belong_to_the_subcommand(self):
        self.assertIn("--merge-clones", self.complete("csink", "report", "--"))
        self.assertNotIn("--merge-clones", self.complete("csink", "run", "--"))
        self.assertEqual(self.complete("csink", "--ver"), ["--version"])

    def test_words_of_a_value(self):
        formats = self.complete("csink", "report", "--format", "")
        self.assertIn("speedscope", formats)
        self.assertEqual(self.complete("csink", "report", "--format", "spe"), ["speedscope"])
        # readline makes three words of --format=spe.
        self.assertEqual(self.complete("csink", "report", "--format", "=", "spe"), ["speedscope"])
        self.assertEqual(self.complete("csink", "report", "--format", "="), formats)
        self.assertEqual(self.complete("csink", "run", "--follow", ""), ["none", "fork", "exec", "all"])
        self.assertEqual(self.complete("csink", "report", "--top", ""), [])

    def test_operands(self):
        self.assertEqual(self.complete("csink", "cache", ""), ["show", "clear"])
        self.assertEqual(self.complete("csink", "ctl", "--timeout", "3", "4711", "res"), ["resume", "reset"])
        self.assertIn(str(os.getpid()), self.complete("csink", "report", str(os.getpid())))

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "a file.csink").touch()
            self.assertEqual(self.complete("csink", "report", f"{folder}/a"), [f"{folder}/a file.csink"])
            self.assertEqual(self.complete("csink", "report", "-o", f"{folder}/a"), [f"{folder}/a file.csink"])

    def test_programs(self):
        self.assertIn("printenv", self.complete("csink", "run", "-e", "cycles", "--", "printe"))
        self.assertIn("printenv", self.complete("atime", "-t", "perf:1s", "printe"))
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "input").touch()
            self.assertEqual(self.complete("csink", "run", "--", "cat", f"{folder}/in"), [f"{folder}/input"])

    def test_atime(self):
        self.assertEqual(self.complete("atime", "--format", ""), ["text", "csv", "json"])
        self.assertEqual(self.complete("atime", "--ver"), ["--version"])


@unittest.skipUnless(shutil.which("fish"), "fish is not installed")
class Fish(unittest.TestCase):
    def complete(self, line):
        script = f"source {COMPLETION}/fish/csink.fish; source {COMPLETION}/fish/atime.fish; complete -C $argv[1]"
        with tempfile.TemporaryDirectory() as home:
            done = subprocess.run(["fish", "-N", "-c", script, line], capture_output=True, text=True, check=True,
                                  timeout=HANG_SECONDS, env=os.environ | {"HOME": home})
        self.assertEqual(done.stderr, "")
        return [found.partition("\t")[0] for found in done.stdout.splitlines()]

    def test_subcommands_are_those_of_the_help(self):
        self.assertEqual(sorted(self.complete("csink ")), sorted(words_of(CSINK)))
        self.assertEqual(self.complete("csink repo"), ["report"])

    def test_options_and_words(self):
        self.assertEqual(self.complete("csink report --merge"), ["--merge-clones"])
        self.assertNotIn("--merge-clones", self.complete("csink run --merge"))
        self.assertEqual(self.complete("csink report --format spe"), ["speedscope"])
        self.assertEqual(sorted(self.complete("csink run --follow ")), ["all", "exec", "fork", "none"])
        self.assertEqual(sorted(self.complete("csink cache ")), ["clear", "show"])
        self.assertEqual(sorted(self.complete("atime --format ")), ["csv", "json", "text"])

    def test_programs(self):
        self.assertIn("printenv", self.complete("csink run -- printe"))
        self.assertIn("printenv", self.complete("atime printe"))


@unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
class Zsh(unittest.TestCase):
    # The line editor completes only on a terminal. Each TAB writes the completed line to a file.
    SETUP = """
fpath=({completion}/zsh $fpath)
autoload -Uz compinit && compinit -u -d {home}/dump
show() {{ zle expand-or-complete; print -r -- "$BUFFER" >> {home}/lines; BUFFER= }}
zle -N show
bindkey '^I' show
"""

    def test_lines(self):
        lines = {
            "csink repo": "csink report ",
            "csink report --merge": "csink report --merge-clones ",
            "csink report --format spe": "csink report --format speedscope ",
            "csink report --format=spe": "csink report --format=speedscope ",
            "csink run --follow no": "csink run --follow none ",
            "csink cache cl": "csink cache clear ",
            "csink ctl 4711 snap": "csink ctl 4711 snapshot ",
            "csink --ver": "csink --version ",
            "csink run -- printen": "csink run -- printenv ",
            "atime --form": "atime --format=",
            "atime --format cs": "atime --format csv ",
        }
        with tempfile.TemporaryDirectory() as home:
            (pathlib.Path(home) / ".zshrc").write_text(self.SETUP.format(completion=COMPLETION, home=home))
            (pathlib.Path(home) / "lines").touch()
            found = self.type_lines(home, list(lines))
        self.assertEqual([line.rstrip() for line in found], [line.rstrip() for line in lines.values()])

    def type_lines(self, home, lines):
        """What the editor made of each line."""
        try:
            child, terminal = pty.fork()
        except OSError as error:
            self.skipTest(f"no terminal can be made here (is /dev/pts mounted?): {error}")
        if child == 0:
            os.environ.update({"ZDOTDIR": home, "HOME": home, "TERM": "dumb"})
            os.execvp("zsh", ["zsh", "-d", "-i"])
        try:
            found, path = [], pathlib.Path(home) / "lines"
            for at, line in enumerate(lines):
                os.write(terminal, line.encode() + b"\t")
                end = time.monotonic() + HANG_SECONDS
                while len(found) <= at and time.monotonic() < end:
                    if select.select([terminal], [], [], 0.05)[0]:
                        os.read(terminal, 65536)
                    found = path.read_text().splitlines()
            return found
        finally:
            os.close(terminal)  # the shell ends with its terminal
            os.waitpid(child, 0)


if __name__ == "__main__":
    result = unittest.main(verbosity=2, exit=False).result
    for test, why in result.skipped:
        print(f"skipped: {why}")
    sys.exit(0 if result.wasSuccessful() else 1)
