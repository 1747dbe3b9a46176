"""What this machine is, for the head of docs/benchmarks.md."""

import os
import platform
import subprocess


def _first_line(path, default="unknown"):
    try:
        with open(path) as f:
            return f.readline().strip()
    except OSError:
        return default


def _cpu_model():
    with open("/proc/cpuinfo") as f:
        for line in f:
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.machine()


def _is_virtual():
    with open("/proc/cpuinfo") as f:
        return any(line.startswith("flags") and " hypervisor" in line for line in f)


def _distribution():
    try:
        with open("/etc/os-release") as f:
            for line in f:
                if line.startswith("PRETTY_NAME="):
                    return line.split("=", 1)[1].strip().strip('"')
    except OSError:
        pass
    return "unknown distribution"


def _hardware_pmu():
    """Any event source that is a CPU's own PMU."""
    known = {"breakpoint", "kprobe", "uprobe", "msr", "software", "tracepoint", "power"}
    try:
        sources = set(os.listdir("/sys/bus/event_source/devices"))
    except OSError:
        sources = set()
    own = sorted(s for s in sources - known if s.startswith(("cpu", "armv8", "arm_")))
    return ", ".join(own) if own else "none"


def _package(name):
    done = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", name], capture_output=True,
                          text=True, check=False)
    return done.stdout if done.returncode == 0 else "not installed"


def load():
    return " ".join(_first_line("/proc/loadavg").split()[:3])


def describe():
    """[(what, value)] for a table of two columns."""
    memory = next((line.split()[1] for line in open("/proc/meminfo") if line.startswith("MemTotal")),
                  "0")
    libc = " ".join(part for part in platform.libc_ver() if part)
    rows = [
        ("CPU", f"{_cpu_model()}, {os.cpu_count()} cores"
                f"{', virtual machine' if _is_virtual() else ''}"),
        ("memory", f"{int(memory) / 2**20:.1f} GiB"),
        ("system", f"{_distribution()}, Linux {platform.release()}, {libc}"),
        ("hardware PMU", _hardware_pmu()),
        ("perf_event_paranoid", _first_line("/proc/sys/kernel/perf_event_paranoid")),
        ("user", "root" if os.geteuid() == 0 else "not root"),
    ]
    for package in ("linux-perf", "google-perftools", "libpapi-dev", "gcc", "xz-utils", "python3",
                    "sqlite3"):
        rows.append((package, _package(package)))
    return rows
