#!/usr/bin/env python3
"""Every command of README.md and docs/ is run in an installed tree, except those that RULES leaves out with a reason.

Synopses are filled in: what is in brackets is left out, FILE, PID and the like become what doc_world.py made. Long.
"""

import os
import re
import sys
import unittest
from collections import namedtuple

import doc_world
from doc_commands import commands, filled

SECONDS = 120
# What is known of a command: the exit statuses that are right; `before`, a command that makes what it needs; `ends`: it
# ends by itself, else it is interrupted after `seconds`; `needs`: programs without which it is skipped; `file`: what FILE
# stands for, if it is no spool; `left_out`: why it is not run at all.
Rule = namedtuple("Rule", "statuses before ends seconds needs file left_out",
                  defaults=((0,), "", True, SECONDS, (), "", ""))

SHOWCASE = Rule(left_out="scripts/showcase runs it and writes the page")
TESTS = Rule(left_out="it runs tests or builds for minutes; .ci/run does so")
NO_COLLECTOR = Rule(left_out="needs a collector of that name; e2e_push has receivers of its own")
MPI = Rule(left_out="e2e_mpi and e2e_mpi_ranks run jobs of Open MPI and MPICH")
HARDWARE = Rule(left_out="needs a hardware PMU")
PEOPLE = Rule(left_out="names a process or a folder of the author")

# (page, pattern of the command): the first that fits.
RULES = [
    ("README.md", r"^scripts/(quickstart|test)", TESTS),
    ("README.md|docs/hettime.md", r"hettime", Rule(left_out="hettime is a program of others; e2e tests use a fake of it")),
    ("README.md", r"csink bench", Rule(statuses=(0, 3))),
    ("README.md", r"docs/examples", Rule(before=f"mkdir -p docs && cp -r {doc_world.ROOT}/docs/examples docs/")),
    ("README.md|docs/papi.*", r"app\.c", Rule(before="printf '#include <papi.h>\\nint main() { return 0; }\\n' > app.c")),
    ("docs/apapi.md", r"app\.c", Rule(before="printf '#include <apapi.h>\\nint main() { return 0; }\\n' > app.c")),
    ("docs/papi-fortran.md", r"count\.F90", Rule(needs=("gfortran",), before="printf '#include \"fpapi.h\"\\nend\\n' > count.F90")),
    ("docs/papi-fortran.md", r"app\.f90", Rule(needs=("gfortran",), before="printf 'use papi\\nend\\n' > app.f90")),
    ("docs/papi-highlevel.md", r"PAPI_EVENTS", Rule(before="""printf '#include <papi.h>\\nint main() { PAPI_hl_region_begin("a");
PAPI_hl_region_end("a"); return 0; }\\n' > hl.c && mkdir -p old_app && cp app old_app/ && cc hl.c -o app $(pkg-config --cflags --libs papi)""")),
    ("docs/papi-highlevel.md", r"papi_hl_output_writer", Rule(before="cp old_app/app app")),
    ("docs/papi-utilities.*", r"^papi_native_avail|^papi_decode|^papi_multiplex_cost", Rule(seconds=300)),
    ("docs/papi-utilities.*", r"papi_event_chooser", Rule(statuses=(0, 1))),
    (".*", r"rapl", Rule(statuses=(0, 1))),
    (".*", r"topdown", HARDWARE),
    ("docs/atime.md", r"^atime \[-t", Rule(left_out="the first of two lines of a synopsis")),
    ("docs/atime.md", r"-p PID", Rule(ends=False, seconds=4)),
    ("docs/atime.md", r"--cgroup", Rule(statuses=(0, 1))),
    ("docs/atime.md", r"4711", PEOPLE),
    ("docs/attach.md", r"19697|24338|pidof|static_loop", PEOPLE),
    ("docs/(annotate|csink).md", r"/tmp/spools", PEOPLE),
    ("docs/(annotate|csink).md", r"csink annotate", Rule(before="CSINK_REPORT=0 LD_PRELOAD=libagent.so ./app 700")),
    (".*", r"csink symbolize", Rule(file="app")),
    ("docs/(ci|csink).md", r"-- A --against -- B", Rule(left_out="A and B stand for commands; an example of the page has some")),
    ("docs/reading-reports.md", r"ipc|cycles", HARDWARE),
    ("docs/ci.md", r"xz", Rule(statuses=(0, 3), needs=("xz",), seconds=600,
                               before=f"mkdir -p docs && cp {doc_world.ROOT}/CHANGELOG.md . && cp {doc_world.ROOT}/docs/html.md docs/")),
    (".*", r"csink bench", Rule(statuses=(0, 3), seconds=600)),
    ("docs/conformance.md", r".*", TESTS),
    ("docs/hardware-pmu.md", r".*", TESTS),
    ("docs/(systems|packages).md", r".*", Rule(left_out="builds for minutes, in a system made for it; the tests of label release do so")),
    ("docs/control.md", r"^echo", Rule(left_out="one command of an example that e2e_control runs as a whole")),
    ("docs/control.md", r"steps.py", Rule(seconds=300)),
    ("docs/(formats|csink).md", r"go tool pprof", Rule(needs=("go",))),
    ("docs/formats.md", r"flamegraph.pl", Rule(left_out="flamegraph.pl is no package of Debian; e2e_viewers reads the format")),
    ("docs/formats.md", r"^perf ", Rule(needs=("perf",))),
    ("docs/mpi.md", r".*", MPI),
    ("docs/push.md", r".*", NO_COLLECTOR),
    ("docs/csink.md", r"csink push", NO_COLLECTOR),
    ("docs/runs.md", r".*", SHOWCASE),
    (".*", r"^csink view", Rule(ends=False, seconds=4)),
    (".*", r"^csink top", Rule(ends=False, seconds=4)),
    (".*", r"csink diff --fail-if-slower|--baseline", Rule(statuses=(0, 3))),
    ("docs/tables.md", r"mkdir fleet", Rule(before="rm -rf fleet")),
    ("docs/event-macros.md", r".*", Rule(statuses=(0, 1))),  # events of another processor than this one, perhaps
    (".*", r"csink run -e cycles", Rule(statuses=(0, 2))),
    (".*", r"cycles|cache-misses|instructions", Rule(statuses=(0, 1))),
]


def rule_of(page, command):
    return next((rule for where, what, rule in RULES if re.fullmatch(where, page) and re.search(what, command)), Rule())


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.world = doc_world.World(os.environ["CSINK_BUILD"])
        cls.addClassCleanup(cls.world.close)

    def test_every_command(self):
        left_out, ran = {}, 0
        pages = ["README.md"] + sorted(f"docs/{path.name}" for path in (doc_world.ROOT / "docs").glob("*.md"))
        for page in pages:
            for number, command in commands((doc_world.ROOT / page).read_text()):
                rule = rule_of(page, command)
                missing = [name for name in rule.needs if self.world.run(f"command -v {name}", 30)[0] != 0]
                reason = rule.left_out or (f"no {missing[0]}" if missing else "")
                if reason:
                    left_out.setdefault(reason, []).append(f"{page}:{number}")
                    continue
                with self.subTest(f"{page}:{number}: {command}"):
                    self.run_one(rule, command)
                ran += 1
        for reason, places in left_out.items():
            print(f"left out, {reason}: {', '.join(places)}")
        print(f"{ran} commands were run")
        self.assertGreater(ran, 100)

    def run_one(self, rule, command):
        # A script is run as it is.
        line = command if command.startswith("#!") else filled(command, doc_world.WORDS | ({"FILE": rule.file} if rule.file else {}))
        line = re.sub(r"\$\(pidof (-s )?app\)", "PID", line.replace("PREFIX", str(self.world.prefix)))
        if re.search(r"\bPID\b", line) or "csink ctl" in line:
            line = re.sub(r"\bPID\b", str(self.world.pid()), line)
        else:
            self.world.rest()
        if rule.before:
            status, output = self.world.run(rule.before, SECONDS)
            self.assertEqual(status, 0, f"{rule.before}\n{output}")
        status, output = self.world.run(line, rule.seconds, rule.ends)
        self.assertIn(status, rule.statuses, f"{line}\n{output[-3000:]}")
        self.assertNotRegex(output, r"(?m)^csink: error: unknown|usage:|Traceback", line)


if __name__ == "__main__":
    if "CSINK_BUILD" not in os.environ:
        print("skipped: no CSINK_BUILD")
        sys.exit(77)
    unittest.main()
