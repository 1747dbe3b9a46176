"""kill -9 at random moments, of programs of every shape: each spool can be read, and 99 of 100 keep
all but the last 100 ms of CPU time, 250 ms in programs with threads.

The program itself keeps its CPU time in a shared page. CSINK_E2E_KILLS sets the number of kills of
all shapes together (60; the entry with label long: 1,000). Of a process that died before it had a
spool, all its CPU time counts as lost. What the program's own loops show as stolen (a round that
took a millisecond too long, on the CPU clock) is not ours and is taken off, and said.
"""

import concurrent.futures
import os
import random
import struct
import time

import csink_e2e
from csink_e2e import E2eTest, program_path, sampled_seconds

KILLS = int(os.environ.get("CSINK_E2E_KILLS", "60"))
SEED = int(os.environ.get("CSINK_E2E_SEED", "0")) or int(time.time())
LATEST = 0.5  # CPU seconds of the process that is started
SHAPES = {"single": 0.100, "threads": 0.250, "tree": 0.100, "plugins": 0.100, "short_threads": 0.250}
GRAIN = 0.008  # two ticks of the kernel's clock
SHARE = 0.03   # of the CPU time: the kernel's part of it is not sampled
RECORD = struct.Struct("QQQ")


def accounts_of(path):
    """{pid: (CPU seconds, stolen seconds)} as the program itself kept them."""
    with open(path, "rb") as page:
        rows = [r for r in RECORD.iter_unpack(page.read()) if r[0] > 1 and r[1]]
    return {pid: (cpu / 1e9, gaps / 1e9) for pid, cpu, gaps in rows if cpu}


class Chaos(E2eTest):
    def kill_at(self, number):
        """[(shape, moment, pid, missing, allowed)] of all processes of one kill."""
        chance = random.Random(SEED * 100003 + number)
        shape = list(SHAPES)[number % len(SHAPES)]
        moment = chance.uniform(0.02, LATEST)
        folder = os.path.join(self.folder, f"kill{number}")
        os.makedirs(os.path.join(folder, "spool"), mode=0o700)
        page = os.path.join(folder, "page")

        def kill(child):
            csink_e2e.wait_until_burned(child.pid, moment)
            os.killpg(child.pid, 9)
        run = self.run_command([program_path("chaos"), shape, page, program_path("plugin.so")],
                               csink_e2e.agent_environment(folder), folder, kill)
        self.assertEqual((run.status, run.stderr), (-9, ""))
        kept = {}
        for spool in run.spools:
            report = self.report_of_rest(spool)
            if report is None:
                continue
            kept[report["pid"]] = kept.get(report["pid"], 0) + sampled_seconds(report)
        for report in run.reports:  # children of the tree that had ended
            kept[report["pid"]] = kept.get(report["pid"], 0) + sampled_seconds(report)
        rows = []
        for pid, (cpu, stolen) in accounts_of(page).items():
            allowed = SHAPES[shape] + GRAIN + SHARE * cpu + stolen
            rows.append((shape, moment, pid, cpu - kept.get(pid, 0), allowed, stolen))
        self.assertTrue(rows)
        return rows

    def test_kills(self):
        print(f"seed {SEED}")
        with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
            killed = [rows for rows in pool.map(self.kill_at, range(KILLS))]
        late = [row for rows in killed for row in rows if row[3] > row[4]]
        for shape in SHAPES:
            rows = [row for rows in killed for row in rows if row[0] == shape]
            if rows:
                missing = sorted(row[3] - row[5] for row in rows)
                print(f"{shape}: {len(rows)} processes, missing at the median "
                      f"{missing[len(missing) // 2] * 1e3:.0f} ms, at most {missing[-1] * 1e3:.0f} ms, "
                      f"stolen {sum(row[5] for row in rows) * 1e3:.0f} ms, too late "
                      f"{sum(row[3] > row[4] for row in rows)}")
        bad = sum(any(row[3] > row[4] for row in rows) for rows in killed)
        self.assertLessEqual(bad, max(1, KILLS // 100), late)


if __name__ == "__main__":
    csink_e2e.main()
