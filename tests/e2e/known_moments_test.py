"""Known answers of CSINK_CRITICAL: the waits of a program, their number, their objects, and who ended each of them."""

import os
import unittest

import csink_e2e
from csink_e2e import AGENT, E2eTest, program_path
from spool_moments import CUT, IN, LOST, MOMENTS, SAMPLES, SWITCHES, Moments

HOOKS = os.path.join(os.path.dirname(AGENT), "libcsink-critical.so")
ROUNDS = 8
# Each wait of the program is at least that long; others may be longer on a busy machine.
LEAST_NS = 2_000_000


class KnownMoments(E2eTest):
    def record(self, mode, rounds=ROUNDS, **env):
        """The values that the program printed, and what was recorded of its processes, by pid."""
        env = {"LD_PRELOAD": f"{AGENT}:{HOOKS}", "CSINK_CRITICAL": "1", "CSINK_KEEP": "1", "CSINK_REPORT": "0", **env}
        run = self.run_agent("known_moments", mode, rounds, **env)
        self.assertEqual(run.status, 0, run.stderr)
        self.assertEqual(run.stderr, "")
        said = {line.split()[0]: int(line.split()[1]) for line in run.stdout.splitlines()}
        spools = [Moments(path) for path in run.spools if path.endswith(".csink")]
        return said, {spool.pid: spool for spool in spools}

    def main_of(self, mode, **env):
        said, spools = self.record(mode, **env)
        moments = spools[said["main"]]
        self.assertEqual(moments.counts[:5], (1, 1, 0, 0, 0))
        return said, moments

    def assertWoken(self, moments, waits, wakers):
        """Each wait has one waker inside of it, or up to 20 us before its begin, and each waker wakes once."""
        left = list(wakers)
        for wait in waits:
            inside = [w for w in left if wait.start - 20_000 <= w.start <= wait.end]
            self.assertTrue(inside, f"nothing wakes {wait} of {waits}; wakers {wakers}")
            left.remove(inside[-1])

    def test_a_convoy_waits_for_each_unlock(self):
        said, moments = self.main_of("convoy")
        waits = [w for w in moments.of("mutex", thread=said["waiter"], object=said["object"])
                 if w.end - w.start >= LEAST_NS]
        self.assertEqual(len(waits), ROUNDS)
        # 100,000 uncontended pairs before leave nothing: main's unlocks are those of the rounds.
        unlocks = moments.of("unlock", thread=said["main"], object=said["object"])
        self.assertEqual(len(unlocks), ROUNDS)
        self.assertWoken(moments, waits, unlocks)
        for wait, unlock in zip(waits, unlocks):
            self.assertTrue(wait.start <= unlock.start <= wait.end, (wait, unlock))

    def test_a_handshake_waits_for_signals_and_broadcasts(self):
        said, moments = self.main_of("handshake")
        waits = moments.of("condition", thread=said["waiter"], object=said["object"])
        self.assertEqual(len(waits), ROUNDS)
        self.assertEqual(len({wait.value for wait in waits}), 1, "the mutex")
        # 1,000 signals without a waiter leave nothing.
        self.assertEqual(len(moments.of("signal", object=said["object"])), (ROUNDS + 1) // 2)
        self.assertEqual(len(moments.of("broadcast", object=said["object"])), ROUNDS // 2)
        self.assertWoken(moments, waits, moments.of("signal", "broadcast", thread=said["main"]))

    def test_a_barrier_has_its_rounds(self):
        said, moments = self.main_of("barrier")
        arrivals = moments.of("barrier", object=said["object"])
        self.assertEqual(len(arrivals), 2 * ROUNDS)
        for number in range(1, ROUNDS + 1):
            of_round = [a for a in arrivals if a.value == number]
            self.assertEqual({a.thread for a in of_round}, {said["main"], said["waiter"]}, number)
            last = max(a.start for a in of_round)
            self.assertTrue(all(a.start <= last <= a.end for a in of_round), of_round)

    def test_a_join_waits_for_the_end_of_its_thread(self):
        said, moments = self.main_of("join")
        (wait,) = moments.of("join", thread=said["main"], object=said["object"])
        (end,) = moments.of("end", object=said["object"])
        self.assertEqual(end.thread, said["ended"])
        self.assertTrue(wait.start <= end.start <= wait.end, (wait, end))
        (created,) = moments.of("created", object=said["object"])
        (start,) = moments.of("start", thread=said["ended"])
        self.assertEqual((created.thread, created.value), (said["main"], said["ended"]))
        self.assertLessEqual(created.start, start.start)
        self.assertEqual(len(moments.of("start", thread=said["main"])), 1)
        self.assertEqual(len(moments.of("process end")), 1)

    def test_a_semaphore_waits_for_each_post(self):
        said, moments = self.main_of("semaphore")
        waits = moments.of("semaphore", thread=said["waiter"], object=said["object"])
        self.assertEqual(len(waits), ROUNDS)
        posts = moments.of("post", object=said["object"])
        self.assertEqual(len(posts), ROUNDS, "1,000 posts without a waiter leave nothing")
        self.assertWoken(moments, waits, posts)

    def test_waits_survive_cancellation_and_jumps(self):
        said, moments = self.main_of("left")
        self.assertEqual(said["free"], 1, "the cleanup handler has run")
        self.assertNotEqual(said["cancelled"], -1)
        (cancelled,) = moments.of("condition", thread=said["cancelled"], object=said["condition"])
        self.assertEqual(cancelled.flags, CUT)
        self.assertGreaterEqual(cancelled.end - cancelled.start, LEAST_NS)
        (jumped,) = moments.of("semaphore", thread=said["jumped"], object=said["semaphore"])
        self.assertEqual(jumped.flags, CUT)
        (sleep,) = moments.of("sleep", thread=said["jumped"])
        self.assertGreaterEqual(sleep.start, jumped.end - 1)

    def test_a_child_begins_anew(self):
        said, spools = self.record("fork")
        parent, child = spools[said["main"]], spools[said["child"]]
        (fork,) = parent.of("fork")
        (wait,) = parent.of("child")
        self.assertEqual((fork.value, wait.object), (said["child"], said["child"]))
        self.assertEqual({m.thread for m in child.moments}, {said["child"]})
        (start,) = child.of("start")
        (sleep,) = child.of("sleep")
        (end,) = child.of("process end")
        self.assertLessEqual(fork.start, start.start)
        self.assertGreaterEqual(sleep.end - sleep.start, LEAST_NS)
        self.assertTrue(wait.start <= end.start <= wait.end)

    def test_samples_and_switches_are_of_the_threads_and_in_order(self):
        said, moments = self.main_of("convoy")
        self.assertGreater(len(moments.samples), 5)
        threads = {said["main"], said["waiter"]}
        self.assertEqual({s.thread for s in moments.samples} | threads, threads)
        begin = min(m.start for m in moments.of("start"))
        end = moments.of("process end")[0].end
        for sample in moments.samples:
            self.assertTrue(begin <= sample.time <= end, sample)
        waits = [w for w in moments.of("mutex", thread=said["waiter"]) if w.end - w.start >= LEAST_NS]
        of_waiter = [s for s in moments.switches if s.thread == said["waiter"]]
        self.assertEqual([s.time for s in of_waiter], sorted(s.time for s in of_waiter))
        if any(s.kind == LOST for s in of_waiter):
            return
        for before, after in zip(of_waiter, of_waiter[1:]):
            self.assertNotEqual(before.kind == IN, after.kind == IN, (before, after))
        # The thread sleeps in each wait: it leaves its processor as blocked, and comes back.
        for wait in waits:
            inside = [s.kind for s in of_waiter if wait.start <= s.time <= wait.end]
            self.assertIn(2, inside, wait)
            self.assertEqual(inside[-1], IN, wait)

    def test_the_timer_has_times_but_no_switches(self):
        _, moments = self.main_of("convoy", CSINK_SOURCE="timer")
        self.assertGreater(len(moments.samples), 0)
        self.assertEqual(moments.switches, [])

    def test_nothing_is_recorded_unless_asked(self):
        for changes in ({"CSINK_CRITICAL": None}, {"CSINK_CRITICAL": "0"}):
            said, spools = self.record("convoy", **changes)
            moments = spools[said["main"]]
            self.assertFalse({MOMENTS, SAMPLES, SWITCHES} & moments.kinds, changes)
            self.assertEqual(set(moments.counts), {0})

    def test_without_the_hooks_there_are_samples_and_a_line(self):
        run = self.run_agent("known_moments", "convoy", ROUNDS, CSINK_CRITICAL="1", CSINK_KEEP="1", CSINK_REPORT="0")
        self.assertEqual(run.status, 0)
        self.assertIn("libcsink-critical.so", run.stderr)
        (moments,) = [Moments(path) for path in run.spools]
        self.assertEqual(moments.counts[:2], (1, 0))
        self.assertGreater(len(moments.samples), 0)
        self.assertFalse(moments.of("mutex", "unlock"))

    def test_csink_run_preloads_the_hooks(self):
        folder = self.fresh_folder()
        spools = os.path.join(folder, "spools")
        os.mkdir(spools, 0o700)
        status, out, err = self.run_tool("run", "--critical", "--keep", "--", program_path("known_moments"), "semaphore",
                                         ROUNDS, CSINK_SPOOL_DIR=spools)
        self.assertEqual(status, 0, err)
        said = {line.split()[0]: int(line.split()[1]) for line in out.splitlines() if len(line.split()) == 2
                and line.split()[1].isdigit()}
        paths = [os.path.join(at, name) for at, _, names in os.walk(spools) for name in names
                 if name.startswith("known_moments.") and name.endswith(".csink")]
        found = [Moments(path) for path in paths]
        (moments,) = [spool for spool in found if spool.pid == said["main"] and spool.of("semaphore")]
        self.assertEqual(len(moments.of("semaphore", object=said["object"])), ROUNDS)
        status, raw, err = self.run_tool("report", "--raw", paths[0])
        self.assertEqual(status, 0, err)
        self.assertIn("Moments[0]", raw)


if __name__ == "__main__":
    csink_e2e.main()
