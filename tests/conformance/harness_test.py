#!/usr/bin/env python3
"""The conformance harness against programs and files whose verdicts are known."""

import os
import pathlib
import stat
import sys
import tempfile
import time
import unittest
import unittest.mock

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from harness import build, catalogue, expect, guest, modes, page, run, suites  # noqa: E402


def alive(state):
    """Whether /proc/PID/stat is that of a process that still runs."""
    try:
        return ") Z " not in state.read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


class Verdicts(unittest.TestCase):
    def test_a_signal_outweighs_the_word(self):
        self.assertEqual(run.read_verdict("PASSED\n", -11)[0], run.CRASHED)

    def test_one_failure_of_a_child_is_a_failure(self):
        self.assertEqual(run.read_verdict("PASSED\nFAILED!!!\nLine # 9 Error\n", 0)[0], run.FAILED)

    def test_a_failure_says_its_line(self):
        self.assertEqual(run.read_verdict("FAILED!!!\nLine # 9 Error: x\nSome tests\n", 1)[1], "FAILED!!! Line # 9 Error: x")

    def test_the_exit_status_of_a_skip_means_nothing(self):
        self.assertEqual(run.read_verdict("SKIPPED\n", 0)[0], run.SKIPPED)

    def test_no_word_is_no_pass(self):
        self.assertEqual(run.read_verdict("all well\n", 0)[0], run.SILENT)


class Runs(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def program(self, text):
        path = pathlib.Path(self.folder.name, "program")
        path.write_text("#!/bin/sh\n" + text)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path

    def test_runs_in_its_own_folder(self):
        outcome = run.run_once(self.program('[ -x ./program ] && [ "$1" = TESTS_QUIET ] && echo PASSED'), dict(os.environ))
        self.assertEqual(outcome.verdict, run.PASSED)

    def test_a_time_limit_ends_the_whole_group(self):
        began = time.monotonic()
        outcome = run.run_once(self.program("sleep 60 & echo $! >child; echo PASSED; sleep 60"), dict(os.environ), limit_s=2)
        self.assertEqual(outcome.verdict, run.TIMEOUT)
        self.assertLess(time.monotonic() - began, 20)
        child = pathlib.Path(self.folder.name, "child").read_text().strip()
        state = pathlib.Path("/proc", child, "stat")
        while alive(state) and time.monotonic() - began < 20:
            time.sleep(0.05)
        self.assertFalse(alive(state))

    def test_what_a_test_leaves_behind_is_ended(self):
        self.assertEqual(run.run_once(self.program("sleep 60 & echo PASSED"), dict(os.environ)).verdict, run.PASSED)

    def test_another_library_is_seen(self):
        if not pathlib.Path("/usr/bin/papi_avail").exists():
            self.skipTest("no papi-tools here")
        environment = modes.environment("plain", "/nowhere", "", "", "")
        outcome = run.wrong_library("/usr/bin/papi_avail", environment, "/nowhere/libpapi.so.7.0")
        self.assertEqual(outcome.verdict, run.CRASHED)
        self.assertIn("instead of /nowhere", outcome.detail)


    def test_the_place_of_a_library_holds_in_every_folder(self):
        before = pathlib.Path.cwd()
        self.addCleanup(os.chdir, before)
        os.chdir(self.folder.name)
        for name in ("libpapi.so.7.0", "presets.csv"):
            pathlib.Path(name).touch()
        with unittest.mock.patch.object(suites, "exported", return_value=set()):
            place = suites.Place(".", "scratch", presets="presets.csv")
            environment = place.environment("software", "", "")
        os.chdir("/")
        for name in ("LD_LIBRARY_PATH", "PAPI_CSV_EVENT_FILE"):
            self.assertTrue(pathlib.Path(environment[name]).exists(), environment[name])


class Expectations(unittest.TestCase):
    DATA = {"reasons": {"why": "because"}, "tests": {
        "s/good": {"plain": {"verdict": "passed"}},
        "s/bad": {"plain": {"verdict": "failed", "reason": "why"}},
        "s/mixed": {"plain": {"verdict": "failed", "reason": "why", "also": ["skipped"]}}}}

    def compare(self, **verdicts):
        return expect.compare({f"s/{k}": run.Outcome(v) for k, v in verdicts.items()}, "plain", self.DATA)

    def test_a_pass_that_is_gone_is_a_regression(self):
        self.assertEqual(len(self.compare(good=run.SKIPPED)[0]), 1)

    def test_a_failure_that_turns_into_a_crash_is_a_regression(self):
        self.assertEqual(len(self.compare(bad=run.CRASHED)[0]), 1)

    def test_a_test_without_expectation_is_a_regression(self):
        self.assertEqual(len(self.compare(new=run.PASSED)[0]), 1)

    def test_as_expected_is_none(self):
        self.assertEqual(self.compare(good=run.PASSED, bad=run.FAILED, mixed=run.SKIPPED), ([], []))

    def test_better_is_said_and_is_no_regression(self):
        worse, better = self.compare(bad=run.PASSED)
        self.assertEqual((len(worse), len(better)), (0, 1))

    def test_less_than_a_pass_needs_a_reason(self):
        for entry in ({"verdict": "failed"}, {"verdict": "failed", "reason": "nobody wrote it"}):
            data = {"reasons": {}, "tests": {"s/x": {"plain": entry}}}
            self.assertEqual(len(expect.faults(data)), 1, entry)

    def test_the_two_files_are_sound(self):
        for whose in expect.FILES:
            self.assertEqual(expect.faults(expect.load(whose)), [], whose)

    def test_debians_column_is_the_one_that_was_measured_before(self):
        """The specification's figures, found on another machine."""
        verdicts = [m["software"]["verdict"] for k, m in expect.load("debian")["tests"].items()
                    if k.startswith("ctests/")]
        self.assertEqual([verdicts.count(v) for v in ("passed", "failed", "skipped")], [69, 20, 15])

    def test_ours_reaches_its_goals_or_says_why_not(self):
        ours = expect.load("ours")
        if not ours["tests"]:
            self.skipTest("expected-ours.json has no entries yet")
        short = [(key, reason) for key, reason in expect.short_of_goal(ours, expect.load("debian"))
                 if reason not in ours.get("goals_not_reached", {})]
        self.assertEqual(short, [])


class Catalogue(unittest.TestCase):
    def test_every_source_is_a_test_or_is_left_out_with_a_reason(self):
        if not catalogue.EXAMPLES.is_dir():
            self.skipTest("no papi-examples here")
        used = {s for t in catalogue.catalogue() for s in t.sources} | set(catalogue.SHARED) | set(catalogue.LEFT_OUT)
        present = {str(p.relative_to(catalogue.EXAMPLES)) for pattern in ("ctests/*.c", "ftests/*.F", "validation_tests/*.c",
                   "components/perf_event*/tests/*.c", "components/sysdetect/tests/*.c", "components/sde/tests/*.c")
                   for p in catalogue.EXAMPLES.glob(pattern)}
        self.assertEqual(present - used, set())

    def test_there_are_104_ctests_and_21_in_fortran(self):
        tests = [t for t in catalogue.catalogue() if not t.helper]
        self.assertEqual(sum(t.suite == "ctests" for t in tests), 104)
        self.assertEqual(sum(t.suite == "ftests" for t in tests), 21)


class Build(unittest.TestCase):
    def test_a_second_build_makes_nothing_and_a_lacking_name_is_told(self):
        library = pathlib.Path("/usr/lib/x86_64-linux-gnu")
        if not catalogue.EXAMPLES.is_dir() or not (library / "libpapi.so.7.0").exists():
            self.skipTest("no papi-examples or libpapi here")
        [test] = [t for t in catalogue.catalogue() if t.key == "ctests/version"]
        with tempfile.TemporaryDirectory() as folder:
            first = build.Builder(folder, "/usr/include", library)
            path, lacking = first.all([test])[test.key]
            self.assertTrue(path.exists())
            self.assertEqual(lacking, [])
            second = build.Builder(folder, "/usr/include", library)
            second.all([test])
            self.assertEqual(second.built, 0)
            less = build.Builder(folder, "/usr/include", library, names=second.exports - {"PAPI_get_opt"})
            self.assertEqual(less.all([test])[test.key], (None, ["PAPI_get_opt"]))


    def test_code_depends_on_what_the_header_says_and_not_on_how(self):
        library = pathlib.Path("/usr/lib/x86_64-linux-gnu")
        if not catalogue.EXAMPLES.is_dir() or not (library / "libpapi.so.7.0").exists():
            self.skipTest("no papi-examples or libpapi here")
        [test] = [t for t in catalogue.catalogue() if t.key == "ctests/version"]
        [fortran] = [t for t in catalogue.catalogue() if t.key == "ftests/clockres"]
        codes, fortran_codes = [], []
        plain = ("papi.h", "papiStdEventDefs.h")
        for names, change in ((plain, (b"#define PAPI_NULL ", b"#define PAPI_NULL ")),
                              ((*plain, "fpapi.h"), (b"#define PAPI_NULL ", b"/* moved */\n#define PAPI_NULL ")),
                              ((*plain, "fpapi.h"), (b"#define PAPI_OK ", b"#define PAPI_OK 5 + "))):
            with tempfile.TemporaryDirectory() as folder:
                for name in names:
                    text = pathlib.Path("/usr/include", name).read_bytes()
                    pathlib.Path(folder, name).write_bytes(text.replace(*change))
                made = build.Builder(pathlib.Path(folder, "build"), folder, library)
                made.shared()
                codes.append(made.code(test))
                if "fpapi.h" in names:
                    fortran_codes.append(made.code(fortran))
        self.assertEqual(codes[0], codes[1])
        self.assertNotEqual(codes[0], codes[2])
        self.assertNotEqual(*fortran_codes)


class Guest(unittest.TestCase):
    TEXT = ("@@section ctests/a\nPASSED\n@@status 0 3.50\n@@section ctests/b\n@@status 139 4.00\n"
            "@@section ctests/c\nPASSED\n")

    def test_reads_each_section(self):
        found = guest.read(self.TEXT)
        self.assertEqual([o.verdict for o in found.values()], [run.PASSED, run.CRASHED, run.TIMEOUT])


class Page(unittest.TestCase):
    def test_numbers_each_reason_once(self):
        marks, data = {}, {"reasons": {"r": "sentence"}}
        entry = {"verdict": "failed", "reason": "r"}
        self.assertEqual([page.cell(entry, data, marks) for _ in range(2)], ["**fail** [1]"] * 2)
        self.assertEqual(marks, {"sentence": 1})

    def data(self, **software):
        verdicts = {"p": {"verdict": run.PASSED}, "f": {"verdict": run.FAILED, "reason": "r"}, "s": {"verdict": run.SKIPPED, "reason": "r"}}
        return {"reasons": {"r": "sentence"}, "tests": {f"ctests/{name}": {"software": verdicts[v]} for name, v in software.items()}}

    def test_names_what_fails_or_differs_and_joins_equal_rows(self):
        text = page.differences(self.data(a="f", b="p", c="f", d="s", e="p"), self.data(a="p", b="p", c="p", d="s", e="f"), {})
        self.assertEqual([row for row in text.splitlines() if "ctests" in row],
                         ["| a, c | ctests |  |  | **fail** [1] | pass |", "| e | ctests |  |  | pass | **fail** [1] |"])

    def test_counts_what_both_skip_by_reason(self):
        text = page.reasons(self.data(a="s", b="s", c="s"), self.data(a="s", b="s", c="p"), {})
        self.assertIn("1. sentence **(software 2)**", text)


if __name__ == "__main__":
    unittest.main()
