"""Runs one binary of the suites and reads its verdict.

The verdict is the word that the test prints; its exit status says nothing (a skip is 0). What the
words cannot say comes first: a signal, the time limit, a library that is not the one asked for.
"""

import dataclasses
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import time

LIMIT_S = 60
PASSED, FAILED, SKIPPED, CRASHED, TIMEOUT, SILENT, PENDING = (
    "passed", "failed", "skipped", "crashed", "timeout", "silent", "pending")
GOOD = (PASSED, SKIPPED, PENDING)


@dataclasses.dataclass
class Outcome:
    verdict: str
    detail: str = ""      # the line that says why
    wall_s: float = 0.0
    cpu_s: float = 0.0
    repeated: str = ""    # the first verdict, when the run was repeated
    output: str = ""

    def record(self):
        found = {"verdict": self.verdict, "wall_s": round(self.wall_s, 2), "cpu_s": round(self.cpu_s, 2)}
        if self.detail:
            found["detail"] = self.detail
        if self.repeated:
            found["repeated"] = self.repeated
        return found


def loaded_library(binary, environment):
    """The libpapi that the loader takes for this binary where it runs, or None if it needs none."""
    binary = pathlib.Path(binary).absolute()
    done = subprocess.run([str(binary)], cwd=binary.parent, env=dict(environment, LD_TRACE_LOADED_OBJECTS="1"),
                          capture_output=True, text=True, check=False)
    found = re.search(r"^\s*libpapi\.so\S* => (\S+)", done.stdout, re.M)
    return pathlib.Path(found.group(1)) if found else None


def wrong_library(binary, environment, library):
    """An outcome when the loader would take another libpapi than the one under test; else None."""
    loaded = loaded_library(binary, environment)
    if loaded is None or os.path.realpath(loaded) == os.path.realpath(library):
        return None
    return Outcome(CRASHED, f"the loader takes {loaded} instead of {library}")


def read_verdict(text, status):
    """The verdict of a finished run. A parent and its children may each print a word: one
    FAILED is a failure, and a PASSED outweighs a SKIPPED."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if status < 0:
        name = signal.Signals(-status).name if -status in iter(signal.Signals) else f"signal {-status}"
        return CRASHED, name + (": " + lines[-1] if lines else "")
    if "FAILED" in text:
        at = next(i for i, line in enumerate(lines) if "FAILED" in line)
        return FAILED, " ".join(line for line in lines[at:at + 2] if not line.startswith("Some tests"))
    if "PASSED" in text:
        return PASSED, "with a warning" if "PASSED with WARNING" in text else ""
    if "SKIPPED" in text:
        return SKIPPED, ""
    return SILENT, f"exit status {status}" + (": " + lines[-1] if lines else "")


def limits():
    os.setsid()
    import resource  # pylint: disable=import-outside-toplevel
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def end_group(leader):
    """Kills what a test left behind: threads' loops, traced children, programs it started."""
    try:
        os.killpg(leader, signal.SIGKILL)
    except ProcessLookupError:
        pass


def run_once(binary, environment, arguments=("TESTS_QUIET",), limit_s=LIMIT_S):
    """Runs in the binary's own folder, as the tests expect, and in a process group of its own."""
    with tempfile.TemporaryFile("w+", errors="replace") as output:
        began, used = time.monotonic(), time_of_children()
        process = subprocess.Popen([f"./{binary.name}", *arguments], cwd=binary.parent, env=environment,
                                   stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                                   preexec_fn=limits)
        try:
            status = process.wait(limit_s)
        except subprocess.TimeoutExpired:
            status = None
        end_group(process.pid)
        process.wait()
        wall, cpu = time.monotonic() - began, time_of_children() - used
        output.seek(0)
        text = output.read()
    if status is None:
        verdict, detail = TIMEOUT, f"{limit_s} s"
    else:
        verdict, detail = read_verdict(text, status)
    return Outcome(verdict, detail, wall, cpu, output=text)


def time_of_children():
    times = os.times()
    return times.children_user + times.children_system
