"""Shared parts of the tests that compare waits with the results of other tools."""

import json
import os
import shutil
import subprocess

from csink_e2e import HANG_SECONDS, E2eTest, agent_environment, wilson

# For the CPU time that a program needs between its waits, and for the time that a tracer adds to a wait.
SLACK = 0.05


class Referees(E2eTest):
    def need(self, *names):
        for name in names:
            if not shutil.which(name):
                self.skipTest(f"no {name}")

    def need_perf(self, *events):
        self.need("perf")
        probe = ["perf", "record", "-q", "-o", os.path.join(self.folder, "probe")]
        for event in events:
            probe += ["-e", event]
        done = subprocess.run(probe + ["true"], capture_output=True, check=False, timeout=HANG_SECONDS)
        if done.returncode:
            self.skipTest("perf cannot record " + ", ".join(events))

    def environment(self, **changes):
        return agent_environment(self.folder, CSINK_WAIT="1", **changes)

    def run_program(self, argv, **changes):
        """(stdout, JSON report of the process) of a run with CSINK_WAIT."""
        out = os.path.join(self.folder, "report.json")
        done = subprocess.run(argv, env=self.environment(CSINK_OUTPUT=out, CSINK_FOLLOW="none", **changes),
                              capture_output=True, text=True, check=False, timeout=HANG_SECONDS)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        with open(out, encoding="utf-8") as f:
            return done.stdout, json.load(f)

    def assertShare(self, row, expected, what):
        low, high = wilson_of(row)
        print(f"    {what}: csink {row['share']:.1%} [{low:.1%}, {high:.1%}], referee {expected:.1%}", flush=True)
        self.assertTrue(low - SLACK <= expected <= high + SLACK, what)

    def assertAgrees(self, what, share, looks, referee, expected):
        """The referee's share is within the 99.99 % interval of csink's share, which is measured by `looks` looks."""
        low, high = wilson(share * looks, looks)
        print(f"    {what}: csink {share:.1%} [{low:.1%}, {high:.1%}], {referee} {expected:.1%}", flush=True)
        self.assertTrue(low - SLACK <= expected <= high + SLACK, what)


def wilson_of(row):
    """The 99.99 % interval of a share from its 95 % interval: so wide that a healthy run is within."""
    half = (row["high"] - row["low"]) / 2
    n = max(1.0, row["share"] * (1 - row["share"]) * (1.96 / half) ** 2) if half > 0 else 1e9
    return wilson(row["share"] * n, n)
