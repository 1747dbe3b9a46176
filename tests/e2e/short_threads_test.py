"""Threads and processes that live about as long as a period, or shorter."""

import functools
import glob
import json
import os

import csink_e2e
from csink_e2e import E2eTest, functions_named, samples_of


class Lives(E2eTest):
    """Many threads of one length, most of them shorter than a period or not much longer."""

    def found(self, count, us, live, **env):
        """Sampled CPU time of the threads over what they say they burned; the report."""
        run = self.profile("thread_lives", count, us, live, **env)
        self.assertEqual(run.values("threads"), [count])
        self.assertNothingLost(run.report)
        weight = sum(f["events"][0]["weight"] for f in functions_named(run.report, "Shorty")) / 1e9
        return weight / (run.values("burned_ns")[0] / 1e9), run.report

    def test_of_a_fifth_of_a_period_to_twenty(self):
        self.need_cheap_pages()
        lives = ((3000, 200), (1000, 700), (400, 2000), (48, 20000))
        runs = self.side_by_side(*(functools.partial(self.found, n, us, 8) for n, us in lives))
        for (count, us), (share, report) in zip(lives, runs):
            with self.subTest(us=us):
                self.assertAlmostEqual(share, 1, delta=0.1, msg=report["verdict"])
                self.assertEqual(report["verdict"]["short_threads"], [])
                self.assertGreaterEqual(report["verdict"]["threads_seen"], count + 1)

    def test_whole_first_periods_name_what_they_miss(self):
        share, report = self.found(200, 200, 8, CSINK_RANDOM_START="0")
        self.assertLess(share, 0.1)
        rows = [r for r in report["verdict"]["short_threads"] if "Shorty" in r["start_routine"]]
        self.assertGreater(sum(r["threads"] for r in rows), 180, report["verdict"])

    def test_a_short_process_touches_few_pages(self):
        """A page fault takes longer than most of what the agent does; start_order.ld keeps their number small."""
        def faults(run):
            return min(run("/bin/true").page_faults for _ in range(5))
        plain, agent = self.side_by_side(lambda: faults(self.run_plain), lambda: faults(self.run_agent))
        # 24 to 29, by what the kernel maps around a fault, of which 6 or 7 are those of any library. 31 and more without
        # the order.
        self.assertLess(agent - plain, 31)

    def test_short_processes(self):
        """Two hundred of 4 ms each: together they give what they burned."""
        self.need_cheap_pages()
        status, out, err = self.run_tool(
            "run", "--format", "json", "-o", os.path.join(self.folder, "tree"), "--", "sh", "-c",
            f"many() {{ for i in $(seq 100); do {csink_e2e.program_path('loop')} plain 4; done; }}\n"
            "many & many; wait",
            CSINK_EVENTS="task-clock", CSINK_SPOOL_DIR=self.folder)
        self.assertEqual(status, 0, err)
        burned = sum(int(line.split()[2]) for line in out.splitlines()) / 1e9
        with open(os.path.join(self.folder, "tree"), encoding="utf-8") as f:
            report = json.load(f)
        weight = sum(f["events"][0]["weight"] for f in functions_named(report, "Loop")) / 1e9
        agent = sum(p["agent_seconds"] for p in report["processes"] if p["program"] == "loop")
        # The agent's start and end in each process are in it: 0.24 ms a process.
        self.assertLess(agent, 0.10 * burned)
        # A process of 4 periods has a standard deviation of 0.49 periods (25 runs of a hundred,
        # their first periods evenly spread), all together 0.9 %; the loop's look at the clock is
        # 0.3 % of its time, and system time is not sampled.
        self.assertAlmostEqual(weight / burned, 1, delta=0.04, msg=str(report["verdict"]))

    def test_threads_that_come_and_go_do_not_keep_the_agent_busy(self):
        self.need_cheap_pages()
        run = self.profile("thread_lives", 500, 1500, 10)
        self.assertEqual(run.values("threads"), [500])
        self.assertLess(run.report["verdict"]["agent_share"], 0.1)
        self.assertGreaterEqual(run.report["verdict"]["threads_seen"], 450)

    def test_none_that_ends_waits_for_the_others(self):
        """Every thread is in the accounts, although it leaves its slot to whoever has the lock next."""
        self.need_cheap_pages()
        count, live = 400, 60
        run = self.profile("thread_churn", count, 2000, live, CSINK_EVENTS="task-clock")
        self.assertEqual(run.values("threads"), [count])
        self.assertNothingLost(run.report)
        verdict = run.report["verdict"]
        # More: a thread that has left its slot and is not gone at two searches is adopted.
        self.assertGreaterEqual(verdict["threads_seen"], count + 1)
        # Of the process all but its last steps, of the threads what their own clocks said at their end.
        process = run.report["processes"][0]
        self.assertAlmostEqual(process["user_seconds"] + process["system_seconds"], run.cpu,
                               delta=0.01 * run.cpu + 0.03)
        threads = sum(t["cpu_seconds"] for t in run.report["threads"])
        self.assertGreater(threads, run.values("burned_ns")[0] / 1e9)
        self.assertLess(threads, run.cpu + 0.01)
        weight = sum(f["events"][0]["weight"] for f in functions_named(run.report, "Churner")) / 1e9
        self.assertAlmostEqual(weight / (run.values("burned_ns")[0] / 1e9), 1, delta=0.1, msg=verdict)

    def test_many_of_one_routine_share_a_row(self):
        """Their number is kept, no sample is lost, and the spool does not grow with them."""
        report = os.path.join(self.folder, "report")
        status, out, err = self.run_tool(
            "run", "--keep", "--format", "json", "-o", report, "--", csink_e2e.program_path("thread_lives"), "4000", "700", "4",
            CSINK_SPOOL_DIR=self.folder)
        self.assertEqual(status, 0, err)
        with open(report, encoding="utf-8") as f:
            report = json.load(f)
        threads = report["threads"]
        shared = [t for t in threads if t["merged"] and t["tid"] != 0]
        self.assertEqual(len(shared), 1, shared)
        self.assertIn("Shorty", shared[0]["start_routine"])
        # Two thirds of the 4,000 have a sample; few of them while a sweep looks at them.
        self.assertGreater(shared[0]["threads"], 1000)
        self.assertLess(len(threads), 1000)
        self.assertGreater(shared[0]["samples"], shared[0]["threads"] * 0.99)
        self.assertEqual(sum(t["samples"] for t in threads), sum(f["events"][0]["samples"] for f in report["functions"]))
        spools = [os.path.getsize(path) for path in glob.glob(os.path.join(self.folder, "tree.*", "thread_lives.*"))]
        self.assertEqual(len(spools), 1)
        self.assertLess(spools[0], 1 << 20)

    def test_ten_thousand_threads_cost_no_more_memory_than_a_thousand(self):
        """Slots and rings are used again."""
        def peak(count):
            folder = self.fresh_folder()
            command = [csink_e2e.program_path("thread_lives"), str(count), "20", "4"]
            return self.run_command(command, csink_e2e.agent_environment(folder), folder).peak_kib
        few, many = self.side_by_side(lambda: peak(1000), lambda: peak(10000))
        self.assertLess(many, few + 1024)


if __name__ == "__main__":
    csink_e2e.main()
