"""The peers from Debian: installing them, running under them, counting their samples."""

import glob
import os
import re
import shutil
import struct
import subprocess
import sys

PACKAGES = ("google-perftools", "libgoogle-perftools-dev", "linux-perf", "libpapi-dev",
            "papi-tools", "libpfm4-dev", "valgrind", "xz-utils", "sqlite3", "python3", "gcc")


def _is_installed(package):
    done = subprocess.run(["dpkg-query", "-W", "-f", "${Status}", package], capture_output=True,
                          text=True, check=False)
    return done.stdout.endswith("ok installed")


def install(packages):
    """apt-get install what is missing; with sudo only when not root."""
    missing = [p for p in packages if not _is_installed(p)]
    if not missing:
        return
    print("installing", *missing, file=sys.stderr)
    command = [] if os.geteuid() == 0 else ["sudo"]
    env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run(command + ["apt-get", "update", "-qq"], check=True, env=env,
                   stdout=sys.stderr)
    subprocess.run(command + ["apt-get", "install", "-y", "-qq", "--no-install-recommends",
                              *missing], check=True, env=env, stdout=sys.stderr)


def libprofiler():
    """The path of gperftools' CPU profiler."""
    found = sorted(glob.glob("/usr/lib/*/libprofiler.so*"))
    if not found:
        raise FileNotFoundError("libprofiler.so of libgoogle-perftools-dev")
    return found[0]


def _debian_papi_folder():
    # By its folder: another libpapi.so.7.0 may lie where the loader looks first, in /usr/local/lib.
    return os.path.dirname(sorted(glob.glob("/usr/lib/*/libpapi.so.7.0"))[0])


def debian_papi_env(products):
    """Debian's libpapi, whatever other one the loader knows; alive on CPUs that libpfm4 does not know."""
    env = {"LD_LIBRARY_PATH": _debian_papi_folder()}
    if products.papi_pmu_shim:
        env["LD_PRELOAD"] = products.papi_pmu_shim
    return env


def debian_tools_env(products, known_pmu):
    """Of programs of papi-tools. `known_pmu`: LIBPFM_FORCE_PMU is set, and no stand-in for an unknown CPU is
    needed."""
    return {"LD_LIBRARY_PATH": _debian_papi_folder()} if known_pmu else debian_papi_env(products)


def gperftools_env(profile, hz):
    return {"LD_PRELOAD": libprofiler(), "CPUPROFILE": profile, "CPUPROFILE_FREQUENCY": str(hz)}


def gperftools_samples(profile):
    """Samples in a CPUPROFILE: machine words; header of 3 and more, then (count, depth, PCs...)."""
    with open(profile, "rb") as f:
        data = f.read()
    word = struct.calcsize("P")
    words = struct.unpack(f"={len(data) // word}Q", data[: len(data) // word * word])
    at = 2 + words[1]
    total = 0
    while at + 2 < len(words):
        count, depth, first_pc = words[at], words[at + 1], words[at + 2]
        if count == 0 and depth == 1 and first_pc == 0:
            return total
        total += count
        at += 2 + depth
    raise ValueError(f"{profile}: no end mark")


def google_pprof():
    found = shutil.which("google-pprof")
    if not found:
        raise FileNotFoundError("google-pprof of google-perftools")
    return found


def perf_record(data, hz, argv, options=()):
    return ["perf", "record", "-q", *options, "-e", "task-clock:u", "-F", str(hz), "-o", data, "--", *argv]


def perf_samples(data):
    done = subprocess.run(["perf", "report", "--stats", "-i", data], capture_output=True, text=True,
                          check=True, stdin=subprocess.DEVNULL)
    found = re.search(r"SAMPLE events:\s+(\d+)", done.stdout)
    return int(found.group(1)) if found else 0
