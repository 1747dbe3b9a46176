"""Debian's papi-tools over a library: exit status, number of lines, and whether the output says
what such a tool is for."""

import dataclasses
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from . import run


@dataclasses.dataclass(frozen=True)
class Tool:
    """One call. `wants`: patterns that the output must match; `wants_software`: with presets too."""
    command: tuple
    wants: tuple
    wants_software: tuple = ()
    only: str = ""  # the mode in which alone it can work

    @property
    def key(self):
        return " ".join(self.command)


# A count of nanoseconds or anything else above zero.
ABOVE_ZERO = r"[1-9]\d*"
TOOLS = (
    Tool(("papi_avail",), (r"^PAPI_TOT_CYC\s+0x8000003b\s", r"Of \d+ possible events, \d+ are available"),
         (r"^PAPI_TOT_CYC\s+0x8000003b\s+Yes", rf"Of \d+ possible events, {ABOVE_ZERO} are available")),
    Tool(("papi_avail", "-e", "PAPI_TOT_INS"), (r"PAPI_TOT_INS", r"0x80000032"), (r"perf::TASK-CLOCK",)),
    Tool(("papi_native_avail",), (r"perf::CPU-CLOCK", rf"Total events reported: {ABOVE_ZERO}")),
    Tool(("papi_cost", "-t", "20000"), (r"PAPI_start", r"PAPI_read\b", r"PAPI_accum", r"PAPI_reset",
                                        rf"min cycles\s*: {ABOVE_ZERO}"), only="software"),
    Tool(("papi_clockres",), (r"PAPI_get_real_cyc: +min \d", r"PAPI_get_virt_usec: +min \d")),
    Tool(("papi_command_line", "perf::CPU-CLOCK"),
         (r"Successfully added: perf::CPU-CLOCK", rf"^perf::CPU-CLOCK :\s+{ABOVE_ZERO}")),
    Tool(("papi_command_line", "PAPI_TOT_INS"), (r"Successfully added: PAPI_TOT_INS",
                                                 rf"^PAPI_TOT_INS :\s+{ABOVE_ZERO}"), only="software"),
    Tool(("papi_event_chooser", "NATIVE", "perf::CPU-CLOCK"),
         (r"perf::TASK-CLOCK", rf"Total events reported: {ABOVE_ZERO}")),
    Tool(("papi_event_chooser", "PRESET", "PAPI_TOT_CYC"),
         (r"^PAPI_TOT_INS\s", r"Total events reported: 6"), only="software"),
    Tool(("papi_decode",), (r"^name,derived,postfix,short_descr,long_descr,note,\[native,\.\.\.\]",
                            r"^PAPI_TOT_CYC,"), (r"^PAPI_TOT_CYC,NOT_DERIVED,.*perf::CPU-CLOCK",)),
    Tool(("papi_mem_info",), (r"L1 Data Cache:?", rf"Line size:\s+{ABOVE_ZERO} B")),
    Tool(("papi_component_avail",), (r"^Active components:(.|\n)*^Name:   perf_event ",)),
    Tool(("papi_error_codes",), (r"Error code +0: No error", r"Error code +-1: Invalid argument",
                                 r"Error code +-27: ")),
    Tool(("papi_version",), (r"PAPI Version: 7\.0\.0\.0",)),
    Tool(("papi_xml_event_info",), (r"^<eventinfo>", r'name="PAPI_TOT_CYC"|perf::CPU-CLOCK', r"^</eventinfo>")),
    Tool(("papi_hardware_avail",), (r"Device Summary", r"Vendor +: ", rf"Threads? .*{ABOVE_ZERO}|Threads +: \d")),
    Tool(("papi_multiplex_cost", "-m", "1", "-x", "2", "-t", "2000"),
         (r"Kernel multiplexing read", r"Software Multiplexing read"), only="software"),
    Tool(("papi_hl_output_writer", "--help"), (r"usage",)),
)


def run_tool(tool, environment, mode, library):
    """An Outcome; its detail names the patterns that the output lacks."""
    path = shutil.which(tool.command[0])
    if not path:
        return run.Outcome(run.FAILED, f"no {tool.command[0]}: install papi-tools")
    if not path.endswith(".py"):
        wrong = run.wrong_library(path, environment, library)
        if wrong:
            return wrong
    with tempfile.TemporaryDirectory(prefix="csink-tools-") as folder:
        try:
            done = subprocess.run([path, *tool.command[1:]], env=environment, cwd=folder, text=True, errors="replace",
                                  capture_output=True, stdin=subprocess.DEVNULL, timeout=120, check=False)
        except subprocess.TimeoutExpired:
            return run.Outcome(run.TIMEOUT, "120 s")
    text = done.stdout + done.stderr
    wanted = tool.wants + (tool.wants_software if mode == "software" else ())
    absent = [p for p in wanted if not re.search(p, text, re.M)]
    detail = f"status {done.returncode}, {len(done.stdout.splitlines())} lines"
    if done.returncode:
        last = [line for line in text.splitlines() if line.strip()]
        return run.Outcome(run.FAILED, detail + (": " + last[-1].strip() if last else ""), output=text)
    if absent:
        return run.Outcome(run.FAILED, detail + ", nowhere: " + "; ".join(absent), output=text)
    return run.Outcome(run.PASSED, detail, output=text)


def run_tools(place, mode, report=lambda key, outcome: None):
    """{key: Outcome} of every call; one that cannot work in this mode is skipped with the reason."""
    results = {}
    with tempfile.TemporaryDirectory(prefix="csink-tools-") as output:
        environment = place.environment(mode, pathlib.Path(output), output)
        environment["PATH"] = os.environ.get("PATH", "")
        for tool in TOOLS:
            if tool.only and tool.only != mode:
                outcome = run.Outcome(run.SKIPPED, f"needs mode {tool.only}: there is no preset to count")
            else:
                outcome = run_tool(tool, environment, mode, place.file)
            results[f"tools/{tool.key}"] = outcome
            report(f"tools/{tool.key}", outcome)
    return results
