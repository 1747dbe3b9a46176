"""The ledger of a report: programs that end, fork, exec and change in known ways, with known CPU time.

The truth is what wait4(2) returned, and what the processes print for which nobody waits. For each program the CPU
time of the report is this sum, the parts of the report add up to it, the processes are counted, and CPU time without
samples has the causes that the program was written to have.
"""

import collections
import os
import shutil
import signal
import tempfile

import csink_e2e
from csink_e2e import E2eTest, program_path

BURN_MS = 300
NOBODY = 65534
# What a start, a look at a clock and an end cost; and clocks that are read one after the other.
SHARE, SECONDS = 0.01, 0.010

# A program of the table. `causes`: those of CPU time without samples, each with its seconds; None: any amount.
Case = collections.namedtuple("Case", "words processes causes status env", defaults=({}, 0, {}))
# CPU time, and the system time that it contains.
Truth = collections.namedtuple("Truth", "cpu system")

ENDS, CHILDREN, CLONES, PLACES = "ledger_ends", "ledger_children", "ledger_clones", "ledger_places"
KILLED = {"killed": None}
SANDBOX = {"sandbox": None}
SHORT = dict.fromkeys(("before-agent", "few-samples", "after-last-reading", "profiler"))
# By LD_PRELOAD: one process, whose spool is read after its end.
ALONE = {
    "return": Case((ENDS, "return"), 1, status=7),
    "exit": Case((ENDS, "exit"), 1, status=3),
    "_exit": Case((ENDS, "underscore_exit"), 1, status=3),
    "exit_group": Case((ENDS, "exit_group"), 1, status=3),
    "abort": Case((ENDS, "abort"), 1, status=-signal.SIGABRT),
    "sigterm": Case((ENDS, "sigterm"), 1, status=-signal.SIGTERM),
    "threads": Case((ENDS, "threads"), 1, status=7),
    "main leaves": Case((ENDS, "main_leaves"), 1),
    "exit beside a thread": Case((ENDS, "exit_beside_thread"), 1, status=3),
    "exec twice": Case((ENDS, "exec_twice"), 1),
    "exec from a thread": Case((ENDS, "exec_from_thread"), 1),
    "exit handler": Case((ENDS, "at_exit"), 1, status=3),
    "not dumpable": Case(("sandbox", "dumpable", BURN_MS), 1),
    "strict mode": Case(("sandbox", "strict", BURN_MS), 1, SANDBOX),
    "filter": Case(("sandbox", "prctl", BURN_MS), 1, SANDBOX),
    "filter of few calls": Case(("sandbox", "allow_list", BURN_MS), 1, SANDBOX),
    "fork by the call": Case((CLONES, "raw_clone"), 2, status=7),
    "file size": Case((PLACES, "file_size"), 1, status=7),
    "closes all": Case((PLACES, "close_all"), 1, status=7),
}
# By csink run, beside ledger_wait: that is one process more.
TREES = {
    "return": Case((ENDS, "return"), 2, status=7),
    "sigkill": Case((ENDS, "sigkill"), 2, KILLED, 137),
    "fault": Case((ENDS, "fault"), 2, KILLED, 139),
    "before main": Case((ENDS, "before_main"), 2, {"before-agent": BURN_MS / 1e3}, 7),
    "exec twice": Case((ENDS, "exec_twice"), 2),
    "exec from a thread": Case((ENDS, "exec_from_thread"), 2),
    "main leaves": Case((ENDS, "main_leaves"), 2),
    "exit beside a thread": Case((ENDS, "exit_beside_thread"), 2, status=3),
    "fork": Case((CHILDREN, "fork"), 4, status=7),
    "fork from a thread": Case((CHILDREN, "fork_from_thread"), 4, status=7),
    "nested": Case((CHILDREN, "nested"), 6, status=7),
    "unwaited": Case((CHILDREN, "unwaited"), 3, status=7),
    "daemon": Case((CHILDREN, "daemon"), 4, status=7),
    "vfork": Case((CHILDREN, "vfork_exit"), 3, status=7),
    "vfork, exec": Case((CHILDREN, "vfork_exec"), 3, status=7),
    "clone in our memory": Case((CLONES, "clone_vm_exit"), 3, status=7),
    "clone in our memory, exec": Case((CHILDREN, "clone_vm"), 3, status=7),
    "clone": Case((CLONES, "clone_own"), 3, status=7),
    "clone, parent waits": Case((CLONES, "clone_vfork"), 3, status=7),
    "clone by the call": Case((CLONES, "raw_clone"), 3, status=7),
    "clone by the call, exec": Case((CLONES, "raw_clone_exec"), 3, status=7),
    "clone3": Case((CLONES, "clone3"), 3, status=7),
    "clone3, exec": Case((CLONES, "clone3_exec"), 3, status=7),
    "fork by the call": Case((CLONES, "raw_fork"), 3, status=7),
    "_Fork, exec": Case((CLONES, "under_fork"), 3, status=7),
    "popen": Case((CLONES, "popen"), 4, status=7),
    "pid namespace": Case((CLONES, "pid_namespace"), 4, status=7),
    "pid namespace, exec": Case((CLONES, "pid_namespace_exec"), 3, status=7),
    "unshare": Case(("sh", "-c", "unshare -p -f {bin}/ledger_clones leaf %d; :" % BURN_MS), 4),
    "unshare, with /proc": Case(("sh", "-c", "unshare -p -f --mount-proc {bin}/ledger_children fork %d; :" % BURN_MS), 6),
    "time namespace": Case(("sh", "-c", "unshare -T -f --monotonic 5000 --boottime 9000 {bin}/ledger_children fork %d; :" % BURN_MS), 6),
    "time namespace before": Case(("sh", "-c", "unshare -T -f --monotonic -3 {bin}/ledger_children fork %d; :" % BURN_MS), 6),
    "time namespace, exec": Case(("sh", "-c", "unshare -T --monotonic 5000 {bin}/ledger_children fork %d; :" % BURN_MS), 5),
    "posix_spawn": Case((CHILDREN, "spawn"), 3, status=7),
    "short": Case((CHILDREN, "short"), 102, SHORT, 7),
    "system": Case((CHILDREN, "system"), 4, status=7),
    "pipeline": Case((CHILDREN, "pipeline"), 5, status=7),
    "killed child": Case((CHILDREN, "killed_child"), 3, KILLED, 7),
    "traced": Case((CHILDREN, "traced"), 4, status=7),
    "no environment": Case((CHILDREN, "no_environment"), 3, {"agent-not-in-environment": BURN_MS / 1e3}, 7),
    "static": Case(("sh", "-c", "static_loop plain %d; :" % BURN_MS), 3),
    "setuid bit": Case(("sh", "-c", "{setuid} leaf %d; :" % BURN_MS), 3, {"setuid-program": BURN_MS / 1e3}),
    "setuid": Case((PLACES, "setuid"), 2, status=7),
    "setuid, exec": Case((PLACES, "setuid_exec"), 2),
    "children of another user": Case((PLACES, "child_setuid"), 4, status=7),
    "two users": Case((PLACES, "two_users"), 2, status=7),
    "forks as another user": Case((PLACES, "user_forks"), 4, status=7),
    "strict mode": Case(("sandbox", "strict", BURN_MS), 2, SANDBOX),
    "filter": Case(("sandbox", "prctl", BURN_MS), 2, SANDBOX),
    "filter of few calls": Case(("sandbox", "allow_list", BURN_MS), 2, SANDBOX),
    "events off": Case(("sandbox", "perf_off", BURN_MS), 2, {"events-switched-off": BURN_MS / 1e3}),
    "cpu limit": Case((PLACES, "cpu_limit"), 2, KILLED, 128 + signal.SIGXCPU),
    "file size": Case((PLACES, "file_size"), 2, status=7),
    "address space, exec": Case((PLACES, "address_space_exec"), 2),
    "few files, exec": Case((PLACES, "few_files_exec"), 2),
    "closes all": Case((PLACES, "close_all"), 2, status=7),
    # Too small for a spool, but not for a record.
    "refused spools": Case(("sh", "-c", "prlimit --fsize=20000 {bin}/ledger_children nested %d; :" % BURN_MS), 7,
                           {"spool-refused": None}),
}
OF_ROOT = {"setuid bit", "setuid", "setuid, exec", "children of another user", "two users", "forks as another user",
           "pid namespace", "pid namespace, exec", "unshare", "unshare, with /proc", "time namespace",
           "time namespace before", "time namespace, exec"}


class Ledger(E2eTest):
    def setUp(self):
        super().setUp()
        os.chmod(self.folder, 0o711)
        # Processes that change their user start what is here: the build tree may be closed to others.
        self.bin = tempfile.mkdtemp(prefix="csink-e2e-bin-", dir="/var/tmp")
        self.addCleanup(shutil.rmtree, self.bin)
        os.chmod(self.bin, 0o755)
        attacher = os.path.join(os.path.dirname(csink_e2e.AGENT), "csink-attach")
        for path in (csink_e2e.AGENT, csink_e2e.TOOL, attacher, *map(program_path, (
                ENDS, CHILDREN, CLONES, PLACES, "ledger_wait", "sandbox", "static_loop"))):
            shutil.copy(path, self.bin)
        if os.geteuid() == 0:
            shutil.copy(self.copy(ENDS), self.copy("setuid"))
            os.chown(self.copy("setuid"), NOBODY, NOBODY)
            os.chmod(self.copy("setuid"), 0o4755)

    def copy(self, name):
        return os.path.join(self.bin, name)

    def command(self, case):
        words = [str(word).replace("{setuid}", self.copy("setuid")).replace("{bin}", self.bin) for word in case.words]
        own = self.copy(words[0])
        return [own if os.path.exists(own) else words[0], *words[1:], str(BURN_MS)]

    def problems(self, name, case, run, truth, ledger):
        """What is wrong, in words; and the CPU time without a cause."""
        cpu = truth.cpu
        bound = SHARE * cpu + SECONDS
        rows = ledger["remainders"]
        found = collections.Counter()
        for row in rows:
            found[row["cause"]] += row["seconds"]
        sum_of_parts = ledger["explained_seconds"] + sum(found.values())
        # What the kernel does not sample of a busy thread here and now has no cause that somebody could record.
        missed = self.missed * cpu
        most_of = {"unknown": missed, "context-switches": missed, "system-time-not-sampled": truth.system}
        wrong = []
        if run.status != case.status:
            wrong.append(f"status {run.status}")
        if abs(ledger["cpu_seconds"] - cpu) > bound:
            wrong.append(f"{ledger['cpu_seconds']:.3f} s of CPU time in the report, {cpu:.3f} s in truth")
        if abs(sum_of_parts - ledger["cpu_seconds"]) > bound:
            wrong.append(f"the parts are {sum_of_parts:.3f} s of {ledger['cpu_seconds']:.3f} s")
        if ledger["processes"] != case.processes:
            wrong.append(f"{ledger['processes']} processes, {case.processes} in truth")
        for cause in set(found) | set(case.causes):
            least = most = case.causes.get(cause, 0)
            if least is None or cause in most_of:
                least, most = 0, most_of.get(cause, cpu)
            if not least - bound <= found[cause] <= most + bound:
                wrong.append(f"{found[cause]:.3f} s {cause}, {case.causes.get(cause, 0)} in truth")
        if wrong:
            print(f"{name}: {'; '.join(wrong)}\n  explained {ledger['explained_seconds']:.3f}, "
                  f"remainders {[(r['cause'], round(r['seconds'], 3)) for r in rows if r['seconds'] > 0.001]}\n  {run.stderr}")
        return wrong, found["unknown"]

    def alone(self, case):
        folder = self.fresh_folder()
        env = csink_e2e.agent_environment(folder, LD_PRELOAD=self.copy("libagent.so"), CSINK_REPORT="0", CSINK_KEEP="1")
        run = self.run_command(self.command(case), env | case.env, folder)
        return run, Truth(run.cpu, run.cpu - run.user), self.report_of_spool(*run.spools)

    def tree(self, case):
        folder = self.fresh_folder()
        env = csink_e2e.tool_environment(CSINK_SPOOL_DIR=os.path.join(folder, "spool"), CSINK_AGENT=self.copy("libagent.so"))
        env["PATH"] = self.bin + ":" + env.get("PATH", "/usr/bin:/bin")
        run = self.run_command([self.copy("csink"), "run", "-e", "task-clock", "--format", "json", "-o", folder + "/report.tree",
                                "--", self.copy("ledger_wait"), *self.command(case)], env | case.env, folder)
        cpu, system = sum(run.values("tree") + run.values("also")), sum(run.values("system"))
        return run, Truth(cpu / 1e9, system / 1e9), run.reports[0]

    def check(self, table, run_one):
        """Runs the programs of a table, a processor for each."""
        if os.geteuid() != 0:
            table = {name: case for name, case in table.items() if name not in OF_ROOT}

        shares = csink_e2e.kernel_shares()
        runs = self.side_by_side(*[lambda case=case: run_one(case) for case in table.values()])
        # Before and after: other programs come and go.
        self.missed = 1 - min(shares + csink_e2e.kernel_shares())
        results = [(name, truth.cpu, *self.problems(name, case, run, truth, report["ledger"]))
                   for (name, case), (run, truth, report) in zip(table.items(), runs)]
        self.assertEqual({name: wrong for name, _, wrong, _ in results if wrong}, {})
        total, unknown = sum(row[1] for row in results), sum(row[3] for row in results)
        self.assertLessEqual(unknown, (SHARE + self.missed) * total)

    def test_one_process_by_ld_preload(self):
        self.check(ALONE, self.alone)

    def test_trees_by_csink_run(self):
        # Each start has a few milliseconds before the agent there, more than the bound of a tree of several.
        self.need_cheap_pages()
        self.check(TREES, self.tree)


if __name__ == "__main__":
    csink_e2e.main()
