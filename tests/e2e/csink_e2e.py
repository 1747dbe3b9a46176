"""Runs a workload with the agent preloaded and reads what came of it.

Black box: nothing here knows more than docs/environment.md, docs/csink.md and docs/json.md.
Three variables, set by ctest, say where things are:
  CSINK_E2E_AGENT     libagent.so
  CSINK_E2E_TOOL      the csink program
  CSINK_E2E_PROGRAMS  the folder of the workloads (tests/programs)

Rules of the house: counts and ratios only, never wall time; statistical checks at
99.99 % so that a healthy run fails once in ten thousand.
"""

import concurrent.futures
import functools
import glob
import itertools
import json
import math
import mmap
import os
import pty
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

AGENT = os.environ.get("CSINK_E2E_AGENT", "")
TOOL = os.environ.get("CSINK_E2E_TOOL", "")
PROGRAMS = os.environ.get("CSINK_E2E_PROGRAMS", "")

Z_9999 = 3.891  # two-sided 99.99 %
SKIP = 77
resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
HANG_SECONDS = 90  # of wall time: far beyond any run here, a hang and nothing else


def program_path(name):
    """A workload by its name, any other program as it is."""
    own = os.path.join(PROGRAMS, name)
    return own if os.sep not in name and os.path.exists(own) else name


def clean_environment():
    """The environment without anything that steers us or the report."""
    keep = {k: v for k, v in os.environ.items() if not k.startswith(("CSINK_", "LD_"))}
    keep.update(LC_ALL="C", DEBUGINFOD_URLS="", CSINK_CACHE="0")
    return keep


def tool_environment(**changes):
    """The environment of the csink program."""
    return clean_environment() | {"CSINK_AGENT": AGENT} | changes


class Run:
    """What one run left behind.

    status   exit status as subprocess gives it (negative: killed by that signal)
    cpu      CPU seconds, user and system, of the process and its waited-for children
    user     of it, user seconds (by ticks: noisy on short runs)
    peak_kib the most memory it had at a time
    switches how often it was taken off a core in favour of somebody else
    page_faults how often a page was made or found for it
    reports  all JSON reports that were written, by file name
    """

    def __init__(self, folder, pid, status, rusage):
        self.folder = folder
        self.pid = pid
        self.status = status
        self.cpu = rusage.ru_utime + rusage.ru_stime
        self.user = rusage.ru_utime
        self.peak_kib = rusage.ru_maxrss
        self.switches = rusage.ru_nivcsw
        self.minor_faults = rusage.ru_minflt
        self.page_faults = rusage.ru_minflt
        self.spool_folder = os.path.join(folder, "spool")
        self.stdout = _read(os.path.join(folder, "stdout"))
        self.stderr = _read(os.path.join(folder, "stderr"))
        self._reports = None

    @property
    def reports(self):
        if self._reports is None:
            paths = sorted(glob.glob(os.path.join(self.folder, "report.*")))
            self._reports = [_load(p) for p in paths]
        return self._reports

    @property
    def report(self):
        """The report of the started process; the last one when it exec'ed."""
        own = [r for r in self.reports if r["pid"] == self.pid]
        if not own:
            raise AssertionError(
                f"no report of pid {self.pid}; status {self.status}, reports of "
                f"{[r['pid'] for r in self.reports]}, spools {self.spools}, "
                f"stderr:\n{self.stderr}")
        return own[-1]

    @property
    def spools(self):
        """All regular files in the spool folder."""
        found = []
        for folder, _, files in os.walk(self.spool_folder):
            found += [os.path.join(folder, f) for f in files]
        return sorted(path for path in found if not os.path.islink(path))

    @property
    def own_lines(self):
        """The lines that the agent wrote to stderr."""
        return [l for l in self.stderr.splitlines() if l.startswith("csink:")]

    def values(self, key):
        """The numbers of the lines `key N ...` on stdout, first number of each."""
        return [float(l.split()[1]) for l in self.stdout.splitlines() if l.startswith(key + " ")]

    def threads(self):
        """{tid: CPU seconds} from the lines `thread TID NS` on stdout."""
        rows = [l.split() for l in self.stdout.splitlines() if l.startswith("thread ")]
        return {int(r[1]): int(r[2]) / 1e9 for r in rows}


def _read(path):
    with open(path, "rb") as f:
        return f.read().decode("utf-8", "replace")


def _load(path):
    text = _read(path)
    try:
        report = json.loads(text)
    except ValueError as e:
        raise AssertionError(f"{os.path.basename(path)} is not JSON ({e}):\n{text[:2000]}") from e
    if report.get("format") != "csink-report":
        raise AssertionError(f"{os.path.basename(path)} is no csink-report:\n{text[:2000]}")
    return report


def agent_environment(folder, **changes):
    """Environment of a profiled run with everything private to `folder`. A change of
    None removes the variable."""
    env = clean_environment()
    env.update(
        LD_PRELOAD=AGENT,
        CSINK_REPORTER=TOOL,
        CSINK_SPOOL_DIR=os.path.join(folder, "spool"),
        CSINK_OUTPUT=os.path.join(folder, "report.%p.%g"),
        CSINK_FORMAT="json",
        CSINK_EVENTS="task-clock",
        CSINK_TOP="10000",
    )
    for key, value in changes.items():
        env.pop(key, None)
        if value is not None:
            env[key] = value
    return env


def cpu_seconds_of(pid):
    """User and system CPU seconds of a running process (all threads), from /proc."""
    with open(f"/proc/{pid}/stat", "rb") as f:
        fields = f.read().rsplit(b")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def wait_until_burned(pid, seconds):
    """Returns when the process has used that much CPU time."""
    deadline = time.monotonic() + HANG_SECONDS
    while cpu_seconds_of(pid) < seconds:
        if time.monotonic() > deadline:
            raise AssertionError(f"pid {pid} does not burn CPU time")
        time.sleep(0.005)


def _wait(child, during, deadline):
    try:
        if during:
            during(child)
        while True:
            pid, status, rusage = os.wait4(child.pid, os.WNOHANG)
            if pid:
                child.returncode = os.waitstatus_to_exitcode(status)
                return child.returncode, rusage
            if time.monotonic() > deadline:
                raise AssertionError(f"hung: {child.args}")
            time.sleep(0.005)
    finally:
        if child.returncode is None:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()


class E2eTest(unittest.TestCase):
    """A test case whose runs live in a fresh folder in memory."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="csink-e2e-", dir="/dev/shm")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.runs = itertools.count(1)

    @staticmethod
    def side_by_side(*calls):
        """What independent calls return, a processor for each."""
        with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
            return [f.result() for f in [pool.submit(call) for call in calls]]

    def fresh_folder(self):
        folder = os.path.join(self.folder, str(next(self.runs)))
        os.makedirs(os.path.join(folder, "spool"), mode=0o700)
        return folder

    def run_command(self, command, env, folder, during=None):
        """Runs a command to its end with files as stdout and stderr."""
        with open(os.path.join(folder, "stdout"), "wb") as out, \
             open(os.path.join(folder, "stderr"), "wb") as err:
            child = subprocess.Popen(command, env=env, stdin=subprocess.DEVNULL, stdout=out,
                                     stderr=err, cwd=folder, start_new_session=True)
        status, rusage = _wait(child, during, time.monotonic() + HANG_SECONDS)
        return Run(folder, child.pid, status, rusage)

    def run_plain(self, program, *args):
        """The program alone."""
        command = [program_path(program)] + [str(a) for a in args]
        return self.run_command(command, clean_environment(), self.fresh_folder())

    def run_agent(self, program, *args, launcher=(), during=None, **env):
        """The program with the agent; keyword arguments are changes of the environment."""
        folder = self.fresh_folder()
        command = list(launcher) + [program_path(program)] + [str(a) for a in args]
        return self.run_command(command, agent_environment(folder, **env), folder, during)

    def profile(self, program, *args, status=0, **more):
        """run_agent, and the program ended as it should without a word of ours."""
        run = self.run_agent(program, *args, **more)
        self.assertEqual(run.status, status, run.stderr)
        self.assertEqual(run.stderr, "")
        return run

    def run_tool(self, *args, **env):
        """csink ARGS: (status, stdout, stderr); keyword arguments add to the environment."""
        done = subprocess.run([TOOL] + [str(a) for a in args], env=tool_environment(**env),
                              stdin=subprocess.DEVNULL, capture_output=True, check=False,
                              timeout=HANG_SECONDS)
        return (done.returncode, done.stdout.decode("utf-8", "replace"),
                done.stderr.decode("utf-8", "replace"))

    def report_of_spool(self, *spools):
        """The JSON report that the tool makes of spools left behind."""
        status, out, err = self.run_tool("report", "--format", "json", *spools)
        self.assertEqual(status, 0, err)
        return json.loads(out)

    def report_of_rest(self, spool):
        """The report of what a killed process left; None when it was killed while it made the file, and so
        lacks all its samples: how much CPU time that may be is the caller's business."""
        status, out, err = self.run_tool("report", "--format", "json", spool)
        if status == 1 and ("killed before its first samples" in err or "contains no samples" in err):
            return None
        self.assertEqual(status, 0, err)
        return json.loads(out)

    def any_report(self, run):
        """The report if one was written, else the one made of what was kept."""
        if any(r["pid"] == run.pid for r in run.reports):
            return run.report
        self.assertTrue(run.spools, "neither report nor spool; stderr:\n" + run.stderr)
        return self.report_of_spool(*run.spools)

    # --- what a report says ---------------------------------------------------

    def assertShare(self, report, function, share):
        """The true share lies in the 99.99 % interval of the sampled one."""
        hits, total = samples_of(report, function), total_samples(report)
        low, high = wilson(hits, total)
        self.assertTrue(low <= share <= high,
                        f"{function}: {hits} of {total} samples, [{low:.3f}, {high:.3f}] "
                        f"does not hold {share}")

    def assertAtLeast(self, share, least, words=""):
        """A share of CPU time that was sampled. On a machine where the kernel itself samples less than everything
        at this moment (other programs, a slow host), so much less will do."""
        if share >= least:
            return
        fit = min(kernel_shares()) + 0.01
        self.assertGreaterEqual(share, least * min(1.0, fit),
                                f"{words} (a bare event of the kernel sees {fit:.3f} of a busy thread here and now)")

    def assertCovers(self, report, cpu_seconds, least, most=1.05):
        """Samples x period explain at least that share of the CPU time, and not more than there was."""
        verdict = json.dumps(report["verdict"])
        self.assertAtLeast(explained_seconds(report) / cpu_seconds, least, verdict)
        self.assertLessEqual(sampled_seconds(report) / cpu_seconds, most, verdict)

    def assertNothingLost(self, report):
        self.assertEqual(report["verdict"]["lost_records"], 0)
        self.assertEqual(report["verdict"]["unplaced"], 0)

    def wait_for(self, found, what):
        """Polls until `found()` gives something: for daemons that outlive their parent."""
        deadline = time.monotonic() + HANG_SECONDS
        while time.monotonic() < deadline:
            result = found()
            if result:
                return result
            time.sleep(0.05)
        raise AssertionError(f"never saw {what}")

    def need_root(self):
        if os.geteuid() != 0:
            self.skipTest("needs root")

    def need_cheap_pages(self):
        """Skips where a page fault costs more than 6 us (17 us in some virtual machines, 0.3 to 2 us elsewhere): the
        starts and ends of short threads, which no sample can see, then take most of their CPU time."""
        cost = page_fault_us()
        if cost > 6:
            self.skipTest(f"a page fault costs {cost:.0f} us on this machine: starts and ends outweigh what runs between")

    def runs_here(self, binary, *args):
        """Whether a program ends with 0; False, too, where the kernel does not know its machine."""
        try:
            return self.run_plain(binary, *args).status == 0
        except OSError:  # ENOEXEC
            return False

    def need_mount_namespace(self):
        """Skips where no mount namespace can be made: without root, or where the root folder is no mount point (chroot)."""
        self.need_root()
        if not shutil.which("unshare"):
            self.skipTest("needs unshare (util-linux)")
        probe = subprocess.run(["unshare", "--mount", "true"], capture_output=True, text=True, check=False)
        if probe.returncode != 0:
            self.skipTest("no mount namespace can be made here: " + probe.stderr.strip())

    def open_terminal(self):
        """Both ends of a new terminal, as pty.openpty gives them."""
        try:
            return pty.openpty()
        except OSError as error:
            self.skipTest(f"no terminal can be made here (is /dev/pts mounted?): {error}")


def total_samples(report):
    return report["events"][0]["samples"]


def sampled_seconds(report):
    """CPU time that the samples of the first (clock) event stand for."""
    return report["events"][0]["weight"] / 1e9


@functools.lru_cache
def page_fault_us(pages=4000):
    """CPU time of a first touch of a page less that of a second one: the least of three."""
    def touch(room):
        began = time.thread_time()
        for at in range(0, len(room), mmap.PAGESIZE):
            room[at] = 1
        return time.thread_time() - began
    costs = []
    for _ in range(3):
        with mmap.mmap(-1, pages * mmap.PAGESIZE) as room:
            costs.append(touch(room) - touch(room))
    return min(costs) / pages * 1e6


def kernel_shares(threads=4, ms=250):
    """The share of each of some busy threads' CPU time that a bare event of the kernel samples, now. Context
    switches are charged to a thread and cannot be sampled; timers of a busy host come late."""
    done = subprocess.run([program_path("bare_samples"), str(threads), str(ms)], env=clean_environment(), check=False,
                          capture_output=True, text=True, timeout=HANG_SECONDS, start_new_session=True)
    rows = [line.split() for line in done.stdout.splitlines()]
    return [int(row[3]) / int(row[2]) for row in rows] or [1.0]


def stolen_seconds():
    """The time that the host of a virtual machine kept its processors for somebody else, since boot."""
    with open("/proc/stat", encoding="ascii") as f:
        return int(f.readline().split()[8]) / os.sysconf("SC_CLK_TCK")


STOLEN_BEFORE = stolen_seconds()


def away_seconds(report):
    """CPU time that the report says went by without an interrupt, as far as the host of this machine can
    be the cause: the clock of a thread runs on while its processor is lent to somebody else. Not more
    than was taken since this test began, and never more than a quarter of what was sampled."""
    lost = report["verdict"]["lost_seconds"]
    return max(0.0, min(lost["unexplained"] + lost["switching"], stolen_seconds() - STOLEN_BEFORE, 0.25 * sampled_seconds(report)))


def explained_seconds(report):
    """The CPU time that a report gives account of, for comparisons with what there was at least."""
    return sampled_seconds(report) + away_seconds(report)


def plain_name(function):
    """`work::Sixty(unsigned long)` and `Sixty.isra.0` without what follows the name."""
    return function.replace("(anonymous namespace)::", "").split("(")[0].split(".")[0]


def functions_named(report, name):
    return [f for f in report["functions"] if plain_name(f["function"]) == name]


def samples_of(report, name):
    return sum(f["events"][0]["samples"] for f in functions_named(report, name))


def lost_seconds(report):
    """CPU time that the report itself says was not sampled, all causes."""
    return sum(report["verdict"]["lost_seconds"].values())


def wilson(hits, total, z=Z_9999):
    """The Wilson interval of a share."""
    if total == 0:
        return 0.0, 1.0
    p, zz = hits / total, z * z
    middle = (p + zz / (2 * total)) / (1 + zz / total)
    half = z / (1 + zz / total) * math.sqrt(p * (1 - p) / total + zz / (4 * total * total))
    return middle - half, middle + half


def main():
    """Runs the calling file's tests. Exit status 77 when there was nothing to run."""
    for name, path in (("agent", AGENT), ("tool", TOOL)):
        if not os.path.exists(path):
            print(f"skipped: no {name} at '{path}'")
            sys.exit(SKIP)
    result = unittest.main(module="__main__", verbosity=2, exit=False).result
    if result.wasSuccessful() and result.testsRun == len(result.skipped) > 0:
        print("skipped:", "; ".join(sorted({why for _, why in result.skipped})))
        sys.exit(SKIP)
    sys.exit(0 if result.wasSuccessful() else 1)
