"""What the observer of blocked threads (CSINK_WAIT) records: known waits, locks and holders.

The programs print how long each of their functions was blocked. Shares are sampled, so they are compared with the
99.99 % interval that the records give; the sums are exact.
"""

import concurrent.futures
import json
import os

import csink_e2e
import spool_waits
from csink_e2e import E2eTest, program_path, wilson

# From memory of the C library alone the agent knows no more of them; the report tells them by function names.
BY_NAME = "futex"
SLACK = 0.02  # time on the way out of the wait: the program measures it, the kernel counts it as runnable


class Waits(E2eTest):
    def observe(self, program, *args, status=0, spools=1, **env):
        """The run and what its spools say, in the order of their processes' numbers."""
        run = self.run_agent(program, *args, CSINK_WAIT="1", CSINK_REPORT="0", CSINK_KEEP="1", **env)
        self.assertEqual(run.status, status, run.stderr)
        self.assertEqual(run.stderr, "")
        self.assertEqual(len(run.spools), spools, run.spools)
        return run, [spool_waits.Waits(path) for path in run.spools]

    def truth(self, run):
        """{function: ns} as the program printed it."""
        rows = [line.split() for line in run.stdout.splitlines() if line.startswith("blocked ")]
        self.assertTrue(rows, run.stdout)
        return {name: int(ns) for _, name, ns in rows}

    def assertSharesOf(self, measured, known):
        """`measured`: {key: rows with blocked_ns and squared}; `known`: {key: ns}."""
        taken = {key: sum(row.blocked_ns for row in measured[key]) for key in known}
        all_taken, all_known = sum(taken.values()), sum(known.values())
        squared = sum(row.squared for key in known for row in measured[key])
        self.assertGreater(squared, 0, taken)
        looks = all_taken ** 2 / squared  # Kish: as many looks of equal weight
        self.assertGreater(looks, 8, taken)  # few on a machine that runs other tests
        for key, ns in known.items():
            low, high = wilson(taken[key] / all_taken * looks, looks)
            self.assertTrue(low - SLACK <= ns / all_known <= high + SLACK,
                            f"{key}: {taken[key] / all_taken:.3f}, [{low:.3f}, {high:.3f}] does not hold "
                            f"{ns / all_known:.3f}")

    def assertSumsUp(self, waits):
        """All blocked time between the first and the last look at a thread has a place, but for the rest after the
        last look that found it blocked; at most as much as all threads were there."""
        seen = waits.observer
        self.assertEqual((seen.state, seen.stopped_errno, seen.no_site, seen.no_lock), (1, 0, 0, 0), seen)
        # The header is stored after each moment; the process may end within one.
        self.assertAlmostEqual(seen.looks, sum(site.looks for site in waits.sites), delta=seen.most_threads)
        placed = sum(site.blocked_ns for site in waits.sites)
        self.assertGreater(placed, 0.8 * seen.blocked_ns, seen)
        self.assertLessEqual(seen.blocked_ns, seen.most_threads * (seen.last_ns - seen.start_ns) + 1e7, seen)

    def sites_in(self, waits, function):
        found = [site for site in waits.sites if function in waits.functions(site)]
        self.assertTrue(found, f"no site in {function}: {[waits.functions(s) for s in waits.sites]}")
        return found

    def check_functions(self, waits, known, kinds):
        """The shares of these functions, and their kinds: {function: (kind, kind of descriptor)}."""
        self.assertSumsUp(waits)
        measured = {function: self.sites_in(waits, function) for function in known}
        self.assertSharesOf(measured, known)
        for function, (kind, descriptor) in kinds.items():
            rows = self.sites_in(waits, function)
            looks = sum(row.looks for row in rows)
            right = sum(row.looks for row in rows if (row.kind, row.descriptor) == (kind, descriptor))
            # A function may also be blocked elsewhere for a moment, in a page fault for instance.
            self.assertGreaterEqual(right, 0.9 * looks, rows)


class Kinds(Waits):
    ALONE = {"ReadPipe": ("read", spool_waits.PIPE), "Sleep": ("sleep", 0), "Poll": ("poll", spool_waits.PIPE)}
    # Each by its name: (arguments of observe, its settings). These programs are blocked nearly all the time, so
    # they run side by side: one after another they would take 16 s.
    RUNS = {
        "alone": (("blocked_kinds", "alone", 3000), {"CSINK_FOLLOW": "none"}),
        "threads": (("blocked_kinds", "threads", 3000), {}),
        "fork": (("blocked_kinds", "fork", 1000), {"spools": 2, "CSINK_FOLLOW": "all"}),
        "exec": (("blocked_kinds", "exec", 3000), {"spools": 3, "CSINK_FOLLOW": "all"}),
        "fp": (("blocked_kinds", "alone", 2000), {"CSINK_FOLLOW": "none", "CSINK_STACKS": "fp"}),
        "unwind": (("blocked_kinds", "alone", 2000), {"CSINK_FOLLOW": "none", "CSINK_STACKS": "unwind"}),
        "frames": (("frame_waits", 2000), {"CSINK_FOLLOW": "none"}),
    }

    @classmethod
    def setUpClass(cls):
        host = Waits()
        host.setUp()
        cls.addClassCleanup(host.doCleanups)
        pool = concurrent.futures.ThreadPoolExecutor(len(cls.RUNS))
        cls.addClassCleanup(pool.shutdown)
        cls.started = {name: pool.submit(host.observe, *args, **settings)
                       for name, (args, settings) in cls.RUNS.items()}

    def observed(self, name):
        """As observe. A run that failed fails the test that asks for it."""
        return self.started[name].result()

    def test_a_program_of_one_thread(self):
        run, (waits,) = self.observed("alone")
        self.assertEqual(waits.observer.threads, 1)
        self.check_functions(waits, self.truth(run), self.ALONE)

    def test_a_thread_and_a_join(self):
        run, (waits,) = self.observed("threads")
        known = self.truth(run)
        joined = known.pop("Join")
        self.assertEqual(waits.observer.threads, 2)
        self.check_functions(waits, known, {"WaitCondition": (BY_NAME, 0), "WaitSemaphore": (BY_NAME, 0)})
        # The join is the only wait of main: its time is no sample but all that there was, less the beginning.
        joins = [site for site in self.sites_in(waits, "Join") if site.kind == "join"]
        self.assertGreater(sum(site.blocked_ns for site in joins), 0.8 * joined)
        self.assertLess(sum(site.blocked_ns for site in joins), 1.01 * joined)
        # Its holder is the thread that it waits for.
        lock = waits.locks[joins[0].lock]
        self.assertEqual(lock.kind, "join")
        worker = {waits.tids[site.thread] for site in self.sites_in(waits, "WaitCondition")}
        self.assertEqual({holder.tid for holder in waits.holders if holder.lock == joins[0].lock}, worker)

    def test_a_child_by_fork(self):
        _, waits = self.observed("fork")
        parent, child = sorted(waits, key=lambda w: w.tids[0])
        self.assertSumsUp(parent)
        self.assertSumsUp(child)
        self.assertEqual({site.kind for site in self.sites_in(parent, "WaitForChild")}, {"child"})
        self.assertEqual({site.kind for site in self.sites_in(child, "ChildSleeps")}, {"sleep"})
        # A child does not go on with the records of its parent.
        self.assertEqual([s for s in child.sites if "WaitForChild" in child.functions(s)], [])

    def test_a_child_that_becomes_another_program(self):
        run, waits = self.observed("exec")
        parent, child, _ = sorted(waits, key=lambda w: w.tids[0])  # the third answers the child's requests
        self.assertEqual({site.kind for site in self.sites_in(parent, "WaitForChild")}, {"child"})
        self.check_functions(child, self.truth(run), self.ALONE)

    def test_callers_are_recorded_with_the_stacks_of_samples(self):
        for stacks in ("fp", "unwind"):
            run, (waits,) = self.observed(stacks)
            self.check_functions(waits, self.truth(run), self.ALONE)

    def test_callers_are_found_behind_frame_pointers(self):
        _, (waits,) = self.observed("frames")
        sites = self.sites_in(waits, "SleepInFrame")
        looks = sum(site.looks for site in sites)
        self.assertGreater(looks, 20)
        whole = sum(site.looks for site in sites if waits.functions(site)[:4] == [
            "SleepInFrame", "CallWithoutFrame", "CallWithFrame", "main"])
        self.assertGreaterEqual(whole, 0.95 * looks, [waits.functions(site) for site in sites])


class Locks(Waits):
    HOLDING = ("HoldFirst", "HoldSecond", "HoldHeap")

    def test_three_locks_and_who_holds_them(self):
        run, (waits,) = self.observe("held_locks", 4000)
        self.assertSumsUp(waits)
        rows = {line.split()[0]: line.split()[1:] for line in run.stdout.splitlines()}
        addresses = [int(address, 16) for address in rows["locks"]]
        known = dict(zip(addresses, map(int, rows["kept"])))
        locks = {address: [lock for lock in waits.locks[1:] if lock.address == address] for address in addresses}
        self.assertSharesOf(locks, known)
        looks = holder_right = function_right = 0
        for address, function in zip(addresses, self.HOLDING):
            (lock,) = locks[address]
            self.assertEqual((lock.kind, lock.most_waiters), ("mutex", 1))
            number = waits.locks.index(lock)
            looks += lock.looks
            for holder in [h for h in waits.holders if h.lock == number]:
                right = holder.looks if holder.tid == int(rows["holder"][0]) else 0
                holder_right += right
                function_right += right if function in waits.functions(holder) else 0
        # There are about fifty looks, so the upper end of the share's interval is compared, not the share itself.
        self.assertGreaterEqual(wilson(holder_right, looks)[1], 0.95, f"{holder_right} of {looks}")
        # Where a running holder is, its last sample tells: one period of CPU time ago.
        self.assertGreaterEqual(wilson(function_right, looks)[1], 0.85, f"{function_right} of {looks}")

    def test_a_lock_in_the_data_of_a_program_has_its_module(self):
        run, (waits,) = self.observe("held_locks", 2000)
        first, second, heap = next(l.split()[1:] for l in run.stdout.splitlines() if l.startswith("locks"))
        places = {lock.address: lock.region for lock in waits.locks[1:]}
        for address in (first, second):
            region = places[int(address, 16)]
            self.assertLess(region, len(waits.regions))
            self.assertTrue(waits.regions[region][2].endswith("/held_locks"))
        self.assertGreaterEqual(places[int(heap, 16)], len(waits.regions))

    def test_the_waits_of_each_lock_have_functions(self):
        run, (waits,) = self.observe("held_locks", 3000)
        del run
        for function in ("WaitFirst", "WaitSecond", "WaitHeap"):
            rows = [s for s in self.sites_in(waits, function) if s.kind == "mutex"]
            self.assertEqual(len({row.lock for row in rows}), 1, rows)


class Reported(Waits):
    def test_a_program_that_only_waits_has_a_report(self):
        """No sample, but the waits are what the user asked for: under csink run and under the agent alone."""
        folder = self.fresh_folder()
        alone = self.run_agent("blocked_kinds", "alone", 1500, CSINK_WAIT="1", CSINK_FOLLOW="none")
        tree = self.run_command([csink_e2e.TOOL, "run", "--wait", "--", program_path("blocked_kinds"), "alone", "1500"],
                                csink_e2e.tool_environment(CSINK_SPOOL_DIR=os.path.join(folder, "spool")), folder)
        self.assertEqual((alone.status, tree.status), (0, 0), alone.stderr + tree.stderr)
        self.assertEqual(alone.stderr, "")
        self.assertAlmostEqual(alone.report["waits"]["blocked_seconds"], 1.5, delta=0.4)
        self.assertRegex(tree.stderr, r"waiting  \d\.\d+ s blocked in \d threads?")
        self.assertIn("ReadPipe", tree.stderr)
        self.assertNotIn("nothing to report", tree.stderr)


class Compared(Waits):
    def test_diff_by_waits(self):
        """The shares that csink diff gives for two runs are those of each run's report."""
        runs, reports = [], []
        for run, _ in self.side_by_side(
                *(lambda ms=ms: self.observe("blocked_kinds", "alone", ms, CSINK_FOLLOW="none") for ms in (1500, 3000))):
            runs.append(run.spools[0])
            status, out, err = self.run_tool("report", "--format", "json", run.spools[0])
            self.assertEqual(status, 0, err)
            reports.append(json.loads(out)["waits"])
        status, out, err = self.run_tool("diff", "--by", "waits", "--format", "json", *runs)
        self.assertEqual((status, err), (0, ""))
        diff = json.loads(out)
        self.assertEqual((diff["by"], diff["event"], diff["amount_unit"]), ("wait", "blocked time", "seconds"))
        for side, report in (("a", reports[0]), ("b", reports[1])):
            self.assertAlmostEqual(diff[side]["amount"], report["blocked_seconds"], delta=1e-6)
        rows = {row["function"]: row for row in diff["rows"]}
        for function in ("ReadPipe", "Poll", "Sleep"):
            (name,) = [name for name in rows if name.startswith(function + ":")]
            for share, report in (("was", reports[0]), ("share", reports[1])):
                seconds = sum(row["seconds"] for group in report["groups"] for row in group["rows"]
                              if row["function"] == function)
                self.assertAlmostEqual(rows[name][share], seconds / report["blocked_seconds"], delta=1e-6)
        self.assertAlmostEqual(sum(row["share"] or 0 for row in diff["rows"]), 1, delta=1e-6)
        status, out, err = self.run_tool("diff", "--by", "waits", *runs)
        self.assertEqual(status, 0, err)
        self.assertIn("blocked s", out)
        self.assertIn("effective looks", out)

    def test_runs_without_waits_are_named(self):
        run = self.run_agent("split", 100, 1, CSINK_REPORT="0", CSINK_KEEP="1")
        status, out, err = self.run_tool("diff", "--by", "waits", run.spools[0], run.spools[0])
        self.assertEqual((status, out), (1, ""))
        self.assertIn("--wait", err)


class Surroundings(Waits):
    def test_the_observer_is_cheap(self):
        # The bench has the exact figure; here a mistake in the rate would show.
        for program, args in (("held_locks", (3000,)), ("blocked_kinds", ("threads", 3000))):
            _, (waits,) = self.observe(program, *args)
            seen = waits.observer
            self.assertGreater(seen.moments, 20, seen)
            self.assertLess(seen.cpu_ns, 0.02 * (seen.last_ns - seen.start_ns), seen)

    def test_nothing_is_observed_without_the_setting(self):
        run = self.run_agent("held_locks", 500, CSINK_REPORT="0", CSINK_KEEP="1", CSINK_MIN_SAMPLES="0")
        self.assertEqual((run.status, run.stderr), (0, ""))
        for path in run.spools:
            waits = spool_waits.Waits(path)
            self.assertEqual((waits.observer.state, waits.sites, waits.locks, waits.holders), (0, [], [None], []))

    def test_a_sandbox_ends_the_observation(self):
        run = self.run_agent("sandbox", "prctl", 300, 1500, CSINK_WAIT="1", CSINK_REPORT="0", CSINK_KEEP="1")
        if run.status == csink_e2e.SKIP:
            self.skipTest(run.stderr.strip())
        self.assertEqual((run.status, run.stdout), (0, "still here\n"), run.stderr)
        self.assertLessEqual(len(run.own_lines), 1, run.stderr)
        (path,) = run.spools
        seen = spool_waits.Waits(path).observer
        self.assertEqual((seen.state, seen.stopped_errno), (2, 1), seen)  # EPERM
        self.assertGreater(seen.moments, 0)

    def test_without_proc_one_line_says_so(self):
        self.need_mount_namespace()
        launcher = ("unshare", "--mount", "sh", "-c", 'mount -t tmpfs none /proc || exit 77; exec "$0" "$@"')
        run = self.run_agent("blocked_kinds", "threads", 2000, launcher=launcher, CSINK_WAIT="1", CSINK_REPORT="0",
                             CSINK_KEEP="1")
        if run.status == csink_e2e.SKIP:
            self.skipTest("cannot mount in a namespace of its own")
        self.assertEqual(run.status, 0, run.stderr)
        self.assertIn("failed 0\n", run.stdout)
        lines = [line for line in run.own_lines if "blocked threads are not observed" in line]
        self.assertEqual(len(lines), 1, run.stderr)

    def test_an_option_sets_it(self):
        folder = self.fresh_folder()
        run = self.run_command([csink_e2e.TOOL, "run", "--wait", "--keep", "--", program_path("held_locks"), "1500"],
                               csink_e2e.tool_environment(CSINK_SPOOL_DIR=os.path.join(folder, "spool")), folder)
        self.assertEqual(run.status, 0, run.stderr)
        # The folder of the tree has a small file of its own beside the spool.
        observed = [spool_waits.Waits(path).observer for path in run.spools if os.path.getsize(path) > 16384]
        self.assertIn(1, [seen.state for seen in observed])


if __name__ == "__main__":
    csink_e2e.main()
