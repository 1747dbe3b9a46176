"""The exit codes of calls that people and scripts make, where Debian's tools and ours differ: the kinds of
docs/papi-utilities.md. A call that is listed without a kind ends with the same code."""

HELP = "help"
WRONG_USE = "wrong use"
NOT_FOUND = "an event is unknown, cannot be counted, or nothing was found"
NO_PMU = "measured without a PMU"

# Kind -> (codes of Debian's, code of ours).
KINDS = {HELP: ((1,), 0), WRONG_USE: ((0, 1, 249), 2), NOT_FOUND: ((0,), 1), NO_PMU: ((249,), 0)}

# What counts here decides these: with a PMU both may end with 0.
NEEDS_NO_PMU = {("papi_avail", "-e PAPI_TOT_CYC"), ("papi_avail", "-e PAPI_L1_DCM"), ("papi_command_line", "PAPI_TOT_CYC")}

CALLS = {
    "papi_avail": {
        "": None, "-a": None, "-d": None, "-t": None, "-c": None, "-ad": None, "-a -d": None, "-at": None, "-ac": None,
        "--br": None, "--cache": None, "--fp": None, "--mem": None, "--tlb": None, "--l1 --l2": None,
        "-e perf::TASK-CLOCK": None, "-e PAPI_TOT_CYC": NOT_FOUND, "-e PAPI_L1_DCM": NOT_FOUND, "-e NOPE": NOT_FOUND,
        "-e perf::NOPE": NOT_FOUND, "-e": WRONG_USE, "-x": WRONG_USE, "--nope": WRONG_USE, "extra": WRONG_USE,
        "-h": HELP, "--help": HELP},
    "papi_native_avail": {
        "": None, "-c": None, "-e perf::PAGE-FAULTS": None, "-e NOPE": None, "-i TASK": None, "-x TASK": None,
        "--noqual": None, "--nogroups": None, "-i NOPE": NOT_FOUND, "-sde /nonexistent": NOT_FOUND,
        "--darr": NOT_FOUND, "-e": WRONG_USE, "-i": WRONG_USE, "--nope": WRONG_USE, "extra": WRONG_USE, "-h": HELP,
        "--help": HELP},
    "papi_component_avail": {"": None, "-d": None, "--nope": WRONG_USE, "extra": WRONG_USE, "-h": HELP, "--help": HELP},
    "papi_hardware_avail": {"": None, "--nope": WRONG_USE, "extra": WRONG_USE, "-h": HELP},
    "papi_event_chooser": {
        "NATIVE perf::TASK-CLOCK": None, "NATIVE perf::TASK-CLOCK perf::PAGE-FAULTS": None, "PRESET NOPE": None,
        "NATIVE NOPE": None, "": WRONG_USE, "NATIVE": WRONG_USE, "PRESET": WRONG_USE, "OTHER x": WRONG_USE, "-h": HELP},
    "papi_xml_event_info": {
        "": None, "-p": None, "-n": None, "-c 0": None, "-c 99": None, "perf::TASK-CLOCK": None, "NOPE": None,
        "--nope": WRONG_USE},
    "papi_cost": {"-t 100": NO_PMU, "-d -t 100": NO_PMU, "-s -t 100": NO_PMU, "-b 10 -t 100": NO_PMU,
                  "--nope": WRONG_USE, "-t": WRONG_USE, "-h": HELP},
    "papi_multiplex_cost": {"-h": None, "-m 1 -x 2 -t 10": None},  # over PAPI's own library theirs ends with 249
    "papi_clockres": {"": None, "extra": WRONG_USE},
    "papi_command_line": {
        "perf::TASK-CLOCK": None, "perf::TASK-CLOCK NOPE": None, "-u perf::TASK-CLOCK": None,
        "-x perf::TASK-CLOCK": None, "": NOT_FOUND, "PAPI_TOT_CYC": NOT_FOUND, "NOPE": NOT_FOUND, "--nope": WRONG_USE,
        "-h": HELP},
    "papi_decode": {"": None, "-a": None, "--nope": WRONG_USE, "-h": HELP},
    "papi_mem_info": {"": None, "extra": WRONG_USE},
    "papi_error_codes": {"": None, "extra": WRONG_USE},
    "papi_version": {"": None, "extra": WRONG_USE},
}
