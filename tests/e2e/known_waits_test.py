"""Known answers of waiting: for each wait its function, its object, the holder of the object, and its time.

Each program prints how long its threads were blocked, by clock differences less what the kernel says of running and
waiting for a processor. Each thread has one wait, so its time is not divided by sampling; only what passed before the
first look and after the last one at the thread is missing.
"""

import json
import math
import os
import shutil
import subprocess
import sys
import unittest

import csink_e2e
from csink_e2e import E2eTest, plain_name, program_path

SECONDS = 6
# Before the first look at a thread and after its last one up to 100 ms are missing each, more on a machine that runs
# other tests: the programs wait so long that this is within the part.
PART = 0.05  # of the time
CLOCKS = 0.02
# A thread of Python waits for the interpreter before and after it reads its clocks, too.
INTERPRETER = 0.15

PYTHON = """
import sys, threading, time
def not_blocked():
    with open("/proc/thread-self/schedstat") as f:
        return sum(map(int, f.read().split()[:2]))
def thread(name, wait):
    begin, busy = time.monotonic_ns(), not_blocked()
    wait()
    blocked = time.monotonic_ns() - begin - (not_blocked() - busy)
    sys.stdout.write(f"blocked {name} {blocked} {threading.get_native_id()}\\n")
end = float("inf")  # until all threads have started
def compute():
    x = 0
    while time.monotonic() < end:
        for i in range(1000): x += i
def rest():
    while (left := end - time.monotonic()) > 0: time.sleep(min(left, 60) if left < 1e9 else 0.01)
gate = threading.Lock()
def pass_gate():
    with gate: pass
threads = [threading.Thread(target=thread, args=a) for a in (("gil", compute), ("gil", compute), ("gate", pass_gate),
                                                             ("sleep", rest))]
gate.acquire()
for t in threads: t.start()
end = time.monotonic() + float(sys.argv[1])
rest()
gate.release()
for t in threads: t.join()
"""

OPENMP = r"""
#define _GNU_SOURCE
#include <fcntl.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
static long long Now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1000000000LL + t.tv_nsec; }
static long long Busy(void) {
  char text[64] = ""; long long run = 0, wait = 0;
  const int fd = open("/proc/thread-self/schedstat", O_RDONLY);
  if (read(fd, text, 63) > 0) sscanf(text, "%lld %lld", &run, &wait);
  close(fd);
  return run + wait;
}
__attribute__((noinline)) static void Enter(double until) {
#pragma omp critical(gate)
  { while (omp_get_wtime() < until) { struct timespec t = {0, 50000000}; nanosleep(&t, 0); } }
  __asm__ volatile("");
}
int main(int argc, char** argv) {
  const double until = omp_get_wtime() + atof(argv[argc - 1]);
#pragma omp parallel num_threads(2)
  {
    if (omp_get_thread_num() == 1) { struct timespec t = {0, 100000000}; nanosleep(&t, 0); }
    const long long wall = Now(), busy = Busy();
    Enter(until);
    if (omp_get_thread_num() == 1) printf("blocked critical %lld %ld\n", Now() - wall - (Busy() - busy), syscall(SYS_gettid));
  }
  return 0;
}
"""

GO = """
package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"
	"time"
)

func notBlocked() int64 {
	text, _ := os.ReadFile("/proc/thread-self/schedstat")
	var run, wait int64
	fmt.Sscan(strings.TrimSpace(string(text)), &run, &wait)
	return run + wait
}

//go:noinline
func readPipe(fd int) {
	var one [1]byte
	syscall.Read(fd, one[:])
}

//go:noinline
func napLong(left time.Duration) {
	t := syscall.NsecToTimespec(int64(left))
	for syscall.Nanosleep(&t, &t) == syscall.EINTR {
	}
}

func measure(name string, wait func(), done chan string) {
	runtime.LockOSThread()
	begin, busy := time.Now(), notBlocked()
	wait()
	blocked := int64(time.Since(begin)) - (notBlocked() - busy)
	done <- fmt.Sprintf("blocked %s %d %d", name, blocked, syscall.Gettid())
	select {} // the thread's name in the report must not become another one's
}

func main() {
	length, _ := time.ParseDuration(os.Args[1] + "s")
	var ends [2]int
	syscall.Pipe(ends[:])
	done := make(chan string)
	go measure("main.readPipe", func() { readPipe(ends[0]) }, done)
	go measure("main.napLong", func() { napLong(length) }, done)
	time.Sleep(length)
	syscall.Write(ends[1], []byte("x"))
	fmt.Println(<-done)
	fmt.Println(<-done)
}
"""


class KnownWaits(E2eTest):
    def truth(self, run):
        """{name: [(seconds, tid)]}"""
        rows = [line.split() for line in run.stdout.splitlines() if line.startswith("blocked ")]
        self.assertTrue(rows, run.stdout + run.stderr)
        known = {}
        for _, name, ns, tid in rows:
            known.setdefault(name, []).append((int(ns) / 1e9, int(tid)))
        return known

    def rows_of(self, report, tid):
        """The rows of the thread's group in which it waited longest, and its seconds in all of them."""
        for group in report["waits"]["groups"]:
            for member in group["members"]:
                if member["tid"] == tid:
                    return group, group["rows"][member["row"]], member
        self.fail(f"thread {tid} is in no group: {json.dumps(report['waits'])[:2000]}")

    def assertTime(self, seconds, known, what, more=CLOCKS, looks=None):
        """`looks`: of the place, where its part of the thread's time is sampled. A look takes the time since the one before it, at
        whichever place: both ends of a wait are known to a look's time, an exponential one; four standard deviations."""
        ends = 4 * math.sqrt(2) * known / looks if looks else 0
        self.assertLessEqual(seconds, (1 + PART) * known + more + ends, what)
        self.assertGreaterEqual(seconds, (1 - PART) * known - CLOCKS - ends, what)

    def check(self, report, known, function, kind, lock=None, holder=None):
        """The thread waited in this function, for this object, for its known time."""
        ((seconds, tid),) = known
        group, row, member = self.rows_of(report, tid)
        what = f"{function}: {json.dumps(row)[:800]}"
        self.assertEqual((plain_name(row["function"]), row["kind"]), (function, kind), what)
        self.assertTime(member["seconds"] * member["row_share"], seconds, what, looks=row["looks"])
        # Other rows of the thread's group with this function would be the same wait under another name.
        alike = [r for r in group["rows"] if plain_name(r["function"]) == function and r["kind"] == kind]
        self.assertEqual(len(alike), 1, alike)
        if lock is None:
            return
        found = report["locks"][row["lock"]]
        self.assertEqual((found["name"], found["objects"], found["kind"]), (lock, 1, kind), what)
        # Only joins and the three locks keep their holder in memory.
        if holder is not None:
            held = sum(h["seconds"] for h in found["holders"] if plain_name(h["function"]) == holder and not h["only_runner"])
            # On a busy machine a lock is free at some looks: its waiter was woken and has no processor yet.
            self.assertGreaterEqual(held, 0.5 * found["seconds"], found)

    def run_source(self, name, source, compiler, *command):
        """A program made by `compiler SOURCE`, under the agent, and its report."""
        folder = self.fresh_folder()
        path = os.path.join(folder, name)
        with open(path, "w", encoding="utf-8") as out:
            out.write(source)
        if compiler:
            program = os.path.join(folder, "program")
            made = subprocess.run(compiler + ["-o", program, path], cwd=folder, capture_output=True, text=True,
                                  env={**os.environ, "GO111MODULE": "off", "GOCACHE": os.path.join(folder, "cache")},
                                  check=False)
            self.assertEqual(made.returncode, 0, made.stderr)
            path = program
        return self.observe(folder, *command, path, SECONDS)

    def run_made(self, name):
        return self.observe(self.fresh_folder(), program_path(name), SECONDS * 1000)

    def observe(self, folder, *command):
        """The run under csink run --wait, and its report."""
        json_path = os.path.join(folder, "report.json")
        run = self.run_command([csink_e2e.TOOL, "run", "--wait", "--format", "json", "--output", json_path, "--",
                                *map(str, command)],
                               csink_e2e.tool_environment(CSINK_SPOOL_DIR=os.path.join(folder, "spool")), folder)
        self.assertEqual(run.status, 0, run.stderr)
        with open(json_path, encoding="utf-8") as text:
            return run, json.load(text)


class C(KnownWaits):
    def test_kinds_objects_and_holders(self):
        run, report = self.run_made("known_waits")
        known = self.truth(run)
        expected = {
            "TakeMutex": ("mutex", "table_lock", "HoldMutex"),
            "ReadConfig": ("read-lock", "config_lock", "HoldConfig"),
            "WriteLog": ("write-lock", "log_lock"),
            "PopWork": ("condition", "queue+0x8"),
            "TakeToken": ("semaphore", "tokens"),
            "MeetOthers": ("barrier", "phase"),
            "ReadPipe": ("read",),
            "RunShell": ("child",),
            # In memory that two processes share.
            "WaitShared": ("condition", ""),
            "TouchPage": ("user-fault",),
            "JoinWorker": ("join",),
        }
        if "TouchPage" not in known:
            print("no userfaultfd here: one answer less")
            del expected["TouchPage"]
        for function, answer in expected.items():
            with self.subTest(function):
                self.check(report, known[function], function, *answer)
        names = [member["name"] for group in report["waits"]["groups"] for member in group["members"]]
        self.assertTrue([name for name in names if "2J" in name], names)
        # The text of the same report has the name without its control characters.
        self.assertNotRegex(run.stderr, r"[\x00-\x08\x0b-\x1f]")


class Cxx(KnownWaits):
    def test_classes_of_the_standard_library(self):
        run, report = self.run_made("known_waits_cxx")
        known = self.truth(run)
        for function, answer in {
                "Consume": ("condition", "ready"),
                "TakeGuard": ("mutex", "guard", "KeepGuard"),
                "ReadTable": ("read-lock", "table", "ChangeTable"),
                "AwaitFuture": ("join",),
                "NapInTheSun": ("sleep",),
        }.items():
            with self.subTest(function):
                self.check(report, known[function], function, *answer)


class Python(KnownWaits):
    def test_the_interpreters_lock_is_one_lock(self):
        run, report = self.run_source("work.py", PYTHON, None, sys.executable)
        known = self.truth(run)
        for seconds, tid in known["gil"]:
            _, row, member = self.rows_of(report, tid)
            self.assertEqual(row["kind"], "condition", row)
            self.assertTime(member["seconds"], seconds, row, INTERPRETER)
        conditions = [lock for lock in report["locks"] if lock["kind"] == "condition" and lock["seconds"] > 0.5]
        self.assertEqual(len(conditions), 1, conditions)
        self.assertRegex(conditions[0]["name"], r"^_PyRuntime|^gil|\+0x")
        for name, kinds in (("gate", ("semaphore", "condition")), ("sleep", ("sleep", "poll"))):
            ((seconds, tid),) = known[name]
            _, row, member = self.rows_of(report, tid)
            self.assertIn(row["kind"], kinds, row)
            self.assertTime(member["seconds"], seconds, row)


class OpenMp(KnownWaits):
    @unittest.skipUnless(shutil.which("gcc"), "needs gcc")
    def test_a_critical_section(self):
        run, report = self.run_source("critical.c", OPENMP, ["gcc", "-O2", "-g", "-fopenmp"])
        ((seconds, tid),) = self.truth(run)["critical"]
        _, row, member = self.rows_of(report, tid)
        self.assertIn(row["kind"], ("mutex", "futex"), row)
        self.assertRegex(row["function"] + str(row["paths"]), r"GOMP_critical|Enter")
        self.assertTime(member["seconds"] * member["row_share"], seconds, row, looks=row["looks"])


class Go(KnownWaits):
    @unittest.skipUnless(shutil.which("go"), "needs golang-go")
    def test_system_calls_of_threads(self):
        run, report = self.run_source("main.go", GO, ["go", "build"])
        known = self.truth(run)
        # Go's programs have no unwind rows, so the function stays Go's own that makes the system call.
        for name, kind, words in (("main.readPipe", "read", "read of a pipe"), ("main.napLong", "sleep", "sleep")):
            ((seconds, tid),) = known[name]
            _, row, member = self.rows_of(report, tid)
            self.assertEqual((row["kind"], row["primitive"]), (kind, words), row)
            self.assertTime(member["seconds"], seconds, row)


if __name__ == "__main__":
    csink_e2e.main()
