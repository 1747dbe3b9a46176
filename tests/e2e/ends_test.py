"""A table of ends that nobody plans for: the wait status and the core dump are the program's own,
and the spool, or the report, keeps all but the last 100 ms of CPU time (250 ms with threads)."""

import concurrent.futures
import glob
import os
import resource
import signal
import subprocess

import csink_e2e
from csink_e2e import E2eTest, explained_seconds, program_path, sampled_seconds

BURN_MS = 250
THREADS = 2
GRAIN = 0.012  # the tick of the CPU clock that drains, and start-up

# Mode: what its wait status says, an exit status or a negative signal.
ABORT, SEGV = -signal.SIGABRT, -signal.SIGSEGV
TABLE = {
    "terminate": ABORT, "uncaught": ABORT, "uncaught_in_thread": ABORT, "out_of_noexcept": ABORT,
    "smashed_stack": None, "no_stack_at_all": SEGV, "smashed_heap": ABORT,
    "double_free": ABORT, "stack_overflow": SEGV, "stack_overflow_in_thread": SEGV,
    "bus_error": -signal.SIGBUS, "no_memory": ABORT, "sigkill": -signal.SIGKILL,
    "sighup": -signal.SIGHUP, "sigquit": -signal.SIGQUIT, "sigusr1": -signal.SIGUSR1,
    "sigalrm": -signal.SIGALRM, "sigprof": -signal.SIGPROF, "sigtrap": -signal.SIGTRAP,
    "sigsys": -signal.SIGSYS, "sigio": -signal.SIGIO, "real_time": -(signal.SIGRTMIN + 7),
    "cpu_limit": -signal.SIGXCPU, "broken_pipe": -signal.SIGPIPE, "divide_by_zero": None,
    "illegal": -signal.SIGILL, "handler_exits_on_segv": 5, "handler_exits_on_term": 5,
    "handler_exits_on_abrt": 5, "handler__exits_on_int": 6, "handler__exits_on_segv": 6,
    "raises_again_term": -signal.SIGTERM, "raises_again_int": -signal.SIGINT,
    "raises_again_segv": SEGV, "raises_again_abrt": ABORT, "faults_again": SEGV,
    "jumps_out_of_segv": 4, "jumps_out_of_term": 4, "overflow_handled": 6, "abort_jumps_out": 4,
    "inline_exit_group": 3, "thread_ends_all": 3, "main_goes_then_killed": -signal.SIGKILL}
# What no hook sees: the rest must have ended with a report, complete.
REPORTED = {"handler_exits_on_segv", "handler_exits_on_term", "handler_exits_on_abrt",
            "handler__exits_on_int", "handler__exits_on_segv", "raises_again_term",
            "raises_again_int", "jumps_out_of_segv", "jumps_out_of_term", "overflow_handled",
            "abort_jumps_out", "sighup", "sigalrm", "broken_pipe"}


class Ends(E2eTest):
    def problems(self, mode, threads):
        plain = self.run_plain("ends", mode, 10, 0)
        run = self.run_agent("ends", mode, BURN_MS, threads)
        problems = []
        if run.status != plain.status:
            problems.append(f"status {plain.status} alone, {run.status} with the agent")
        if TABLE[mode] is not None and plain.status != TABLE[mode]:
            problems.append(f"status {plain.status} alone, {TABLE[mode]} expected")
        if [l for l in run.stderr.splitlines() if l.startswith("csink:")]:
            problems.append(run.stderr)
        report = self.any_report(run)
        lost = BURN_MS / 1e3 * (1 + threads) - sampled_seconds(report)
        with_threads = threads or mode in ("thread_ends_all", "main_goes_then_killed",
                                           "uncaught_in_thread", "stack_overflow_in_thread")
        allowed = (0.250 if with_threads else 0.100) + GRAIN
        if mode == "main_goes_then_killed":
            lost += BURN_MS / 1e3
        # Time that went by on the CPU clock while the machine did not run us is not our loss.
        stolen = sum(report["verdict"]["lost_seconds"].values())
        if lost > allowed + stolen:
            problems.append(f"lacks {lost:.3f} s, {allowed:.3f} allowed, {stolen:.3f} stolen")
        if mode in REPORTED and (report["state"] != "complete" or run.spools):
            problems.append(f"state {report['state']}, spools {run.spools}")
        return "".join(f"{mode}, {threads} threads: {p}\n" for p in problems)

    def check_table(self, modes, threads):
        with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
            problems = "".join(pool.map(lambda mode: self.problems(mode, threads), modes))
        self.assertFalse(problems, problems)

    def test_the_table_is_whole(self):
        modes = subprocess.run([program_path("ends"), "--modes"], capture_output=True, text=True,
                               check=True).stdout.split()
        self.assertEqual(sorted(modes), sorted(TABLE))

    def test_one_thread(self):
        self.check_table(TABLE, 0)

    def test_with_threads(self):
        self.check_table(["uncaught", "smashed_heap", "stack_overflow", "sigkill", "sigquit",
                          "raises_again_term", "handler_exits_on_segv", "inline_exit_group"], THREADS)

    def test_the_kernels_own_killer(self):
        """Out of memory in a control group of its own: SIGKILL, and the spool is there."""
        self.need_root()
        group = f"/sys/fs/cgroup/memory/csink-{os.getpid()}"
        try:
            os.mkdir(group)
            self.addCleanup(os.rmdir, group)
            with open(f"{group}/memory.limit_in_bytes", "w", encoding="ascii") as limit:
                limit.write(str(64 << 20))
        except OSError as error:
            self.skipTest(f"no memory control group can be made here: {error}")
        launcher = ("sh", "-c", f'echo $$ >{group}/tasks && exec "$0" "$@"')
        run = self.run_agent("ends", "eat_memory", BURN_MS, launcher=launcher)
        self.assertEqual(run.status, -signal.SIGKILL, run.stderr)
        report = self.report_of_spool(*run.spools)
        self.assertGreater(explained_seconds(report), BURN_MS / 1e3 - 0.100 - GRAIN)


class Cores(E2eTest):
    """The core dump is the program's own."""

    def dumped(self, mode, env, folder):
        def allow_core():
            resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY,) * 2)
        child = subprocess.Popen([program_path("ends"), mode, "110"], env=env, cwd=folder,
                                 stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL, preexec_fn=allow_core)
        _, status = os.waitpid(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        return os.WTERMSIG(status), os.WCOREDUMP(status), len(glob.glob(f"{folder}/core*"))

    def test_core_dumps(self):
        hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
        if hard != resource.RLIM_INFINITY:
            self.skipTest(f"core dumps are limited to {hard} bytes here")
        for mode in ("sigquit", "double_free", "stack_overflow", "sigkill", "raises_again_term",
                     "raises_again_abrt"):
            plain = self.dumped(mode, csink_e2e.clean_environment(), self.fresh_folder())
            folder = self.fresh_folder()
            agent = self.dumped(mode, csink_e2e.agent_environment(folder), folder)
            with self.subTest(mode=mode):
                self.assertEqual(agent, plain)


if __name__ == "__main__":
    csink_e2e.main()
