"""CSINK_OPTIONS, kernel mode, rank and job, the configuration in the spool, two agents at once."""

import os
import re
import shutil
import subprocess
import sys

import csink_e2e
from csink_e2e import E2eTest, explained_seconds, total_samples

NOBODY = 65534
READS = """import os, sys, time
zeros = os.open('/dev/zero', os.O_RDONLY)
start = os.times()
while os.times().system - start.system < 0.35: os.read(zeros, 1 << 20)
end = os.times()
print('cpu_ns', int((end.user + end.system - start.user - start.system) * 1e9))
print('system_ns', int((end.system - start.system) * 1e9))
"""


class Options(E2eTest):
    def test_one_variable_does_for_all(self):
        run = self.run_agent("split", 210, CSINK_EVENTS=None, CSINK_KEEP=None,
                             CSINK_OPTIONS="events=task-clock@2000003,page-faults;keep")
        self.assertEqual((run.status, run.stderr), (0, ""))
        self.assertEqual([e["name"] for e in run.report["events"]],
                         ["task-clock:u", "page-faults:u"])
        self.assertEqual(run.report["events"][0]["period"], 2000003)
        self.assertEqual(len(run.spools), 1)

    def test_a_variable_of_its_own_wins(self):
        run = self.profile("split", 210, CSINK_OPTIONS="events=task-clock@9999991;keep=1",
                           CSINK_EVENTS="task-clock", CSINK_KEEP="0")
        self.assertEqual(run.report["events"][0]["period"], 1000003)
        self.assertEqual(run.spools, [])

    def test_enable_there_is_literally_nothing_too(self):
        run = self.profile("split", 70, CSINK_OPTIONS="enable=0;nonsense=1", CSINK_EVENTS="nonsense")
        self.assertEqual((run.reports, run.spools), ([], []))

    def test_an_unknown_option_names_the_nearest(self):
        run = self.run_agent("split", 210, CSINK_OPTIONS="tpo=3")
        self.assertEqual((run.status, len(run.own_lines)), (0, 1), run.stderr)
        self.assertIn("did you mean top?", run.stderr)
        self.assertGreater(explained_seconds(run.report), 0.18)


class KernelMode(E2eTest):
    def can_sample(self):
        level = int(open("/proc/sys/kernel/perf_event_paranoid").read())
        if os.geteuid() != 0 and level > 1:
            self.skipTest(f"kernel mode is not permitted here (perf_event_paranoid {level})")

    def test_is_sampled_where_it_is_permitted(self):
        self.can_sample()
        run = self.profile(sys.executable, "-c", READS, CSINK_KERNEL="1", CSINK_PYTHON="off")
        report = run.report
        self.assertEqual(report["events"][0]["name"], "task-clock:uk")
        self.assertCovers(report, run.values("cpu_ns")[0] / 1e9, 0.9, 1.25)
        kernel = [f for f in report["functions"] if f["module"] == "[kernel]"]
        share = sum(f["events"][0]["samples"] for f in kernel) / total_samples(report)
        # Ticks split user from system time: a rough comparison.
        self.assertGreater(share, 0.6 * run.values("system_ns")[0] / run.values("cpu_ns")[0])
        self.assertEqual([f for f in report["functions"] if f["module"] == "[unknown]"], [])
        status, out, _ = self.run_tool("report", *self.kept(CSINK_KERNEL="1"))
        self.assertEqual(status, 0)
        self.assertNotIn("not sampled)", out)

    def kept(self, **env):
        return self.run_agent("split", 140, CSINK_REPORT="0", **env).spools

    def test_functions_have_names_where_the_kernel_shows_them(self):
        self.can_sample()
        with open("/proc/kallsyms") as f:
            if int(f.readline().split()[0], 16) == 0:
                self.skipTest("/proc/kallsyms shows no addresses (kptr_restrict)")
        report = self.profile(sys.executable, "-c", READS, CSINK_KERNEL="1", CSINK_PYTHON="off").report
        named = [f for f in report["functions"]
                 if f["module"] == "[kernel]" and f["source"] == "symbol"]
        self.assertTrue(named, report["functions"][:5])

    def test_an_explicit_level_stays(self):
        self.can_sample()
        run = self.profile("split", 140, CSINK_KERNEL="1", CSINK_EVENTS="task-clock:u,cpu-clock")
        self.assertEqual([e["name"] for e in run.report["events"]], ["task-clock:u", "cpu-clock:uk"])

    def test_without_it_system_time_is_shown_as_not_sampled(self):
        status, out, _ = self.run_tool("report", *self.kept())
        self.assertEqual(status, 0)
        self.assertIn("not sampled)", out)

    def test_where_it_is_refused_user_code_is_sampled_and_one_line_names_the_setting(self):
        if os.geteuid() != 0 or not shutil.which("setpriv"):
            self.skipTest("needs root and setpriv to become an ordinary user")
        if int(open("/proc/sys/kernel/perf_event_paranoid").read()) != 2:
            self.skipTest("needs kernel.perf_event_paranoid=2")
        os.chmod(self.folder, 0o711)
        for path in (csink_e2e.AGENT, csink_e2e.TOOL, csink_e2e.program_path("split")):
            shutil.copy(path, self.folder)
        folder = self.fresh_folder()
        for path in (folder, os.path.join(folder, "spool")):
            os.chown(path, NOBODY, NOBODY)
        env = csink_e2e.agent_environment(
            folder, CSINK_KERNEL="1", LD_PRELOAD=None,
            CSINK_REPORTER=os.path.join(self.folder, os.path.basename(csink_e2e.TOOL)))
        command = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "env",
                   "LD_PRELOAD=" + os.path.join(self.folder, os.path.basename(csink_e2e.AGENT)),
                   os.path.join(self.folder, "split"), "210"]
        run = self.run_command(command, env, folder)
        self.assertEqual(run.status, 0, run.stderr)
        self.assertEqual(len(run.own_lines), 1, run.stderr)
        self.assertIn("kernel.perf_event_paranoid=1", run.stderr)
        self.assertEqual(run.report["events"][0]["name"], "task-clock:u")
        self.assertGreater(explained_seconds(run.report), 0.18)

    def test_where_perf_is_refused_one_line_says_so(self):
        launcher = (csink_e2e.program_path("no_perf"), "EPERM")
        run = self.run_agent("split", 280, launcher=launcher, CSINK_KERNEL="1")
        if run.status == csink_e2e.SKIP:
            self.skipTest("no seccomp here: " + run.stderr)
        self.assertEqual((run.status, len(run.own_lines)), (0, 1), run.stderr)
        self.assertIn("CSINK_KERNEL", run.stderr)
        self.assertEqual(run.report["source"], "timer")


class Configuration(E2eTest):
    def config_of(self, *spools):
        status, out, err = self.run_tool("report", "--config", *spools)
        self.assertEqual((status, err), (0, ""))
        return out

    def test_a_shell_can_repeat_the_run(self):
        run = self.run_agent("split", 210, CSINK_REPORT="0", CSINK_EVENTS=None,
                             CSINK_TOP="7", CSINK_EXCLUDE="it's; $(rm) `x`\n\\",
                             CSINK_OPTIONS="min_samples=3")
        self.assertEqual((run.status, len(run.spools)), (0, 1), run.stderr)
        lines = self.config_of(*run.spools)
        self.assertRegex(lines, r"export CSINK_EVENTS='(task-clock|cycles):u@\d+'\n")
        self.assertIn("export CSINK_SOURCE='ring'\n", lines)
        done = subprocess.run(["sh", "-c", 'eval "$1"; env -0', "sh", lines], check=True,
                              capture_output=True, env=csink_e2e.clean_environment())
        again = dict(v.split("=", 1) for v in done.stdout.decode().split("\0")
                     if v.startswith("CSINK_"))
        self.assertEqual(again["CSINK_EXCLUDE"], "it's; $(rm) `x`\n\\")
        self.assertEqual(again["CSINK_TOP"], "7")
        self.assertEqual(again["CSINK_MIN_SAMPLES"], "3")
        second = self.run_agent("split", 210, CSINK_TOP=None, CSINK_OUTPUT=None, CSINK_FORMAT=None,
                                **{k: v for k, v in again.items()
                                   if k not in ("CSINK_TOP", "CSINK_OUTPUT", "CSINK_FORMAT",
                                                "CSINK_SPOOL_DIR")},
                                CSINK_OPTIONS="top=7;format=json")
        # OUTPUT belongs to the folder of each run of this test.
        drop = lambda text: re.sub(r"export CSINK_(OUTPUT|SPOOL_DIR)=.*\n", "", text)
        self.assertEqual(drop(self.config_of(*second.spools)), drop(lines))

    def test_the_timer_that_had_to_be_is_in_it(self):
        launcher = (csink_e2e.program_path("no_perf"), "EPERM")
        run = self.run_agent("split", 280, launcher=launcher, CSINK_REPORT="0", CSINK_EVENTS=None)
        if run.status == csink_e2e.SKIP:
            self.skipTest("no seccomp here: " + run.stderr)
        self.assertIn("export CSINK_SOURCE='timer'\n", self.config_of(*run.spools))

    def test_a_spool_cannot_smuggle_a_command(self):
        run = self.run_agent("split", 210, CSINK_REPORT="0", CSINK_EXCLUDE="QQ'QQ")
        with open(run.spools[0], "rb") as f:
            data = f.read()
        planted = os.path.join(self.folder, "planted.csink")
        with open(planted, "wb") as f:
            f.write(data.replace(b"'QQ'\\''QQ'", b"'QQ';idQQ'"))
        status, out, err = self.run_tool("report", "--config", planted)
        self.assertEqual(status, 1)
        self.assertNotIn("id", out.replace("dir", ""))
        self.assertEqual(len(err.splitlines()), 1, err)


class Raw(E2eTest):
    def raw_of(self, path):
        status, out, err = self.run_tool("report", "--raw", path)
        self.assertEqual((status, err), (0, ""))
        self.assertRegex(out, r'^0x0 Header 8192 bytes\n  magic="CSINKSPL"\n')
        return out

    def test_has_the_records_of_spools_and_merged_files_and_says_what_is_torn(self):
        run = self.run_agent("split", 210, CSINK_REPORT="0")
        self.assertEqual((run.status, len(run.spools)), (0, 1), run.stderr)
        whole = self.raw_of(run.spools[0])
        self.assertRegex(whole, r'(?m)^0x[0-9a-f]+ Regions\[0\] 96 bytes: start=0x')
        self.assertRegex(whole, r'(?m)^0x[0-9a-f]+ Threads\[1\] 144 bytes: tid=\d+ ended=[01] name="split"')
        self.assertIn(" counts=[{samples=", whole)
        self.assertNotIn("problem", whole)
        merged = os.path.join(self.folder, "merged.csink")
        self.assertEqual(self.run_tool("merge", "-o", merged, run.spools[0])[0], 0)
        self.assertRegex(self.raw_of(merged), r"(?m)^0x[0-9a-f]+ Processes\[0\] \d+ bytes: spool_path=0x")
        with open(run.spools[0], "rb") as f:
            data = f.read()
        torn = os.path.join(self.folder, "torn.csink")
        with open(torn, "wb") as f:
            f.write(data[:len(data) // 2])
        self.assertIn("problem: truncated: the last segment is incomplete", self.raw_of(torn))
        status, out, err = self.run_tool("report", "--raw", __file__)
        self.assertEqual((status, out, len(err.splitlines())), (1, "", 1))


class RankAndJob(E2eTest):
    def test_are_in_the_name_of_the_report(self):
        run = self.run_agent("split", 210, PMIX_RANK="3", SLURM_PROCID="9", SLURM_JOB_ID="../77",
                             CSINK_OUTPUT="report.%r.%j")
        self.assertEqual((run.status, run.stderr), (0, ""))
        self.assertIn("report.3..._77", os.listdir(run.folder))

    def test_ranks_that_share_a_name_do_not_overwrite_each_other(self):
        folder = self.fresh_folder()
        for rank in range(3):
            env = csink_e2e.agent_environment(folder, CSINK_OUTPUT="report", PMI_RANK=str(rank))
            run = self.run_command([csink_e2e.program_path("split"), "140"], env, folder)
            self.assertEqual((run.status, run.stderr), (0, ""))
        self.assertEqual(sorted(f for f in os.listdir(folder) if f.startswith("report")),
                         ["report.r0", "report.r1", "report.r2"])


class OutputNames(E2eTest):
    def names(self, *args, program="split", **env):
        run = self.run_agent(program, *(args or (140,)), **env)
        self.assertEqual((run.status, run.stderr), (0, ""))
        found = []
        for folder, _, files in os.walk(run.folder):
            if "/spool" not in folder:
                found += [os.path.relpath(os.path.join(folder, f), run.folder) for f in files]
        return sorted(set(found) - {"stdout", "stderr"})

    def test_missing_folders_are_made(self):
        self.assertEqual(self.names(CSINK_OUTPUT="a/b/%e/report.%p", CSINK_X=None)[0][:15],
                         "a/b/split/repor")

    def test_variables_are_those_of_the_start_and_stay_harmless(self):
        self.assertEqual(self.names(CSINK_OUTPUT="out/%{NAME}/%{UP}/%{UP}%{UP}.%{GONE}",
                                    NAME="a/b\x01\n", UP=".."),
                         ["out/a_b__/_./_....none"])
        self.assertEqual(self.names(CSINK_OUTPUT="%{BYTES}%%",
                                    BYTES=b"\xff\xc3\xa4".decode("utf-8", "surrogateescape")),
                         ["_ä%"])

    def test_a_numbered_file_is_a_new_one(self):
        folder = self.fresh_folder()
        for _ in range(3):
            env = csink_e2e.agent_environment(folder, CSINK_OUTPUT="r%n")
            self.run_command([csink_e2e.program_path("split"), "140"], env, folder)
        self.assertEqual({"r1", "r2", "r3"} - set(os.listdir(folder)), set())

    def test_a_file_of_an_earlier_run_is_replaced(self):
        folder = self.fresh_folder()
        with open(os.path.join(folder, "report"), "w") as f:
            f.write("x" * 100000)
        env = csink_e2e.agent_environment(folder, CSINK_OUTPUT="report")
        run = self.run_command([csink_e2e.program_path("split"), "140"], env, folder)
        self.assertEqual(len(run.reports), 0 if not run.reports else 1)
        with open(os.path.join(folder, "report")) as f:
            self.assertTrue(f.read().startswith("{"))

    def test_the_start_directory_counts_though_the_program_left_it(self):
        work = "import os, time\nos.chdir('/')\nos.environ['V'] = 'no'\n" \
               "while time.process_time() < 0.3: pass"
        self.assertEqual(self.names("-c", work, program=sys.executable, CSINK_OUTPUT="100%%.%{V}",
                                    V="yes"), ["100%.yes"])


class TwoAgents(E2eTest):
    def second(self, name):
        path = os.path.join(self.folder, name)
        shutil.copy(csink_e2e.AGENT, path)
        return path

    def check(self, preload, lines, program="split", args=(210,)):
        run = self.run_agent(program, *args, LD_PRELOAD=preload)
        self.assertEqual(run.status, 0, run.stderr)
        self.assertEqual(len(run.own_lines), lines, run.stderr)
        return run

    def test_the_second_steps_back_and_says_so(self):
        for preload in (f"{csink_e2e.AGENT}:{self.second('libagent.so')}",
                        f"{self.second('other.so')}:{csink_e2e.AGENT}"):
            run = self.check(preload, 1)
            second = preload.split(":")[1]
            self.assertIn(second, run.own_lines[0])
            self.assertEqual(len(run.reports), 1)
            self.assertCovers(run.report, sum(run.values("cpu_ns")) / 1e9, 0.9)
            self.assertEqual(run.spools, [])

    def test_one_that_is_listed_twice_is_one(self):
        run = self.check(f"{csink_e2e.AGENT}:{csink_e2e.AGENT}", 0)
        self.assertEqual(len(run.reports), 1)

    def test_forked_children_are_counted_once(self):
        run = self.check(f"{self.second('other.so')}:{csink_e2e.AGENT}", 1, "forks",
                         ("fork", 3, 60))
        self.assertEqual(run.stdout, "wrong 0\n")
        pids = [r["pid"] for r in run.reports]
        self.assertEqual(len(pids), len(set(pids)))
        self.assertGreaterEqual(len(pids), 3)

    def test_beside_another_profiler(self):
        found = [os.path.join(f, "libprofiler.so.0")
                 for f in ("/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu")]
        found = [f for f in found if os.path.exists(f)]
        if not found:
            self.skipTest("no libprofiler.so.0 (libgoogle-perftools4) is installed")
        folder = self.fresh_folder()
        for order in (f"{csink_e2e.AGENT}:{found[0]}", f"{found[0]}:{csink_e2e.AGENT}"):
            run = self.run_agent("split", 210, LD_PRELOAD=order,
                                 CPUPROFILE=os.path.join(folder, "peer.prof"))
            self.assertEqual((run.status, run.own_lines), (0, []), run.stderr)
            # The other profiler's own start and end are in the samples, and not in the program's own figure.
            self.assertCovers(run.report, sum(run.values("cpu_ns")) / 1e9, 0.9, most=1.05 * run.cpu / sum(run.values("cpu_ns")) * 1e9)
            self.assertGreater(os.path.getsize(os.path.join(folder, "peer.prof")), 100)


if __name__ == "__main__":
    csink_e2e.main()
