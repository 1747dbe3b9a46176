"""What a PAPI_read costs in the arm64 guest (scripts/pmu-vm): instructions, which are exact there, with
reads in user space switched off and on (kernel.perf_user_access)."""

import os
import re
import subprocess
import tempfile

from .figures import Figure

LEAST_RATIO = 5
EVENTS = ("1 event", "2 events")
SCRIPT = """echo 0 >/proc/sys/kernel/perf_user_access; ./papi_counts reads
echo 1 >/proc/sys/kernel/perf_user_access; ./papi_counts reads
"""


def parse(text):
    """[instructions by read(2)], [instructions in user space], of one event and of two; None: not measured."""
    found = {fast: [float(one), float(two)]
             for fast, one, two in re.findall(r"^reads fast=([01]) one=([\d.]+) two=([\d.]+)$", text, re.M)}
    return (found["0"], found["1"]) if set(found) == {"0", "1"} else None


def measure(source):
    """(costs as of parse, None), or (None, why there are none). Needs scripts/build-guest."""
    guest = os.path.join(source, "build", "guest")
    program = os.path.join(guest, "tests", "guest", "papi_counts")
    library = os.path.join(guest, "compat", "papi", "libpapi.so.7.0")
    if not os.path.exists(program) or not os.path.exists(library):
        return None, "scripts/build-guest has not run"
    with tempfile.TemporaryDirectory(prefix="csink-bench-guest-") as folder:
        script = os.path.join(folder, "main.sh")
        with open(script, "w", encoding="utf-8") as file:
            file.write(SCRIPT)
        environment = dict(os.environ, EXTRA=f"{program} {library}", POKE="0")
        done = subprocess.run([os.path.join(source, "scripts", "pmu-vm"), "run", script], env=environment,
                              capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    costs = parse(done.stdout)
    return costs, None if costs else f"the guest did not run (status {done.returncode})"


def rows(costs):
    """For a table of: what, Debian's, ours, ratio."""
    made = []
    for events, kernel, user in zip(EVENTS, *costs):
        made.append((f"PAPI_read of {events} in the arm64 guest, by read(2)", "-", f"{kernel:.0f} instructions", "-"))
        made.append((f"PAPI_read of {events} in the arm64 guest, in user space", "-", f"{user:.0f} instructions", "-"))
    return made


def figures(costs):
    return [Figure(f"PAPI_read of {events} in user space (arm64 guest)", f">= {LEAST_RATIO} x fewer instructions than by read(2)",
                   f"{kernel / user:.1f}", kernel >= LEAST_RATIO * user)
            for events, kernel, user in zip(EVENTS, *costs)]
