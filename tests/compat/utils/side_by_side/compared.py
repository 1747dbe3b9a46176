"""Runs Debian's tool and ours over the same library and compares what they print.

A line that only one of them has needs a Difference that explains it; a Difference that explains
nothing any more is an error, too. Numbers that are measurements are masked first.
"""

import dataclasses
import difflib
import os
import pathlib
import re
import subprocess
import tempfile

OURS, THEIRS = "ours", "Debian's"


@dataclasses.dataclass(frozen=True)
class Difference:
    """A line that only `side` prints. `modes`: where it must be found, () for wherever the row
    runs. What is said only without a PMU, or only with one, need not be found on the other machines;
    `may_be_absent`: what only some processors make either tool say."""
    side: str
    pattern: str
    reason: str
    modes: tuple = ()
    needs_no_pmu: bool = False
    needs_pmu: bool = False
    may_be_absent: bool = False


@dataclasses.dataclass(frozen=True)
class Row:
    """One call in some modes. `masks`: (pattern, text) pairs for both outputs. `files`: what they
    write into their folder belongs to the output. `status`: by mode, the exit codes where they
    differ: (Debian's, ours, reason)."""
    command: tuple
    modes: tuple = ("plain", "software")
    masks: tuple = ()
    differences: tuple = ()
    status: dict = dataclasses.field(default_factory=dict)
    files: bool = False

    @property
    def name(self):
        return " ".join(self.command)


@dataclasses.dataclass(frozen=True)
class Place:
    """Where things are. `known`: folder of the libraries for the known modes."""
    theirs: pathlib.Path
    ours: pathlib.Path
    library: pathlib.Path
    presets: pathlib.Path
    known: pathlib.Path
    has_pmu: bool = False


def environment(place, mode, presets_in=("software", "clock", "cost")):
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith(("PAPI_", "LIBPFM_", "CSINK_", "LD_"))}
    kept.update(LD_LIBRARY_PATH=str(place.library), LC_ALL="C", TERM="dumb")
    if mode in presets_in:
        kept["PAPI_CSV_EVENT_FILE"] = str(place.presets)
    if mode == "cost":
        kept["CSINK_KNOWN_EVENTS"] = "1"
    if mode in ("clock", "cost"):  # every pair of a cost and a clock's step, as often as every other
        kept.update(LD_PRELOAD=str(place.known / "known_clock.so"), CSINK_KNOWN_STEPS="0,0,500",
                    CSINK_KNOWN_COSTS=",".join(str(1000 * i) for i in range(101)))
    if mode == "known":
        kept["LD_PRELOAD"] = str(place.known / "known_library.so")
    return kept


def run(folder, row, mode, place):
    """(exit status, lines); stderr's lines begin with "stderr: "."""
    with tempfile.TemporaryDirectory(prefix="csink-side-") as scratch:
        done = subprocess.run([folder / row.command[0], *row.command[1:]], env=environment(place, mode), cwd=scratch,
                              capture_output=True, text=True, errors="replace", timeout=120, check=False,
                              stdin=subprocess.DEVNULL)
        text = done.stdout
        if row.files:
            for path in sorted(pathlib.Path(scratch).iterdir()):
                text += f"file {path.name}\n{path.read_text()}"
    text += "".join(f"stderr: {line}\n" for line in done.stderr.splitlines())
    for pattern, to in row.masks:
        text = re.sub(pattern, to, text, flags=re.M)
    return done.returncode, text.splitlines()


def only_in_one(theirs, ours):
    """(side, line) of every line that the other one lacks."""
    for operation, i, j, k, m in difflib.SequenceMatcher(None, theirs, ours, autojunk=False).get_opcodes():
        if operation != "equal":
            yield from ((THEIRS, line) for line in theirs[i:j])
            yield from ((OURS, line) for line in ours[k:m])


def compare(row, mode, place):
    """What is wrong, a line each; empty: they agree but for what is explained."""
    problems = []
    their_status, theirs = run(place.theirs, row, mode, place)
    our_status, ours = run(place.ours, row, mode, place)
    expected = row.status.get(mode, (0, 0, ""))
    if (their_status, our_status) != expected[:2] and not (place.has_pmu and their_status == our_status):
        problems.append(f"exit codes: Debian's {their_status}, ours {our_status}; expected {expected[:2]}")
    used = set()
    for side, line in only_in_one(theirs, ours):
        found = [d for d in row.differences if d.side == side and re.search(d.pattern, line)]
        used.update(found)
        if not found:
            problems.append(f"only {side}: {line!r}")
    for difference in row.differences:
        elsewhere = difference.needs_no_pmu if place.has_pmu else difference.needs_pmu
        wanted = mode in (difference.modes or row.modes) and not elsewhere and not difference.may_be_absent
        if wanted and difference not in used:
            problems.append(f"no line of {difference.side} matches {difference.pattern!r} any more")
    return problems
