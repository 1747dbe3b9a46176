"""csink attach PID, and csink run of programs that cannot be preloaded: both sample from outside.

What is compared: shares with known ones, samples with the CPU time that /proc counts between two looks.
"""

import json
import os
import shutil
import signal
import subprocess
import tempfile
import threading
import time

import csink_e2e
from csink_e2e import E2eTest, HANG_SECONDS, cpu_seconds_of, program_path, sampled_seconds, samples_of, total_samples

SOURCES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "programs", "strange")
NOBODY = 65534
WAITS_DONE = 7  # the exit status of the program `waits`


class Attach(E2eTest):
    def start(self, program, *args, env=None, **more):
        """A program that runs beside the test; killed at the end of the test."""
        self.out = os.path.join(self.folder, f"out.{next(self.runs)}")
        with open(self.out, "wb") as out:
            child = subprocess.Popen([program_path(program)] + [str(a) for a in args], stdin=subprocess.DEVNULL,
                                     env=env or csink_e2e.clean_environment(), stdout=out, stderr=out, cwd=self.folder,
                                     start_new_session=True, **more)
        self.addCleanup(self.stop, child)
        return child

    @staticmethod
    def stop(child):
        if child.poll() is None:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()

    def printed(self):
        with open(self.out, encoding="utf-8") as f:
            return f.read()

    def attach_to(self, pid, *args, prefix=(), **env):
        """csink attach PID ARGS: (status, report or None, stderr)."""
        report = os.path.join(self.folder, f"report.{next(self.runs)}")
        command = [*prefix, csink_e2e.TOOL, "attach", str(pid), "--format", "json", "--top", "10000", "-o", report]
        done = subprocess.run(command + [str(a) for a in args], stdin=subprocess.DEVNULL, capture_output=True, check=False,
                              env=csink_e2e.tool_environment(CSINK_SPOOL_DIR=self.spools(), **env), timeout=HANG_SECONDS)
        text = done.stderr.decode("utf-8", "replace")
        if not os.path.exists(report):
            return done.returncode, None, text
        with open(report, encoding="utf-8") as f:
            return done.returncode, json.load(f), text

    def attach_from_the_beginning(self, program, *args):
        """The same for a program that begins when its events are open, and runs to its end: (exit status, report).

        The report is None if the program had no sample."""
        child = self.start("sh", "-c", 'kill -STOP $$; exec "$0" "$@"', program_path(program), *args)
        self.wait_for(lambda: self.line_of(child.pid, "State:").startswith("T"), "a stopped program")
        report = os.path.join(self.folder, f"report.{next(self.runs)}")
        csink = subprocess.Popen([csink_e2e.TOOL, "attach", str(child.pid), "--format", "json", "--top", "10000", "-o",
                                  report], env=csink_e2e.tool_environment(CSINK_SPOOL_DIR=self.spools()),
                                 stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)
        self.addCleanup(csink.stderr.close)
        self.addCleanup(self.stop, csink)
        # At first it opens one event to see what is permitted.
        self.wait_for(lambda: self.events_below(csink.pid) >= os.cpu_count(), "the events")
        time.sleep(0.2)
        os.kill(child.pid, signal.SIGCONT)
        ended = child.wait(HANG_SECONDS)
        status = csink.wait(HANG_SECONDS)
        err = csink.stderr.read().decode("utf-8", "replace")
        if status == 1 and "used too little CPU time" in err:
            return ended, None
        self.assertEqual(status, 0, err)
        with open(report, encoding="utf-8") as f:
            return ended, json.load(f)

    @staticmethod
    def line_of(pid, name):
        with open(f"/proc/{pid}/status", encoding="utf-8") as f:
            return next(line.split(None, 1)[1] for line in f if line.startswith(name))

    @staticmethod
    def events_below(pid):
        """How many perf events the children of a process have open."""
        count = 0
        try:
            with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as f:
                for child in f.read().split():
                    links = [f"/proc/{child}/fd/{fd}" for fd in os.listdir(f"/proc/{child}/fd")]
                    count += sum("perf_event" in os.readlink(link) for link in links)
        except OSError:
            pass  # ended, or closed meanwhile
        return count

    def as_nobody(self, *options):
        """The words that run a command as another user, and copies of csink and libagent.so that this user reaches:
        the build tree may be closed to others."""
        self.need_root()
        if not shutil.which("setpriv"):
            self.skipTest("no setpriv")
        place = tempfile.mkdtemp(prefix="csink-e2e-bin-", dir="/var/tmp")
        self.addCleanup(shutil.rmtree, place)
        os.chmod(place, 0o755)
        for path in (csink_e2e.AGENT, csink_e2e.TOOL, os.path.join(os.path.dirname(csink_e2e.AGENT), "csink-attach")):
            shutil.copy(path, place)
        words = ["setpriv", "--reuid", str(NOBODY), "--regid", str(NOBODY), "--clear-groups", *options]
        return words, os.path.join(place, "csink"), os.path.join(place, "libagent.so")

    def folder_of_nobody(self):
        """A folder for that user's spools."""
        os.chmod(self.folder, 0o755)
        other = os.path.join(self.folder, "others")
        os.mkdir(other)
        os.chown(other, NOBODY, NOBODY)
        return other

    def spools(self):
        folder = os.path.join(self.folder, "spools")
        os.makedirs(folder, mode=0o700, exist_ok=True)
        return folder

    def attach_for(self, child, duration, *args, **env):
        """Attaches for some CPU-bound time; the report, which must be there."""
        status, report, err = self.attach_to(child.pid, "--duration", duration, *args, **env)
        self.assertEqual(status, 0, err)
        self.assertIsNotNone(report, err)
        self.assertNothingLeft()
        return report

    def assertNothingLeft(self):
        left = [os.path.join(folder, name) for folder, _, names in os.walk(self.spools()) for name in names]
        self.assertEqual(left, [])

    def assertFromOutside(self, report, words):
        self.assertEqual(report["source"], "ring")
        self.assertIn(words, report["source_reason"])


class RunningProgram(Attach):
    def test_shares_and_coverage_of_several_threads(self):
        child = self.start("split", 60000, 3)
        csink_e2e.wait_until_burned(child.pid, 0.2)
        before = cpu_seconds_of(child.pid)
        report = self.attach_for(child, "1500ms")
        # Between the two looks csink started and symbolized, too: an upper bound alone.
        self.assertLessEqual(sampled_seconds(report), cpu_seconds_of(child.pid) - before + 0.05)
        self.assertFromOutside(report, "attached from outside")
        self.assertEqual([(p["pid"], p["program"]) for p in report["processes"]], [(child.pid, "split")])
        for function, share in (("work::Sixty", 0.6), ("work::Thirty", 0.3), ("work::Ten", 0.1)):
            self.assertShare(report, function, share)
        # The CPU time of the report is what passed while it was attached.
        self.assertGreater(report["user_seconds"], 0.1)
        self.assertLess(report["user_seconds"], before + 8)
        self.assertCovers(report, report["user_seconds"], 0.9, most=1.1)
        self.assertEqual(len(report["threads"]), 3, report["threads"])
        self.assertNothingLost(report)
        self.assertIsNone(child.poll())

    def assertNamed(self, report, function):
        share = samples_of(report, function) / max(1, total_samples(report))
        self.assertGreater(share, 0.9, (report["functions"], report["verdict"]))

    def test_text_that_moved_to_other_memory(self):
        child = self.start("odd_text", "moved", 60000)
        csink_e2e.wait_until_burned(child.pid, 0.1)
        self.assertNamed(self.attach_for(child, "500ms"), "Movable")

    def test_a_map_that_a_jit_wrote_long_before(self):
        child = self.start("jit", "map", 60_000_000)
        self.addCleanup(os.remove, f"/tmp/perf-{child.pid}.map")
        # The times of files are compared with a second of tolerance.
        csink_e2e.wait_until_burned(child.pid, 2.5)
        self.assertNamed(self.attach_for(child, "500ms"), "First of the JIT")

    def test_a_jit_in_a_pid_namespace(self):
        self.need_root()
        shell = self.start("unshare", "--pid", "--fork", "--mount", "sh", "-c",
                           f"mount -t tmpfs none /tmp && exec {program_path('jit')} map 60000000")
        children = f"/proc/{shell.pid}/task/{shell.pid}/children"
        def program():
            if shell.poll() is not None:
                self.skipTest("namespaces are not permitted: " + self.printed())
            with open(children, encoding="ascii") as f:
                pids = f.read().split()
            return int(pids[0]) if pids and self.comm_of(pids[0]) == "jit" else 0
        self.wait_for(program, "the program in its namespace")
        pid = program()
        csink_e2e.wait_until_burned(pid, 0.1)
        status, report, err = self.attach_to(pid, "--duration", "500ms")
        self.assertEqual(status, 0, err)
        self.assertNamed(report, "First of the JIT")
        process = report["processes"][0]
        self.assertEqual((process["pid"], process["namespace_pid"]), (pid, 1))

    @staticmethod
    def comm_of(pid):
        try:
            with open(f"/proc/{pid}/comm", encoding="utf-8") as f:
                return f.read().strip()
        except OSError:
            return ""

    def test_threads_that_are_born_while_it_is_attached(self):
        # The main thread burns 100 ms first, then 200 threads live 5 ms each, four at a time.
        ended, report = self.attach_from_the_beginning("thread_lives", 200, 5000, 4)
        self.assertEqual(ended, 0)
        printed = dict(line.split() for line in self.printed().splitlines())
        born = [t for t in report["threads"] if t["tid"] != report["pid"]]
        self.assertGreater(len(born), 180, len(born))
        shorty = sum(f["events"][0]["weight"] for f in csink_e2e.functions_named(report, "Shorty")) / 1e9
        self.assertAtLeast(shorty / (int(printed["burned_ns"]) / 1e9), 0.85)
        self.assertLessEqual(shorty / (int(printed["burned_ns"]) / 1e9), 1.1)

    def test_it_ends_with_the_program(self):
        ended, report = self.attach_from_the_beginning("split", 700)
        self.assertEqual(ended, 0)
        for function, share in (("work::Sixty", 0.6), ("work::Thirty", 0.3), ("work::Ten", 0.1)):
            self.assertShare(report, function, share)
        self.assertAtLeast(sampled_seconds(report) * 1e9 / int(self.printed().split()[1]), 0.9)
        self.assertNothingLeft()

    def test_it_ends_by_a_signal_and_reports(self):
        child = self.start("split", 60000)
        csink_e2e.wait_until_burned(child.pid, 0.1)
        report = os.path.join(self.folder, "interrupted")
        csink = subprocess.Popen([csink_e2e.TOOL, "attach", str(child.pid), "--format", "json", "-o", report],
                                 env=csink_e2e.tool_environment(CSINK_SPOOL_DIR=self.spools()),
                                 stderr=subprocess.PIPE, start_new_session=True)
        csink_e2e.wait_until_burned(child.pid, cpu_seconds_of(child.pid) + 0.5)
        os.killpg(csink.pid, signal.SIGINT)  # as a terminal sends it for Ctrl-C
        self.assertEqual(csink.wait(HANG_SECONDS), 0, csink.stderr.read())
        csink.stderr.close()
        with open(report, encoding="utf-8") as f:
            self.assertGreater(total_samples(json.load(f)), 50)
        self.assertIsNone(child.poll())

    def test_duration_is_a_wall_time(self):
        child = self.start("split", 60000)
        report = self.attach_for(child, "300ms")
        # It cannot be shorter; how much longer is the machine's matter.
        self.assertGreaterEqual(report["wall_seconds"], 0.29)
        self.assertIsNone(child.poll())

    def test_callers_by_frame_pointers(self):
        child = self.start("split", 60000)
        report = self.attach_for(child, "600ms", "--stacks", "fp")
        self.assertGreater(total_samples(report), 50)
        self.assertIn("frame pointers", report["source_reason"])

    def test_two_at_the_same_time(self):
        child = self.start("split", 60000)
        csink_e2e.wait_until_burned(child.pid, 0.1)
        first, second = self.side_by_side(lambda: self.attach_to(child.pid, "--duration", "700ms"),
                                          lambda: self.attach_to(child.pid, "--duration", "700ms"))
        for status, report, err in (first, second):
            self.assertEqual(status, 0, err)
            self.assertGreater(samples_of(report, "work::Sixty"), 50)
            self.assertCovers(report, report["user_seconds"], 0.9, most=1.15)

    def test_again_after_a_detach(self):
        child = self.start("split", 60000)
        for _ in range(3):
            report = self.attach_for(child, "400ms")
            self.assertGreater(samples_of(report, "work::Sixty"), 20)
            # Time before this attaching is not in it.
            self.assertLess(report["user_seconds"], 20)


class NoTrace(Attach):
    @staticmethod
    def state_of(pid):
        """What a program could notice: descriptors, threads, mappings, signals, tracer."""
        folder = f"/proc/{pid}/"
        descriptors = {fd: os.readlink(folder + "fd/" + fd) for fd in os.listdir(folder + "fd")}
        with open(folder + "maps", encoding="utf-8") as f:
            maps = [line.split()[0] + " " + line.split(None, 5)[-1].strip() for line in f]
        with open(folder + "status", encoding="utf-8") as f:
            # SigQ counts the queued signals of all processes of the user.
            names = ("SigBlk", "SigCgt", "SigIgn", "SigPnd", "ShdPnd", "Threads", "TracerPid", "Seccomp", "NoNewPrivs")
            status = [line for line in f if line.startswith(names)]
        return descriptors, maps, status

    def test_the_program_goes_on_and_ends_as_before(self):
        child = self.start("split", 2800, 2)
        csink_e2e.wait_until_burned(child.pid, 0.1)
        before = self.state_of(child.pid)
        during = []
        watcher = threading.Timer(0.2, lambda: during.append(self.state_of(child.pid)))
        watcher.start()
        self.attach_for(child, "500ms")
        watcher.join()
        after = self.state_of(child.pid)
        self.assertEqual(before, after)
        self.assertEqual(during, [before])
        self.assertEqual(child.wait(HANG_SECONDS), 0)
        # Each thread burned what it was told to.
        burned = [int(line.split()[1]) / 1e9 for line in self.printed().splitlines()]
        self.assertEqual(len(burned), 2)
        self.assertGreaterEqual(min(burned), 2.8)

    def test_no_call_of_the_program_is_interrupted(self):
        ended, _ = self.attach_from_the_beginning("waits", "never_interrupted", 200)
        self.assertEqual(ended, WAITS_DONE)
        counts = [line for line in self.printed().splitlines() if " interrupted " in line]
        self.assertTrue(counts, self.printed())
        self.assertEqual([line for line in counts if not line.endswith(" interrupted 0")], [])


class Refused(Attach):
    def assertRefused(self, pid, words, code, **more):
        status, report, err = self.attach_to(pid, "--duration", "100ms", **more)
        self.assertEqual((status, report), (code, None), err)
        self.assertIn(words, err)
        self.assertEqual(len(err.splitlines()), 1, err)
        self.assertNothingLeft()

    def test_what_is_no_process(self):
        for pid in ("abc", "0", "12x", "99999999999", "1.5"):
            with self.subTest(pid=pid):
                self.assertRefused(pid, "not a process number", 2)

    def test_a_process_that_is_gone(self):
        child = self.start("true")
        child.wait(HANG_SECONDS)
        self.assertRefused(child.pid, f"no process {child.pid} is running", 1)

    def test_a_process_that_nobody_has_waited_for(self):
        child = self.start("true")
        with open(f"/proc/{child.pid}/stat", encoding="ascii") as f:
            self.wait_for(lambda: f.seek(0) == 0 and ") Z " in f.read(), "a zombie")
        self.assertRefused(child.pid, "has ended", 1)

    def test_a_kernel_thread(self):
        try:
            with open("/proc/2/comm", encoding="ascii") as f:
                if f.read() != "kthreadd\n":
                    self.skipTest("process 2 is no kernel thread here (a container)")
        except OSError:
            self.skipTest("no process 2 here (a container)")
        self.assertRefused(2, "is a kernel thread", 1)

    def test_a_process_of_another_user(self):
        words, tool, agent = self.as_nobody()
        child = self.start("split", 60000)
        env = csink_e2e.tool_environment(CSINK_SPOOL_DIR=self.folder_of_nobody(), CSINK_AGENT=agent)
        done = subprocess.run([*words, tool, "attach", str(child.pid), "--duration", "100ms"], check=False, env=env,
                              capture_output=True, text=True, timeout=HANG_SECONDS)
        self.assertEqual((done.returncode, done.stdout), (1, ""), done.stderr)
        self.assertIn("belongs to another user (uid 0)", done.stderr)
        self.assertIn("CAP_PERFMON", done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)
        self.assertIsNone(child.poll())

    def test_an_installation_that_this_user_may_not_enter(self):
        words, tool, agent = self.as_nobody()
        closed = os.path.dirname(agent)
        child = self.start("sleep", 600)
        other = self.folder_of_nobody()
        os.chmod(closed, 0o700)
        for command, file, env in ((("attach", str(child.pid)), "csink-attach", {}),
                                   (("attach", str(child.pid)), "csink-attach", {"CSINK_AGENT": agent}),
                                   (("run", "--", "true"), "libagent.so", {}),
                                   (("run", "--", "true"), "libagent.so", {"CSINK_AGENT": agent})):
            with self.subTest(command=command, env=env):
                # setpriv may start the program, since it has the capabilities of root until then.
                changed = csink_e2e.clean_environment() | {"CSINK_SPOOL_DIR": other} | env
                done = subprocess.run([*words, tool, *command], check=False, env=changed, capture_output=True, text=True,
                                      timeout=HANG_SECONDS)
                if done.returncode == 127:
                    self.skipTest("setpriv gives up its capabilities before it starts a program: " + done.stderr.strip())
                self.assertEqual(done.stderr, f"csink: error: {file} cannot be reached: user {NOBODY} may not enter {closed}\n")

    def test_a_process_that_used_no_time(self):
        child = self.start("sleep", 600)
        self.assertRefused(child.pid, "had no sample while it was attached", 1)
        self.assertIsNone(child.poll())

    def test_a_program_that_has_the_agent(self):
        folder = self.fresh_folder()
        env = csink_e2e.agent_environment(folder, CSINK_REPORT="0")
        child = self.start("split", 60000, env=env)
        csink_e2e.wait_until_burned(child.pid, 0.5)
        status, report, err = self.attach_to(child.pid, "--duration", "100ms")
        self.assertEqual(status, 0, err)
        self.assertIn(f"process {child.pid} has libagent.so: the profile that it makes of itself is reported", err)
        self.assertGreater(samples_of(report, "work::Sixty"), 50)
        self.assertIsNone(child.poll())


class RunFromOutside(Attach):
    """csink run of programs that libagent.so cannot be preloaded into."""

    def run_outside(self, *command, status=0):
        folder = self.fresh_folder()
        report = os.path.join(folder, "outside.json")
        env = csink_e2e.tool_environment(CSINK_SPOOL_DIR=os.path.join(folder, "spool"))
        run = self.run_command([csink_e2e.TOOL, "run", "--format", "json", "--top", "10000", "-o", report, "--",
                                *[str(c) for c in command]], env, folder)
        self.assertEqual(run.status, status, run.stderr)
        self.assertEqual(run.stderr, "")
        with open(report, encoding="utf-8") as f:
            report = json.load(f)
        self.assertFromOutside(report, "because libagent.so cannot be preloaded")
        # The status of a child is gone when its parent has waited for it.
        if [p["depth"] for p in report["processes"]] == [0]:
            ends = f"exit {status}" if status < 128 else f"signal {status - 128} ({signal.Signals(status - 128).name})"
            self.assertEqual(report["end"], ends)
        self.assertEqual(run.spools, [])
        return run, report

    def assertLoop(self, report, seconds):
        """All the time is in Loop, which is the only function of loop.c that burns."""
        self.assertShareOfAll(report, "Loop", 0.9)
        self.assertAtLeast(sampled_seconds(report) / seconds, 0.9)
        self.assertLessEqual(sampled_seconds(report) / seconds, 1.1)

    def assertShareOfAll(self, report, function, least):
        self.assertGreaterEqual(samples_of(report, function) / total_samples(report), least, report["functions"][:5])

    def test_a_statically_linked_program(self):
        run, report = self.run_outside(program_path("static_loop"), "plain", 600)
        self.assertLoop(report, sum(run.threads().values()))

    def test_its_threads_are_sampled_too(self):
        run, report = self.run_outside(program_path("static_loop"), "threads", 300, 3)
        self.assertLoop(report, sum(run.threads().values()))
        self.assertEqual({t["tid"] for t in report["threads"] if t["cpu_seconds"] > 0.1}, set(run.threads()))

    def test_a_statically_linked_shell_and_its_status(self):
        busybox = shutil.which("busybox")
        if not busybox:
            self.skipTest("no busybox (busybox-static)")
        with open(busybox, "rb") as f:
            if b"ld-linux" in f.read(1 << 20):
                self.skipTest("busybox is linked dynamically here")
        script = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; echo done $i; exit 3"
        run, report = self.run_outside(busybox, "sh", "-c", script, status=3)
        self.assertEqual(run.stdout, "done 200000\n")
        self.assertGreater(total_samples(report), 20)
        self.assertEqual([p["program"] for p in report["processes"]], ["busybox"])

    def test_a_signal_ends_it(self):
        busybox = shutil.which("busybox")
        if not busybox:
            self.skipTest("no busybox (busybox-static)")
        script = "i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; kill -TERM $$"
        self.run_outside(busybox, "sh", "-c", script, status=128 + signal.SIGTERM)

    def test_its_children_are_sampled(self):
        busybox = shutil.which("busybox")
        if not busybox:
            self.skipTest("no busybox (busybox-static)")
        script = f"{program_path('static_loop')} plain 300; {program_path('loop')} plain 300; exit 0"
        run, report = self.run_outside(busybox, "sh", "-c", script)
        self.assertLoop(report, sum(run.threads().values()))
        self.assertEqual({p["program"] for p in report["processes"] if p["samples"] > 100},
                         {"static_loop", "loop"})

    def compile(self, compiler, *flags):
        if not shutil.which(compiler):
            self.skipTest(f"no {compiler}")
        binary = os.path.join(self.folder, "own_loop")
        command = [compiler, *flags, "-O1", "-g", "-o", binary, os.path.join(SOURCES, "own_loop.c")]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=csink_e2e.clean_environment())
        if done.returncode != 0:
            self.skipTest(f"{compiler} {' '.join(flags)} cannot link: {done.stderr.strip().splitlines()[-1]}")
        if not self.runs_here(binary):
            self.skipTest(f"{compiler} {' '.join(flags)}: its programs do not run here")
        plain = self.run_plain(binary)
        run, report = self.run_outside(binary)
        self.assertEqual(run.stdout, plain.stdout)
        self.assertShareOfAll(report, "main", 0.9)
        self.assertAtLeast(sampled_seconds(report) / report["user_seconds"], 0.9)
        self.assertEqual([p["program"] for p in report["processes"]], ["own_loop"])
        return report

    def test_a_musl_program(self):
        self.compile("musl-gcc")

    def test_a_32_bit_program(self):
        if os.uname().machine != "x86_64":
            self.skipTest("32-bit programs are tested on x86-64 alone")
        self.compile("gcc", "-m32")

    def test_what_is_not_possible_from_outside_is_said(self):
        status, _, err = self.run_tool("run", "--delay", "1s", "--start-paused", "--", program_path("static_loop"), "plain", 100)
        self.assertEqual(status, 0, err)
        self.assertIn("csink: warn: not possible from outside, and ignored: CSINK_DELAY, CSINK_START_PAUSED\n", err)
        status, _, err = self.run_tool("run", "--", program_path("static_loop"), "plain", 100, CSINK_START_PAUSED="0")
        self.assertEqual(status, 0, err)
        self.assertNotIn("not possible", err)

    def test_all_cpu_time_has_a_profile(self):
        """What csink-attach runs in the program's process before the exec is no process without a profile."""
        _, report = self.run_outside(program_path("static_loop"), "plain", 300)
        self.assertEqual([n for n in report["verdict"]["notes"] if "in no profile" in n], [])

    def test_a_spool_that_cannot_be_made_is_said_and_nothing_else(self):
        # No file may have a size: the spool's creation fails, after there were samples.
        limited = 'ulimit -f 0; exec "$@"'
        done = subprocess.run(["sh", "-c", limited, "sh", csink_e2e.TOOL, "run", "--", program_path("static_loop"),
                               "plain", "200"], env=csink_e2e.tool_environment(CSINK_SPOOL_DIR=self.spools()),
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=HANG_SECONDS, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("cannot be created in", done.stderr)
        self.assertIn("nothing to report: csink-attach could not sample", done.stderr)
        self.assertNotIn("too little CPU time", done.stderr)

    def test_a_program_that_is_not_there(self):
        status, _, err = self.run_tool("run", "--", "/no/such/program")
        self.assertEqual(status, 127, err)


if __name__ == "__main__":
    csink_e2e.main()
