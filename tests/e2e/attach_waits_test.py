"""csink attach --wait, and csink run --wait of programs that cannot be preloaded: waits that csink-attach sees from outside.

The programs print how long each of their functions was blocked, and count the calls that did not do what they should:
a call that a signal or a stop has interrupted would be one of these. Shares are sampled, so they are compared as in
waits_test.
"""

import glob
import json
import os
import shutil
import subprocess

import attach_test
import csink_e2e
import spool_waits
import waits_test
from csink_e2e import HANG_SECONDS, program_path, wilson

SOURCES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "programs")
CAP_PERFMON = 38


class Outside(attach_test.Attach, waits_test.Waits):
    def observe_running(self, child, *args, **env):
        """csink attach --wait until the program ends: (report, what its spool says, stderr)."""
        return self.observe_pid(child.pid, *args, **env)

    def observe_pid(self, pid, *args, **env):
        status, report, err = self.attach_to(pid, "--wait", "--keep", *args, **env)
        self.assertEqual(status, 0, err)
        (folder,) = [line.split()[-1] for line in err.splitlines() if "spools are kept" in line]
        (path,) = glob.glob(os.path.join(folder, "*.csink"))
        return report, spool_waits.Waits(path), err

    def known(self):
        rows = [line.split() for line in self.printed().splitlines() if line.startswith("blocked ")]
        self.assertTrue(rows, self.printed())
        return {name: int(ns) for _, name, ns in rows}

    def run_outside(self, *command, **env):
        """csink run --wait COMMAND: (what it printed, report)."""
        folder = self.fresh_folder()
        report = os.path.join(folder, "outside.json")
        env = csink_e2e.tool_environment(CSINK_SPOOL_DIR=os.path.join(folder, "spool"), **env)
        run = self.run_command([csink_e2e.TOOL, "run", "--wait", "--format", "json", "-o", report, "--",
                                *[str(c) for c in command]], env, folder)
        self.assertEqual((run.status, run.stderr), (0, ""))
        with open(report, encoding="utf-8") as f:
            return run.stdout, json.load(f)

    @staticmethod
    def rows_of(report):
        """{(function, primitive): seconds}"""
        rows = {}
        for group in report["waits"]["groups"]:
            for row in group["rows"]:
                key = (row["function"], row["primitive"])
                rows[key] = rows.get(key, 0) + row["seconds"]
        return rows


class RunningProgram(Outside):
    HOLDING = ("HoldFirst", "HoldSecond", "HoldHeap")

    def test_three_locks_and_who_holds_them(self):
        child = self.start("held_locks", 4000)
        report, waits, _ = self.observe_running(child)
        self.assertEqual(child.wait(HANG_SECONDS), 0)
        self.assertSumsUp(waits)
        rows = {line.split()[0]: line.split()[1:] for line in self.printed().splitlines()}
        addresses = [int(address, 16) for address in rows["locks"]]
        locks = {address: [lock for lock in waits.locks[1:] if lock.address == address] for address in addresses}
        self.assertSharesOf(locks, dict(zip(addresses, map(int, rows["kept"]))))
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
        self.assertGreaterEqual(wilson(holder_right, looks)[1], 0.95, f"{holder_right} of {looks}")
        self.assertGreaterEqual(wilson(function_right, looks)[1], 0.85, f"{function_right} of {looks}")
        # Locks in the data of the program have their names; that on the heap has a place.
        names = {lock["name"] for lock in report["locks"] if lock["kind"] == "mutex"}
        self.assertIn("first_lock", names)
        self.assertIn("second_lock", names)

    def test_functions_and_kinds(self):
        child = self.start("blocked_kinds", "alone", 3000)
        _, waits, _ = self.observe_running(child)
        self.assertEqual(child.wait(HANG_SECONDS), 0)
        self.assertEqual(waits.observer.threads, 1)
        self.check_functions(waits, self.known(), waits_test.Kinds.ALONE)
        self.assertIn("failed 0\n", self.printed())
        # The unwind tables of the program are read from outside as from inside.
        self.assertLess(waits.observer.cut, 0.1 * waits.observer.looks + 2, waits.observer)

    def test_a_condition_a_semaphore_and_a_join(self):
        child = self.start("blocked_kinds", "threads", 3000)
        _, waits, _ = self.observe_running(child)
        self.assertEqual(child.wait(HANG_SECONDS), 0)
        known = self.known()
        known.pop("Join")
        self.check_functions(waits, known, {name: (waits_test.BY_NAME, 0) for name in known})
        joins = [site for site in self.sites_in(waits, "Join") if site.kind == "join"]
        worker = {waits.tids[site.thread] for site in self.sites_in(waits, "WaitCondition")}
        self.assertEqual({holder.tid for holder in waits.holders if holder.lock == joins[0].lock}, worker)
        self.assertIn("failed 0\n", self.printed())

    def test_a_program_in_another_pid_namespace(self):
        """A mutex has the number that its owner has in the program's own namespace."""
        self.need_root()
        probe = subprocess.run(["unshare", "--pid", "--fork", "true"], capture_output=True, check=False) \
            if shutil.which("unshare") else None
        if probe is None or probe.returncode != 0:
            self.skipTest("no pid namespace can be made")
        outer = self.start("unshare", "--pid", "--fork", program_path("held_locks"), 4000)
        children = f"/proc/{outer.pid}/task/{outer.pid}/children"

        def inside():
            with open(children, encoding="ascii") as f:
                pids = f.read().split()
            return pids and os.readlink(f"/proc/{pids[0]}/exe").endswith("/held_locks") and int(pids[0])
        pid = self.wait_for(inside, "the program")
        report, waits, _ = self.observe_pid(pid)
        self.assertEqual(outer.wait(HANG_SECONDS), 0)
        rows = {line.split()[0]: line.split()[1:] for line in self.printed().splitlines()}
        (lock,) = [lock for lock in waits.locks[1:] if lock.address == int(rows["locks"][0], 16)]
        self.assertEqual(lock.kind, "mutex")
        holders = {holder.tid for holder in waits.holders if holder.lock == waits.locks.index(lock)}
        self.assertEqual(len(holders), 1, waits.holders)
        # The number here, not the one that the program knows.
        self.assertNotEqual(holders, {int(rows["holder"][0])})
        self.assertLessEqual(holders, set(waits.tids))
        self.assertIn("first_lock", {lock["name"] for lock in report["locks"]})

    def test_a_program_that_only_waits_has_a_report(self):
        child = self.start("sleep", 600)
        report, waits, err = self.observe_running(child, "--duration", "500ms")
        self.assertEqual({site.kind for site in waits.sites}, {"sleep"}, err)
        self.assertAlmostEqual(report["waits"]["blocked_seconds"], 0.5, delta=0.3)
        self.assertIsNone(child.poll())

    def test_nothing_is_observed_without_the_option(self):
        child = self.start("held_locks", 60000)
        report = self.attach_for(child, "500ms")
        self.assertIsNone(report["waits"])

    def test_the_observer_is_cheap(self):
        child = self.start("held_locks", 4000)
        _, waits, _ = self.observe_running(child)
        seen = waits.observer
        self.assertGreater(seen.moments, 20, seen)
        self.assertLess(seen.cpu_ns, 0.02 * (seen.last_ns - seen.start_ns), seen)


class NoTrace(Outside):
    def test_no_call_is_interrupted(self):
        plain = self.run_plain("waits", "never_interrupted", 300)
        child = self.start("waits", "never_interrupted", 300)
        self.observe_running(child)
        self.assertEqual(child.wait(HANG_SECONDS), plain.status)
        self.assertEqual(self.printed(), plain.stdout)

    def test_the_program_cannot_notice(self):
        child = self.start("held_locks", 60000)
        csink_e2e.wait_until_burned(child.pid, 0.1)
        before = attach_test.NoTrace.state_of(child.pid)
        csink = subprocess.Popen([csink_e2e.TOOL, "attach", "--wait", "-o", "/dev/null", str(child.pid)],
                                 env=csink_e2e.tool_environment(CSINK_SPOOL_DIR=self.spools()),
                                 stderr=subprocess.DEVNULL, start_new_session=True)
        self.addCleanup(self.stop, csink)
        self.wait_for(lambda: self.events_below(csink.pid) >= os.cpu_count(), "the events")
        csink_e2e.wait_until_burned(child.pid, csink_e2e.cpu_seconds_of(child.pid) + 0.3)
        during = attach_test.NoTrace.state_of(child.pid)
        csink.terminate()
        self.stop(csink)
        self.assertEqual(before, during)
        self.assertIsNone(child.poll())


class RunFromOutside(Outside):
    """csink run --wait of programs that libagent.so cannot be preloaded into."""

    def assertHeldLocks(self, report):
        rows = self.rows_of(report)
        for function, lock in (("WaitFirst", "first_lock"), ("WaitSecond", "second_lock")):
            self.assertIn((function, "mutex"), rows, rows)
            (row,) = [l for l in report["locks"] if l["name"] == lock]
            self.assertEqual(row["kind"], "mutex")
        self.assertIn(("main", "join of a thread"), rows)
        first = next(l for l in report["locks"] if l["name"] == "first_lock")
        held = max(first["holders"], key=lambda holder: holder["looks"])
        self.assertEqual(held["function"], "HoldFirst", first)

    def test_a_statically_linked_program(self):
        _, report = self.run_outside(program_path("held_locks_static"), 2500)
        self.assertIn("sampled from outside", report["source_reason"])
        self.assertHeldLocks(report)

    def test_kinds_of_a_static_program_and_its_child(self):
        out, report = self.run_outside(program_path("blocked_kinds_static"), "alone", 2000)
        self.assertIn("failed 0\n", out)
        rows = self.rows_of(report)
        for key in (("ReadPipe", "read of a pipe"), ("Sleep", "sleep"), ("Poll", "poll of a pipe")):
            self.assertIn(key, rows)
        # The forked child reads requests and sleeps, in functions that are inlined into main.
        self.assertIn(("main", "read of a pipe"), rows)
        self.assertIn(("main", "sleep"), rows)

    def test_a_static_program_below_a_preloaded_one(self):
        _, report = self.run_outside("sh", "-c", f"{program_path('held_locks_static')} 2500; exit 0")
        self.assertHeldLocks(report)

    def test_a_32_bit_program(self):
        if os.uname().machine != "x86_64" or not shutil.which("gcc"):
            self.skipTest("32-bit programs are tested on x86-64 alone, with gcc")
        binary = os.path.join(self.folder, "held_locks_32")
        # A multiarch system has the kernel's headers in the folder of the 64-bit ones alone.
        done = subprocess.run(["gcc", "-m32", "-O1", "-g", "-pthread", "-I/usr/include/x86_64-linux-gnu", "-o", binary,
                               os.path.join(SOURCES, "held_locks.c")], capture_output=True, text=True, check=False,
                              env=csink_e2e.clean_environment())
        if done.returncode != 0 or not self.runs_here(binary, 10):
            self.skipTest("gcc -m32 cannot link, or its programs do not run here")
        _, report = self.run_outside(binary, 2500)
        kinds = {row["kind"] for group in report["waits"]["groups"] for row in group["rows"]}
        self.assertLessEqual({"mutex", "join", "sleep"}, kinds)
        self.assertIn("first_lock", {lock["name"] for lock in report["locks"]})
        # Its stacks are not walked.
        self.assertGreater(report["verdict"]["look_chains"]["cut"], 0, report["verdict"])


class Refused(Outside):
    def test_without_the_right_to_trace_one_line_says_so(self):
        words, tool, agent = self.as_nobody("--inh-caps", f"+cap_{CAP_PERFMON}", "--ambient-caps", f"+cap_{CAP_PERFMON}")
        child = self.start("held_locks", 60000)
        other = self.folder_of_nobody()
        if subprocess.run([*words, tool, "--version"], capture_output=True, check=False).returncode != 0:
            self.skipTest("no CAP_PERFMON")
        done = subprocess.run([*words, tool, "attach", "--wait", "--duration", "1s", "--format", "json", "-o",
                               os.path.join(other, "report"), str(child.pid)], check=False, capture_output=True, text=True,
                              env=csink_e2e.tool_environment(CSINK_SPOOL_DIR=other, CSINK_AGENT=agent),
                              timeout=HANG_SECONDS)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [line for line in done.stderr.splitlines() if "blocked threads" in line]
        self.assertEqual(len(lines), 1, done.stderr)
        self.assertIn(f"blocked threads of process {child.pid} are not observed", lines[0])
        self.assertIn("CAP_SYS_PTRACE", lines[0])
        # The samples of CPU time are there.
        with open(os.path.join(other, "report"), encoding="utf-8") as f:
            report = json.load(f)
        self.assertGreater(csink_e2e.total_samples(report), 50)
        self.assertIn("observing stopped early", json.dumps(report["verdict"]))
        self.assertIsNone(child.poll())


if __name__ == "__main__":
    csink_e2e.main()
