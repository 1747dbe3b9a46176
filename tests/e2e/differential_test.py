"""Each small program of tests/programs prints, says and ends the same with the agent as without.

Every mode runs alone, with the ring source, with the timer source and with the observer of blocked threads: stdout, stderr less our own
lines, and the whole wait status are compared. Under strace the failed system calls are counted.
"""

import collections
import concurrent.futures
import os
import re
import subprocess

import csink_e2e
from csink_e2e import E2eTest, program_path

# Programs that name their modes themselves and print nothing that changes from run to run.
EXACT = ("signals", "masks", "waits", "children", "inherits")
# The others: what they print holds times and thread ids, so numbers are compared as numbers only.
ROUGH = (
    [("untouched", m, 140) for m in
     ("signals", "process", "errno", "exec", "exec_ignoring", "waiting", "children", "all_default",
      "own_urg", "own_urg_threads", "own_both", "sigwait_urg", "signalfd", "unshare", "small_stacks")] +
    [("forks", m, 3, 20) for m in
     ("fork", "fork_threads", "vfork", "spawn", "system", "exec_chain", "raw_fork", "exec_thread",
      "exec_fails", "exec_variants")] +
    [("exits", m, 40) for m in
     ("return", "exit", "_exit", "_Exit", "quick_exit", "exit_group", "abort", "assert", "segv",
      "sigint", "own_sigint", "sigterm", "late", "busy_exit")] +
    [("sandbox", m, 40, 40) for m in
     ("prctl", "syscall", "allow_list", "deny_list", "strict", "dumpable", "perf_off")] +
    [("loop", m, 60, 3) for m in ("plain", "blocked", "threads", "threads_blocked")] +
    [("split", 60, 2), ("thread_lives", 20, 200, 5)])
# What the other end-to-end tests run with the agent alone: here, in the long run, beside a plain one.
PLUGIN = os.path.join(csink_e2e.PROGRAMS, "plugin.so")
MORE = (
    [("odd_text", "moved", 40), ("slow_instruction", 40)] +
    [("thread_ends", m, 40) for m in
     ("return", "pthread_exit", "cancel", "detached", "raw_exit", "thrd_create", "std_thread",
      "raw_clone", "main_leaves")] +
    [("thread_ways", m, 40) for m in
     ("tiny_stack", "all_keys", "late_names", "refused", "raw_clone", "raw_clone3", "jthreads",
      "past_us", "past_us_unseen")] +
    [("descriptors", m, 40, ".") for m in ("closeall", "closeall_threads", "closerange")] +
    [("descriptors", m, 40) for m in ("close_stderr", "cloexec", "daemonize", "daemon3", "emfile")] +
    [(p, m, 40) for p in ("callers", "callers_no_frames") for m in
     ("frames", "memcpy", "strlen", "malloc", "odd", "deep", "threads")] +
    [("stack_storms", m, 40) for m in
     ("smashed", "jit", "signal", "jumps", "coroutines", "edge", "tiny")] +
    [("stack_storms", "throws", 40, PLUGIN), ("dl_storm", PLUGIN, 50, 1000),
     ("loads", "twins", PLUGIN, os.path.join(csink_e2e.PROGRAMS, "plugin_left.so"), 20, 1000, 1),
     ("loads", "deepbind", PLUGIN, 1000), ("loads", "space", PLUGIN, 1000)] +
    [("controlled", m, 60) for m in ("sleeps", "sums", "usr1", "late")] +
    [("follow", m, 20) for m in ("environment", "attributes", "handler")] +
    [("jit", m, 20000) for m in ("nomap", "moved")] +
    [("thread_cancel", 4, 40), ("openmp", 40), ("wall_waiter", 60), ("frame_waits", 60), ("early_handler", 3, 20),
     ("secure", 40), ("phases", "plain", 40), ("phases_no_pie", "plain", 40)])
ELSEWHERE = {
    "last_place": "needs a limit of processes: limits_test",
    "held_locks": "waits_test checks its output", "blocked_kinds": "likewise",
    "bare_samples": "has a sampling event of its own, for comparison",
    "ends": "ends_test compares the wait status of every mode", "chaos": "is killed, by chaos_test",
    "no_perf": "a launcher: what it starts is refused perf", "static_loop": "not reached by LD_PRELOAD",
    "phases_static": "likewise", "held_locks_static": "likewise", "blocked_kinds_static": "likewise",
    "phases_cxx": "prints what the agent answers",
    "before_exec": "before_exec_test checks its output", "deep_bind": "plugins_test checks it",
    "known_waits": "prints its own times, known_waits_test checks them", "known_waits_cxx": "likewise",
    "ledger_children": "prints its own times, ledger_test checks them", "ledger_ends": "likewise",
    "known_moments": "prints its own times, known_moments_test checks them", "critical_paths": "likewise",
    "thread_churn": "prints its own times, short_threads_test checks them",
    "ledger_clones": "likewise", "ledger_places": "likewise", "ledger_wait": "likewise", "other_users": "users_test checks it",
    "stack_ends": "chain_ends_test checks its end", "started_threads": "names_test checks its end",
    "library_threads": "likewise",
    "secure_linked": "has the agent inside", "mpi_work": "mpi_test compares the job",
    "mpi_work_ompi-c": "mpi_ranks_test compares the job", "mpi_work_mpich": "likewise"}
# The agent takes the drain signal's default action away, and without perf events it has nothing
# else: it says so in one line.
SOURCES = {"ring": {"CSINK_SOURCE": "ring"}, "timer": {"CSINK_SOURCE": "timer", "CSINK_REPORT": "0"},
           "observer": {"CSINK_WAIT": "1"}}
# The fast tier runs each with one of them, those that are exact with the ring and with the observer.
LONG = os.environ.get("CSINK_E2E_LONG") == "1"

# Failing calls of the agent's own: a folder that is there already, a file that is not, the wait of
# its thread, an event that a virtual machine does not have, a try whether memory may be read, whether
# a mapped file's name is that of a file.
OURS = {("mkdirat", "EEXIST"), ("openat", "ENOENT"), ("openat", "EEXIST"), ("faccessat", "ENOENT"),
        ("readlinkat", "ENOENT"), ("newfstatat", "ENOENT"), ("futex", "ETIMEDOUT"), ("futex", "EAGAIN"),
        ("perf_event_open", "ENOENT"), ("unshare", "EINVAL"), ("rt_sigprocmask", "EINVAL"), ("tgkill", "ESRCH"),
        ("futex", "ERESTART_RESTARTBLOCK"), ("restart_syscall", "ETIMEDOUT")}
FAILED = re.compile(r"^\d+ +(?:<\.\.\. )?(\w+)(?:\(| resumed).*= (?:-1|\?) (E[A-Z_]+)")
TRACED = (("waits", "interrupted_once"), ("waits", "interrupted_with_restart"), ("children", "waits"),
          ("children", "ignored"), ("signals", "timers"), ("signals", "sigtimedwait"),
          ("masks", "urgent_data"), ("inherits", "failing"))


def modes_of(program):
    listed = subprocess.run([program_path(program), "--modes"], capture_output=True, text=True,
                            check=True)
    return [(program, mode) for mode in listed.stdout.split()]


def without_numbers(text):
    return re.sub(r"\d+", "N", text)


def failed_calls(trace):
    with open(trace, encoding="utf-8", errors="replace") as lines:
        found = (FAILED.match(line) for line in lines)
        # What strace shows as rt_sigreturn's result is a register of the interrupted code.
        return collections.Counter(m.groups() for m in found if m and m[1] != "rt_sigreturn")


class Differential(E2eTest):
    def outcome(self, command, exact, folder, env):
        run = self.run_command(command, env, folder)
        own = "".join(l for l in run.stderr.splitlines(True) if not l.startswith("csink:"))
        text = str if exact else without_numbers
        return run, (run.status, text(run.stdout), text(own))

    def compare(self, command, exact, sources):
        """What differs, as text; '' when nothing does."""
        command = [program_path(command[0])] + [str(a) for a in command[1:]]
        _, plain = self.outcome(command, exact, self.fresh_folder(), csink_e2e.clean_environment())
        problems = ""
        for source in sources:
            more = SOURCES[source]
            folder = self.fresh_folder()
            env = csink_e2e.agent_environment(folder, **more)
            run, profiled = self.outcome(command, exact, folder, env)
            if profiled != plain:
                problems += f"{command[1:]} with {source}:\n  alone {plain}\n  agent {profiled}\n"
            if any("could not" in line for line in run.own_lines):
                problems += f"{command[1:]} with {source}: {run.own_lines}\n"
        return problems

    def compare_all(self, commands, exact):
        def compare(number, command):
            every = list(SOURCES)
            some = ["ring", "observer"] if exact else [every[number % 3]]
            return self.compare(command, exact, every if LONG or exact and number % 3 == 0 else some)
        with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
            problems = "".join(pool.map(compare, range(len(commands)), commands))
        self.assertFalse(problems, problems)

    def test_programs_that_print_what_they_see(self):
        commands = [mode for program in EXACT for mode in modes_of(program)]
        self.assertGreater(len(commands), 45)
        self.compare_all(commands, exact=True)

    def test_other_programs(self):
        self.compare_all(ROUGH, exact=False)

    def test_the_programs_of_other_tests(self):
        if not LONG:
            self.skipTest("CSINK_E2E_LONG=1 runs them")
        here = [c for c in MORE if os.path.exists(os.path.join(csink_e2e.PROGRAMS, c[0]))]
        self.compare_all(here, exact=False)

    def test_every_program_is_compared(self):
        is_program = lambda p: os.access(p, os.X_OK) and os.path.isfile(p) and not p.endswith(".so")
        there = {p for p in os.listdir(csink_e2e.PROGRAMS)
                 if is_program(os.path.join(csink_e2e.PROGRAMS, p))}
        compared = set(EXACT) | {c[0] for c in ROUGH + MORE}
        self.assertEqual(sorted(there - compared - set(ELSEWHERE)), [])


class SystemCalls(E2eTest):
    """The agent adds no failing call that the program could have made, and takes none away."""

    def traced(self, command, env):
        folder = self.fresh_folder()
        trace = os.path.join(folder, "trace")
        changes = env(folder)
        # strace itself is not to be profiled.
        preload = ["-E", f"LD_PRELOAD={changes.pop('LD_PRELOAD')}"] if "LD_PRELOAD" in changes else []
        run = self.run_command(["strace", "-f", "-qq", "-o", trace, *preload,
                                program_path(command[0]), *command[1:]], changes, folder)
        return run, failed_calls(trace)

    def test_failing_calls_are_the_programs_own(self):
        for command in TRACED:
            plain, expected = self.traced(command, lambda _: csink_e2e.clean_environment())
            run, calls = self.traced(
                command, lambda folder: csink_e2e.agent_environment(folder, CSINK_REPORT="0"))
            with self.subTest(command=command):
                self.assertEqual((run.status, run.stdout), (plain.status, plain.stdout))
                self.assertTrue(run.spools, "it was not profiled")
                added = {call: n for call, n in (calls - expected).items() if call not in OURS}
                self.assertEqual(added, {})
                self.assertEqual(dict(expected - calls), {})


if __name__ == "__main__":
    csink_e2e.main()
