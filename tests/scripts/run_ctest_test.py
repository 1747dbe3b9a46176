#!/usr/bin/env python3
"""scripts/lib/run_ctest.py on a small test folder of its own: verdicts, reasons, last lines."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

RUN_CTEST = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "lib" / "run_ctest.py"

TESTS = {
    "good": 'add_test(good sh -c "exit 0")',
    "bad": 'add_test(bad sh -c "echo broken; exit 1")',
    "half": 'add_test(half sh -c "printf \'[ RUN      ] Ring.Drains\\\\n[       OK ] Ring.Drains (0 ms)\\\\n'
            'test_one (x.Y) ... ok\\\\ntest_two (x.Y) ... FAIL\\\\n\'; exit 1")',
    "second": 'add_test(second sh -c "test -e seen || { touch seen; echo away; exit 1; }")',
    "away": 'add_test(away sh -c "echo noise; echo \'skipped: no such machine here\'; exit 77")\n'
            'set_tests_properties(away PROPERTIES SKIP_RETURN_CODE 77)',
    "cases": 'add_test(cases sh -c "printf \'[ RUN      ] Ring.Drains\\\\n/src/x.cpp:3: Skipped\\\\n'
             'needs Linux 6.1\\\\n[  SKIPPED ] Ring.Drains (0 ms)\\\\n[  SKIPPED ] Ring.Drains\\\\n\'")',
}


def run(*names, arguments=(), options=()):
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "CTestTestfile.cmake").write_text("\n".join(TESTS[n] for n in names) + "\n")
        done = subprocess.run([sys.executable, str(RUN_CTEST), "--build", folder, *options, "--", *arguments],
                              capture_output=True, text=True, check=False)
    return done.returncode, done.stdout


class RunCtest(unittest.TestCase):
    def test_keeps_the_exit_code_of_a_good_run(self):
        code, out = run("good")
        self.assertEqual(code, 0)
        self.assertIn("100% tests passed, 0 tests failed out of 1", out)

    def test_of_a_failed_test_shows_what_failed(self):
        _, out = run("half")
        self.assertIn("test_two (x.Y) ... FAIL", out)
        self.assertNotIn("Ring.Drains", out)
        self.assertNotIn("test_one", out)

    def test_keeps_the_exit_code_of_a_failing_run_and_shows_its_output(self):
        code, out = run("good", "bad")
        self.assertEqual(code, 8)
        self.assertIn("broken", out)
        self.assertIn("50% tests passed, 1 tests failed out of 2", out)

    def test_says_why_a_test_was_skipped_before_the_closing_lines(self):
        code, out = run("good", "away")
        self.assertEqual(code, 0)
        self.assertIn("  away: no such machine here\n", out)
        self.assertLess(out.index("away: no such machine"), out.index("100% tests passed"))

    def test_says_why_a_case_of_a_passing_program_was_skipped_once(self):
        code, out = run("cases")
        self.assertEqual(code, 0)
        self.assertEqual(out.count("  cases: Ring.Drains: needs Linux 6.1\n"), 1)

    def test_what_failed_is_run_once_more_alone(self):
        code, out = run("good", "second", "away", options=["--again-alone"])
        self.assertEqual(code, 0)
        self.assertIn("passed when run alone: second\n100% tests passed, 0 tests failed out of 3", out)
        self.assertIn("  away: no such machine here\n", out)

    def test_what_fails_alone_too_has_failed(self):
        code, out = run("good", "bad", "second", options=["--again-alone"])
        self.assertEqual(code, 8)
        self.assertTrue(out.endswith("passed when run alone: second\n"
                                     "66% tests passed, 1 tests failed out of 3\nfailed: bad\n"), out)

    def test_without_being_asked_nothing_is_run_again(self):
        self.assertEqual(run("second")[0], 8)

    def test_no_test_at_all_is_an_error_when_ctest_is_told_so(self):
        code, _ = run("good", arguments=["-R", "nothing", "--no-tests=error"])
        self.assertNotEqual(code, 0)


if __name__ == "__main__":
    unittest.main()
