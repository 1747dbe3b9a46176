"""docs/conformance.md, made from the two expectation files and nothing else."""

import collections
import pathlib

from . import expect, run

PAGE = pathlib.Path(__file__).resolve().parents[3] / "docs" / "conformance.md"
MODES = ("plain", "software", "guest")
SHORT = {run.PASSED: "pass", run.FAILED: "**fail**", run.SKIPPED: "skip", run.PENDING: "pending",
         run.CRASHED: "**crash**", run.TIMEOUT: "**timeout**", run.SILENT: "**silent**"}
HEAD = """# Conformance

PAPI's own test programs and Debian's papi-tools, run over our libpapi.so.7.0, beside Debian's libpapi.
Made by `scripts/conformance --page` from `tests/conformance/expected-ours.json` and
`tests/conformance/expected-debian.json`; the test run checks that the programs still say so and that this
page is true.

* **plain**: no preset file. Without a PMU there is no preset, and most tests skip.
* **software**: `PAPI_CSV_EVENT_FILE` names a file that maps presets to software events, so the same tests
  count something on any machine: PAPI_TOT_CYC is perf::CPU-CLOCK, PAPI_TOT_INS perf::TASK-CLOCK, and so on.
* **guest**: the arm64 machine of `scripts/pmu-vm`, on hardware counters. Only instructions and cycles count
  there, so the tests get presets for these two alone.

The ctests and ftests are built with our `papi.h` and, a second time, with Debian's and against Debian's
library; both builds run over ours and must say the same. (Of the second build, programs of more than 3 s whose
machine code is, byte for byte, that of the first are not run; `--all` runs them too.) Each
test runs in its own folder and process group; what it prints decides (PASSED, FAILED, SKIPPED), then signals
and the limit of 60 s (150 s for two tests whose loops grow with their threads). A test that compares counts
with a tolerance may be repeated three times, alone; the run shows it.

    scripts/test --conformance                 all of it (ctest label conformance)
    scripts/conformance --library build/test/compat/papi --header compat/papi/include --mode software
"""


def cell(entry, data, marks):
    """A verdict with the mark of its reason."""
    if entry is None:
        return ""
    text = SHORT[entry["verdict"]]
    if entry["verdict"] == run.PASSED:
        return text
    mark = marks.setdefault(data["reasons"].get(entry.get("reason"), "not explained yet"), len(marks) + 1)
    sometimes = " (at times " + ", ".join(SHORT[v] for v in entry["also"]) + ")" if entry.get("also") else ""
    return f"{text}{sometimes} [{mark}]"


def table(heads, rows):
    lines = ["| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def totals(data, suite, mode):
    counts = collections.Counter(modes[mode]["verdict"] for key, modes in data["tests"].items()
                                 if key.startswith(suite + "/") and mode in modes)
    return ", ".join(f"{counts[v]} {SHORT[v].strip('*')}" for v in SHORT if counts[v])


def summary(debian, ours):
    rows = [[suite, mode, totals(debian, suite, mode), totals(ours, suite, mode)]
            for suite in ("ctests", "ftests", "component", "validation") for mode in MODES
            if totals(debian, suite, mode) or totals(ours, suite, mode)]
    rows.append(["papi-tools", "plain and software", totals(debian, "tools", "tools"), totals(ours, "tools", "tools")])
    return table(["suite", "mode", "Debian", "ours"], rows)


def suite_table(suite, debian, ours, marks):
    keys = sorted({k for d in (debian, ours) for k in d["tests"] if k.startswith(suite + "/")})
    modes = [m for m in MODES if any(m in d["tests"].get(k, {}) for d in (debian, ours) for k in keys)]
    rows = []
    for key in keys:
        row = [key.split("/", 1)[1]]
        for mode in modes:
            for data in (debian, ours):
                row.append(cell(data["tests"].get(key, {}).get(mode), data, marks))
        rows.append(row)
    heads = ["test"] + [f"{mode}, {whose}" for mode in modes for whose in ("Debian", "ours")]
    filled = [i for i, _ in enumerate(heads) if i == 0 or any(row[i] for row in rows)]
    return table([heads[i] for i in filled], [[row[i] for i in filled] for row in rows])


def goal(debian, ours, marks):
    text = ("## What Debian's fails for want of a PMU\n\nDebian's library asks whether it may count instructions "
            "before it multiplexes, attaches or inherits, also when the\nevents are software events. Ours opens what "
            "was asked for. `overflow` fails with Debian's because its handler's\nioctl stops an event that is not "
            "its group's leader.\n\n")
    rows = [[key.split("/")[1], cell(debian["tests"].get(key, {}).get("software"), debian, marks),
             cell(ours["tests"].get(key, {}).get("software"), ours, marks)] for key in expect.WANT_OF_A_PROBE]
    rows.append(["overflow, 40 times", cell(debian["tests"].get("forty/overflow", {}).get("forty"), debian, marks),
                 cell(ours["tests"].get("forty/overflow", {}).get("forty"), ours, marks)])
    return text + table(["test, mode software", "Debian", "ours"], rows) + short_of_goal(debian, ours, marks)


def short_of_goal(debian, ours, marks):
    """The goals, the tests that Debian's passes among them, that ours does not reach."""
    rows = [[key.split("/")[1], cell(debian["tests"].get(key, {}).get("software"), debian, marks),
             cell(ours["tests"].get(key, {}).get("software"), ours, marks)]
            for key, _ in expect.short_of_goal(ours, debian)]
    if not rows:
        return "\nOurs passes all of these, and every ctest that Debian's passes.\n"
    return ("\nThe goal is all of these and every ctest that Debian's passes with software presets. What ours does "
            "not reach:\n\n" + table(["test, mode software", "Debian", "ours"], rows))


def tools(debian, ours, marks):
    keys = sorted({k for d in (debian, ours) for k in d["tests"] if k.startswith("tools/")})
    rows = []
    for key in keys:
        entry = debian["tests"].get(key, {}).get("tools")
        rows.append([f"`{key.split('/', 1)[1]}`", cell(entry, debian, marks), (entry or {}).get("said", "").split(":")[0]
                     if (entry or {}).get("verdict") != run.SKIPPED else "",
                     cell(ours["tests"].get(key, {}).get("tools"), ours, marks)])
    return "## papi-tools\n\n" + table(["call", "Debian", "", "ours"], rows)


def text():
    debian, ours = expect.load("debian"), expect.load("ours")
    marks = {}
    measured = debian.get("measured", {})
    parts = [HEAD, f"Debian's column: {measured.get('library')}, {measured.get('date')}, Linux {measured.get('kernel')}, "
                   "a virtual machine without PMU.\n", "## Summary\n", summary(debian, ours), goal(debian, ours, marks)]
    for suite, title in (("ctests", "ctests"), ("ftests", "ftests (Fortran)"), ("component", "component tests"),
                         ("validation", "validation tests")):
        parts += [f"## {title}\n", suite_table(suite, debian, ours, marks)]
    parts += [tools(debian, ours, marks), "## Reasons\n"]
    parts.append("\n".join(f"{number}. {sentence}" for sentence, number in marks.items()) + "\n")
    return "\n".join(parts)


def command(check):
    wanted = text()
    if not check:
        PAGE.write_text(wanted)
        print(f"wrote {PAGE}")
        return 0
    problems = [f"expected-{whose}.json: {line}" for whose in ("ours", "debian") for line in expect.faults(expect.load(whose))]
    if not PAGE.is_file() or PAGE.read_text() != wanted:
        problems.append("docs/conformance.md is not what scripts/conformance --page would write")
    print("\n".join(problems) or "docs/conformance.md is true to the two files")
    return 1 if problems else 0
