"""docs/conformance.md, made from the two expectation files and nothing else."""

import collections
import pathlib

from . import expect, run

PAGE = pathlib.Path(__file__).resolve().parents[3] / "docs" / "conformance.md"
MODES = ("plain", "software", "guest")
SHORT = {run.PASSED: "pass", run.FAILED: "**fail**", run.SKIPPED: "skip", run.PENDING: "pending",
         run.CRASHED: "**crash**", run.TIMEOUT: "**timeout**", run.SILENT: "**silent**"}
HEAD = """# Conformance

PAPI's own test programs and Debian's papi-tools, run over our libpapi.so.7.0 and over Debian's libpapi. `scripts/conformance
--page` makes this page from `tests/conformance/expected-ours.json` and `expected-debian.json`, which have the verdict of every
test. The test run compares all three.

| mode | |
|---|---|
| plain | no preset file; without a PMU there is no preset, and most tests skip |
| software | `PAPI_CSV_EVENT_FILE` maps presets to software events: PAPI_TOT_CYC is perf::CPU-CLOCK, PAPI_TOT_INS perf::TASK-CLOCK, ... |
| guest | hardware counters of the arm64 machine of `scripts/pmu-vm`, with presets for instructions and cycles |

The ctests and ftests are built twice, with our header and with Debian's header and library. Both builds run over ours and must
agree. The printed word decides (PASSED, FAILED, SKIPPED), then signals and the limit of 60 s (150 s for two tests).

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


def short_of_goal(debian, ours):
    """The goals, the tests that Debian's passes among them, that ours does not reach."""
    names = [key.split("/")[1] for key, _ in expect.short_of_goal(ours, debian)]
    return ("The goal is every ctest that Debian's passes with software presets, and those that Debian's fails because it asks\n"
            "whether it may count instructions before it multiplexes, attaches or inherits software events. "
            + (f"Ours misses: {', '.join(names)}.\n" if names else "Ours reaches it.\n"))


def shown(debian_modes, our_modes):
    """Whether the page names a test: ours fails in a mode, or the two libraries differ."""
    for mode in set(debian_modes) | set(our_modes):
        debian, ours = (modes.get(mode, {}).get("verdict") for modes in (debian_modes, our_modes))
        if debian != ours or ours not in (run.PASSED, run.SKIPPED):
            return True
    return False


def differences(debian, ours, marks):
    """Tests of one suite with the same verdicts and reasons share a row. Mode guest has no columns while both libraries pass there."""
    keys = [key for key in sorted(set(debian["tests"]) | set(ours["tests"]))
            if shown(debian["tests"].get(key, {}), ours["tests"].get(key, {}))]
    modes = [mode for mode in MODES if mode != "guest" or any(
        data["tests"].get(key, {}).get(mode, {}).get("verdict", run.PASSED) != run.PASSED for key in keys for data in (debian, ours))]
    groups = {}
    for key in keys:
        suite, name = key.split("/", 1)
        # `overflow` 40 times and the tools have a single mode, with software presets or named in the call.
        single = {"software": suite} if suite in ("forty", "tools") else None
        cells = [cell(data["tests"].get(key, {}).get(single.get(mode) if single else mode), data, marks)
                 for mode in modes for data in (debian, ours)]
        groups.setdefault((suite.replace("forty", "ctests"), *cells), []).append(f"{name}, 40 times" if suite == "forty" else name)
    heads = ["test", "suite"] + [f"{mode}, {whose}" for mode in modes for whose in ("Debian", "ours")]
    return ("## Where ours fails or differs from Debian's\n\nEach other test passes over both libraries or is skipped over both.\n\n"
            + table(heads, [[", ".join(names), *row] for row, names in groups.items()]))


def reasons(debian, ours, marks):
    """The reasons by their marks; those for which both libraries skip tests with the numbers of these tests, with or without a mark."""
    skipped = collections.defaultdict(collections.Counter)
    for key, modes in ours["tests"].items():
        for mode, entry in modes.items():
            if entry["verdict"] == debian["tests"].get(key, {}).get(mode, {}).get("verdict") == run.SKIPPED:
                sentence = ours["reasons"].get(entry.get("reason"), "not explained yet")
                marks.setdefault(sentence, len(marks) + 1)
                skipped[sentence][mode] += 1
    lines = []
    for sentence, number in marks.items():
        counts = ", ".join(f"{mode} {count}" for mode, count in sorted(skipped[sentence].items()))
        lines.append(f"{number}. {sentence}" + (f" **({counts})**" if counts else ""))
    return "## Reasons\n\nIn bold: how many tests both libraries skip for it.\n\n" + "\n".join(lines) + "\n"


def text():
    debian, ours = expect.load("debian"), expect.load("ours")
    marks = {}
    measured = debian.get("measured", {})
    parts = [HEAD, f"Debian's column: {measured.get('library')}, {measured.get('date')}, Linux {measured.get('kernel')}, "
                   "a virtual machine without PMU.\n", "## Summary\n", summary(debian, ours), short_of_goal(debian, ours),
             differences(debian, ours, marks), reasons(debian, ours, marks)]
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
