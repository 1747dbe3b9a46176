"""Pairs of programs of which B is slower for a known reason.

A pair is one source of sources/, compiled twice; B with -DSLOWER, which g++ does not write into the
debug information. Three groups:
  HANDED  the pairs on which the rules of symbolizer/report/causes were chosen
  DECOYS  causes of those pairs beside a harmless change, or two causes at once
  FRESH   pairs on which no rule was chosen, and none may be
The truth of a pair is what its author changed. It does not follow what csink says.
"""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Pair:
    """Two programs. Of a pair of values the first is of A, the second of B."""

    name: str
    # Keys of symbolizer/report/data/change_cause_kinds.inc; none: no cause above "seen" is right.
    accepted: tuple
    source: str = ""  # Of sources/, without its end; "": the pair's name
    flags: tuple = ("-O2", "-O2")
    arguments: tuple = ("", "")  # {work} is a folder on a disk, {input} a file there
    environment: tuple = ((), ())
    slower: tuple = ("", "-DSLOWER")
    library: tuple = ()  # Flags of sources/pack_library.cpp
    part: str = ""  # A second source, compiled apart
    language: str = "c++"
    background: int = 110  # Rounds of the same work on both sides


def same(value):
    return (value, value)


TUNABLES_WITHOUT_VECTORS = (
    "glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX2,-AVX2_Usable,-AVX_Fast_Unaligned_Load,-ERMS,-FSRM"
)
IRRELEVANT_TUNABLES = ("GLIBC_TUNABLES", "glibc.malloc.arena_max=3")

HANDED = [
    Pair("o3_o1", ("optimisation-level", "vector"), flags=("-O3", "-O1")),
    Pair("o2_o0", ("optimisation-level", "not-optimised"), flags=("-O2", "-O0")),
    Pair("noinline", ("not-inlined",)),
    Pair("vec_break", ("vector",), flags=same("-O3")),
    Pair("fast_math", ("vector", "flags"), flags=("-O3 -ffast-math", "-O3")),
    Pair("assertions", ("assertion",), flags=("-O2", "-O2 -D_GLIBCXX_ASSERTIONS")),
    Pair("copy_arg", ("copy", "block-copy", "allocation")),
    Pair("map_for_unordered", ("container", "container-type")),
    Pair("worse_hash", ("hash",)),
    Pair("division", ("division",)),
    Pair("virtual_call", ("indirect-call",)),
    Pair("exception", ("exception",)),
    Pair("extra_alloc", ("allocation",)),
    Pair("grow_string", ("copy", "block-copy", "string")),
    Pair("unbuffered", ("write-calls",)),
    Pair("fsync", ("fsync",), arguments=same("{work}")),
    Pair("lock_added", ("lock", "lock-code")),
    Pair("lock_longer", ("lock", "lock-code")),
    Pair("atomic_counter", ("atomic",)),
    Pair("oversubscribed", ("too-many-threads",)),
    Pair("sleep", ("sleep",)),
    Pair("stride", ("memory",)),
    Pair("denormals", ("slow-operands",)),
    Pair("other_library", ("library",), library=("", "-DSLOWER")),
    Pair(
        "tunables",
        ("libc-variant",),
        environment=((), (("GLIBC_TUNABLES", TUNABLES_WITHOUT_VECTORS),)),
    ),
    Pair("no_huge_pages", ("huge-pages",)),
    Pair("input_doubled", ("input",), arguments=("{input}", "{input2}")),
    Pair("logging", ("format", "write-calls")),
]

TUNED = ((), (IRRELEVANT_TUNABLES,))
REBUILT = ("", "-DREBUILT")  # Another build-id, and the same functions

DECOYS = [
    # A lower level of optimisation, where it does not matter.
    Pair(
        "map_and_level",
        ("container", "container-type"),
        source="map_for_unordered",
        flags=("-O2", "-O1"),
        environment=TUNED,
    ),
    Pair("exception_and_level", ("exception",), source="exception", flags=("-O2", "-O1")),
    Pair("division_and_level", ("division",), source="division", flags=("-O2", "-O1")),
    Pair("unbuffered_and_level", ("write-calls",), source="unbuffered", flags=("-O2", "-O1")),
    # Another build of a library that the slower part does not use.
    Pair("hash_and_library", ("hash",), source="worse_hash", library=REBUILT),
    Pair("stride_and_library", ("memory",), source="stride", library=REBUILT, environment=TUNED),
    # A function that the added time stands in has another name.
    Pair(
        "copy_and_name",
        ("copy", "block-copy", "allocation"),
        source="copy_arg",
        slower=("", "-DSLOWER -DScore=ScoreOfRecord"),
    ),
    Pair(
        "atomic_and_name",
        ("atomic",),
        source="atomic_counter",
        slower=("", "-DSLOWER -DLookup=LookUpCounted"),
    ),
    Pair(
        "sleep_and_name",
        ("sleep",),
        source="sleep",
        slower=("", "-DSLOWER -DRetry=RetryLater"),
        environment=TUNED,
    ),
    # Two causes at once: each is right.
    Pair("division_and_exception", ("division", "exception"), source="two_division_exception"),
    Pair("copy_and_fsync", ("copy", "fsync"), source="two_copy_fsync", arguments=same("{work}")),
    Pair(
        "vector_and_container",
        ("vector", "container", "container-type", "memory"),
        source="two_vector_container",
        flags=same("-O3"),
    ),
]

FRESH = [
    Pair("misaligned_loop", ()),
    Pair("lost_march", ("vector", "flags"), flags=("-O3 -march=native", "-O3")),
    Pair(
        "lost_lto", ("not-inlined", "flags"), flags=("-O2 -flto", "-O2"), part="lost_lto_part"
    ),
    Pair(
        "checked_arithmetic",
        ("assertion", "flags"),
        flags=("-O2", "-O2 -fsanitize=undefined"),
    ),
    Pair("checked_access", ("assertion",)),
    Pair("function_for_template", ("indirect-call", "not-inlined")),
    Pair("virtual_for_crtp", ("indirect-call", "not-inlined")),
    Pair("regex_for_parser", ("regex",)),
    Pair("stream_for_strtol", ("format", "string")),
    Pair("list_for_vector", ("container", "container-type", "memory")),
    Pair("struct_by_value", ("copy", "block-copy")),
    Pair("linear_for_binary", ()),
    Pair("recursion_for_loop", ()),
    Pair("flush_per_line", ("write-calls",)),
    Pair("poll_interval", ("sleep",)),
    Pair("lock_over_write", ("lock",), arguments=same("{work}")),
    Pair("small_reads", ("read-calls",), arguments=same("{input}")),
    Pair("reads_for_mapping", ("read-calls",), arguments=same("{input}")),
    Pair("buffer_copied", ("copy",)),
    Pair("ping_pong", ("wait", "lock")),
    Pair("rare_exception", ("exception",)),
    Pair("dynamic_cast_loop", ("c-function",)),
    Pair("decaying_filter", ("slow-operands",)),
    Pair("false_sharing", ("memory",)),
    Pair("pow_for_square", ("c-function",)),
    Pair("buffer_unmapped", ("page-faults",)),
    Pair("qsort_for_sort", ("c-function", "indirect-call")),
    Pair("shared_pointers", ("atomic",)),
    Pair(
        "rust_clone",
        ("copy", "allocation"),
        flags=("-O", "-O"),
        slower=("", "--cfg slower"),
        language="rust",
        background=60,
    ),
    Pair("go_map", (), slower=("", "-tags slower"), language="go", background=60),
    Pair(
        "python_list_for_set",
        (),
        arguments=("set", "list"),
        language="python",
        background=1500,
    ),
]
