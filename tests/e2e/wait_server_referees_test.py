"""Waits of real programs, against the kernel's switches through eBPF and against a server's own view of its sessions.
Long: some of it needs packages and root.
"""

import glob
import json
import os
import pwd
import random
import re
import shutil
import signal
import subprocess
import time

import csink_e2e
from csink_e2e import HANG_SECONDS, clean_environment
from referees import SLACK, Referees


class OffCpu(Referees):
    """xz with threads and a slow input, against offcputime of libbpf-tools, which measures how long threads are off the processor."""

    PIECES, PIECE_BYTES = 60, 1 << 20
    PAUSE_S = (0.05, 0.25)
    # The class of a wait by a function of the kernel in its stack. A thread with another stack was preempted: xz has no
    # other waits.
    CLASSES = {"do_sys_poll": "input", "pipe_read": "input", "futex_wait": "lock"}

    def test_kinds_of_waits(self):
        self.need("offcputime", "xz")
        out, sums = self.folder + "/report.json", self.folder + "/offcpu"
        trace = ["offcputime", "-p"]
        probe = subprocess.run(trace + [str(os.getpid()), "1"], capture_output=True, text=True, check=False,
                               timeout=HANG_SECONDS)
        if probe.returncode:
            self.skipTest("offcputime cannot trace here: " + probe.stderr.strip()[-200:])
        with open(self.folder + "/packed", "wb") as packed:
            program = subprocess.Popen(["xz", "-T2", "-3", "--block-size=1MiB", "-c"], stdin=subprocess.PIPE,
                                       stdout=packed, env=self.environment(CSINK_OUTPUT=out, CSINK_FOLLOW="none"))
        self.addCleanup(program.kill)
        began = time.monotonic()
        with open(sums, "wb") as text:
            tracer = subprocess.Popen(trace + [str(program.pid)], stdout=text, stderr=text)
        self.addCleanup(tracer.kill)
        time.sleep(2)
        # The first wait for input began before the tracer was there.
        unseen = time.monotonic() - began
        dice = random.Random(7)
        for _ in range(self.PIECES):
            program.stdin.write(dice.randbytes(self.PIECE_BYTES))
            program.stdin.flush()
            time.sleep(dice.uniform(*self.PAUSE_S))
        program.stdin.close()
        self.assertEqual(program.wait(HANG_SECONDS), 0)
        tracer.send_signal(signal.SIGINT)
        self.assertEqual(tracer.wait(HANG_SECONDS), 0)
        known = self.seconds_by_class(sums)
        known["input"] += unseen
        with open(out, encoding="utf-8") as f:
            report = json.load(f)
        rows = [row for group in report["waits"]["groups"] for row in group["rows"]]
        seen = {"input": [r for r in rows if r["kind"] in ("poll", "read")],
                "lock": [r for r in rows if r["kind"] in ("condition", "mutex", "join")]}
        total = sum(r["seconds"] for r in rows)
        looks = sum(r["looks"] for r in rows) * report["waits"]["effective_looks"] / report["waits"]["looks"]
        print(f"    xz: csink {total:.2f} s blocked, offcputime {sum(known.values()):.2f} s", flush=True)
        self.assertLess(abs(total / sum(known.values()) - 1), SLACK)
        for what, found in seen.items():
            self.assertAgrees(f"xz, {what}", sum(r["seconds"] for r in found) / total, looks, "offcputime",
                              known[what] / sum(known.values()))

    def seconds_by_class(self, path):
        with open(path, encoding="utf-8", errors="replace") as f:
            blocks = f.read().split("\n\n")
        seconds = {"input": 0.0, "lock": 0.0}
        for block in blocks:
            # The agent's threads have other names.
            time_us = re.search(r"^\s+-\s+xz \(\d+\)\n\s+(\d+)$", block, re.M)
            if time_us:
                for kind in {kind for name, kind in self.CLASSES.items() if name in block}:
                    seconds[kind] += int(time_us[1]) / 1e6
        self.assertGreater(min(seconds.values()), 1, seconds)
        return seconds


class Postgres(Referees):
    """Sessions that wait for a row, sleep, or wait for their client, against pg_stat_activity."""

    SESSIONS, SECONDS = 5, 12
    TRANSACTION = """BEGIN;
UPDATE counter SET n = n + 1;
SELECT pg_sleep(0.02);
COMMIT;
\\sleep 60 ms
"""
    # Looks at the sessions at random moments, from a session of its own.
    LOOK = """DO $$ BEGIN
FOR i IN 1..{looks} LOOP
  PERFORM pg_sleep(random() * 0.04);
  PERFORM pg_stat_clear_snapshot();
  INSERT INTO seen SELECT pid, coalesce(wait_event_type, 'CPU'), coalesce(wait_event, '')
    FROM pg_stat_activity WHERE application_name = 'pgbench';
END LOOP; END $$;"""
    # The class of a wait by a function in its call path, and by the type of its event in pg_stat_activity.
    CLASSES = {"ProcSleep": "row lock", "pg_sleep": "sleep", "secure_read": "client"}
    EVENTS = {"Lock": "row lock", "Timeout": "sleep", "Client": "client"}

    def setUp(self):
        super().setUp()
        self.need("setpriv")
        self.bin = (sorted(glob.glob("/usr/lib/postgresql/*/bin")) or [None])[-1]
        if not self.bin or not shutil.which(self.bin + "/pgbench"):
            self.skipTest("no postgresql")
        try:
            self.user = pwd.getpwnam("postgres")
        except KeyError:
            self.skipTest("no user postgres")
        os.chmod(self.folder, 0o755)

    def client(self, program, *argv):
        return [f"{self.bin}/{program}", "-h", self.data, "-U", "postgres", *argv, "postgres"]

    def ask(self, *argv):
        done = subprocess.run(self.client("psql", "-At", "-F", " ", *argv), env=clean_environment(),
                              capture_output=True, text=True, check=False, timeout=HANG_SECONDS)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def start(self):
        """The server; its socket is in the folder of its data."""
        spools = self.fresh_folder()
        self.data = self.fresh_folder() + "/data"
        for path in (spools, os.path.dirname(self.data)):
            os.chown(path, self.user.pw_uid, self.user.pw_gid)
        as_user = ["setpriv", "--reuid", str(self.user.pw_uid), "--regid", str(self.user.pw_gid), "--clear-groups", "--"]
        subprocess.run(as_user + [self.bin + "/initdb", "-D", self.data, "-A", "trust", "-N", "--locale=C"],
                       env=clean_environment(), cwd=spools, check=True, stdout=subprocess.DEVNULL, timeout=HANG_SECONDS)
        with open(self.folder + "/log", "wb") as log:
            server = subprocess.Popen(
                as_user + [self.bin + "/postgres", "-D", self.data, "-k", self.data, "-c", "listen_addresses="],
                env=self.environment(CSINK_SPOOL_DIR=spools, CSINK_REPORT="0", CSINK_KEEP="1"), cwd=spools,
                stdout=log, stderr=log, start_new_session=True)
        self.addCleanup(lambda: server.poll() is None and os.killpg(server.pid, signal.SIGKILL))
        ready = [self.bin + "/pg_isready", "-q", "-h", self.data, "-U", "postgres"]
        deadline = time.monotonic() + 30
        while subprocess.run(ready, env=clean_environment(), check=False).returncode:
            self.assertLess(time.monotonic(), deadline, "the server does not answer")
            time.sleep(0.05)
        return server, spools

    def test_row_locks(self):
        server, spools = self.start()
        self.ask("-c", "CREATE TABLE counter (n int); INSERT INTO counter VALUES (0);"
                       "CREATE TABLE seen (pid int, type text, event text);")
        script = self.folder + "/transaction.sql"
        with open(script, "w", encoding="ascii") as f:
            f.write(self.TRANSACTION)
        bench = subprocess.Popen(self.client("pgbench", "-n", "-c", str(self.SESSIONS), "-T", str(self.SECONDS), "-f", script),
                                 env=clean_environment(), stdout=subprocess.DEVNULL)
        self.addCleanup(bench.kill)
        # The sessions end after the looks do.
        self.ask("-c", self.LOOK.format(looks=(self.SECONDS - 1) * 40))
        self.assertEqual(bench.wait(HANG_SECONDS), 0)
        events = [line.split(" ") for line in self.ask("-c", "SELECT type, count(*) FROM seen GROUP BY type").splitlines()]
        pids = set(self.ask("-c", "SELECT DISTINCT pid FROM seen").split())
        self.assertEqual(len(pids), self.SESSIONS)
        server.send_signal(signal.SIGINT)
        self.assertEqual(server.wait(HANG_SECONDS), 0)
        known = {kind: sum(int(n) for event, n in events if event == name) for name, kind in self.EVENTS.items()}
        self.compare(known, [p for p in glob.glob(spools + "/*") if pids & set(re.findall(r"\d+", os.path.basename(p)))])

    def compare(self, known, spools):
        self.assertEqual(len(spools), self.SESSIONS)
        waits = self.report_of_spool(*spools)["waits"]
        seen = dict.fromkeys(known, 0.0)
        for row in (row for group in waits["groups"] for row in group["rows"]):
            for path in row["paths"]:
                names = [row["function"], *path["functions"]]
                kind = next((kind for name, kind in self.CLASSES.items() if name in names), None)
                if kind:
                    seen[kind] += path["seconds"]
        total = sum(seen.values())
        self.assertGreater(total, 0.95 * waits["blocked_seconds"])
        for kind, count in known.items():
            self.assertAgrees(f"postgresql, {kind}", seen[kind] / total, waits["effective_looks"], "pg_stat_activity",
                              count / sum(known.values()))


if __name__ == "__main__":
    csink_e2e.main()
