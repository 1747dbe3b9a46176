"""What is compared, and every difference with its reason."""

import dataclasses

from compared import OURS, THEIRS, Difference, Row

# ---- masks: measurements, and codes that are given in the order in which events are asked for.
CODES = ((r"0x4[0-9a-f]{7}", "CODE"),)
MEASURED = ((r"[ <>]*-?\d+\.\d+", " N"), (r"(: +)\d+", r"\1N"))
COUNTS = ((r"(: \t)\d+", r"\1N"),)
PROGRAM = ((r"/\S*/papi_", "papi_"),)
COLUMNS = ((r"^( +\d+)\t.*", r"\1 N"),)

# ---- differences
HINT = Difference(OURS, r"^(Why: |     |What can be counted here: | {26})\S",
                  "without a PMU the reason and what can be counted instead", ("plain",), needs_no_pmu=True)
TOLD = Difference(THEIRS, r"^stderr: PAPI Error: Error Code ",
                  "their tool has the library print the reason of each try; ours tells of what failed")
# Without a PMU every event that is listed can be added.
TOLD_OF_NATIVES = dataclasses.replace(TOLD, needs_pmu=True)
EVENTS = Difference(OURS, r"^Events       : ", "which events were counted")
CLOCK = Difference(OURS, r"^Clock        : ", "the clock's rate")
NANOSECONDS = Difference(OURS, r"^(min|median|mean) +ns +: ", "nanoseconds beside cycles")
PART = Difference(OURS, r"^clock's part : ", "what of a cost is the clock's own")
RANK_THEIRS = Difference(THEIRS, r"^99% cycles   : ",
                         "their percentiles are one rank too high (of 100 values, 99 % lies past the end)")
RANK_OURS = Difference(OURS, r"^99% cycles   : ", "the nearest rank: what 99 of 100 values do not exceed")
FIRST_UNAVAILABLE = Difference(THEIRS, r'^PAPI_L1_DCM,NOT_DERIVED,.*",$',
                               "with -a theirs prints the first preset even if it is not available")
SENTENCE = Difference(OURS, r"^ {9}\S", "the library's sentence behind the code")
CLOCK_LINE = Difference(OURS, r"^#clock: ", "the clock's part and rate, as a comment")
TITLE_THEIRS = Difference(THEIRS, r"^###Multiplexed PAPI_read\(\)", "their title of papi_startstop.dat names PAPI_read")
TITLE_OURS = Difference(OURS, r"^###Multiplexed PAPI_start/stop\(\)", "what papi_startstop.dat holds")
COST = (EVENTS, CLOCK, NANOSECONDS, PART)
NO_HISTOGRAM_MASK = (*MEASURED, (r"^  \d+\t.*", "DEVIATIONS"))

DECODE_SPOKEN = Difference(OURS, r"^stderr: papi_decode: no preset is available",
                           "an empty table is explained", ("plain",), needs_no_pmu=True)

IN_PART = Difference(OURS, r"^   \\-> Partially disabled: ",
                     "why only some events of a component count, as PAPI 7.2's tool tells it", needs_no_pmu=True)

NO_COUNTS = Difference(THEIRS, r"^ {32}Native: 0, Preset: 0, Counters: 0$",
                       "sysdetect counts nothing: PAPI 7.3's tool gives no numbers for it")

UNKNOWN_WAYS = Difference(THEIRS, r"^  Associativity: +0$",
                          "theirs prints an associativity that the processor does not tell, as 0", may_be_absent=True)

ROWS = (
    # ---- lists
    Row(("papi_avail",), differences=(HINT,)),
    Row(("papi_avail", "-a"), differences=(HINT,)),
    Row(("papi_avail", "-d"), masks=CODES, differences=(HINT,)),
    Row(("papi_avail", "-e", "PAPI_TOT_CYC"), masks=CODES,
        status={"plain": (0, 1, "the event cannot be counted")}),
    Row(("papi_native_avail",), masks=CODES, differences=(
        HINT,
        Difference(THEIRS, r"^Groups:(   ?-1)+$", "theirs prints the numbers of groups that it does not know",
                   needs_pmu=True),
        Difference(THEIRS, r"^={79}$| Native Events in Component: sde$", "theirs has a title for a component without events"),
        Difference(OURS, r"^\|     (Group \d|Fixed: |  \S)", "the groups of unit masks, with their defaults and what masks fix",
                   needs_pmu=True))),
    Row(("papi_component_avail",), differences=(IN_PART, NO_COUNTS)),
    Row(("papi_component_avail", "-d"), differences=(IN_PART, NO_COUNTS)),
    Row(("papi_hardware_avail",)),
    Row(("papi_event_chooser", "NATIVE", "perf::CPU-CLOCK"), masks=CODES, differences=(
        TOLD_OF_NATIVES,
        Difference(THEIRS, r"CPU.CLOCK|^-{70,}$", "theirs offers the event that was given once more, by its other name"),
        Difference(THEIRS, r"^Total events reported: ", "so its total is one more"),
        Difference(OURS, r"^Total events reported: ", "without the event that was given"))),
    Row(("papi_event_chooser", "PRESET", "PAPI_TOT_CYC"),
        differences=(TOLD, Difference(THEIRS, r"^stderr: Event PAPI_TOT_CYC can't be counted",
                                      "their words for it", ("plain",), needs_no_pmu=True),
                     Difference(OURS, r"^stderr: papi_event_chooser: .*PAPI_TOT_CYC",
                                "ours, with the reason", ("plain",), needs_no_pmu=True)),
        status={"plain": (1, 1, "the event cannot be counted")}),
    Row(("papi_xml_event_info",)),
    # ---- descriptions
    Row(("papi_error_codes",)),
    Row(("papi_version",)),
    Row(("papi_mem_info",), modes=("plain",), differences=(UNKNOWN_WAYS,)),
    Row(("papi_mem_info",), modes=("known",), differences=(
        Difference(OURS, r"^$", "theirs leaves out the empty line where an associativity is unknown"),)),
    Row(("papi_decode",), modes=("plain", "software")),
    Row(("papi_decode", "-a"), differences=(FIRST_UNAVAILABLE, DECODE_SPOKEN)),
    # ---- measurements, masked
    Row(("papi_clockres",), modes=("plain",), masks=MEASURED),
    Row(("papi_cost", "-t", "2000", "-p", "-s"), modes=("software",), masks=NO_HISTOGRAM_MASK, differences=COST),
    Row(("papi_multiplex_cost", "-t", "200", "-x", "4"), masks=COLUMNS, files=True,
        differences=(CLOCK_LINE, TITLE_THEIRS, TITLE_OURS)),
    Row(("papi_command_line", "perf::PAGE-FAULTS", "NOPE", "perf::CPU-CLOCK"), masks=COUNTS,
        differences=(SENTENCE,)),
    Row(("papi_command_line", "PAPI_TOT_INS"), modes=("software",), masks=COUNTS),
    Row(("papi_command_line",), masks=PROGRAM, differences=(HINT,),
        status={mode: (0, 1, "nothing was counted") for mode in ("plain", "software")}),
    # ---- measurements of clocks and costs that are known: each number
    Row(("papi_clockres",), modes=("clock",)),
    Row(("papi_cost", "-t", "1212"), modes=("cost",), differences=COST),
    Row(("papi_cost", "-t", "1212", "-b", "10", "-d", "-p", "-s"), modes=("cost",),
        differences=(*COST, RANK_THEIRS, RANK_OURS)),
    Row(("papi_cost", "-t", "1212", "-b", "77", "-d"), modes=("cost",), differences=COST),
    Row(("papi_multiplex_cost", "-t", "1212", "-x", "3"), modes=("clock",), files=True,
        differences=(CLOCK_LINE, TITLE_THEIRS, TITLE_OURS)),
    Row(("papi_multiplex_cost", "-t", "1212", "-x", "3", "-s"), modes=("clock",), files=True,
        differences=(CLOCK_LINE, TITLE_THEIRS, TITLE_OURS)),
    Row(("papi_multiplex_cost", "-t", "1212", "-x", "3", "-k"), modes=("clock",), files=True,
        differences=(CLOCK_LINE, TITLE_THEIRS, TITLE_OURS)),
    # ---- events of every type
    *(Row(("papi_command_line", *options, "KNOWN_INT", "KNOWN_UNSIGNED", "KNOWN_REAL", "KNOWN_BITS"),
          modes=("known",)) for options in ((), ("-u",), ("-x",), ("-u", "-x"))),
    Row(("papi_decode",), modes=("known",), differences=(
        Difference(THEIRS, r'counts "both", here', "theirs does not double quotation marks: it cannot be read back"),
        Difference(OURS, r'counts ""both"", here', "as the format wants them"))),
)
