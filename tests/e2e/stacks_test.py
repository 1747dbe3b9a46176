"""Who called whom: the call chains in the spool name the callers that were there."""

import os
import signal

import csink_e2e
import spool_chains
from csink_e2e import E2eTest, wait_until_burned, wilson

MS = 400


class Stacks(E2eTest):
    def chains(self, program, *args, stacks, rate="task-clock@4kHz", status=0):
        run = self.run_agent(program, *args, CSINK_STACKS=stacks, CSINK_REPORT="0", CSINK_KEEP="1",
                             CSINK_EVENTS=rate)
        self.assertEqual(run.status, status, run.stderr)
        self.assertEqual(run.stderr, "")
        self.assertEqual(len(run.spools), 1, run.spools)
        return run, spool_chains.Chains(run.spools[0])

    def shares(self, run):
        rows = [l.split() for l in run.stdout.splitlines() if l.startswith("share ")]
        return {name: int(ns) for _, name, ns in rows}

    def assertCallers(self, run, callers, right=0.9):
        """Nearly all samples have one of the known callers, in the known proportion."""
        known = self.shares(run)
        total = sum(callers.values())
        hits = {name: callers[name] for name in known}
        self.assertGreater(total, 100, callers)
        self.assertGreaterEqual(sum(hits.values()), right * total, callers)
        wrong = {n: c for n, c in callers.items() if n is not None and n not in known}
        self.assertLessEqual(sum(wrong.values()), 0.02 * total, callers)
        return hits

    def assertTwiceAsOften(self, left, right):
        low, high = wilson(right, left + right)
        self.assertTrue(low <= 2 / 3 <= high, f"{left} to {right}")


class FramePointers(Stacks):
    def test_functions_with_frames(self):
        _, chains = self.chains("callers", "frames", MS, stacks="fp")
        # What is left are samples of our own, and of the loader.
        self.assertLessEqual(chains.bad_stacks, 0.02 * sum(s for s, _, _, _ in chains.stacks()))
        for samples, names, _, flags in chains.stacks():
            if names[0] != "Spin":
                continue
            middle = names[1:4]
            self.assertIn(middle, (["Ping", "CallPing", "Repeat"], ["Pong", "CallPong", "Repeat"]))
            self.assertEqual(names[4], "main")
            self.assertEqual(flags, 0)

    def test_the_caller_of_memcpy(self):
        for program in ("callers", "callers_no_frames"):
            run, chains = self.chains(program, "memcpy", MS, stacks="fp")
            hits = self.assertCallers(run, self.callers_of_copies(chains))
            self.assertGreater(hits["CopyRight"], hits["CopyLeft"])

    def callers_of_copies(self, chains):
        """Of all that the C library did, but for the clock, which Repeat and main ask."""
        found = chains.callers_into("libc.so")
        for clock in ("Repeat", "main"):
            found.pop(clock, None)
        return found

    def test_the_caller_of_strlen(self):
        run, chains = self.chains("callers", "strlen", MS, stacks="fp")
        self.assertCallers(run, self.callers_of_copies(chains))

    def test_the_caller_of_malloc(self):
        run, chains = self.chains("callers", "malloc", 2 * MS, stacks="fp", rate="task-clock@10kHz")
        self.assertCallers(run, self.callers_of_copies(chains))

    def test_recursion_to_any_depth(self):
        _, chains = self.chains("callers", "deep", 200, 60, stacks="fp")
        depths = {len(n): s for s, n, _, f in chains.stacks() if n[0] == "Spin" and f == 0}
        self.assertGreater(depths.get(1 + 61 + 2, 0), 0.9 * sum(depths.values()), depths)

    def test_deeper_than_the_limit_is_marked(self):
        _, chains = self.chains("callers", "deep", 200, 500, stacks="fp")
        deep = sum(s for s, n, _, f in chains.stacks() if f & spool_chains.DEEP)
        self.assertGreater(deep, 100)
        self.assertGreaterEqual(chains.bad_stacks, deep)

    def test_threads_end_at_their_routine(self):
        _, chains = self.chains("callers", "threads", 200, stacks="fp")
        found = {"LeftRoutine": 0, "RightRoutine": 0}
        for samples, names, _, flags in chains.stacks():
            if names[0] == "Spin":
                self.assertEqual((names[1], flags), ("Ping", 0))
                found[names[2]] += samples
        self.assertGreater(min(found.values()), 100)

    def test_totals_are_those_of_flat_mode(self):
        run, chains = self.chains("callers", "frames", MS, stacks="fp")
        cpu = sum(self.shares(run).values()) / 1e9
        samples = sum(s for s, _, _, _ in chains.stacks())
        self.assertGreaterEqual(samples, 0.85 * cpu * 4000)
        self.assertLessEqual(samples, 1.1 * cpu * 4000 + 20)


class UnwindTables(Stacks):
    def test_functions_without_frames(self):
        _, chains = self.chains("callers_no_frames", "deep", 200, 60, stacks="unwind")
        depths = {len(n): s for s, n, _, f in chains.stacks() if n[0] == "Spin" and f == 0}
        self.assertGreater(depths.get(1 + 61 + 2, 0), 0.9 * sum(depths.values()), depths)

    def test_malloc_is_followed_to_main(self):
        run, chains = self.chains("callers_no_frames", "malloc", 2 * MS, stacks="unwind",
                                  rate="task-clock@10kHz")
        # A tenth of the samples is the agent's own work at this rate; its functions have no chain.
        stacks = [(s, n, f) for s, n, _, f in chains.stacks() if "5csink" not in n[0]]
        whole = sum(s for s, n, f in stacks if "main" in n and f == 0)
        total = sum(s for s, _, _ in stacks)
        self.assertGreater(total, 100)
        self.assertGreaterEqual(whole, 0.9 * total)

    def test_rules_that_only_libunwind_follows(self):
        agent_unwind = os.path.join(os.path.dirname(csink_e2e.AGENT), "libagent-unwind.so")
        if not os.path.exists(agent_unwind):
            self.skipTest("built without libunwind")
        run, chains = self.chains("callers_no_frames", "odd", MS, stacks="unwind")
        hits = self.assertCallers(run, chains.callers_of("OddFrame"))
        self.assertGreater(hits["OddRight"], hits["OddLeft"])

    def test_a_handler_leads_to_what_it_interrupted(self):
        _, chains = self.chains("stack_storms", "signal", 300, stacks="unwind")
        below = [(s, n, f) for s, n, _, f in chains.stacks() if n[0] == "BurnInHandler"]
        whole = sum(s for s, n, f in below if any("RaiseOne" in name for name in n))
        self.assertGreater(whole, 0.3 * sum(s for s, _, _ in below))  # the others: another stack
        signals = sum(1 for node in chains.nodes[1:] if node[3] & spool_chains.SIGNAL)
        self.assertGreater(signals, 0)

    def test_a_second_drain_signal_waits_for_the_first(self):
        # While the handler drains, on a stack of its own, the kernel does not know that it is still on the program's
        # alternate stack. The frame of a second signal would overwrite the first one's there.
        def send_drain_signals(child):
            wait_until_burned(child.pid, 0.05)
            while not os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                os.kill(child.pid, signal.SIGURG)

        run = self.run_agent("stack_storms", "signal", 300, CSINK_STACKS="unwind", CSINK_EVENTS="task-clock@10kHz",
                             during=send_drain_signals)
        self.assertEqual((run.status, run.stderr), (0, ""))

    def test_the_walker_that_cannot_be_had_is_named(self):
        folder = self.fresh_folder()
        lonely = os.path.join(folder, "libagent.so")
        os.symlink(csink_e2e.AGENT, lonely)
        run = self.run_agent("callers", "frames", 100, CSINK_STACKS="unwind", LD_PRELOAD=lonely,
                             CSINK_REPORT="0", CSINK_KEEP="1")
        self.assertEqual(run.status, 0)
        self.assertEqual(len(run.own_lines), 1, run.stderr)
        self.assertIn("libagent-unwind.so cannot be used", run.own_lines[0])


class Broken(Stacks):
    """Nothing crashes, nothing hangs, and what was cut says so."""

    MODES = ("smashed", "jit", "signal", "jumps", "coroutines", "edge", "tiny", "throws")

    def storm(self, mode, stacks):
        plugin = os.path.join(csink_e2e.PROGRAMS, "plugin.so")
        run, chains = self.chains("stack_storms", mode, 150, plugin, stacks=stacks)
        self.assertEqual(run.stdout, "done 1\n")
        return chains

    def test_by_frame_pointers(self):
        for mode in self.MODES:
            with self.subTest(mode):
                self.storm(mode, "fp")

    def test_by_tables(self):
        for mode in self.MODES:
            with self.subTest(mode):
                self.storm(mode, "unwind")

    def test_smashed_frames_are_cut_and_counted(self):
        for stacks in ("fp", "unwind"):
            chains = self.storm("smashed", stacks)
            total = sum(s for s, _, _, _ in chains.stacks())
            self.assertGreater(chains.bad_stacks, 0.5 * total)
            for _, names, _, _ in chains.stacks():
                self.assertNotIn("[nowhere]", names)

    def test_code_without_tables_keeps_its_caller(self):
        chains = self.storm("jit", "unwind")
        burning = [(s, n) for s, n, _, _ in chains.stacks() if n[0] == "[]"]
        right = sum(s for s, n in burning if n[1:2] == ["main"])
        self.assertGreater(right, 0.95 * sum(s for s, _ in burning))


if __name__ == "__main__":
    csink_e2e.main()
