#!/usr/bin/env python3
"""Debian's own papi_avail reads share/csink/presets-software.csv as we do.

    debian_papi_test.py PRESET_FILE KNOWN_CPU_LIBRARY

Its libpapi counts no software event on a CPU that libpfm4 does not know; there KNOWN_CPU_LIBRARY
(tests/peers/known_cpu.c) claims one. Exit codes: 0, 1, 77 (skipped: the reason is printed).
"""

import os
import re
import shutil
import subprocess
import sys

WANTED = {"PAPI_TOT_CYC", "PAPI_TOT_INS", "PAPI_FP_INS", "PAPI_FP_OPS", "PAPI_L1_TCM", "PAPI_BR_INS",
          "PAPI_BR_CN"}


def run(*command, **environment):
    done = subprocess.run(command, env=dict(os.environ, **environment), capture_output=True, text=True,
                          check=False, timeout=60)
    return done.stdout


def has_perf_events(report):
    active = report.partition("Active components:")[2]
    return re.search(r"^Name:\s+perf_event\s", active, re.MULTILINE) is not None


def main():
    preset_file, library = map(os.path.abspath, sys.argv[1:])
    if not shutil.which("papi_avail"):
        print("skipped: papi_avail is not installed (package papi-tools)")
        return 77
    environment = {"PAPI_CSV_EVENT_FILE": preset_file}
    if not has_perf_events(run("papi_component_avail")):
        environment["LD_PRELOAD"] = library
        if not has_perf_events(run("papi_component_avail", **environment)):
            print("skipped: libpapi has no perf_event component here, with a claimed PMU neither")
            return 77
    listing = run("papi_avail", "-a", **environment)
    found = set(re.findall(r"^(PAPI_\w+)\s+0x8", listing, re.MULTILINE))
    if found == WANTED:
        print(f"papi_avail: {len(found)} presets are available")
        return 0
    print(f"papi_avail lacks {sorted(WANTED - found)}, has besides {sorted(found - WANTED)}\n{listing}")
    return 1


sys.exit(main())
