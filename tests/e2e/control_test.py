"""CSINK_CONTROL, _SIGNAL, _DELAY, _DURATION, _START_PAUSED: a running program is steered from outside."""

import os
import random
import signal
import stat
import subprocess
import sys
import time
import unittest

import csink_e2e
from csink_e2e import (E2eTest, agent_environment, cpu_seconds_of, explained_seconds, program_path,
                       samples_of, total_samples, wait_until_burned)


class Steered:
    """A `controlled steps` program that waits for a line after each step."""

    def __init__(self, test, *args, program="controlled", **env):
        self.test = test
        self.folder = test.fresh_folder()
        self.fifo = os.path.join(self.folder, "ctl")
        self.child = subprocess.Popen(
            [program_path(program)] + [str(a) for a in args],
            env=agent_environment(self.folder, CSINK_CONTROL="ctl", **env), cwd=self.folder,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        test.addCleanup(self.child.kill)
        test.wait_for(lambda: os.path.exists(self.fifo + ".ack"), "the fifo")

    def step(self):
        line = self.child.stdout.readline()
        if not line.startswith("step "):
            self.test.fail(line + self.child.stderr.read())

    def go_on(self):
        self.child.stdin.write("\n")
        self.child.stdin.flush()

    def ctl(self, *words, status=0, timeout=30):
        got, out, err = self.test.run_tool("ctl", "--timeout", timeout, self.fifo, *words)
        self.test.assertEqual(got, status, out + err)
        return out.strip()

    def end(self):
        _, err = self.child.communicate(timeout=csink_e2e.HANG_SECONDS)
        run = csink_e2e.Run.__new__(csink_e2e.Run)
        run.folder, run.pid, run.status = self.folder, self.child.pid, self.child.returncode
        run.spool_folder, run.stderr, run.stdout = os.path.join(self.folder, "spool"), err, ""
        run._reports = None
        return run


class Fifo(E2eTest):
    def test_only_the_second_phase(self):
        program = Steered(self, "steps", 150, 3, CSINK_START_PAUSED="1")
        program.step()
        self.assertEqual(program.ctl("resume"), "ok running")
        self.assertEqual(program.ctl("mark", "the", "second"), "ok mark the second")
        program.go_on()
        program.step()
        self.assertEqual(program.ctl("pause"), "ok paused")
        self.assertIn("ok paused samples ", program.ctl("status"))
        program.go_on()
        program.step()
        program.go_on()
        run = program.end()
        self.assertEqual((run.status, run.stderr), (0, ""))
        self.assertEqual(samples_of(run.report, "Even"), 0)
        self.assertGreaterEqual(samples_of(run.report, "Odd"), 130)
        self.assertFalse(os.path.exists(program.fifo))
        self.assertFalse(os.path.exists(program.fifo + ".ack"))

    def test_snapshot_reset_and_stop(self):
        program = Steered(self, "steps", 100, 4)
        program.step()
        self.assertEqual(program.ctl("snapshot"), "ok snapshot 1")
        asked = os.path.join(program.folder, "report.asked")
        self.assertEqual(program.ctl("snapshot", asked), "ok snapshot " + asked)
        self.assertEqual(program.ctl("reset"), "ok reset")
        program.go_on()
        program.step()
        self.assertEqual(program.ctl("stop"), "ok stopped")
        program.ctl("resume", status=1)
        program.go_on()
        program.step()
        program.go_on()
        program.step()
        program.go_on()
        run = program.end()
        self.assertEqual((run.status, run.stderr), (0, ""))
        live = [r for r in run.reports if r["state"] == "live"]
        last = [r for r in run.reports if r["state"] == "complete"]
        self.assertEqual((len(live), len(last)), (2, 1))
        for report in live:
            self.assertGreaterEqual(samples_of(report, "Even"), 80)
        self.assertEqual(samples_of(last[0], "Even"), 0)
        self.assertGreaterEqual(samples_of(last[0], "Odd"), 80)
        self.assertEqual(run.spools, [])

    def test_a_snapshot_that_cannot_be_written(self):
        program = Steered(self, "steps", 100, 1)
        program.step()
        folder = os.path.join(program.folder, "folder")
        os.mkdir(folder)
        self.assertEqual(program.ctl("snapshot", folder, status=1),
                         "error the report could not be written")
        program.go_on()
        run = program.end()
        self.assertEqual(run.status, 0)
        self.assertIn("cannot write the report to " + folder, run.stderr)
        self.assertEqual([r["state"] for r in run.reports], ["complete"])

    def test_a_snapshot_of_a_child_is_where_it_was_asked_for(self):
        folder = self.fresh_folder()
        env = agent_environment(folder, CSINK_CONTROL="ctl.%p")
        shell = subprocess.Popen(["sh", "-c", '"$0" steps 100 1; :', program_path("controlled")],
                                 env=env, cwd=folder, stdin=subprocess.PIPE, text=True,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(shell.kill)
        self.assertTrue(shell.stdout.readline().startswith("step "))
        served = [name for name in os.listdir(folder) if name.endswith(".ack")]
        fifos = {int(name.split(".")[1]): os.path.join(folder, name[:-len(".ack")]) for name in served}
        child = next(pid for pid in fifos if pid != shell.pid)
        asked = os.path.join(folder, "asked")
        status, out, err = self.run_tool("ctl", fifos[child], "snapshot", asked)
        self.assertEqual((status, out), (0, f"ok snapshot {asked}\n"), err)
        self.assertTrue(os.path.exists(asked), os.listdir(folder))
        shell.communicate("\n", timeout=csink_e2e.HANG_SECONDS)

    def test_a_mark_is_utf8(self):
        program = Steered(self, "steps", 20, 1)
        program.step()
        self.assertEqual(program.ctl("mark", "L\u00f6sung"), "ok mark L\u00f6sung")
        for text in (b"\xff\xfe", b"\xed\xa0\x80", b"\xc0\x80"):
            name = text.decode("utf-8", "surrogateescape")
            self.assertEqual(program.ctl("mark", name, status=1), "error the argument is not valid")
        program.go_on()
        self.assertEqual(program.end().status, 0)

    def test_what_is_never_answered_is_not_sent(self):
        program = Steered(self, "steps", 20, 1)
        program.step()
        for words in (("",), ("  ",), ("#x",), (" # pause",)):
            self.assertEqual(program.ctl(*words, status=2), "")
        program.go_on()
        self.assertEqual(program.end().status, 0)

    def test_a_shell_alone(self):
        program = Steered(self, "steps", 50, 1)
        script = ("echo 'mark from sh' > ctl; read -r answer < ctl.ack; echo \"$answer\";"
                  "echo paus > ctl; timeout 5 head -n 1 ctl.ack")
        done = subprocess.run(["sh", "-c", script], cwd=program.folder, capture_output=True,
                              text=True, timeout=csink_e2e.HANG_SECONDS, check=True)
        self.assertEqual(done.stdout, "ok mark from sh\n"
                         "error unknown command 'paus' (did you mean pause?)\n")
        program.step()
        program.go_on()
        self.assertEqual(program.end().status, 0)

    def test_the_script_of_the_manual(self):
        page = os.path.join(os.path.dirname(__file__), "..", "..", "docs", "control.md")
        with open(page) as f:
            block = f.read().split("    #!/bin/sh\n")[1].split("\n\n")[0]
        script = "\n".join(line[4:] for line in block.splitlines())
        folder = self.fresh_folder()
        env = agent_environment(folder, LD_PRELOAD=None, CSINK_OUTPUT=None, CSINK_FORMAT=None)
        env["LD_LIBRARY_PATH"] = os.path.dirname(csink_e2e.AGENT)
        env["PATH"] = os.path.dirname(csink_e2e.TOOL) + ":" + env["PATH"]
        run = self.run_command(["sh", "-c", script], env, folder)
        self.assertEqual((run.status, run.stderr), (0, ""), run.stdout)
        lines = run.stdout.splitlines()
        self.assertEqual(lines[:3], ["ok mark solve", "ok running", "ok paused"])
        self.assertIn("verdict", run.stdout)

    def test_the_program_closes_every_descriptor(self):
        program = Steered(self, "steps", 20, 6, "close")
        for _ in range(6):
            program.step()
            self.assertTrue(program.ctl("status").startswith("ok running"))
            program.go_on()
        self.assertEqual(program.end().status, 0)

    def test_no_descriptor_and_no_thread_of_the_c_library(self):
        program = Steered(self, "steps", 20, 1)
        program.step()
        fds = sorted(int(fd) for fd in os.listdir(f"/proc/{program.child.pid}/fd"))
        self.assertEqual(fds, [0, 1, 2])
        program.go_on()
        self.assertEqual(program.end().status, 0)

    def test_a_fifo_that_is_deleted_comes_back(self):
        program = Steered(self, "steps", 20, 1)
        program.step()
        os.unlink(program.fifo)
        os.unlink(program.fifo + ".ack")
        self.wait_for(lambda: os.path.exists(program.fifo + ".ack"), "the fifo again")
        self.assertTrue(program.ctl("status").startswith("ok"))
        program.go_on()
        self.assertEqual(program.end().status, 0)

    def test_kill_leaves_a_fifo_that_nobody_serves(self):
        program = Steered(self, "steps", 20, 1)
        program.step()
        program.child.kill()
        program.child.wait()
        program.ctl("status", status=3, timeout=2)

    def test_random_bytes(self):
        plain = self.run_plain("controlled", "sums", 1500)
        seed = random.randrange(1 << 30)
        noise = random.Random(seed)
        folder = self.fresh_folder()
        fifo = os.path.join(folder, "ctl")

        def feed(child):
            self.wait_for(lambda: os.path.exists(fifo + ".ack"), "the fifo")
            fd = os.open(fifo, os.O_WRONLY | os.O_NONBLOCK)
            words = [b"pause\n", b"resume\n", b"mark x\n", b"reset\n", b"status\n", b"\n", b"\0\n"]
            while child.poll() is None and os.path.exists(fifo):
                piece = noise.randbytes(noise.randrange(1, 3000))
                if noise.random() < 0.5:
                    piece = b"".join(noise.choice(words) for _ in range(noise.randrange(1, 50)))
                try:
                    os.write(fd, piece)
                except BlockingIOError:
                    time.sleep(0.001)
                except BrokenPipeError:
                    break
                if noise.random() < 0.1:
                    time.sleep(0.01)
                # Left for _wait to reap.
                if os.path.exists(f"/proc/{child.pid}/stat"):
                    with open(f"/proc/{child.pid}/stat") as f:
                        if f.read().rsplit(")", 1)[1].split()[0] == "Z":
                            break
            os.close(fd)

        env = agent_environment(folder, CSINK_CONTROL="ctl")
        command = [program_path("controlled"), "sums", "1500"]
        run = self.run_command(command, env, folder, lambda child: feed(_NoReap(child)))
        self.assertEqual((run.status, run.stdout, run.stderr), (0, plain.stdout, ""), f"seed {seed}")

    def test_what_has_the_name_already(self):
        for make, why in ((lambda p: open(p, "w").close(), "not a fifo has this name"),
                          (os.mkdir, "not a fifo has this name")):
            folder = self.fresh_folder()
            make(os.path.join(folder, "ctl"))
            env = agent_environment(folder, CSINK_CONTROL="ctl")
            run = self.run_command([program_path("loop"), "plain", "60"], env, folder)
            self.assertEqual(run.status, 0)
            self.assertEqual(len(run.own_lines), 1, run.stderr)
            self.assertIn(why, run.stderr)
            self.assertTrue(run.reports)
        run = self.run_agent("loop", "plain", 60, CSINK_CONTROL="no/such/folder/ctl")
        self.assertIn("no such folder", run.stderr)
        self.assertTrue(run.report)

    def refused_fifo(self, make):
        """What a program says that finds the fifo that make(path) has made; the fifo stays."""
        folder = self.fresh_folder()
        fifo = os.path.join(folder, "ctl")
        make(fifo)
        env = agent_environment(folder, CSINK_CONTROL="ctl")
        run = self.run_command([program_path("loop"), "plain", "60"], env, folder)
        self.assertEqual((run.status, len(run.own_lines)), (0, 1), run.stderr)
        self.assertTrue(run.reports)
        self.assertTrue(stat.S_ISFIFO(os.stat(fifo).st_mode))
        self.assertFalse(os.path.exists(fifo + ".ack"))
        return run.stderr

    def test_a_fifo_that_others_may_use(self):
        def make(path, mode):
            os.mkfifo(path)
            os.chmod(path, mode)
        for mode in (0o620, 0o602, 0o604):
            self.assertIn("other users may read or write the fifo",
                          self.refused_fifo(lambda path, mode=mode: make(path, mode)))

    @unittest.skipUnless(os.geteuid() == 0, "makes a fifo of another user, which needs root")
    def test_root_does_not_obey_a_fifo_of_another_user(self):
        def make(path):
            os.mkfifo(path, 0o600)
            os.chown(path, 65534, 65534)
        self.assertIn("the fifo belongs to another user", self.refused_fifo(make))

    def test_two_programs_and_one_name(self):
        first = Steered(self, "steps", 20, 1)
        first.step()
        folder = self.fresh_folder()
        env = agent_environment(folder, CSINK_CONTROL=first.fifo)
        second = self.run_command([program_path("loop"), "plain", "100"], env, folder)
        self.assertEqual((second.status, second.stderr), (0, ""))
        self.assertTrue(first.ctl("status").startswith("ok"))
        first.go_on()
        self.assertEqual(first.end().status, 0)

    def test_each_process_has_its_own_with_the_pid_in_the_name(self):
        program = Steered.__new__(Steered)
        folder = self.fresh_folder()
        env = agent_environment(folder, CSINK_CONTROL="ctl.%p")
        child = subprocess.Popen([program_path("controlled"), "steps", "20", "1"], env=env,
                                 cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.addCleanup(child.kill)
        fifo = os.path.join(folder, f"ctl.{child.pid}")
        self.wait_for(lambda: os.path.exists(fifo + ".ack"), "the fifo")
        self.assertEqual(stat.S_IMODE(os.stat(fifo).st_mode), 0o600)
        status, out, err = self.run_tool("ctl", child.pid, "status")
        self.assertEqual(status, 0, err)
        self.assertTrue(out.startswith("ok running"))
        child.communicate(b"\n")


class _NoReap:
    """A child that is asked whether it lives, without reaping it."""

    def __init__(self, child):
        self.pid = child.pid

    def poll(self):
        return None if os.path.exists(f"/proc/{self.pid}") else 0


class Times(E2eTest):
    def test_delay_and_duration(self):
        delayed = self.run_agent("controlled", "sleeps", 900, CSINK_DELAY="300ms")
        self.assertEqual((delayed.status, delayed.values("eintr")), (0, [0]), delayed.stderr)
        short = self.run_agent("controlled", "sleeps", 900, CSINK_DURATION="300ms")
        self.assertEqual((short.status, short.values("eintr")), (0, [0]), short.stderr)
        whole = self.run_agent("controlled", "sleeps", 900)
        for run in (delayed, short):
            part = total_samples(run.report) / total_samples(whole.report)
            # Wall time on a machine that others use: the order of magnitude.
            self.assertTrue(0.02 < part < 0.98, part)

    def test_a_delay_longer_than_the_program(self):
        run = self.run_agent("loop", "plain", 100, CSINK_DELAY="1h")
        self.assertEqual((run.status, run.stderr, run.reports), (0, "", []))

    def test_paused_from_the_start_to_the_end(self):
        run = self.run_agent("loop", "threads", 60, 4, CSINK_START_PAUSED="1")
        self.assertEqual((run.status, run.stderr, run.reports), (0, "", []))

    FORKS_LATE = ("import os, sys, time\n"
                  "def burn(ms):\n"
                  "    end = time.process_time() + ms / 1e3\n"
                  "    while time.process_time() < end: pass\n"
                  "time.sleep(0.6)\n"
                  "if os.fork() == 0:\n"
                  "    burn(200); sys.exit(0)\n"
                  "os.wait()\n"
                  "os.execv(sys.executable, [sys.executable, '-c', sys.argv[1]])\n")
    IMAGE = ("import time\n"
             "end = time.process_time() + 0.2\n"
             "while time.process_time() < end: pass\n")

    def test_children_share_the_clock_and_new_images_begin_anew(self):
        run = self.run_agent(sys.executable, "-c", self.FORKS_LATE, self.IMAGE,
                             CSINK_DURATION="300ms", CSINK_EVENTS="task-clock")
        self.assertEqual((run.status, run.stderr), (0, ""))
        self.assertEqual([r["pid"] for r in run.reports], [run.pid])  # the child came too late
        self.assertGreater(explained_seconds(run.report), 0.05)

    def test_main_leaves_and_nobody_waits_for_us(self):
        run = self.run_agent("thread_ends", "main_leaves", CSINK_DURATION="1h")
        plain = self.run_plain("thread_ends", "main_leaves")
        self.assertEqual((run.status, run.stdout), (plain.status, plain.stdout), run.stderr)


class Signals(E2eTest):
    def test_a_snapshot_at_a_signal(self):
        def during(child):
            wait_until_burned(child.pid, 0.15)
            os.kill(child.pid, signal.SIGUSR1)
        run = self.run_agent("loop", "plain", 900, during=during, CSINK_SIGNAL="USR1")
        self.assertEqual((run.status, run.stderr), (0, ""))
        self.assertEqual(sorted(r["state"] for r in run.reports), ["complete", "live"])

    def test_a_program_that_handles_the_signal_keeps_it(self):
        for mode in ("usr1", "late"):
            plain = self.run_plain("controlled", mode, 60)
            run = self.run_agent("controlled", mode, 60, CSINK_SIGNAL="USR1")
            self.assertEqual((run.status, run.stdout), (0, plain.stdout))
            self.assertEqual(len(run.own_lines), 1, run.stderr)
            self.assertIn("now handles the signal of CSINK_SIGNAL itself", run.stderr)
            self.assertEqual([r["state"] for r in run.reports], ["complete"])

    def test_signals_with_another_use(self):
        for name in ("TERM", "SEGV", "URG"):
            run = self.run_agent("loop", "plain", 60, CSINK_SIGNAL=name)
            self.assertEqual(run.status, 0)
            self.assertRegex(run.stderr, "has another use|expected a signal such as")

    def test_not_named_it_ends_the_program_as_ever(self):
        def during(child):
            wait_until_burned(child.pid, 0.1)
            os.kill(child.pid, signal.SIGUSR1)
        run = self.run_agent("loop", "plain", 900, during=during)
        self.assertEqual(run.status, -signal.SIGUSR1)


if __name__ == "__main__":
    csink_e2e.main()
