"""What atime does to the program: nothing, whatever becomes of it."""

import os
import signal
import stat
import subprocess
import time

import apapi_run
import atime_runs


class Ends(atime_runs.AtimeTest):
    def test_the_exit_status_is_passed_on(self):
        for status in (0, 1, 3, 255):
            run = self.atime("sh", "-c", f"exit {status}")
            self.assertEqual(run.status, status, run.stderr)

    def test_a_killed_program_is_128_and_the_signal(self):
        for name in ("KILL", "TERM", "SEGV"):
            run = self.atime("sh", "-c", f"ulimit -c 0; kill -{name} $$")
            self.assertEqual(run.status, 128 + getattr(signal, "SIG" + name), run.stderr)

    def test_output_comes_in_order_and_once(self):
        run = self.atime("echo", "hello", env={"APAPI_CMPLIST": "nosuch", "APAPI_SOFTFAIL": "1"})
        self.assertEqual(run.stdout, "ATIME: Program: echo hello \nATIME: papi_start\nhello\n"
                                     "ATIME: papi stop\nATIME: done\n")

    def test_a_program_that_is_not_there_is_127_with_the_reason(self):
        run = self.atime("no-such-program", "x")
        self.assertEqual(run.status, 127)
        self.assertIn("atime: cannot run no-such-program: No such file or directory\n", run.stderr)
        self.assertEqual(run.stdout.count("Program:"), 1)
        self.assertNotIn("done", run.stdout)

    def test_a_program_that_cannot_be_run_is_126_with_the_reason(self):
        for path in (self.file("data", "x"), self.folder):
            run = self.atime(path)
            self.assertEqual(run.status, 126)
            self.assertIn(f"atime: cannot run {path}: Permission denied\n", run.stderr)

    def test_a_script_without_an_interpreter_line_is_run_by_sh(self):
        script = self.file("script", "exit 7\n")
        os.chmod(script, stat.S_IRWXU)
        self.assertEqual(self.atime(script).status, 7)


class Untouched(atime_runs.AtimeTest):
    def lines(self, *command, prefix=()):
        done = subprocess.run([*prefix, *command], capture_output=True, text=True, check=True,
                              env=apapi_run.clean_environment(), stdin=subprocess.DEVNULL)
        return done.stdout

    def test_signals_are_blocked_and_ignored_as_without_it(self):
        for setting in ("", "trap '' USR1 TERM CHLD; "):
            command = ["sh", "-c", setting + "exec \"$@\"", "sh"]
            show = ["grep", "-E", "^Sig(Blk|Ign|Cgt)", "/proc/self/status"]
            out = self.path("report")
            self.assertEqual(self.lines(*command, atime_runs.ATIME, "-o", out, *show), self.lines(*command, *show))

    def test_no_descriptor_is_left_open_in_it(self):
        show = ["ls", "/proc/self/fd"]
        plain = self.lines(*show)
        shown = self.lines(atime_runs.ATIME, "-o", self.path("report"), "--series", self.path("series"), *show)
        self.assertEqual(shown, plain)

    def test_its_own_children_are_its_own(self):
        run = self.atime("-o", self.path("r"), "sh", "-c", "trap 'echo child' CHLD; /bin/true & wait; wait; exit 4")
        self.assertEqual((run.status, run.stdout.strip()), (4, "child"))


class Signals(atime_runs.AtimeTest):
    def start(self, script):
        child = subprocess.Popen([atime_runs.ATIME, "sh", "-c", script], stdout=subprocess.PIPE, text=True,
                                 env=apapi_run.clean_environment(), stderr=subprocess.DEVNULL,
                                 start_new_session=True)
        self.addCleanup(child.stdout.close)
        for line in child.stdout:
            if line.startswith("ready"):
                return child
        self.fail("the program did not start")

    def end(self, child):
        rest = child.stdout.read()
        return child.wait(apapi_run.HANG_SECONDS), rest

    def test_what_is_sent_to_atime_reaches_the_program_and_results_come(self):
        for name in ("SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR1"):
            child = self.start("ulimit -c 0; echo ready; while :; do sleep 0.05; done")
            child.send_signal(getattr(signal, name))
            status, rest = self.end(child)
            self.assertEqual(status, 128 + getattr(signal, name), name)
            self.assertIn("ATIME: done", rest)

    def test_a_program_that_handles_it_ends_as_it_likes(self):
        child = self.start("trap 'exit 9' TERM; echo ready; while :; do sleep 0.05; done")
        child.terminate()
        self.assertEqual(self.end(child)[0], 9)

    def test_of_a_terminal_atime_waits_for_the_program(self):
        # The whole foreground group gets SIGINT; the program decides. What kill sends to a group comes to
        # the program twice, so it counts nothing.
        child = self.start("trap 'exit 9' INT; echo ready; while :; do sleep 0.05; done")
        os.killpg(child.pid, signal.SIGINT)
        status, rest = self.end(child)
        self.assertEqual(status, 9)
        self.assertIn("ATIME: done", rest)

    def test_a_program_may_signal_its_parent(self):
        child = self.start("trap 'exit 9' USR1; echo ready; kill -USR1 $PPID; sleep 0.2; exit 5")
        self.assertEqual(self.end(child)[0], 5)

    def ended_while_it_sets_up(self, name, prefix=()):
        """atime waits in set-up for an event list when it gets the signal. Its status; did it go on?"""
        report, fifo = self.path(f"report-{name}"), self.path(f"fifo-{name}")
        os.mkfifo(fifo)
        child = subprocess.Popen([*prefix, atime_runs.ATIME, "-o", report, "true"], stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL, start_new_session=True,
                                 env=apapi_run.clean_environment() | {
                                     "APAPI_EVENTLIST": fifo, "APAPI_CMPLIST": "nosuch", "APAPI_SOFTFAIL": "1"})
        with open(fifo, "w") as f:  # it has opened the other end then
            child.send_signal(getattr(signal, name))
            f.write("# none\n")
        return child.wait(apapi_run.HANG_SECONDS), os.path.exists(report)

    def test_one_that_comes_while_it_sets_up_ends_it_and_nothing_is_started(self):
        for name in ("SIGHUP", "SIGINT", "SIGQUIT", "SIGTERM"):
            self.assertEqual(self.ended_while_it_sets_up(name), (128 + getattr(signal, name), False), name)

    def test_unless_it_is_ignored(self):
        ignoring = ["sh", "-c", "trap '' HUP; exec \"$@\"", "sh"]
        self.assertEqual(self.ended_while_it_sets_up("SIGHUP", ignoring), (0, True))

    def runs_of_three(self, prefix=()):
        """How many of three runs were started although SIGHUP came in the first one."""
        began = self.path("began" + "-".join(prefix[:1]))
        script = f"trap '' HUP; echo x >> {began}; sleep 0.5"
        child = subprocess.Popen([*prefix, atime_runs.ATIME, "-r", "3", "sh", "-c", script],
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
                                 env=apapi_run.clean_environment() | {"APAPI_CMPLIST": "nosuch", "APAPI_SOFTFAIL": "1"})
        deadline = time.monotonic() + apapi_run.HANG_SECONDS
        while not os.path.exists(began) and time.monotonic() < deadline:
            time.sleep(0.01)
        child.send_signal(signal.SIGHUP)
        child.wait(apapi_run.HANG_SECONDS)
        with open(began) as f:
            return len(f.readlines())

    def test_no_run_follows_one_in_which_a_signal_asked_to_end(self):
        self.assertEqual(self.runs_of_three(), 1)

    def test_all_runs_are_made_if_the_signal_is_ignored(self):
        self.assertEqual(self.runs_of_three(["nohup"]), 3)

    def test_killed_atime_leaves_a_waiting_program_unstarted(self):
        marker = self.path("started")
        # atime is stopped while it sets up: it opens a fifo as its event list.
        fifo = self.path("fifo")
        os.mkfifo(fifo)
        child = subprocess.Popen([atime_runs.ATIME, "touch", marker], stderr=subprocess.DEVNULL,
                                 env=apapi_run.clean_environment() | {"APAPI_EVENTLIST": fifo})
        time.sleep(0.2)
        child.kill()
        child.wait(apapi_run.HANG_SECONDS)
        self.assertFalse(os.path.exists(marker))


class NotMeasurable(atime_runs.AtimeTest):
    def refused(self, env, message, options=()):
        """Said before the program was started, and nobody waits for anything: the pipes are closed."""
        marker = self.path("started")
        run = self.atime(*options, "touch", marker, env=env)
        self.assertEqual(run.status, 1, run.stderr)
        self.assertRegex(run.stderr, message)
        self.assertFalse(os.path.exists(marker), "the program was started")

    def test_a_component_that_is_not_there(self):
        self.refused({"APAPI_CMPLIST": "nosuch"}, "atime: component nosuch is not available in PAPI")

    def test_a_component_that_is_disabled(self):
        self.refused({"APAPI_CMPLIST": "maxeler"}, "atime: component maxeler is (disabled: .|not available)")

    def test_no_component(self):
        self.refused({"APAPI_CMPLIST": ""}, "No component active")

    def test_an_event_that_is_not_there(self):
        events = self.file("list", "perf::PAGE-FAULTS\nperf::NO-SUCH-EVENT\n")
        self.refused({"APAPI_CMPLIST": "perf", "APAPI_EVENTLIST": events}, "failed to create an event set")

    def test_files_that_are_not_there_or_malformed(self):
        self.refused({"APAPI_EVENTLIST": "/no/such"}, "APAPI_EVENTLIST=/no/such")
        self.refused({"APAPI_EVENTOPS": self.file("bad", "a,b\n")}, "APAPI_EVENTOPS=")

    def test_a_report_that_cannot_be_written(self):
        self.refused({}, "cannot write /no/such/file: No such file", ["-o", "/no/such/file"])
        self.refused({}, "cannot write /no/such/series: No such file", ["--series", "/no/such/series"])

    def test_with_softfail_the_rest_is_measured(self):
        run = self.atime("sh", "-c", "exit 6", env={"APAPI_CMPLIST": "nosuch", "APAPI_SOFTFAIL": "1"})
        self.assertEqual(run.status, 6)
        self.assertIn("component nosuch is not available", run.stderr)

    def test_of_the_default_list_what_is_absent_is_one_line(self):
        run = self.atime("sh", "-c", "exit 8")
        self.assertEqual(run.status, 8)
        if run.stderr:  # a machine that has all five says nothing
            self.assertOneLine(run.stderr, r"^atime: not measured, because this machine does not have it: .*maxeler")

    def test_verbose_says_why(self):
        run = self.atime("/bin/true", env={"APAPI_VERBOSE": "1"})
        self.assertRegex(run.stderr, r"atime: component maxeler is (disabled: \S+|not available)")


if __name__ == "__main__":
    apapi_run.main()
