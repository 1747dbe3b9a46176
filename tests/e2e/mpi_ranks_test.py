"""Jobs of Open MPI and MPICH with libcsink-mpi.so: their ranks' profiles become one file, which has what
csink merge makes of the same spools; where that is not possible the spools are left, and one line says why."""

import glob
import json
import os
import shutil
import subprocess
import unittest

import csink_e2e
from csink_e2e import program_path, samples_of, total_samples

from ranks_test import MergeTest, functions_of

LIBRARY = os.path.join(os.path.dirname(csink_e2e.AGENT), "libcsink-mpi.so")
MS = 25
# For ranks that are killed or leave the job: the spool of a process with several threads may lack the last 250 ms
# (docs/sampling.md).
LONG_MS = 200


class Part:
    """Ranks of a job with one program and one environment. `words` are arguments of the tests' program, or with
    `program` a whole command."""

    def __init__(self, ranks, *words, program=False, preload=(csink_e2e.AGENT, LIBRARY), **settings):
        self.ranks, self.words, self.program, self.preload, self.settings = ranks, words, program, preload, settings


class Jobs:
    """Tests that every MPI library must pass."""

    program = ""
    launcher = ""

    def setUp(self):
        super().setUp()
        if not shutil.which(self.launcher) or not os.path.exists(program_path(self.program)):
            self.skipTest(f"needs {self.launcher} and {self.program}")

    def start(self, *parts, **settings):
        """Runs a job of several parts, each with the agent."""
        folder = self.fresh_folder()
        command = []
        for part in parts:
            words = part.words if part.program else (program_path(self.program), *part.words)
            own = {"CSINK_REPORTER": csink_e2e.TOOL, "CSINK_SPOOL_DIR": folder + "/spool", "CSINK_EVENTS": "task-clock:u",
                   "CSINK_FORMAT": "json", "CSINK_TOP": "10000",
                   "CSINK_OUTPUT": folder + "/report.job"} | settings | part.settings
            own["LD_PRELOAD"] = ":".join(part.preload)
            command += [*([":"] if command else []), *self.words_for(part.ranks, own), *map(str, words)]
        return self.run_command([self.launcher, *self.general_words(), *command], csink_e2e.clean_environment(), folder)

    def job_file(self, run):
        return [path for path in run.spools if path.endswith(".ranks.csink")]

    def rank_spools(self, run):
        return [path for path in run.spools if not path.endswith(".ranks.csink")]

    def merged(self, run):
        """What csink merge makes of the ranks' spools."""
        merged = os.path.join(self.fresh_folder(), "merged.csink")
        self.assertEqual(self.run_tool("merge", "-o", merged, *self.rank_spools(run)), (0, "", ""))
        return self.report(merged)[0]

    def assertSameSamples(self, ours, theirs):
        """The reports agree in every sample. Times and the end of the processes differ: a spool that is kept goes on
        until its process ends, behind MPI_Finalize."""
        for key in ("functions", "lines", "modules"):
            self.assertEqual(ours[key], theirs[key], key)
        of_ranks = lambda report: report["ranks"] and (report["ranks"]["count"], report["ranks"]["events"])
        self.assertEqual(of_ranks(ours), of_ranks(theirs))
        if ours["ranks"] and ours["ranks"]["wall"]:
            # The spools are read later. A millisecond allows for the two readings of one thread.
            for part, times in ours["ranks"]["wall"].items():
                self.assertLessEqual(times["mean"], theirs["ranks"]["wall"][part]["mean"] + 0.001, part)
        of_events = lambda report: [(e["name"], e["samples"], e["weight"]) for e in report["events"]]
        self.assertEqual(of_events(ours), of_events(theirs))
        of_processes = lambda report: sorted((p["rank"], p["pid"], p["program"], p["samples"]) for p in report["processes"])
        self.assertEqual(of_processes(ours), of_processes(theirs))

    def check_sum(self, run, ranks):
        """The file of the job is the sum of the spools beside it; it says so of each rank."""
        self.assertEqual(run.status, 0, run.stderr)
        self.assertEqual(run.own_lines, [])
        self.assertEqual(len(self.rank_spools(run)), ranks)
        file, = self.job_file(run)
        report = self.report(file)[0]
        self.assertSameSamples(report, self.merged(run))
        self.assertEqual(sorted(p["rank"] for p in report["processes"]), list(range(ranks)))
        return report

    def test_the_file_of_the_job_is_the_sum_of_its_spools(self):
        run = self.start(Part(4, MS), CSINK_KEEP="1")
        report = self.check_sum(run, 4)
        printed, = run.reports
        self.assertEqual(functions_of(printed), functions_of(report))
        self.assertEqual(printed["ranks"], report["ranks"])
        work = {row["function"]: row for row in report["ranks"]["events"][0]["functions"]}
        self.assertEqual((work["RankWork"]["min_rank"], work["RankWork"]["max_rank"]), (0, 3))
        self.assertTrue(work["RankWork"]["differs"])
        # (4 ranks with 1, 2, 3 and 4 parts: 4 / 2.5 - 1)
        self.assertAlmostEqual(work["RankWork"]["imbalance"], 0.6, delta=0.35)
        self.assertGreater(report["ranks"]["events"][0]["mpi"]["share"], 0)

    def test_a_tree_of_two_levels(self):
        # 18 ranks: rank 17 sends to rank 1, which adds and sends to rank 0.
        run = self.start(Part(18, 1), CSINK_KEEP="1")
        self.check_sum(run, 18)

    def test_one_report_and_no_spools(self):
        run = self.start(Part(3, MS))
        self.assertEqual((run.status, run.own_lines, run.spools), (0, [], []), run.stderr)
        report, = run.reports
        self.assertEqual(report["ranks"]["count"], 3)
        self.assertGreater(samples_of(report, "RankWork"), 0)

    def spawn(self, **part):
        words = (MS, "spawn", 2)
        # (Debian's MPICH 4.0 can't. Its launcher does not always pass the ranks' words on.)
        plain = self.run_command([self.launcher, *self.general_words(), *self.words_for(2, {}),
                                  program_path(self.program), *map(str, words)], csink_e2e.clean_environment(), self.fresh_folder())
        if plain.status != 0:
            self.skipTest(f"without the agent a job with MPI_Comm_spawn fails too, status {plain.status}: "
                          + " ".join(plain.stderr.split())[:400])
        run = self.start(Part(2, *words, **part))
        self.assertEqual((run.status, run.own_lines, run.spools), (0, [], []), run.stderr)
        return {os.path.basename(path): csink_e2e._load(path) for path in glob.glob(run.folder + "/report.job*")}

    def test_a_spawned_world_has_a_report_of_its_own(self):
        reports = self.spawn()
        names = sorted(reports)
        self.assertEqual(len(names), 3, names)
        self.assertEqual(names[0], "report.job")
        for name in names:
            self.assertRegex(name, r"\Areport\.job(\.spawn\.\w+)?\Z")
            self.assertEqual(reports[name]["ranks"]["count"], 2)
            self.assertGreater(samples_of(reports[name], "RankWork"), 0)
        pids = [process["pid"] for report in reports.values() for process in report["processes"]]
        self.assertEqual(len(set(pids)), 6, pids)

    def test_ranks_of_spawned_worlds_alone(self):
        reports = self.spawn(preload=(csink_e2e.AGENT,))
        self.assertEqual(len(reports), 6, reports.keys())
        for name in reports:
            self.assertRegex(name, r"\Areport\.job(\.spawn\.\w+)?\.r[01]\Z")

    def test_children_of_ranks_are_not_ranks(self):
        run = self.start(Part(2, MS, "fork"), CSINK_KEEP="1")
        self.assertEqual((run.status, run.own_lines), (0, []), run.stderr)
        file, = self.job_file(run)
        self.assertEqual(len(self.report(file)[0]["processes"]), 2)

    def test_waits_of_the_ranks(self):
        run = self.start(Part(3, MS, "sleep"), CSINK_KEEP="1", CSINK_WAIT="1")
        self.assertEqual((run.status, run.own_lines), (0, []), run.stderr)
        file, = self.job_file(run)
        report = self.report(file)[0]
        row, = [row for row in report["ranks"]["waits"] if row["function"] == "SleepOfRank"]
        self.assertEqual((row["in_mpi"], row["primitive"]), (False, "sleep"))
        self.assertEqual((row["min_rank"], row["max_rank"]), (0, 2))
        # 0, 200 and 400 ms; the first looks come after 50 ms of the program.
        self.assertLess(row["min"], 0.02)
        self.assertGreater(row["max"], 0.2)
        self.assertLess(row["max"], 1.0)

    def test_a_library_may_ask_whether_mpi_runs(self):
        self.check_sum(self.start(Part(2, MS, "guarded"), CSINK_KEEP="1"), 2)

    def test_ranks_with_different_programs_and_events(self):
        copy = os.path.join(self.folder, "other_program")
        shutil.copy(program_path(self.program), copy)
        run = self.start(Part(1, MS), Part(1, copy, MS, program=True, CSINK_EVENTS="page-faults:u:period=1"), CSINK_KEEP="1")
        report = self.check_sum(run, 2)
        self.assertEqual({p["program"].split()[0] for p in report["processes"]},
                         {self.program, "other_program"})
        self.assertEqual(len(report["events"]), 2)
        self.assertTrue(all(event["samples"] > 0 for event in report["events"]), report["events"])
        clock, faults = report["ranks"]["events"]
        self.assertEqual((clock["total"]["max_rank"], faults["total"]["max_rank"]), (0, 1))

    def test_a_rank_without_the_agent_is_named(self):
        run = self.start(Part(1, MS), Part(1, MS, preload=(LIBRARY,)))
        self.assertEqual(run.status, 0, run.stderr)
        line, = run.own_lines
        self.assertRegex(line, r"the profiles of 1 of 2 ranks are not in the job's report \(rank 1: libagent.so is not loaded\)")
        report, = run.reports
        self.assertEqual([p["rank"] for p in report["processes"]], [0])

    def test_without_csink_the_spools_are_left(self):
        run = self.start(Part(2, MS), CSINK_REPORTER="/nowhere/csink")
        self.assertEqual(run.status, 0, run.stderr)
        self.assertEqual(run.reports, [])
        said = [line for line in run.own_lines if "could not be reduced" in line]
        self.assertEqual(len(said), 1, run.stderr)
        self.assertIn("csink merge -o job.csink " + run.spool_folder, said[0])
        self.assertEqual(len(self.rank_spools(run)), 2)
        self.assertEqual({p["rank"] for p in self.merged(run)["processes"]}, {0, 1})

    def check_left(self, run, ranks, words):
        """No report of the job; the spools have what the ranks did, and the lines say so."""
        self.assertEqual((run.reports, self.job_file(run)), ([], []), run.stderr)
        self.assertEqual(len(self.rank_spools(run)), ranks, run.stderr)
        report = self.merged(run)
        self.assertEqual({p["rank"] for p in report["processes"]}, set(range(ranks)))
        self.assertGreater(samples_of(report, "SharedWork"), 0)
        # Where MPICH's launcher ends its ranks it may drop all that they said, MPICH's own line on the abort included.
        if words and run.stderr:
            self.assertTrue(run.own_lines, run.stderr)
        for line in run.own_lines:
            self.assertRegex(line, words)
            self.assertIn("csink merge", line)
        # Once a rank.
        self.assertLessEqual(len(run.own_lines), ranks, run.stderr)
        return report

    def test_a_rank_that_is_killed(self):
        run = self.start(Part(3, LONG_MS, "kill", 1))
        self.assertNotEqual(run.status, 0)
        self.check_left(run, 3, "ended without MPI_Finalize" if run.own_lines else "")

    def test_a_rank_that_aborts_the_job(self):
        run = self.start(Part(3, LONG_MS, "abort", 1, 9))
        self.assertEqual(run.status, 9, run.stderr)
        self.check_left(run, 3, "MPI_Abort|ended without MPI_Finalize")

    def test_a_rank_that_exits_early(self):
        run = self.start(Part(3, LONG_MS, "fail", 1, 7))
        self.assertNotEqual(run.status, 0)
        self.check_left(run, 3, "ended without MPI_Finalize")

    def test_a_rank_that_calls__exit(self):
        """No destructor runs, so that no line comes (docs/mpi.md); what it did is there."""
        run = self.start(Part(3, LONG_MS, "leave", 1, 7))
        self.assertNotEqual(run.status, 0)
        self.assertEqual(run.own_lines, [], run.stderr)
        self.check_left(run, 3, "")

    def test_a_job_that_never_finalizes(self):
        plain = self.start(Part(2, MS, "unfinished", preload=()))
        run = self.start(Part(2, LONG_MS, "unfinished"))
        # The status is the launcher's. On a loaded machine MPICH's returned 1 once, after both ranks had returned 0.
        self.assertIn(run.status, (plain.status, 1), run.stderr)
        self.check_left(run, 2, "ended without MPI_Finalize")

    def test_mpi_init_twice(self):
        plain = self.start(Part(2, MS, "again", preload=()))
        run = self.start(Part(2, MS, "again"), CSINK_KEEP="1")
        self.assertEqual(run.status, plain.status, run.stderr)
        self.assertEqual(self.job_file(run), [])
        for line in run.own_lines:
            self.assertRegex(line, "ended without MPI_Finalize|too few samples|no samples|was not sampled")

    def test_mpi_init_never(self):
        run = self.start(Part(2, MS, "never"))
        self.assertEqual((run.status, run.own_lines), (0, []), run.stderr)
        # Processes like any other: a report each, with the rank of the launcher in its name.
        self.assertEqual([total_samples(report) > 0 for report in run.reports], [True, True])
        self.assertEqual(run.spools, [])

    def test_fortran(self):
        compiler = shutil.which(self.fortran)
        if not compiler:
            self.skipTest("needs " + self.fortran)
        source, program = (os.path.join(self.folder, name) for name in ("job.f90", "job"))
        with open(source, "w", encoding="utf-8") as f:
            f.write("program job\n  use mpi\n  integer :: error, i\n  real(8) :: x = 1\n  call mpi_init(error)\n"
                    "  do i = 1, 60000000\n    x = x * 1.0000001d0 + 1d-9\n  end do\n  print *, x\n"
                    "  call mpi_finalize(error)\nend program\n")
        made = subprocess.run([compiler, "-O1", "-g", "-o", program, source], check=False, capture_output=True, text=True)
        if made.returncode != 0:
            self.skipTest("no Fortran of this library: " + made.stderr.splitlines()[-1])
        run = self.start(Part(2, program, program=True), CSINK_KEEP="1")
        report = self.check_sum(run, 2)
        self.assertGreater(total_samples(report), 0)


class OpenMpi(Jobs, MergeTest):
    program, launcher, fortran = "mpi_work_ompi-c", "mpirun.openmpi", "mpifort.openmpi"

    def general_words(self):
        return ["--oversubscribe", *(["--allow-run-as-root"] if os.geteuid() == 0 else [])]

    def words_for(self, ranks, settings):
        return ["-np", str(ranks), *(word for key, value in settings.items() for word in ("-x", f"{key}={value}"))]


class Mpich(Jobs, MergeTest):
    program, launcher, fortran = "mpi_work_mpich", "mpiexec.mpich", "mpifort.mpich"

    def general_words(self):
        return []

    def words_for(self, ranks, settings):
        return ["-n", str(ranks), *(word for key, value in settings.items() for word in ("-env", key, value))]


if __name__ == "__main__":
    csink_e2e.main()
