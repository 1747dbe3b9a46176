"""The environments in which the suites run on this machine."""

import os
import pathlib
import subprocess

# What stands for what when there is no PMU: a distinct native event each.
SOFTWARE = (
    ("PAPI_TOT_CYC", "perf::CPU-CLOCK"),
    ("PAPI_TOT_INS", "perf::TASK-CLOCK"),
    ("PAPI_FP_INS", "perf::TASK-CLOCK:u=1:k=0"),
    ("PAPI_FP_OPS", "perf::CPU-CLOCK:u=1:k=0"),
    ("PAPI_L1_TCM", "perf::PAGE-FAULTS"),
    ("PAPI_BR_INS", "perf::CONTEXT-SWITCHES"),
    ("PAPI_BR_CN", "perf::CPU-MIGRATIONS"),
)
MODES = ("plain", "software")
LIST_PMUS = r"""
#include <perfmon/pfmlib.h>
#include <stdio.h>
int main(void) {
  if (pfm_initialize() != PFM_SUCCESS) return 1;
  for (int i = 0; i < PFM_PMU_MAX; ++i) {
    pfm_pmu_info_t info = {.size = sizeof info};
    if (pfm_get_pmu_info((pfm_pmu_t)i, &info) == PFM_SUCCESS && info.is_present) puts(info.name);
  }
  return 0;
}
"""


def present_pmus(folder, preload=None):
    """Names of the PMUs that libpfm4 finds on this machine, core PMUs first."""
    program = pathlib.Path(folder) / "list_pmus"
    if not program.exists():
        program.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["gcc", "-xc", "-", "-o", str(program), "-lpfm"], input=LIST_PMUS, text=True, check=True)
    environment = dict(os.environ, LD_PRELOAD=str(preload)) if preload else None
    names = subprocess.run([str(program)], capture_output=True, text=True, check=True,
                           env=environment).stdout.split()
    return sorted(names, key=lambda name: name.startswith("perf"))


def write_software_presets(folder, preload=None):
    """The preset file for a library that installs none of its own."""
    path = pathlib.Path(folder) / "presets-software.csv"
    pmus = dict.fromkeys([*present_pmus(folder, preload), "perf"])
    path.write_text("".join(f"CPU,{name}\n" for name in pmus)
                    + "".join(f"PRESET,{name},NOT_DERIVED,{native}\n" for name, native in SOFTWARE))
    return path


def environment(mode, library_folder, bin_folder, presets, scratch):
    """What a test of this mode sees. Nothing of the caller's PAPI_, PAPI's or csink's settings
    gets in."""
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith(("PAPI_", "LIBPFM_", "CSINK_", "LD_"))}
    kept.update(LD_LIBRARY_PATH=str(library_folder), PATH=f"{bin_folder}:{os.environ.get('PATH', '')}",
                PAPI_OUTPUT_DIRECTORY=str(scratch), LC_ALL="C")
    # OpenMP's threads sleep at their barriers: where processors are few, those that spin there take
    # the time of those that are waited for.
    kept["OMP_WAIT_POLICY"] = "passive"
    if mode == "software":
        kept["PAPI_CSV_EVENT_FILE"] = str(presets)
    return kept
