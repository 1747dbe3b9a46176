"""What is measured: the bench programs, libagent.so and csink of one build folder."""

import json
import os
import shutil
import subprocess
import sys
import tempfile


def _find(folder, name, executable=False):
    for root, folders, files in os.walk(folder):
        folders[:] = [f for f in folders if f not in ("CMakeFiles", "_deps")]
        if name in files:
            path = os.path.join(root, name)
            if not executable or os.access(path, os.X_OK):
                return path
    return None


class Products:
    """Owns a scratch folder and a spool folder; close() removes both."""

    def __init__(self, source, build):
        self.source = source
        self.build = build
        programs = os.path.join(build, "tests", "bench")
        self.loop = os.path.join(programs, "bench_loop")
        self.loop_frames = os.path.join(programs, "bench_loop_frames")
        self.loop_20kb = os.path.join(programs, "bench_loop_20000")
        self.loop_40kb = os.path.join(programs, "bench_loop_40000")
        self.churn = os.path.join(programs, "bench_thread_churn")
        self.crowd = os.path.join(programs, "bench_crowd")
        self.short_threads = os.path.join(programs, "bench_short_threads")
        self.loads = os.path.join(programs, "bench_loads")
        self.interrupt_tree = os.path.join(programs, "bench_interrupt_tree")
        self.switches = os.path.join(programs, "bench_switches")
        self.waiting_threads = os.path.join(programs, "bench_waiting_threads")
        self.split = os.path.join(programs, "bench_split")
        self.many_ranks = os.path.join(programs, "bench_many_ranks")
        self.many_places = os.path.join(programs, "bench_many_places")
        self.peak = os.path.join(programs, "bench_peak")
        self.start_time = os.path.join(programs, "bench_start_time")
        self.empty = os.path.join(programs, "libbench_empty.so")
        papi = os.path.join(programs, "bench_papi_profil")
        self.papi = papi if os.path.exists(papi) else None
        papi_overflow = os.path.join(programs, "bench_papi_overflow")
        self.papi_overflow = papi_overflow if os.path.exists(papi_overflow) else None
        self.core_overflow = os.path.join(programs, "bench_core_overflow")
        calls = os.path.join(programs, "bench_papi_calls")
        self.papi_calls = calls if os.path.exists(calls) else None
        interval = os.path.join(programs, "bench_interval_apapi")
        self.interval_apapi = interval if os.path.exists(interval) else None
        interval = os.path.join(programs, "bench_interval_papi")
        self.interval_papi = interval if os.path.exists(interval) else None
        shim = _find(build, "libknown_cpu.so")
        self.papi_pmu_shim = shim
        self.libpapi = _find(build, "libpapi.so.7.0")
        self.agent = _find(build, "libagent.so")
        self.csink = _find(build, "csink", executable=True)
        atime = os.path.join(build, "compat", "atime", "atime")
        self.atime = atime if os.path.exists(atime) else None
        self.scratch = tempfile.mkdtemp(prefix="csink-bench-")
        # Spools go where they go by default: on tmpfs, when there is one.
        shm = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self.spools = tempfile.mkdtemp(prefix="csink-bench-", dir=shm)

    def close(self):
        shutil.rmtree(self.scratch, ignore_errors=True)
        shutil.rmtree(self.spools, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.scratch, name)

    def has_agent(self):
        return self.agent is not None and self.csink is not None

    def agent_env(self, **settings):
        """LD_PRELOAD and what a build tree needs on top of an installed one."""
        env = {"LD_PRELOAD": self.agent, "CSINK_SPOOL_DIR": self.spools}
        if self.csink:
            env["CSINK_REPORTER"] = self.csink
        env.update({f"CSINK_{key}": str(value) for key, value in settings.items()})
        return env

    def spool_env(self, **settings):
        """Leaves a spool and reports nothing."""
        return self.agent_env(REPORT=0, KEEP=1, MIN_SAMPLES=1, **settings)

    def take_spools(self, name):
        """Moves all spools into a folder of their own and returns it."""
        folder = os.path.join(self.spools, name)
        shutil.rmtree(folder, ignore_errors=True)
        os.mkdir(folder)
        for entry in os.listdir(self.spools):
            if entry.endswith(".csink"):
                shutil.move(os.path.join(self.spools, entry), folder)
        return folder

    def report(self, folder):
        """The JSON reports of a folder of spools as one list."""
        reports = []
        for entry in sorted(os.listdir(folder)):
            out = self.path("report.json")
            done = subprocess.run([self.csink, "report", "--format", "json", "-o", out,
                                   os.path.join(folder, entry)], capture_output=True, text=True,
                                  check=False, stdin=subprocess.DEVNULL)
            if done.returncode != 0:
                raise RuntimeError(f"csink report {entry}: {done.stderr.strip()}")
            with open(out) as f:
                reports.append(json.load(f))
        return reports

    def samples(self):
        """Samples of the first event in all spools there are; the spools are removed."""
        folder = self.take_spools("count")
        total = sum(r["events"][0]["samples"] for r in self.report(folder) if r["events"])
        shutil.rmtree(folder)
        return total


def build(source, folder, jobs):
    """Configures and builds a release of what is there: programs always, agent and tool if any."""
    def cmake(*arguments):
        subprocess.run(["cmake", *arguments], check=True, stdout=sys.stderr)

    cmake("-S", source, "-B", folder, "-DCMAKE_BUILD_TYPE=Release",
          *([] if os.path.exists(os.path.join(folder, "CMakeCache.txt")) or not shutil.which("ninja")
            else ["-G", "Ninja"]))
    known = subprocess.run(["cmake", "--build", folder, "--target", "help"], capture_output=True,
                           text=True, check=True).stdout
    names = {word.rstrip(":") for line in known.splitlines() for word in line.split()}
    known_targets = ("agent", "csink", "papi", "apapi", "atime", "csink_events_api", "papi_avail",
                     "papi_native_avail")
    targets = ["bench_programs"] + [t for t in known_targets if t in names]
    cmake("--build", folder, "-j", str(jobs), "--target", *targets)
