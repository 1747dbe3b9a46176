"""What is built from Debian's papi-examples and how each binary is run.

A test is one binary. Which files and flags make it is a fact of the suites' own Makefiles; here
it stands as data. Suites: ctests and ftests (PAPI's own), validation (its counts against loops of
known length), component (of perf_event, perf_event_uncore, sysdetect and sde).
"""

import dataclasses
import pathlib

EXAMPLES = pathlib.Path("/usr/share/doc/papi-examples/examples")
SUITES = ("ctests", "ftests", "validation", "component")


@dataclasses.dataclass(frozen=True)
class Test:
    """One binary. `alone`: nothing may run beside it. `sleeps`: it uses hardly any processor time, and runs beside
    the others without taking one of their places. `repeatable`: it compares counts or times with
    a tolerance, so repeats are allowed, alone, and shown. `helper`: other tests start it; it has no
    verdict of its own. `seconds` it takes, about: the long ones start first."""
    suite: str
    name: str
    sources: tuple      # relative to EXAMPLES
    flags: tuple = ()
    openmp: bool = False
    alone: bool = False
    sleeps: bool = False
    repeatable: bool = False
    helper: bool = False
    seconds: float = 1
    limit_s: int = 60
    without: tuple = ()  # modes in which it says nothing
    libraries: tuple = ()  # besides libpapi

    @property
    def key(self):
        return f"{self.suite}/{self.name}"

    @property
    def fortran(self):
        return self.sources[0].endswith(".F")


# Everything that several tests link, in one archive.
SHARED = ("testlib/test_utils.c", "testlib/clockcore.c", "testlib/do_loops.c",
          "ctests/prof_utils.c", *(f"validation_tests/{name}.c" for name in (
              "branches_testcode", "busy_work", "cache_helper", "cache_testcode", "display_error",
              "flops_testcode", "instructions_testcode", "matrix_multiply")),
          "components/perf_event/tests/event_name_lib.c",
          "components/perf_event_uncore/tests/perf_event_uncore_lib.c")
SHARED_FORTRAN = ("testlib/ftests_util.F",)
INCLUDES = ("testlib", "ctests", "validation_tests", "components/perf_event/tests",
            "components/perf_event_uncore/tests")

_CTESTS = """
all_events all_native_events attach2 attach3 attach_cpu attach_cpu_sys_validate attach_cpu_validate
attach_validate branches byte_profile calibrate case1 case2 child_overflow clockres_pthreads cmpinfo
code2name data_range derived describe destroy disable_component dmem_info earprofile eventname exec
exec2 exec_overflow exeinfo failed_events first fork fork2 fork_overflow forkexec forkexec2
forkexec3 forkexec4 get_event_component hwinfo inherit johnmay2 krentel_pthreads kufrin
locks_pthreads low-level max_multiplex mendes-alt memory multiattach multiattach2 multiplex1
multiplex1_pthreads multiplex2 multiplex3_pthreads omp_hl omptough overflow overflow2
overflow3_pthreads overflow_allcounters overflow_force_software overflow_index overflow_one_and_read
overflow_pthreads overflow_single_event overflow_twoevents p4_lst_ins profile profile_force_software
profile_pthreads profile_twoevents pthread_hl pthrtough pthrtough2 realtime remove_events reset
reset_multiplex sdsc-mpx sdsc2-mpx sdsc2-mpx-noreset sdsc4-mpx second serial_hl serial_hl_ll_comb
shlib sprofile system_child_overflow system_overflow tenth thrspecific timer_overflow version
virttime zero zero_attach zero_flip zero_fork zero_named zero_omp zero_pthreads zero_shmem zero_smp
""".split()
_OTHER_SOURCE = {  # binary -> (source, definitions)
    "mendes-alt": ("mendes-alt", ("-DMULTIPLEX",)),
    "profile_force_software": ("profile", ("-DSWPROFILE",)),
    "sdsc-mpx": ("sdsc-mpx", ("-DMPX",)),
    "sdsc2-mpx": ("sdsc2", ("-DMPX",)),
    "sdsc2-mpx-noreset": ("sdsc2", ("-DMPX", "-DSTARTSTOP")),
    "sdsc4-mpx": ("sdsc4-mpx", ("-DMPX",)),
    "exec_overflow": ("exec_overflow", ("-DPEXEC",)),
    "child_overflow": ("child_overflow", ("-DPCHILD",)),
    "system_child_overflow": ("system_child_overflow", ("-DSYSTEM",)),
    "system_overflow": ("system_overflow", ("-DSYSTEM2",)),
}
_OPENMP = {"omp_hl", "omptough", "zero_omp", "openmp"}
# Clocks of all CPUs are compared; threads that spin for ever.
_ALONE = {"attach_cpu_validate", "attach_cpu_sys_validate", "multiplex3_pthreads"}
# Processor time in a run of 10, 10 and 7.5 s: 0.0, 0.0 and 1.2 s.
_SLEEPS = {"realtime", "virttime", "Overflow_Test"}
_REPEATABLE = set("""
attach_cpu_sys_validate attach_cpu_validate attach_validate child_overflow exec_overflow first
fork_overflow multiattach multiplex3_pthreads overflow overflow2 overflow_allcounters overflow_force_software
overflow_pthreads overflow_single_event reset reset_multiplex sdsc-mpx sdsc2-mpx sdsc2-mpx-noreset
sdsc4-mpx second system_child_overflow system_overflow
""".split())
# Sources that are there and are no tests: (source, why).
LEFT_OUT = {
    "ctests/cpi.c": "needs MPI",
    "ctests/mpi_hl.c": "needs MPI",
    "ctests/mpi_omp_hl.c": "needs MPI",
    "ctests/mpifirst.c": "needs MPI",
    "ctests/filter_helgrind.c": "filters a valgrind log, uses no PAPI",
    "ctests/krentel_pthreads_race.c": "for valgrind, prints no verdict",
    "ctests/native.c": "does not compile: its calls have been gone since PAPI 5",
    "ctests/nineth.c": "does not compile: its calls have been gone since PAPI 5",
    "ctests/overflow_values.c": "does not compile: PAPI_SUBSTRATEINFO has been gone since PAPI 5",
    "ctests/pernode.c": "marked broken in its Makefile",
    "ctests/val_omp.c": "marked broken in its Makefile",
    "ftests/nineth.F": "not in its Makefile's list",
    "validation_tests/memleak_check.c": "a tool, no test",
    "validation_tests/vector_testcode.c": "in no target of its Makefile",
    "components/sysdetect/tests/query_device_mpi.c": "needs MPI",
    "components/sde/tests/Gamum.c": "half of a test whose Fortran half is not there",
    "components/sde/tests/sde_symbols.c": "likewise",
}
_FTESTS = """
strtest zero zeronamed first second tenth description fdmemtest accum cost case1 case2 clockres
eventname fmatrixlowpapi fmultiplex1 johnmay2 fmultiplex2 avail openmp serial_hl
""".split()
_VALIDATION = """
fp_validation_hl cycles_validation flops_validation papi_br_cn papi_br_ins papi_br_msp papi_br_ntk
papi_br_prc papi_br_tkn papi_br_ucn papi_dp_ops papi_fp_ops papi_sp_ops papi_hw_int papi_l1_dca
papi_l1_dcm papi_l2_dca papi_l2_dcm papi_l2_dcr papi_l2_dcw papi_ld_ins papi_sr_ins papi_ref_cyc
papi_tot_cyc papi_tot_ins
""".split()
# (The validation tests compare with loops of known length: no clock counts those.)
_COMPONENT = {
    "perf_event": ("broken_events", "nmi_watchdog", "perf_event_offcore_response",
                   "perf_event_system_wide", "perf_event_user_kernel"),
    "perf_event_uncore": ("perf_event_amd_northbridge", "perf_event_uncore",
                          "perf_event_uncore_attach", "perf_event_uncore_cbox",
                          "perf_event_uncore_multiple"),
    "sysdetect": ("query_device_simple",),
}

# Each a driver and the library that it counts in, in one program. They register what they count: presets
# say nothing to them.
_SDE = {
    "Minimal_Test": ("Minimal_Test",),
    "Simple_Test": ("Simple_Driver", "Simple_Lib"),
    "Simple2_Test": ("Simple2_Driver", "Simple2_Lib"),
    "Simple2_NoPAPI_Test": ("Simple2_NoPAPI_Driver", "Simple2_Lib"),
    "Recorder_Test": ("Recorder_Driver", "Lib_With_Recorder"),
    "Created_Counter_Test": ("Created_Counter_Driver", "Lib_With_Created_Counter"),
    "Overflow_Test": ("Overflow_Driver", "Lib_With_Created_Counter"),
    "Counting_Set_Simple_Test": ("Simple_CountingSet_Driver", "CountingSet_Lib"),
    "Counting_Set_MemLeak_Test": ("MemoryLeak_CountingSet_Driver", "CountingSet_Lib"),
}


def _ctests():
    for name in _CTESTS:
        source, flags = _OTHER_SOURCE.get(name, (name, ()))
        yield Test("ctests", name, (f"ctests/{source}.c",), flags, openmp=name in _OPENMP,
                   alone=name in _ALONE, sleeps=name in _SLEEPS, repeatable=name in _REPEATABLE,
                   seconds=SECONDS.get(name, 1), limit_s=LIMITS.get(name, 60))
    for name in ("burn", "attach_target"):
        yield Test("ctests", name, (f"ctests/{name}.c",), helper=True)


def catalogue():
    """All tests, helpers included."""
    found = list(_ctests())
    found += [Test("ftests", name, (f"ftests/{name}.F",), openmp=name in _OPENMP,
                   seconds=SECONDS.get(f"ftests/{name}", 1)) for name in _FTESTS]
    found += [Test("validation", name, (f"validation_tests/{name}.c",), ("-O2",), without=("software",),
                   seconds=SECONDS.get(name, 1))
              for name in _VALIDATION]
    found += [Test("component", name, (f"components/{folder}/tests/{name}.c",))
              for folder, names in _COMPONENT.items() for name in names]
    found += [Test("component", name, tuple(f"components/sde/tests/{source}.c" for source in sources),
                   sleeps=name in _SLEEPS, seconds=SECONDS.get(name, 1), without=("software",), libraries=("-lsde",))
              for name, sources in _SDE.items()]
    return found


# Their loops grow with the number of threads that spin; 60 s are not enough on two busy processors.
LIMITS = {"multiplex1_pthreads": 150, "multiplex3_pthreads": 150}
# About, on two idle processors with the software presets; longest first, so that two at a time end together.
SECONDS = {"multiplex3_pthreads": 25, "fork_overflow": 17, "multiplex1_pthreads": 15, "realtime": 10, "virttime": 10,
           "exec_overflow": 6, "system_child_overflow": 6, "krentel_pthreads": 5, "system_overflow": 5,
           "clockres_pthreads": 5, "flops_validation": 8, "Overflow_Test": 7,
           "multiplex1": 5, "kufrin": 4, "sdsc4-mpx": 4, "overflow_force_software": 4,
           "overflow3_pthreads": 4, "profile_pthreads": 3, "sdsc-mpx": 3, "child_overflow": 3, "sprofile": 2,
           "sdsc2-mpx": 2, "sdsc2-mpx-noreset": 2}
