"""Ranks of a job by the variables of their launchers, and csink merge over spools and trees."""

import glob
import json
import os
import subprocess

import csink_e2e
from csink_e2e import E2eTest, plain_name, total_samples

# As PMIx, Open MPI, MPICH and Slurm give them.
LAUNCHERS = ("PMIX_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID")


def functions_of(report):
    """{(function, module): samples}"""
    sums = {}
    for row in report["functions"]:
        key = (plain_name(row["function"]), row["module"])
        sums[key] = sums.get(key, 0) + row["events"][0]["samples"]
    return sums


def added(reports):
    """functions_of, over several reports."""
    sums = {}
    for report in reports:
        for key, samples in functions_of(report).items():
            sums[key] = sums.get(key, 0) + samples
    return sums


class MergeTest(E2eTest):
    def report(self, *words):
        status, out, err = self.run_tool("report", "--format", "json", "--min-share", "0", "--top",
                                         "10000", *words)
        self.assertEqual(status, 0, err)
        report = json.loads(out)
        # Merged files have none, and spools only if the run was long enough, which a busy machine decides.
        report.pop("timeline")
        return report, err

    def merge(self, folder, output):
        status, out, err = self.run_tool("merge", "-o", output, folder)
        self.assertEqual((status, out, err), (0, "", ""))


class Ranks(MergeTest):
    def run_ranks(self, folder, **changes):
        """A rank by each of the variables, at once."""
        running = []
        for rank, variable in enumerate(LAUNCHERS):
            env = csink_e2e.agent_environment(folder, SLURM_JOB_ID="4711",
                                              **{variable: str(rank)}, **changes)
            running.append(subprocess.Popen([csink_e2e.program_path("split"), str(105 + 35 * rank)],
                                            env=env, cwd=folder, stdout=subprocess.DEVNULL))
        self.assertEqual([p.wait(csink_e2e.HANG_SECONDS) for p in running], [0] * len(LAUNCHERS))
        return [p.pid for p in running]

    def test_rank_and_job_in_names_headers_and_rows(self):
        folder = self.fresh_folder()
        pids = self.run_ranks(folder, CSINK_OUTPUT="out/%e.r%r.%j.txt")
        self.assertEqual(sorted(os.listdir(folder + "/out")),
                         [f"split.r{rank}.4711.txt" for rank in range(4)])
        for rank, pid in enumerate(pids):
            with open(f"{folder}/out/split.r{rank}.4711.txt", encoding="utf-8") as f:
                report = json.load(f)
            self.assertEqual([(p["rank"], p["job"], p["pid"]) for p in report["processes"]],
                             [(rank, "4711", pid)])

    def test_the_sum_is_that_of_the_ranks(self):
        folder = self.fresh_folder()
        self.run_ranks(folder, CSINK_REPORT="0")
        spools = glob.glob(folder + "/spool/*.csink")
        self.assertEqual(len(spools), 4)
        merged = folder + "/all.csink"
        self.merge(folder + "/spool", merged)
        singles = [self.report(path)[0] for path in spools]
        whole, _ = self.report(merged)
        self.assertEqual(whole, self.report(folder + "/spool")[0])
        self.assertEqual(total_samples(whole), sum(map(total_samples, singles)))
        self.assertEqual(functions_of(whole), added(singles))
        self.assertEqual(sorted(p["rank"] for p in whole["processes"]), [0, 1, 2, 3])
        for single in singles:
            rank = single["processes"][0]["rank"]
            row = next(p for p in whole["processes"] if p["rank"] == rank)
            self.assertEqual(row["samples"], total_samples(single))
        self.assertRegex(self.run_tool("report", merged)[1], r"(?m)^share +samples +rank .* process$")

    def test_the_sum_beside_its_spools_counts_once(self):
        folder = self.fresh_folder()
        self.run_ranks(folder, CSINK_REPORT="0")
        expected, _ = self.report(folder + "/spool")
        self.merge(folder + "/spool", folder + "/spool/all.csink")
        both, said = self.report(folder + "/spool")
        self.assertEqual(both, expected)
        self.assertIn("4 spools are in a merged file beside them", said)

    def test_per_thread_of_a_sum_has_the_threads(self):
        folder = self.fresh_folder()
        self.run_ranks(folder, CSINK_REPORT="0")
        self.merge(folder + "/spool", folder + "/all.csink")
        whole, _ = self.report("--per-thread", folder + "/all.csink")
        parts, _ = self.report("--per-thread", folder + "/spool")
        self.assertTrue(all(t.pop("functions") for t in parts["threads"]))
        self.assertFalse(any(t.pop("functions") for t in whole["threads"]))  # as csink.md says
        for key in ("threads", "functions", "processes", "verdict"):
            self.assertEqual(whole[key], parts[key], key)
        _, text, said = self.run_tool("report", "--per-thread", folder + "/all.csink")
        self.assertIn("split", text)
        self.assertIn("csink merge --per-thread keeps them", said)

    def test_a_sum_that_keeps_the_functions_of_threads(self):
        folder = self.fresh_folder()
        for _ in range(2):
            env = csink_e2e.agent_environment(folder, CSINK_REPORT="0")
            subprocess.run([csink_e2e.program_path("split"), "60", "3"], env=env, cwd=folder,
                           stdout=subprocess.DEVNULL, check=True)
        merged, again = folder + "/all.csink", folder + "/again.csink"
        for output, target in ((merged, folder + "/spool"), (again, merged)):
            status, _, err = self.run_tool("merge", "--per-thread", "-o", output, target)
            self.assertEqual((status, err), (0, ""))
        parts, _ = self.report("--per-thread", folder + "/spool")
        self.assertEqual(len([t for t in parts["threads"] if t["functions"]]), 6, parts["threads"])
        for path in (merged, again):
            whole, said = self.report("--per-thread", path)
            self.assertEqual(whole, parts)
            self.assertEqual(said, "")
        flat, _ = self.report(merged)
        self.assertEqual(functions_of(flat), functions_of(parts))


class Trees(MergeTest):
    SCRIPT = ("for i in 1 2 3; do /bin/true; split 28; done; sh -c 'exec env split 140'; "
              "$STATIC; $STATIC; :")

    def keep_tree(self):
        """The folder of a tree with spools, records, execs and a program that was not followed."""
        folder = self.fresh_folder()
        env = csink_e2e.tool_environment(CSINK_SPOOL_DIR=folder + "/spool",
                                         STATIC=csink_e2e.program_path("static_loop") + " 5")
        # With a setting that csink-attach does not know, the static program is not sampled.
        env["CSINK_EXCLUDE"] = "no_such_program"
        env["PATH"] = csink_e2e.PROGRAMS + ":" + env.get("PATH", "/usr/bin:/bin")
        run = self.run_command([csink_e2e.TOOL, "run", "-e", "task-clock", "--keep", "--format",
                                "json", "-o", folder + "/report.tree", "--", "sh", "-c",
                                self.SCRIPT], env, folder)
        self.assertEqual(run.status, 0, run.stderr)
        return glob.glob(folder + "/spool/tree.*")[0], run.reports[0]

    def test_records_generations_and_refusals_are_in_the_sum(self):
        tree, reported = self.keep_tree()
        merged = os.path.join(self.folder, "all.csink")
        self.merge(tree, merged)
        whole, _ = self.report(merged)
        self.assertEqual(whole, self.report(tree)[0])
        self.assertIn("static-program", {row["cause"] for row in whole["ledger"]["remainders"]})
        key = lambda p: (p["pid"], p["generation"], p["program"], p["samples"], p["parent_pid"])
        self.assertEqual(list(map(key, whole["processes"])),
                         list(map(key, reported["processes"])))
        self.assertEqual([n for n in whole["verdict"]["notes"] if n.startswith("not followed")],
                         [f"not followed: {csink_e2e.program_path('static_loop')} is statically "
                          "linked (2 times)"])

    def test_a_sum_beside_its_records_counts_once(self):
        tree, _ = self.keep_tree()
        expected, _ = self.report(tree)
        self.merge(tree, tree + "/sum.csink")
        both, _ = self.report(tree)
        for name in ("events", "functions", "processes", "user_seconds", "ledger"):
            self.assertEqual(both[name], expected[name], name)

    def test_rows_beyond_the_cap_add_up(self):
        tree, _ = self.keep_tree()
        merged = os.path.join(self.folder, "few.csink")
        status, _, err = self.run_tool("merge", "-o", merged, "--max-processes", "2", tree)
        self.assertEqual(status, 0, err)
        self.merge(tree, os.path.join(self.folder, "whole.csink"))
        few, all_rows = (self.report(os.path.join(self.folder, name))[0]
                         for name in ("few.csink", "whole.csink"))
        self.assertEqual(len(few["processes"]), 3)
        self.assertEqual(few["processes"][-1]["processes"], len(all_rows["processes"]) - 2)
        self.assertEqual(functions_of(few), functions_of(all_rows))
        for name in ("user_seconds", "system_seconds"):
            # Of images after an exec, what their start took until the agent was ready is left out.
            starts = sum(max(0, row["start_" + name] - before[name]) for before, row in
                         zip(all_rows["processes"], all_rows["processes"][1:])
                         if row["generation"] > 0 and row["pid"] == before["pid"])
            # The rows' readings: what waits returned belongs to single processes. An image's are since the process's start.
            read = sum(last[name] for last in {row["pid"]: row for row in all_rows["processes"]}.values())
            self.assertLessEqual(few[name], read + 1e-6, name)
            self.assertGreaterEqual(few[name], read - starts - 1e-6, name)


if __name__ == "__main__":
    csink_e2e.main()
