"""Every variable with empty, huge, negative, unreadable and contradictory values."""

import os
import re

import csink_e2e
from csink_e2e import E2eTest, explained_seconds


class BadValues(E2eTest):
    """Whatever the variables hold, programs do what they do."""

    VALUES = {"empty": "", "huge": "a" * (64 << 10), "negative": "-1", "quotes": "'\"`$(id)",
              "bytes": b"\xff\xfe\x80;\x1b[2J".decode("utf-8", "surrogateescape"),
              "options": ";=,'" * 4000}
    KEYS = ("BASELINE CONTROL CRITICAL DELAY DOCTOR DURATION ENABLE EVENTS EXCLUDE FOLLOW FORMAT INCLUDE KEEP "
            "KERNEL LOG MIN_SAMPLES OPTIONS OUTPUT PER_THREAD PYTHON RANDOM_START REPORT REPORTER SIGNAL SOURCE SPOOL_DIR SPOOL_LIMIT "
            "STACKS START_PAUSED TOP TREE VERBOSE WAIT").split()

    def test_the_list_is_that_of_the_manual(self):
        page = os.path.join(os.path.dirname(__file__), "..", "..", "docs", "environment.md")
        with open(page, encoding="utf-8") as f:
            documented = re.findall(r"(?m)^\| `CSINK_(\w+)` \|", f.read())
        # Read by csink, libpapi and libcsink_events.
        others = {"AGENT", "CACHE", "CACHE_SIZE", "EVENT_MACROS", "PUSH", "PUSH_INTERVAL", "SOURCE_PREFIX"}
        self.assertEqual(set(self.KEYS), set(documented) - others)

    def test_of_every_variable(self):
        program = ("sh", "-c", "echo out; echo err >&2; exit 7")
        for what, value in self.VALUES.items():
            for key in self.KEYS:
                with self.subTest(key=key, value=what):
                    folder = self.fresh_folder()
                    env = csink_e2e.clean_environment()
                    env |= {"LD_PRELOAD": csink_e2e.AGENT, "CSINK_" + key: value}
                    run = self.run_command(program, env, folder)
                    self.assertEqual((run.status, run.stdout), (7, "out\n"), run.stderr)
                    others = [l for l in run.stderr.splitlines() if not l.startswith("csink:")]
                    self.assertEqual(others, ["err"])
                    self.assertLessEqual(len(run.own_lines), 9 if key == "OPTIONS" else 1, run.stderr)
                    self.assertLess(len(run.stderr), 9 * 1024)

    def test_all_at_once(self):
        for what, value in self.VALUES.items():
            with self.subTest(value=what):
                env = {"CSINK_" + key: value[:4096] for key in self.KEYS if key != "ENABLE"}
                run = self.run_agent("/bin/true", **env)
                self.assertEqual((run.status, run.stdout), (0, ""), run.stderr)
                # How much is said, eight and how many more, contradictions, the events.
                self.assertLessEqual(len(run.own_lines), 2 + 9 + 2 + 1, run.stderr)

    def test_a_baseline_is_complained_of_once(self):
        run = self.run_agent("split", 140, CSINK_BASELINE="/" + "b" * 500)
        self.assertEqual(run.status, 0, run.stderr)
        self.assertEqual(len(run.own_lines), 1, run.stderr)
        self.assertIn("CSINK_BASELINE", run.own_lines[0])
        self.assertGreater(explained_seconds(self.any_report(run)), 0.1)

    def test_a_line_is_one_line(self):
        for env in ({"CSINK_CONTROL": "/proc/no/a\nb\x1b[31m"}, {"CSINK_SPOOL_DIR": "/proc/no/x\x7f\n\tc"}):
            with self.subTest(**env):
                run = self.run_agent("split", 140, **env)
                self.assertEqual(run.status, 0, run.stderr)
                self.assertEqual(len(run.own_lines), 1, run.stderr)
                self.assertEqual(run.stderr, run.own_lines[0] + "\n")
                self.assertTrue(run.own_lines[0].isprintable(), run.stderr)

    def test_values_that_contradict_each_other(self):
        for env in ({"CSINK_START_PAUSED": "0", "CSINK_REPORT": "0", "CSINK_KEEP": "0"},
                    {"CSINK_SOURCE": "timer", "CSINK_STACKS": "fp"},
                    {"CSINK_SOURCE": "timer", "CSINK_KERNEL": "1"},
                    {"CSINK_FOLLOW": "none", "CSINK_INCLUDE": "split"},
                    {"CSINK_LOG": "warn", "CSINK_VERBOSE": "2"}):
            with self.subTest(**env):
                run = self.run_agent("split", 140, **env)
                self.assertEqual(run.status, 0, run.stderr)
                self.assertEqual(len(run.values("cpu_ns")), 1)
                self.assertEqual(len(run.own_lines), 1, run.stderr)
                self.assertGreater(explained_seconds(self.any_report(run)), 0.1)


if __name__ == "__main__":
    csink_e2e.main()
