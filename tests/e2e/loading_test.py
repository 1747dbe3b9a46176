"""Libraries that come by unusual ways: each sample belongs to the one that ran."""

import math
import os

import csink_e2e
from csink_e2e import E2eTest, lost_seconds, sampled_seconds, samples_of


class Loading(E2eTest):
    def setUp(self):
        super().setUp()
        self.plugin = os.path.join(csink_e2e.PROGRAMS, "plugin.so")
        self.left = os.path.join(csink_e2e.PROGRAMS, "plugin_left.so")
        self.right = os.path.join(csink_e2e.PROGRAMS, "plugin_right.so")

    def seconds_in(self, run, function):
        period = sampled_seconds(run.report) / run.report["events"][0]["samples"]
        return samples_of(run.report, function) * period

    def assertInside(self, run, function, key):
        """The time in a function by samples is what it measured itself, within 8 % and what
        99.99 % of draws of so many samples have."""
        inside = run.values(key)[0] / 1e9
        seconds = self.seconds_in(run, function)
        period = sampled_seconds(run.report) / run.report["events"][0]["samples"]
        share = min(1.0, inside / sampled_seconds(run.report))
        spread = csink_e2e.Z_9999 * period * math.sqrt(inside / period * (1 - share) + 1)
        said = f"{function}: {seconds} s sampled, {inside} s spent"
        self.assertLessEqual(seconds - inside, 0.08 * inside + spread, said)
        self.assertLessEqual(inside - seconds - csink_e2e.away_seconds(run.report), 0.08 * inside + spread, said)

    def twins(self, count, us, threads, **env):
        run = self.profile("loads", "twins", self.left, self.right, count, us, threads, **env)
        self.assertNothingLost(run.report)
        self.assertInside(run, "LeftHot", "a_ns")
        self.assertInside(run, "RightHot", "b_ns")
        return run

    def test_one_address_two_plugins_by_turns(self):
        # The other one has come and gone before the rings are read.
        run = self.twins(40, 24000, 1)
        self.assertGreaterEqual(run.values("same")[0], 35)

    def test_one_address_two_plugins_in_a_storm(self):
        run = self.twins(1200, 700, 1)
        self.assertGreaterEqual(run.values("same")[0], 1000)

    def test_a_storm_in_four_threads(self):
        self.need_cheap_pages()
        run = self.profile("loads", "twins", self.left, self.right, 300, 400, 4)
        self.assertNothingLost(run.report)
        inside = (run.values("a_ns")[0] + run.values("b_ns")[0]) / 1e9
        seconds = self.seconds_in(run, "LeftHot") + self.seconds_in(run, "RightHot")
        self.assertGreaterEqual(seconds, 0.9 * inside)
        self.assertLessEqual(seconds, 1.1 * inside)

    def test_a_storm_of_ten_thousand(self):
        run = self.profile("dl_storm", self.plugin, 10000, 20)
        self.assertNothingLost(run.report)
        # A call of 30 us begins with the page faults of a fresh library: kernel time, not sampled,
        # up to a tenth. The rest is 300 draws, which walk with the loop a little.
        inside = run.values("plugin_ns")[0] / 1e9
        seconds = self.seconds_in(run, "PluginBurn")
        self.assertGreaterEqual(seconds + csink_e2e.away_seconds(run.report), 0.7 * inside)
        self.assertLessEqual(seconds, 1.3 * inside)
        unknown = [f for f in run.report["functions"] if f["module"] in ("[unknown]", "[anonymous]")]
        self.assertEqual(unknown, [])

    def test_deep_binding(self):
        self.need_cheap_pages()
        self.assertInside(self.profile("loads", "deepbind", self.plugin, 300000), "PluginBurn",
                          "a_ns")

    def test_a_namespace_of_its_own(self):
        self.need_cheap_pages()
        run = self.profile("loads", "space", self.plugin, 300000)
        self.assertInside(run, "PluginBurn", "a_ns")
        # Its thread is made by another copy of the C library: nobody tells us. It is found
        # by the next look, or the report says what is missing.
        burned = run.values("cpu_ns")[0] / 1e9
        self.assertGreaterEqual(sampled_seconds(run.report) + lost_seconds(run.report),
                                0.9 * burned)

    def test_a_library_beside_the_program_that_loads_it(self):
        # dlopen looks into the RUNPATH of its caller: that must not be us.
        self.assertEqual(self.run_plain("loads", "origin", 1000).status, 0)
        self.assertInside(self.profile("loads", "origin", 300000), "PluginBurn", "a_ns")

    def test_an_auditor_of_the_loader(self):
        auditor = os.path.join(csink_e2e.PROGRAMS, "auditor.so")
        run = self.run_agent("loads", "twins", self.left, self.right, 100, 3000, 1,
                             LD_AUDIT=auditor)
        self.assertEqual((run.status, run.stderr), (0, "audit 1 1\n"))
        self.assertInside(run, "LeftHot", "a_ns")
        self.assertInside(run, "RightHot", "b_ns")


if __name__ == "__main__":
    csink_e2e.main()
