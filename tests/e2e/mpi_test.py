"""A job of Open MPI's: four ranks, each sampled to the end, their reports and their sum."""

import json
import math
import os
import shutil

import csink_e2e
from csink_e2e import explained_seconds, program_path, sampled_seconds, samples_of, total_samples

from ranks_test import MergeTest, added, functions_of

RANKS = 4
MS = 250  # RankWork of rank r: (r + 1) * MS
SHORT_MS = 60  # likewise, where how much is not the question
PERIOD = 1.000003e-3
TICK = 1 / 100  # the longest that Linux has
KERNEL_TOO = os.geteuid() == 0  # a rank that waits in sched_yield is in the kernel
EVENTS = "task-clock:uk" if KERNEL_TOO else "task-clock:u"


def process_seconds(row):
    return row["user_seconds"] + row["system_seconds"]


class Rank:
    """A line `rank R pid P cpu NS work NS wait NS stolen NS sum S of N`."""

    def __init__(self, line):
        words = line.split()
        self.rank, self.pid = int(words[1]), int(words[3])
        self.cpu, self.work, self.wait, stolen = (int(words[i]) / 1e9 for i in (5, 7, 9, 11))
        # What was not watched (MPI_Init, MPI_Finalize) is robbed as often as the rest.
        self.stolen = stolen * self.cpu / (self.work + self.wait)
        self.result = words[12:]


class MpiTest(MergeTest):
    def setUp(self):
        super().setUp()
        if not shutil.which("mpirun") or not os.path.exists(program_path("mpi_work")):
            self.skipTest("no Open MPI: apt-get install openmpi-bin libopenmpi-dev")

    def mpirun(self, *args, export=(), launcher=(), env=None, folder=None):
        """mpirun -np 4 of the program; `export` are settings for -x. Who waits, spins."""
        folder = folder or self.fresh_folder()
        command = [*launcher, "mpirun", "--oversubscribe", "--mca", "mpi_yield_when_idle", "0",
                   "-np", str(RANKS)]
        if os.geteuid() == 0:
            command.insert(len(launcher) + 1, "--allow-run-as-root")
        for setting in export:
            command += ["-x", setting]
        command += [program_path("mpi_work"), str(SHORT_MS if args else MS), *map(str, args)]
        return self.run_command(command, env or csink_e2e.clean_environment(), folder)

    def settings(self, folder, **changes):
        settings = {"LD_PRELOAD": csink_e2e.AGENT, "CSINK_REPORTER": csink_e2e.TOOL,
                    "CSINK_SPOOL_DIR": folder + "/spool", "CSINK_EVENTS": EVENTS,
                    "CSINK_FORMAT": "json", "CSINK_TOP": "10000",
                    "CSINK_OUTPUT": folder + "/out/%e.r%r.%j.txt"} | changes
        return [f"{key}={value}" for key, value in settings.items()]

    def profiled(self, *args, **changes):
        folder = self.fresh_folder()
        return self.mpirun(*args, export=self.settings(folder, **changes), folder=folder)

    def ranks(self, run):
        ranks = [Rank(l) for l in run.stdout.splitlines() if l.startswith("rank ")]
        self.assertEqual(sorted(r.rank for r in ranks), list(range(RANKS)),
                         run.stdout + run.stderr)
        return sorted(ranks, key=lambda r: r.rank)

    def assertRankSampled(self, report, rank):
        """The CPU time of a rank by its own clock, waiting for others included."""
        process = report["processes"][0]
        self.assertEqual((process["rank"], process["pid"]), (rank.rank, rank.pid))
        said = f"rank {rank.rank}: {rank.__dict__}, {report['verdict']}"
        least = rank.cpu - rank.stolen
        if not KERNEL_TOO:  # what is system time the kernel guesses by its ticks
            system = process["system_seconds"]
            least -= system + csink_e2e.Z_9999 * math.sqrt(system * TICK)
        print(f"  rank {rank.rank}: {sampled_seconds(report):.3f} s sampled of {rank.cpu:.3f} s, work "
              f"{rank.work:.3f}, wait {rank.wait:.3f}, stolen {rank.stolen:.3f}")
        self.assertAtLeast(explained_seconds(report) / least, 0.95, said)
        self.assertLessEqual(sampled_seconds(report), 1.05 * process_seconds(process), said)
        # Its own part and that of all are as its clock says.
        own, shared = samples_of(report, "RankWork"), samples_of(report, "SharedWork")
        self.assertGreaterEqual((own + shared) * PERIOD, 0.93 * rank.work - rank.stolen, said)
        low, high = csink_e2e.wilson(own, own + shared)
        self.assertTrue(low <= (rank.rank + 1) / (rank.rank + 2) <= high, (own, shared))


class Reports(MpiTest):
    def test_each_rank_has_its_report_and_nothing_else_does(self):
        plain = self.mpirun()
        run = self.profiled()
        self.assertEqual((run.status, plain.status), (0, 0), run.stderr)
        self.assertEqual(run.own_lines, [])
        ranks = self.ranks(run)
        self.assertEqual([r.result for r in ranks], [r.result for r in self.ranks(plain)])
        # mpirun itself is not preloaded by -x, and helpers would have a name of their own.
        self.assertEqual(sorted(os.listdir(run.folder + "/out")),
                         [f"mpi_work.r{rank}.none.txt" for rank in range(RANKS)])
        for rank in ranks:
            with open(f"{run.folder}/out/mpi_work.r{rank.rank}.none.txt", encoding="utf-8") as f:
                self.assertRankSampled(json.load(f), rank)
        self.assertEqual(run.spools, [])

    def test_spools_and_their_sum(self):
        run = self.profiled(CSINK_REPORT="0")
        ranks = self.ranks(run)
        self.assertEqual(run.status, 0, run.stderr)
        self.assertGreater(max(rank.wait for rank in ranks), 0.1)  # spent in MPI, and sampled below
        self.assertFalse(os.path.exists(run.folder + "/out"))
        merged = run.folder + "/all.csink"
        self.merge(run.spool_folder, merged)
        whole, _ = self.report(merged)
        parts = {p["processes"][0]["rank"]: p for p in
                 (self.report(path)[0] for path in run.spools)}
        self.assertEqual(sorted(parts), list(range(RANKS)))
        for rank in ranks:
            self.assertRankSampled(parts[rank.rank], rank)
            row = next(p for p in whole["processes"] if p["rank"] == rank.rank)
            self.assertEqual((row["pid"], row["samples"]),
                             (rank.pid, total_samples(parts[rank.rank])))
        self.assertEqual(functions_of(whole), added(parts.values()))
        self.assertEqual(total_samples(whole), sum(map(total_samples, parts.values())))

    def test_the_whole_job_under_csink_run(self):
        folder = self.fresh_folder()
        env = csink_e2e.tool_environment(CSINK_SPOOL_DIR=folder + "/spool")
        run = self.mpirun(launcher=[csink_e2e.TOOL, "run", "-e", EVENTS, "--format", "json",
                                    "-o", folder + "/report.job", "--"], env=env, folder=folder)
        self.assertEqual(run.status, 0, run.stderr)
        self.assertEqual(run.own_lines, [])
        report = run.reports[0]
        rows = {p["rank"]: p for p in report["processes"] if p["program"] == "mpi_work"}
        starters = [p for p in report["processes"] if p["depth"] == 0]
        self.assertEqual([p["rank"] for p in starters], [None], report["processes"])
        self.assertRegex(starters[0]["program"], "^(mpirun|orterun|prterun)")
        for rank in self.ranks(run):
            row = rows[rank.rank]
            self.assertEqual(row["pid"], rank.pid)
            if KERNEL_TOO:
                self.assertGreaterEqual(row["events"][0]["weight"] / 1e9, 0.95 * (rank.cpu - rank.stolen),
                                        (row, rank.__dict__))
        self.assertEqual(run.spools, [])


class Failures(MpiTest):
    def check(self, *how):
        plain = self.mpirun(*how)
        run = self.profiled(*how, CSINK_REPORT="0")
        self.assertEqual(run.status, plain.status, run.stderr)
        self.assertNotEqual(run.status, 0)
        self.assertEqual(run.own_lines, [])
        self.assertEqual(len(run.spools), RANKS, run.stderr)
        # Whatever ended the others, what they did until then is there.
        report, _ = self.report(run.spool_folder)
        self.assertEqual({p["rank"] for p in report["processes"]}, set(range(RANKS)))
        failed = next(p for p in report["processes"] if p["rank"] == 1)
        self.assertGreater(failed["samples"], 0.6 * 3 * SHORT_MS)
        return plain, run

    def test_a_rank_that_exits_early(self):
        self.check("fail", 1, 7)

    def test_a_rank_that_aborts_the_job(self):
        plain, run = self.check("abort", 1, 9)
        self.assertEqual((run.status, plain.status), (9, 9))

    def test_a_rank_that_is_killed(self):
        self.check("kill", 1)

    def test_csink_run_has_the_status_of_the_job(self):
        folder = self.fresh_folder()
        env = csink_e2e.tool_environment(CSINK_SPOOL_DIR=folder + "/spool")
        run = self.mpirun("abort", 2, 9, env=env, folder=folder,
                          launcher=[csink_e2e.TOOL, "run", "-o", folder + "/report", "--"])
        self.assertEqual(run.status, 9, run.stderr)


if __name__ == "__main__":
    csink_e2e.main()
