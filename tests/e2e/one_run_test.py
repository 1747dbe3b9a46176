"""Processes of one run do not replace each other's reports and spools: forked, executed, started by MPI_Comm_spawn, on
two nodes, in two containers. All write to one name in one folder."""

import glob
import json
import os
import subprocess
import sys
import time

import csink_e2e
from csink_e2e import E2eTest, main, program_path, total_samples

SPLIT = program_path("split")
# Keeps a processor busy, in a shell.
BUSY = "i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done"


class OneRun(E2eTest):
    def environment(self, folder, **changes):
        return csink_e2e.agent_environment(folder, CSINK_FORMAT="json", CSINK_OUTPUT="report.json", **changes)

    def reports(self, folder):
        """{name: report}"""
        found = {}
        for path in glob.glob(folder + "/report.json*"):
            with open(path, encoding="utf-8") as file:
                found[os.path.basename(path)] = json.load(file)
        return found

    def run_shell(self, script, **changes):
        folder = self.fresh_folder()
        subprocess.run(["sh", "-c", script], cwd=folder, env=self.environment(folder, **changes), check=True,
                       stdout=subprocess.DEVNULL,
                       timeout=csink_e2e.HANG_SECONDS)
        self.assertEqual(glob.glob(folder + "/spool/*.csink"), [])
        return self.reports(folder)

    def run_together(self, *processes):
        """Runs (launcher, variables) that all begin before one of them ends."""
        folder = self.fresh_folder()
        running = []
        for i, (launcher, variables) in enumerate(processes):
            script = f"touch ready.{i}; until [ -e go ]; do sleep 0.02; done; exec {SPLIT} 100 1"
            settings = self.environment(folder, **variables)
            # The launcher itself is not profiled.
            words = [f"{name}={value}" for name, value in settings.items()]
            running.append(subprocess.Popen([*launcher, "env", "-i", *words, "sh", "-c", script], cwd=folder,
                                            stdout=subprocess.DEVNULL))
            self.wait_for(lambda i=i: os.path.exists(f"{folder}/ready.{i}"), "a process")
            # Two ticks of /proc/PID/stat: equal numbers and start times make one process of two.
            time.sleep(0.03)
        with open(folder + "/go", "w", encoding="utf-8"):
            pass
        self.assertEqual([p.wait(csink_e2e.HANG_SECONDS) for p in running], [0] * len(running))
        self.assertEqual(glob.glob(folder + "/spool/*.csink"), [])
        reports = self.reports(folder)
        for name, report in reports.items():
            self.assertGreater(total_samples(report), 50, name)
        return reports, [p.pid for p in running]

    def test_forked_without_exec(self):
        reports = self.run_shell(f"({BUSY}) & ({BUSY}) & {BUSY}; wait")
        self.assertEqual(len(reports), 3, reports.keys())
        self.assertEqual(len({report["processes"][0]["pid"] for report in reports.values()}), 3)

    def test_executed(self):
        reports = self.run_shell(f"{BUSY}; exec {SPLIT} 60 1")
        self.assertEqual(list(reports), ["report.json"])
        self.assertEqual(len(reports["report.json"]["processes"]), 2)
        reports = self.run_shell(f"{SPLIT} 60 1; {SPLIT} 60 1; {BUSY}")
        self.assertEqual(len(reports), 3, reports.keys())

    def test_two_programs_at_once(self):
        reports, pids = self.run_together(((), {}), ((), {}))
        # Who ends first has the name.
        self.assertIn("report.json", reports)
        self.assertEqual(len(reports), 2)
        self.assertLessEqual(set(reports), {"report.json", *(f"report.json.{pid}" for pid in pids)})

    def test_a_later_run_replaces_an_earlier_one(self):
        folder = self.fresh_folder()
        for _ in range(3):
            subprocess.run([SPLIT, "40", "1"], cwd=folder, env=self.environment(folder), check=True,
                           stdout=subprocess.DEVNULL)
        self.assertEqual(list(self.reports(folder)), ["report.json"])

    def test_worlds_of_mpi_by_their_variables(self):
        # What Open MPI 4.1 and Hydra 4.0 set, without them.
        port = "1537671169.0:2650871960"
        ranks = [{"PMIX_NAMESPACE": "1537671169"}, {"PMIX_NAMESPACE": "1537671170", "OMPI_PARENT_PORT": port},
                 {"PMIX_NAMESPACE": "1537671171", "OMPI_PARENT_PORT": port}]
        reports, _ = self.run_together(*(((), {"PMIX_RANK": "0", **rank}) for rank in ranks))
        self.assertEqual(sorted(reports), ["report.json.r0", "report.json.spawn.1537671170.r0",
                                           "report.json.spawn.1537671171.r0"])
        reports, _ = self.run_together(((), {"PMI_RANK": "0"}), ((), {"PMI_RANK": "0", "PMI_SPAWNED": "1"}))
        self.assertEqual(sorted(reports), ["report.json.r0", f"report.json.spawn.{os.getpid()}.r0"])

    def test_ranks_of_two_worlds_are_not_added(self):
        folder = self.fresh_folder()
        for rank in range(2):
            for spawned in ({"PMIX_NAMESPACE": "71"}, {"PMIX_NAMESPACE": "72", "OMPI_PARENT_PORT": "71.0:5"}):
                env = self.environment(folder, CSINK_REPORT="0", PMIX_RANK=str(rank), **spawned)
                subprocess.run([SPLIT, "60", "1"], cwd=folder, env=env, check=True, stdout=subprocess.DEVNULL)
        spools = glob.glob(folder + "/spool/*.csink")
        self.assertEqual(len(spools), 4)
        self.assertEqual(self.run_tool("merge", "-o", folder + "/all.csink", *spools)[0], 0)
        for target in (folder + "/spool", folder + "/all.csink"):
            status, out, _ = self.run_tool("report", "--format", "json", target)
            self.assertEqual(status, 0)
            report = json.loads(out)
            self.assertFalse(report["ranks"] and report["ranks"]["events"], report["ranks"])
            self.assertEqual(sorted((p["rank"], p["job"]) for p in report["processes"]),
                             sorted((rank, job) for rank in range(2) for job in ("", "spawn.72")))
            self.assertIn("ranks of 2 jobs", self.run_tool("report", target)[1])

    def need_namespaces(self, *options):
        self.need_root()
        if subprocess.run(["unshare", *options, "true"], capture_output=True, check=False).returncode != 0:
            self.skipTest(f"unshare {' '.join(options)} is refused here")

    def test_two_nodes_with_equal_process_numbers(self):
        options = ("--pid", "--fork", "--mount-proc", "--uts")
        self.need_namespaces(*options)
        launchers = [("unshare", *options, "sh", "-c", f'hostname node{i}; exec "$0" "$@"') for i in range(3)]
        reports, _ = self.run_together(*((launcher, {}) for launcher in launchers))
        self.assertEqual(len(reports), 3, reports.keys())
        self.assertEqual({(r["processes"][0]["pid"], r["processes"][0]["host"]) for r in reports.values()},
                         {(1, f"node{i}") for i in range(3)})

    def test_containers_on_one_volume(self):
        options = ("--pid", "--fork", "--mount-proc")
        self.need_namespaces(*options)
        reports, _ = self.run_together(*((("unshare", *options), {}) for _ in range(4)))
        host = os.uname().nodename
        self.assertEqual(sorted(reports), ["report.json", "report.json.1", f"report.json.1.{host}",
                                           f"report.json.1.{host}.2"])


if __name__ == "__main__":
    sys.exit(main())
