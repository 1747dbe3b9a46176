"""Waits of real programs, against referees that are not ours: the kernel's tracepoints through perf, and the clocks of
the programs themselves. Long: some of it needs packages, and perf needs the tracepoints of root.
"""

import json
import os
import re
import signal
import subprocess
import time

import csink_e2e
from csink_e2e import HANG_SECONDS, clean_environment, wilson
from referees import SLACK, Referees

PYTHON_THREADS = """
import sys, threading, time
end = time.monotonic() + float(sys.argv[1])
rows = []
def work():
    begin = time.monotonic()
    n = 0
    while time.monotonic() < end:
        for _ in range(2000): n += 1
    rows.append((threading.get_native_id(), time.monotonic() - begin, time.thread_time()))
threads = [threading.Thread(target=work) for _ in range(3)]
for thread in threads: thread.start()
for thread in threads: thread.join()
for tid, wall, cpu in rows: print(tid, wall, cpu)
"""

RUST_LOCKS = """
use parking_lot::Mutex;
use std::thread;
use std::time::{Duration, Instant};
static TABLE: Mutex<u64> = parking_lot::const_mutex(0);
#[inline(never)]
fn rebuild(end: Instant) {
    while Instant::now() < end {
        let mut table = TABLE.lock();
        *table += 1;
        thread::sleep(Duration::from_millis(30));
        drop(table);
        thread::sleep(Duration::from_millis(10));
    }
}
#[inline(never)]
fn lookup(end: Instant) -> (f64, f64) {
    let (mut locked, mut slept) = (0.0, 0.0);
    while Instant::now() < end {
        let begin = Instant::now();
        drop(TABLE.lock());
        let taken = Instant::now();
        locked += (taken - begin).as_secs_f64();
        thread::sleep(Duration::from_millis(8));
        slept += taken.elapsed().as_secs_f64();
    }
    (locked, slept)
}
fn main() {
    let end = Instant::now() + Duration::from_secs(6);
    let holder = thread::spawn(move || rebuild(end));
    let waiter = thread::spawn(move || lookup(end));
    holder.join().unwrap();
    let (locked, slept) = waiter.join().unwrap();
    println!("{} {}", locked, slept);
}
"""


class Make(Referees):
    """`make -j4` on fewer cores: the time in which processes could run and did not."""

    SOURCES = 8

    def test_waiting_for_a_processor(self):
        events = ("sched:sched_switch", "sched:sched_wakeup", "sched:sched_wakeup_new")
        self.need("make", "g++")
        self.need_perf(*events)
        folder = self.fresh_folder()
        for i in range(self.SOURCES):
            with open(f"{folder}/part{i}.cpp", "w", encoding="ascii") as f:
                f.write(f"#include <map>\n#include <string>\nstd::map<int, std::string> f{i}() {{ return {{{{1, \"a\"}}}}; }}\n")
        with open(folder + "/Makefile", "w", encoding="ascii") as f:
            f.write(f"all: {' '.join(f'part{i}.o' for i in range(self.SOURCES))}\n")
        data, out = self.folder + "/switches", self.folder + "/report.json"
        record = ["perf", "record", "-q", "-a", "-m", "4096", "-o", data]
        for event in events:
            record += ["-e", event]
        subprocess.run(record + ["--", csink_e2e.TOOL, "run", "--format", "json", "-o", out, "--",
                                 "make", "-s", "-j4", "-C", folder],
                       env=csink_e2e.tool_environment(CSINK_SPOOL_DIR=self.folder + "/spool"),
                       check=True, timeout=HANG_SECONDS, stdout=subprocess.DEVNULL)
        with open(out, encoding="utf-8") as f:
            processes = json.load(f)["processes"]
        pids = {p["pid"] for p in processes}
        self.assertGreaterEqual(len(pids), 3 * self.SOURCES)  # g++, cc1plus, as of each
        known = self.runnable_seconds(data, pids)
        seen = sum(p["wall"]["waiting_seconds"] for p in processes)
        print(f"    make -j4, {len(pids)} processes: csink {seen:.3f} s waiting for a processor, "
              f"scheduler {known:.3f} s", flush=True)
        # The record of a process lacks its time from fork to exec, and that after the agent's last look.
        self.assertLess(seen, known + 0.0025 * len(pids))
        self.assertGreater(seen, 0.9 * known - 0.002 * len(pids))

    def runnable_seconds(self, data, pids):
        text = subprocess.run(["perf", "script", "-i", data, "-F", "time,event,trace"], capture_output=True, text=True,
                              check=True, timeout=HANG_SECONDS).stdout
        since, total = {}, 0.0
        for line in text.splitlines():
            head = re.match(r"\s*(\d+\.\d+):\s+sched:(\w+):\s+(.*)", line)
            if not head:
                continue
            at, event, rest = float(head[1]), head[2], head[3]
            if event != "sched_switch":
                pid = int(re.search(r"\bpid=(\d+)", rest)[1])
                since.setdefault(pid, at)
                continue
            before, state = int(re.search(r"prev_pid=(\d+)", rest)[1]), re.search(r"prev_state=(\S+)", rest)[1]
            after = int(re.search(r"next_pid=(\d+)", rest)[1])
            began = since.pop(after, None)
            if began is not None and after in pids:
                total += at - began
            # The thread that leaves the processor was running: a wake-up in that time does not count.
            since.pop(before, None)
            if state.startswith("R"):
                since[before] = at
        self.assertGreater(total, 0)
        return total


class Redis(Referees):
    """The server's main thread waits for a slow client in epoll_wait, and sleeps where it is told to."""

    SLEEPS, SLEEP_S, COMMANDS, PAUSE_S = 12, 0.1, 60, 0.05

    def test_waits_of_the_main_thread(self):
        self.need("redis-server", "redis-cli")
        self.need_perf("raw_syscalls:sys_enter")
        folder = self.fresh_folder()
        sock, trace, out = folder + "/socket", folder + "/trace", folder + "/report.json"
        # perf itself has no agent.
        agent = [f"{name}={value}" for name, value in self.environment(CSINK_OUTPUT=out, CSINK_FOLLOW="none").items()
                 if name.startswith(("CSINK_", "LD_"))]
        with open(folder + "/log", "wb") as log:
            server = subprocess.Popen(
                ["perf", "trace", "-s", "-o", trace, "--", "env"] + agent +
                ["redis-server", "--port", "0", "--unixsocket", sock, "--save", "", "--dir", folder,
                 "--enable-debug-command", "yes"], stdout=log, stderr=log, start_new_session=True, env=clean_environment())
        self.addCleanup(lambda: server.poll() is None and os.killpg(server.pid, signal.SIGKILL))
        client = ["redis-cli", "-s", sock]
        deadline = time.monotonic() + 30
        while not os.path.exists(sock) or self.ask(client, "ping") != "PONG\n":
            self.assertLess(time.monotonic(), deadline, "the server does not answer")
            time.sleep(0.05)
        for i in range(self.COMMANDS):
            self.assertEqual(self.ask(client, "set", f"key{i}", "value"), "OK\n")
            time.sleep(self.PAUSE_S)
            if i % (self.COMMANDS // self.SLEEPS) == 0:
                self.assertEqual(self.ask(client, "debug", "sleep", str(self.SLEEP_S)), "OK\n")
        self.ask(client, "shutdown", "nosave")
        self.assertEqual(server.wait(HANG_SECONDS), 0)
        with open(out, encoding="utf-8") as f:
            report = json.load(f)
        known = self.traced(trace, report["pid"])
        (main,) = [g for g in report["waits"]["groups"] if g["name"] == "main thread"]
        for call in ("epoll_wait", "clock_nanosleep"):
            rows = [row for row in main["rows"] if row["call"] == call]
            self.assertEqual(len(rows), 1, main["rows"])
            self.assertShare(rows[0], known[call] / sum(known.values()), f"redis-server, {call}")

    def ask(self, client, *words):
        done = subprocess.run(client + list(words), env=clean_environment(), capture_output=True, text=True, check=False,
                              timeout=HANG_SECONDS)
        return done.stdout

    def traced(self, path, tid):
        """{system call: seconds} of a thread, from `perf trace -s`."""
        with open(path, encoding="utf-8") as f:
            text = f.read()
        table = text.split(f"({tid}), ", 1)[1].split(" events, ", 2)[1]
        calls = {call: float(total) / 1000 for call, total in re.findall(
            r"^\s+(epoll_wait|clock_nanosleep)\s+\d+\s+\d+\s+([\d.]+)", table, re.M)}
        self.assertEqual(set(calls), {"epoll_wait", "clock_nanosleep"}, text)
        return calls


class Python(Referees):
    """Three threads that compute share the interpreter's lock, which is a condition variable and a mutex."""

    def test_the_lock_of_the_interpreter_and_who_has_it(self):
        python = "/usr/bin/python3"
        self.need(python)
        text, report = self.run_program([python, "-c", PYTHON_THREADS, "6"])
        threads = {int(tid): (float(wall), float(cpu)) for tid, wall, cpu in map(str.split, text.splitlines())}
        self.assertEqual(len(threads), 3)
        (group,) = [g for g in report["waits"]["groups"] if g["threads"] == 3]
        blocked = sum(wall - cpu for wall, cpu in threads.values())
        print(f"    python3: csink {group['seconds']:.2f} s blocked, wall less CPU time {blocked:.2f} s", flush=True)
        # A thread that has the lock waits for a processor as well, on a busy machine.
        self.assertLess(group["seconds"], 1.02 * blocked + 0.1)
        self.assertGreater(group["seconds"], 0.9 * blocked - 0.1 - sum(
            p["wall"]["waiting_seconds"] for p in report["processes"]))
        # One for the lock, and one by which the last owner waits until another thread has it.
        locks = [lock for lock in report["locks"] if lock["kind"] == "condition" and lock["is_lock"]]
        waited = sum(lock["seconds"] for lock in locks)
        self.assertGreater(waited, 0.9 * group["seconds"])
        holders = [holder for lock in locks for holder in lock["holders"]]
        self.assertTrue(all(holder["only_runner"] for holder in holders), holders)
        runners = {tid: sum(h["seconds"] for h in holders if h["tid"] == tid) for tid in threads}
        self.assertGreater(sum(runners.values()), 0.8 * waited)
        cpu = sum(cpu for _, cpu in threads.values())
        looks = sum(holder["looks"] for holder in holders) / 2  # two threads wait at each look
        for tid, (_, own) in threads.items():
            share = runners[tid] / sum(runners.values())
            low, high = wilson(share * looks, looks)
            print(f"    python3, thread {tid}: only runner {share:.1%} [{low:.1%}, {high:.1%}], "
                  f"CPU time {own / cpu:.1%}", flush=True)
            self.assertTrue(low - SLACK <= own / cpu <= high + SLACK, tid)


class Rust(Referees):
    """Mutexes of parking_lot: futexes of the waiting threads, without a word that names the holder."""

    CRATES = "/usr/share/cargo/registry"

    def build(self):
        self.need("cargo", "rustc")
        if not os.path.isdir(self.CRATES) or not any(n.startswith("parking_lot-") for n in os.listdir(self.CRATES)):
            self.skipTest("no librust-parking-lot-dev")
        folder = self.fresh_folder()
        os.makedirs(folder + "/src")
        with open(folder + "/src/main.rs", "w", encoding="ascii") as f:
            f.write(RUST_LOCKS)
        with open(folder + "/Cargo.toml", "w", encoding="ascii") as f:
            f.write('[package]\nname = "locks"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\nparking_lot = "*"\n'
                    "[profile.release]\ndebug = 1\n")
        os.makedirs(folder + "/.cargo")
        with open(folder + "/.cargo/config.toml", "w", encoding="ascii") as f:
            f.write(f'[source.crates-io]\nreplace-with = "debian"\n[source.debian]\ndirectory = "{self.CRATES}"\n')
        done = subprocess.run(["cargo", "build", "--release", "--offline"], cwd=folder, capture_output=True, text=True,
                              env=clean_environment() | {"CARGO_HOME": folder + "/cargo"}, check=False, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr)
        return folder + "/target/release/locks"

    def test_a_lock_of_parking_lot(self):
        text, report = self.run_program([self.build()])
        locked, slept = map(float, text.split())
        rows = [row for group in report["waits"]["groups"] for row in group["rows"] if row["function"].endswith("lookup")]
        waits = {"lock": [r for r in rows if r["kind"] in ("mutex", "futex")], "sleep": [r for r in rows if r["kind"] == "sleep"]}
        seconds = {what: sum(r["seconds"] for r in found) for what, found in waits.items()}
        for what, found in waits.items():
            self.assertEqual(len(found), 1, rows)
        looks = sum(found[0]["looks"] for found in waits.values())
        share = seconds["lock"] / sum(seconds.values())
        low, high = wilson(share * looks, looks)
        print(f"    parking_lot: csink {share:.1%} [{low:.1%}, {high:.1%}] of lookup's waits are for the lock, "
              f"the program's clock {locked / (locked + slept):.1%}", flush=True)
        self.assertTrue(low - SLACK <= locked / (locked + slept) <= high + SLACK)


if __name__ == "__main__":
    csink_e2e.main()
