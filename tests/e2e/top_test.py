"""csink top: a program watched while it runs, from its spool alone."""

import errno
import fcntl
import os
import re
import select
import signal
import struct
import subprocess
import termios
import time

from csink_e2e import (E2eTest, HANG_SECONDS, TOOL, agent_environment, main, program_path,
                       tool_environment, wait_until_burned)


class Top(E2eTest):
    """A workload that takes two seconds of CPU time, and csink top beside it."""

    def start(self, *command, **env):
        folder = self.fresh_folder()
        with open(os.path.join(folder, "stdout"), "wb") as out:
            child = subprocess.Popen([program_path(command[0])] + [str(a) for a in command[1:]],
                                     env=agent_environment(folder, **env), stdout=out,
                                     stderr=subprocess.DEVNULL, cwd=folder,
                                     start_new_session=True)
        self.addCleanup(self.stop, child)
        return child

    @staticmethod
    def stop(child):
        if child.poll() is None:
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()

    def test_blocks_until_the_program_ends(self):
        child = self.start("split", 800, 1)
        wait_until_burned(child.pid, 0.2)
        status, out, err = self.run_tool("top", child.pid, "--interval", 0.3)
        self.assertEqual((status, err), (0, ""))
        self.assertEqual(child.wait(), 0)
        blocks = out.split("csink top  ")[1:]
        self.assertGreaterEqual(len(blocks), 3, out)
        self.assertIn("since the start", blocks[0])
        self.assertIn("in the last", blocks[1])
        # The parts of the wall time are those of the interval: the program computes.
        for block in blocks:
            parts = re.search(r"1 thread: ([\d.]+)% running, ([\d.]+)% waiting for a processor, ([\d.]+)% blocked",
                              re.sub(r"\s+", " ", block))
            self.assertTrue(parts, block)
            self.assertLess(sum(map(float, parts.groups())), 100.2, block)
            self.assertLess(float(parts.group(3)), 30, block)
        last = blocks[-1]
        self.assertIn("since the start", last)
        self.assertIn("verdict", last)
        self.assertNotIn("still runs", last)
        samples = [int(re.search(r"([\d,]+) samples?\s", b)
                       .group(1).replace(",", "")) for b in (blocks[0], last)]
        self.assertGreater(samples[1], samples[0])
        self.assertGreater(samples[1], 600)
        self.assertRegex(last, r"\n *(5\d|6\d)\.\d% .*Sixty")

    def test_once_columns_and_exec(self):
        # The shell takes 0.3 s, and is then another program: its spool is followed. That program outlives four calls.
        script = "i=0; while [ $i -lt 150000 ]; do i=$((i+1)); done; exec " + \
            program_path("split") + " 2500 1"
        child = self.start("/bin/sh", "-c", script)
        wait_until_burned(child.pid, 0.1)
        status, out, err = self.run_tool("top", child.pid, "--once", "--by", "modules")
        self.assertEqual(status, 0, err)
        self.assertEqual(out.count("csink top"), 1)
        self.assertIn("hottest", out)
        status, _, err = self.run_tool("top", child.pid, "--once", "--sort", "nothing")
        self.assertEqual(status, 2)
        self.assertIn("no such column", err)
        with open("/dev/full", "w", encoding="utf-8") as full:
            done = subprocess.run([TOOL, "top", "--once", str(child.pid)], env=tool_environment(), stdout=full,
                                  stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("cannot write the report (No space left on device)", done.stderr)
        status, out, err = self.run_tool("top", child.pid, "--interval", 0.3, "--cumulative")
        self.assertEqual(status, 0, err)
        self.assertIn("Sixty", out.split("csink top  ")[-1])

    def test_tree(self):
        child = self.start("/bin/sh", "-c", program_path("split") + " 800 1 & wait",
                           CSINK_FOLLOW="all")
        time.sleep(0.5)
        status, out, err = self.run_tool("top", child.pid, "--tree", "--interval", 0.4)
        self.assertEqual(status, 0, err)
        self.assertIn("split", out)
        self.assertIn("Sixty", out)

    def test_who_cannot_be_watched(self):
        plain = subprocess.Popen(["/bin/sleep", "30"])
        self.addCleanup(plain.wait)
        self.addCleanup(plain.kill)
        for pid, status, word in ((plain.pid, 1, "without libagent.so"), (0x7ffffff0, 1, "no process"),
                                  ("x", 2, "not a process number"), (0, 2, "not a process number")):
            got, out, err = self.run_tool("top", pid)
            self.assertEqual((got, out), (status, ""), err)
            self.assertIn(word, err)
            self.assertEqual(len(err.splitlines()), 1)

    def on_terminal(self, pid, columns, *options, session=True):
        """csink top on a terminal: (its process, the terminal's other end). In a session of its own nobody
        could continue it; else it is in a process group of this session, as a shell's job is."""
        ours, its = self.open_terminal()
        fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        before = termios.tcgetattr(its)  # not later: csink changes it
        top = subprocess.Popen([TOOL, "top", str(pid), *options],
                               env=tool_environment(TERM="xterm"), stdin=its, stdout=its,
                               stderr=its, start_new_session=session,
                               preexec_fn=None if session else os.setpgrp)
        self.addCleanup(os.close, ours)
        self.addCleanup(os.close, its)
        self.addCleanup(self.stop, top)
        return top, ours, its, before

    def read_until(self, terminal, word):
        text = b""
        deadline = time.monotonic() + HANG_SECONDS
        while word not in text:
            self.assertLess(time.monotonic(), deadline, text)
            if not select.select([terminal], [], [], 0.1)[0]:
                continue
            try:
                text += os.read(terminal, 65536)
            except OSError as error:
                self.assertEqual(error.errno, errno.EIO)
                break
        return text

    def test_on_a_terminal(self):
        child = self.start("split", 3000, 1)
        wait_until_burned(child.pid, 0.1)
        top, ours, its, _ = self.on_terminal(child.pid, 20, "--interval", "0.3")
        text = self.read_until(ours, b"in the")
        self.assertIn(b"\033[?1049h", text)  # a screen of its own
        text = text.replace(b"\033[H", b"\n")
        plain = re.sub(rb"\033\[[0-9?;]*[a-zA-Z]", b"", text).decode("utf-8")
        for line in plain.splitlines():
            if "%" in line:
                self.assertLessEqual(len(line), 20, repr(line))
        fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))
        os.kill(top.pid, signal.SIGWINCH)
        self.read_until(ours, b"hottest line")
        os.write(ours, b"p")
        self.read_until(ours, b"(paused)")
        os.write(ours, b"q")
        text = self.read_until(ours, b"\033[?1049l")
        self.assertEqual(top.wait(HANG_SECONDS), 0)
        self.assertTrue(termios.tcgetattr(its)[3] & termios.ECHO)  # as it was
        self.assertIsNone(child.poll())  # the program runs on

    def test_stopped_and_continued(self):
        child = self.start("split", 4000, 1)
        wait_until_burned(child.pid, 0.1)
        top, ours, its, before = self.on_terminal(child.pid, 100, "--interval", "1", session=False)
        self.read_until(ours, b"of CPU time")
        self.assertFalse(termios.tcgetattr(its)[3] & termios.ECHO)
        os.kill(top.pid, signal.SIGTSTP)
        _, status = os.waitpid(top.pid, os.WUNTRACED)
        self.assertTrue(os.WIFSTOPPED(status), status)
        self.read_until(ours, b"\033[?1049l")
        self.assertEqual(termios.tcgetattr(its), before)
        for stop in (None, signal.SIGSTOP):  # after this one the terminal is as it was left
            if stop:
                os.kill(top.pid, stop)
                self.assertTrue(os.WIFSTOPPED(os.waitpid(top.pid, os.WUNTRACED)[1]))
                termios.tcsetattr(its, termios.TCSANOW, before)
            os.kill(top.pid, signal.SIGCONT)
            text = self.read_until(ours, b"\033[?1049h")
            if b"of CPU time" not in text.split(b"\033[?1049h")[1]:
                self.read_until(ours, b"of CPU time")
            self.assertFalse(termios.tcgetattr(its)[3] & termios.ECHO)
        os.write(ours, b"q")
        self.read_until(ours, b"\033[?1049l")
        self.assertEqual(top.wait(HANG_SECONDS), 0)
        self.assertEqual(termios.tcgetattr(its), before)

    def test_a_stop_that_nobody_could_undo(self):
        child = self.start("split", 3000, 1)
        wait_until_burned(child.pid, 0.1)
        top, ours, _, _ = self.on_terminal(child.pid, 100, "--interval", "1")
        self.read_until(ours, b"of CPU time")
        os.kill(top.pid, signal.SIGTSTP)
        self.assertIn(b"\033[?1049l", self.read_until(ours, b"\033[?1049h"))  # it goes on
        os.write(ours, b"q")
        self.assertEqual(top.wait(HANG_SECONDS), 0)


if __name__ == "__main__":
    main()
