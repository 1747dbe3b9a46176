"""Debuggers work on a profiled program: gdb, strace and valgrind see what they would see without us,
and the program is profiled meanwhile."""

import os
import re
import shutil
import signal
import subprocess

import csink_e2e
from csink_e2e import E2eTest, explained_seconds, program_path, samples_of

ALONE = "set startup-with-shell off"


class Gdb(E2eTest):
    def setUp(self):
        super().setUp()
        if not shutil.which("gdb"):
            self.skipTest("no gdb")

    def gdb(self, program, *commands, agent=True, **changes):
        """gdb on a program, with the agent in the program alone: (run, transcript)."""
        folder = self.fresh_folder()
        settings = ["set confirm off", "set pagination off", "set debuginfod enabled off",
                    "set width 0", ALONE]
        if agent:
            env = csink_e2e.agent_environment(folder, **changes)
            settings += [f"set environment {k} {v}" for k, v in env.items()
                         if k.startswith(("CSINK_", "LD_"))]
        arguments = [a for c in settings + list(commands) for a in ("-ex", c)]
        command = ["gdb", "-nx", "-batch", *arguments, "--args", program_path(program[0]),
                   *(str(a) for a in program[1:])]
        run = self.run_command(command, csink_e2e.clean_environment(), folder)
        self.assertEqual(run.status, 0, run.stderr)
        return run, run.stdout

    def inferior_report(self, run):
        self.assertTrue(run.reports, run.stdout + run.stderr)
        return run.reports[0]

    def test_run_to_the_end(self):
        run, text = self.gdb(("exits", "exit", 200), "run", "info inferiors")
        self.assertRegex(text, r"exited with code 03")
        self.assertNotIn("received signal", text)
        self.assertGreater(explained_seconds(self.inferior_report(run)), 0.19)

    def test_a_crash_and_its_backtrace(self):
        run, text = self.gdb(("exits", "segv", 200), "run", "bt", "kill")
        self.assertIn("received signal SIGSEGV", text)
        self.assertRegex(text, r"#0 .*Crash|#0 .*main")
        self.assertNotIn("received signal SIGURG", text)
        self.assertTrue(run.spools)

    def test_breakpoints_and_steps(self):
        run, text = self.gdb(("exits", "late", 150), "break WorkAtExit", "run", "bt 1", "stepi", "stepi",
                             "next", "info registers rip" if os.uname().machine == "x86_64" else "p $pc",
                             "continue")
        self.assertRegex(text, r"Breakpoint 1, .*WorkAtExit")
        self.assertRegex(text, r"exited with code 03")
        self.assertGreater(samples_of(self.inferior_report(run), "Work"), 130)

    def test_a_watchpoint(self):
        words = ("break main", "run", "watch late_ms", "continue", "bt 1", "delete", "continue")
        plain = subprocess.run(["gdb", "-nx", "-batch", *(a for w in words for a in ("-ex", w)), "--args",
                                program_path("exits"), "late", "120"], env=csink_e2e.clean_environment(),
                               stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if "Old value" not in plain.stdout:
            self.skipTest("gdb's watchpoints see nothing on this machine, without the agent either")
        for agent in (True, False):
            _, text = self.gdb(("exits", "late", 120), *words, agent=agent)
            self.assertRegex(text, r"Old value = 0\s+New value = 200")
            self.assertRegex(text, r"exited with code 03")

    def test_forks_and_execs_are_caught(self):
        _, text = self.gdb(("forks", "fork", 2, 60), "catch fork", "run", "continue", "delete", "continue")
        self.assertEqual(len(re.findall(r"Catchpoint 1 \(forked process", text)), 2)
        self.assertIn("exited normally", text)
        _, text = self.gdb(("inherits", "execve", 120), "catch exec", "run", "delete", "continue")
        self.assertRegex(text, r"Catchpoint 1 \(exec'd .*(sh|dash|bash)\)")
        self.assertIn("exited normally", text)

    def test_threads(self):
        run, text = self.gdb(("loop", "threads", 150, 3), "break main", "run", "break exit",
                             "continue", "info threads", "continue")
        self.assertIn("exited", text)
        self.assertNotIn("SIGURG", text)
        self.assertGreater(explained_seconds(self.inferior_report(run)), 0.4)

    def test_attached_and_let_go(self):
        def look(child):
            csink_e2e.wait_until_burned(child.pid, 0.3)
            seen = subprocess.run(["gdb", "-nx", "-batch", "-p", str(child.pid), "-ex", "bt",
                                   "-ex", "detach"], capture_output=True, text=True,
                                  timeout=csink_e2e.HANG_SECONDS, check=False)
            self.assertRegex(seen.stdout, r"#\d+ .*(Work|Forever|main)")
            csink_e2e.wait_until_burned(child.pid, 0.7)
            child.send_signal(signal.SIGTERM)
        for threads in (1, 3):
            run = self.run_agent("exits", "forever", 10, threads, during=look)
            self.assertEqual((run.status, run.stderr), (-signal.SIGTERM, ""))
            self.assertAtLeast(explained_seconds(run.report) / run.cpu, 0.85)


class Others(E2eTest):
    def test_strace_follows(self):
        folder = self.fresh_folder()
        env = csink_e2e.agent_environment(folder)
        preload = env.pop("LD_PRELOAD")
        run = self.run_command(
            ["strace", "-f", "-qq", "-o", os.path.join(folder, "trace"), "-E", f"LD_PRELOAD={preload}",
             program_path("forks"), "fork", "3", "60"], env, folder)
        self.assertEqual((run.status, run.stdout), (0, "wrong 0\n"), run.stderr)
        self.assertEqual(len(run.reports), 4)

    def test_valgrind_finds_nothing_of_ours(self):
        """memcheck says the same of a program with us as of the program alone."""
        if not shutil.which("valgrind"):
            self.skipTest("no valgrind")
        outcomes = []
        for agent in (False, True):
            folder = self.fresh_folder()
            env = csink_e2e.clean_environment()
            if agent:
                env = csink_e2e.agent_environment(folder, CSINK_REPORT="0")
            run = self.run_command(
                ["valgrind", "-q", "--error-exitcode=9", "--leak-check=full", "--trace-children=no",
                 program_path("exits"), "exit", "30"], env, folder)
            outcomes.append((run.status, run.stdout))
            self.assertNotRegex(run.stderr, r"Invalid|uninitialised|unhandled|definitely lost")
        # What stands in stdio's buffer when the agent makes its report may be written twice.
        self.assertEqual(outcomes[1][0], outcomes[0][0])
        self.assertEqual(set(outcomes[1][1].split("\n")), set(outcomes[0][1].split("\n")))


if __name__ == "__main__":
    csink_e2e.main()
