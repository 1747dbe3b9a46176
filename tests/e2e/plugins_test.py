"""Libraries that come and go keep their names."""

import os

import csink_e2e
from csink_e2e import E2eTest, functions_named, sampled_seconds, samples_of


class Plugins(E2eTest):
    def storm(self, count, us):
        plugin = os.path.join(csink_e2e.PROGRAMS, "plugin.so")
        run = self.profile("dl_storm", plugin, count, us)
        self.assertNothingLost(run.report)
        inside = run.values("plugin_ns")[0] / 1e9
        period = sampled_seconds(run.report) / run.report["events"][0]["samples"]
        return run, inside, samples_of(run.report, "PluginBurn") * period

    def test_an_unloaded_plugin_is_named(self):
        run, inside, sampled = self.storm(1, 300000)
        # The rest is what the plugin calls, libc's syscall(), and that call's time in the kernel.
        self.assertAtLeast(sampled / inside, 0.85)
        self.assertGreaterEqual(sampled / sampled_seconds(run.report), 0.9)
        row = functions_named(run.report, "PluginBurn")[0]
        self.assertEqual(os.path.basename(row["module"]), "plugin.so")
        self.assertRegex(row["line"], r"(burn\.h|plugin\.c):\d+$")

    def test_a_thousand_loads_and_unloads(self):
        self.need_cheap_pages()
        run, inside, sampled = self.storm(1000, 700)
        self.assertAtLeast(sampled / inside, 0.9)
        self.assertLessEqual(sampled, 1.1 * inside)
        self.assertCovers(run.report, run.values("cpu_ns")[0] / 1e9, 0.8)

    def test_a_thread_of_a_plugin_that_passes_the_hooks_is_found_early(self):
        plugin = os.path.join(csink_e2e.PROGRAMS, "plugin.so")
        run = self.profile("deep_bind", plugin, 600)
        self.assertEqual(run.stdout, "done\n")
        self.assertAtLeast(samples_of(run.report, "ThreadInPlugin") / 600, 0.75)


if __name__ == "__main__":
    csink_e2e.main()
